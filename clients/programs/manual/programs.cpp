#include "clients/programs/manual/programs.h"

#include <fmt/format.h>

#include <algorithm>

#include "clients/programs/fastjournal/usage/completion.h"

namespace fastjournal::manual {
namespace {

using usage::Option;
using usage::Usage;

std::string marked(std::vector<std::string> const& names) {
  std::string out;
  for (std::string const& name : names) out += (out.empty() ? "`" : ", `") + name + "`";
  return out;
}

std::string text_of(Option const& option) {
  std::string out = sentence(option.description);
  auto const add = [&](std::string const& more) { out += (out.empty() ? "" : " ") + more; };
  if (!option.choices.empty()) add("One of " + marked(option.choices) + ".");
  if (!option.limits.empty()) add("From " + option.limits + ".");
  if (!option.default_text.empty()) add("Default: " + option.default_text + ".");
  if (!option.variable.empty()) add("Also given by the variable `" + option.variable + "`.");
  if (option.required) add("Required.");
  if (option.repeated) add("May be given several times.");
  if (!option.needs.empty()) add("Only with " + marked(option.needs) + ".");
  if (!option.excludes.empty()) add("Not with " + marked(option.excludes) + ".");
  return out;
}

void add_options(Usage const& of, Page& page) {
  for (Option const& option : of.positionals) page.item("`" + option.value + "`", text_of(option));
  for (Option const& option : of.options)
    page.item(marked(option.names) + (option.value.empty() ? "" : " " + option.value), text_of(option));
}

std::string synopsis_of(std::string const& name, Usage const& of) {
  std::string out = name + " [OPTIONS]";
  for (Option const& option : of.positionals) {
    std::string const word = option.value + (option.repeated ? "..." : "");
    out += option.required ? " " + word : " [" + word + "]";
  }
  if (!of.below.empty()) out += " COMMAND ...";
  return out;
}

bool is_list_line(std::string_view line) {
  return line.starts_with("  ") && line.size() > 3 && line[2] != ' ' && line.find("  ", 3) != std::string_view::npos;
}

// The footer of --help: lines that are broken for a terminal, lists of "  word  text", examples behind "Example:", and
// sentences that begin with a title.
void add_footer(std::string_view footer, Page& page) {
  std::vector<std::string> examples;
  bool in_examples = false;
  bool in_list = false;
  bool open = false;  // the last block goes on
  while (!footer.empty()) {
    std::size_t const end = std::min(footer.find('\n'), footer.size());
    std::string_view const line = footer.substr(0, end);
    footer.remove_prefix(std::min(end + 1, footer.size()));
    if (line == "Example:") {
      in_examples = true;
    } else if (in_examples) {
      examples.emplace_back(line.substr(std::min<std::size_t>(2, line.size())));
    } else if (line.empty()) {
      open = false;
    } else if (is_list_line(line)) {
      std::size_t const gap = line.find("  ", 3);
      page.item("`" + std::string{line.substr(2, gap - 2)} + "`",
                std::string{line.substr(line.find_first_not_of(' ', gap))});
      in_list = true;
      open = true;
    } else if (line.starts_with("  ")) {
      if (in_list && open)
        page.blocks.back().text += " " + std::string{line.substr(line.find_first_not_of(' '))};
      else
        page.code(std::string{line.substr(2)});
    } else if (line == "Exit codes:") {
      page.heading("Exit status");
      open = in_list = false;
    } else if (line.starts_with("Exit status:") || line.starts_with("Signals:")) {
      std::size_t const colon = line.find(':');
      page.heading(std::string{line.substr(0, colon)});
      page.paragraph(std::string{line.substr(colon + 2)});
      open = false;
    } else if (open && !in_list) {
      page.blocks.back().text += " " + std::string{line};
    } else {
      page.paragraph(std::string{line});
      open = true;
      in_list = false;
    }
  }
  if (examples.empty()) return;
  page.heading("Examples");
  page.code(fmt::format("{}", fmt::join(examples, "\n")));
}

void add_variables(Usage const& of, Page& page) {
  bool first = true;
  for (Option const& option : of.options) {
    if (option.variable.empty()) continue;
    if (first) page.heading("Environment");
    first = false;
    page.item("`" + option.variable + "`", "As " + marked(option.names) + ".");
  }
}

void add_program_links(std::vector<std::string> const& names, Page& page) {
  std::string out;
  for (std::string const& name : names)
    if (name != fmt::format("{}({})", page.name, page.section)) out += (out.empty() ? "`" : ", `") + name + "`";
  page.heading("See also");
  page.paragraph(out);
}

Page verb_page(Usage const& program, Usage const& verb, int section) {
  Page page{program.name + "-" + verb.name, section, plain(verb.description), {}};
  std::string const name = program.name + " " + verb.name;
  page.heading("Synopsis");
  if (verb.below.empty()) {
    page.code(synopsis_of(name, verb));
    page.heading("Description");
    page.paragraph(sentence(verb.description));
    page.heading("Options");
    add_options(verb, page);
    page.paragraph("Those of all commands are in `" + program.name + "(1)`: " + [&] {
      std::vector<std::string> names;
      for (Option const& option : program.options)
        if (option.names.back() != "--help") names.push_back(option.names.back());
      return marked(names);
    }() + ".");
    if (!verb.footer.empty()) {
      page.heading("Notes");
      add_footer(verb.footer, page);
    }
  } else {
    std::string lines;
    for (Usage const& below : verb.below) lines += synopsis_of(name + " " + below.name, below) + "\n";
    page.code(lines);
    page.heading("Description");
    page.paragraph(sentence(verb.description));
    for (Usage const& below : verb.below) {
      page.heading(verb.name + " " + below.name);
      page.paragraph(sentence(below.description));
      add_options(below, page);
      Page notes;
      add_footer(below.footer, notes);
      for (Block& block : notes.blocks) {
        if (block.kind == Block::Kind::heading) block.kind = Block::Kind::subheading;
        page.blocks.push_back(std::move(block));
      }
    }
  }
  // A section of notes that held nothing but examples.
  for (std::size_t i = 0; i + 1 < page.blocks.size(); ++i)
    if (page.blocks[i].kind == Block::Kind::heading && page.blocks[i + 1].kind == Block::Kind::heading)
      page.blocks.erase(page.blocks.begin() + static_cast<std::ptrdiff_t>(i));
  return page;
}

}  // namespace

std::vector<Page> program_pages(Usage const& program, ProgramWords const& words) {
  std::vector<Page> out;
  std::size_t const colon = program.description.find(": ");
  std::string const title = colon == std::string::npos ? program.description : program.description.substr(colon + 2);
  Page page{program.name, words.section, usage::in_short(title), {}};
  while (page.title.ends_with('.')) page.title.pop_back();
  page.heading("Synopsis");
  page.code(synopsis_of(program.name, program));
  page.heading("Description");
  page.paragraph(sentence(title));
  page.heading("Options");
  add_options(program, page);
  std::vector<std::string> see_also = words.see_also;
  if (!program.below.empty()) {
    page.heading("Commands");
    page.paragraph("Each has a page of its own, such as `" + program.name + "-" + program.below.front().name + "(" +
                   std::to_string(words.section) + ")`.");
    for (Usage const& verb : program.below) page.item("`" + verb.name + "`", sentence(verb.description));
  }
  if (!program.footer.empty()) {
    Page footer;
    add_footer(program.footer, footer);
    if (!footer.blocks.empty() && footer.blocks.front().kind != Block::Kind::heading) page.heading("Notes");
    page.blocks.insert(page.blocks.end(), footer.blocks.begin(), footer.blocks.end());
  }
  add_variables(program, page);
  add_program_links(see_also, page);
  out.push_back(std::move(page));
  for (Usage const& verb : program.below) {
    Page one = verb_page(program, verb, words.section);
    add_program_links(see_also, one);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace fastjournal::manual
