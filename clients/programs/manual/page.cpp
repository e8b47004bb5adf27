#include "clients/programs/manual/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace fastjournal::manual {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

// Characters that mean something to roff, or that it draws as others.
void append_escaped(std::string& out, char c) {
  switch (c) {
    case '\\': out += "\\e"; return;
    case '-': out += "\\-"; return;
    case '^': out += "\\(ha"; return;
    case '~': out += "\\(ti"; return;
    case '`': out += "\\(ga"; return;
    case '\'': out += "\\(aq"; return;
    default: out += c; return;
  }
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char const c : text) append_escaped(out, c);
  return out;
}

// Text with marks, on lines that do not begin with a character of a request.
std::string running(std::string_view text) {
  std::string out;
  bool bold = false;
  bool code = false;
  auto const toggle = [&] {
    bold = !bold;
    out += bold ? "\\fB" : "\\fR";
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') {
      code = !code;
      toggle();
    } else if (!code && text.substr(i, 2) == "**") {
      toggle();
      ++i;
    } else {
      append_escaped(out, text[i]);
    }
  }
  if (bold) out += "\\fR";
  return out.starts_with('.') ? "\\&" + out : out;
}

// A sentence a line, as roff wants it: it decides about the space behind a full stop.
std::string sentences(std::string_view text) {
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t end = 0;
    while (end < rest.size()) {
      end = std::min(rest.find(". ", end), rest.size());
      // Not behind "...", nor before a small letter.
      if (end + 2 < rest.size() && (rest.substr(0, end).ends_with("..") || std::islower(rest[end + 2]) != 0))
        end += 2;
      else
        break;
    }
    std::size_t const taken = std::min(end + 1, rest.size());
    out += running(rest.substr(0, taken)) + "\n";
    rest.remove_prefix(std::min(taken + 1, rest.size()));
  }
  return out;
}

std::string code_lines(std::string_view text) {
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t const end = std::min(rest.find('\n'), rest.size());
    std::string const line = escaped(rest.substr(0, end));
    out += (line.starts_with('.') ? "\\&" + line : line) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

// Markdown reads underscores and the like in plain text; not in code.
std::string for_markdown(std::string_view text) {
  std::string out;
  bool code = false;
  for (char const c : text) {
    if (c == '`') code = !code;
    if (!code && (c == '<' || c == '_' || c == '[' || c == '|')) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string plain(std::string_view text) {
  std::string out;
  for (char const c : text)
    if (c != '`') out += c == '\n' ? ' ' : c;
  return out;
}

std::string sentence(std::string text) {
  std::size_t const word = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
  if (word != std::string::npos && word > 0 && (text[word] == ' ' || text[word] == ','))
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  if (!text.empty() && !text.ends_with('.')) text += '.';
  return text;
}

std::string as_roff(Page const& page, Edition const& edition) {
  std::string out =
      fmt::format(".\\\" Made of the program's own declarations.\n.TH {} {} {} \"fastjournal {}\" \"fastjournal\"\n",
                  upper(escaped(page.name)), page.section, edition.date, edition.version);
  // Long names cannot be spread over a line.
  out += ".nh\n.ad l\n";
  out += ".SH NAME\n" + escaped(page.name) + " \\- " + running(page.title) + "\n";
  bool after_heading = true;
  for (Block const& block : page.blocks) {
    switch (block.kind) {
      case Block::Kind::heading: out += ".SH \"" + upper(escaped(plain(block.text))) + "\"\n"; break;
      case Block::Kind::subheading: out += ".SS \"" + escaped(plain(block.text)) + "\"\n"; break;
      case Block::Kind::paragraph: out += (after_heading ? "" : ".PP\n") + sentences(block.text); break;
      case Block::Kind::item:
        out += ".TP\n" + running(block.tag) + "\n" + (block.text.empty() ? "\\&\n" : sentences(block.text));
        break;
      case Block::Kind::bullet: out += ".IP \\(bu 2\n" + sentences(block.text); break;
      case Block::Kind::code:
        out += after_heading ? ".nf\n" + code_lines(block.text) + ".fi\n"
                             : ".PP\n.nf\n.RS 4\n" + code_lines(block.text) + ".RE\n.fi\n";
        break;
    }
    after_heading = block.kind == Block::Kind::heading || block.kind == Block::Kind::subheading;
  }
  return out;
}

std::string as_markdown(Page const& page) {
  std::string out = fmt::format("# {}({})\n\n{}.\n", page.name, page.section, for_markdown(page.title));
  bool in_list = false;
  for (Block const& block : page.blocks) {
    bool const listed = block.kind == Block::Kind::item || block.kind == Block::Kind::bullet;
    if (!listed || !in_list) out += '\n';
    switch (block.kind) {
      case Block::Kind::heading: out += "## " + for_markdown(block.text) + "\n"; break;
      case Block::Kind::subheading: out += "### " + for_markdown(block.text) + "\n"; break;
      case Block::Kind::paragraph: out += for_markdown(block.text) + "\n"; break;
      case Block::Kind::item:
        out += "- " + for_markdown(block.tag) + (block.text.empty() ? "" : ": " + for_markdown(block.text)) + "\n";
        break;
      case Block::Kind::bullet: out += "- " + for_markdown(block.text) + "\n"; break;
      case Block::Kind::code:
        out += "```text\n" + block.text + (block.text.ends_with('\n') ? "" : "\n") + "```\n";
        break;
    }
    in_list = listed;
  }
  return out;
}

}  // namespace fastjournal::manual
