#include "clients/programs/manual/reference.h"

#include <algorithm>
#include <vector>

namespace fastjournal::manual {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  std::size_t const first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> out;
  line = trimmed(line);
  line.remove_prefix(1);
  while (!line.empty()) {
    std::size_t const end = std::min(line.find('|'), line.size());
    out.emplace_back(trimmed(line.substr(0, end)));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return out;
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// A row of a table as an item: the first column names it, what the last one says comes first.
void add_row(std::vector<std::string> const& titles, std::vector<std::string> const& cells, Page& page) {
  std::size_t from = 1;
  std::string tag = cells[0];
  if (titles.size() > 2 && titles[1] == "of") {
    tag += " (" + cells[1] + ")";
    from = 2;
  }
  bool const told = titles.back() == "what" || titles.size() == 2;
  std::string text = told ? cells.back() : "";
  for (std::size_t i = from; i < cells.size() - (told ? 1 : 0); ++i)
    if (!cells[i].empty())
      text += (text.empty() ? "" : " ") + capital(titles[i]) + ": " + cells[i] + (cells[i].ends_with('.') ? "" : ".");
  page.item(tag, text);
}

// Reads one Markdown block after the other.
void read(std::vector<std::string_view> const& lines, Page& page) {
  std::vector<std::string> titles;
  bool open = false;  // a paragraph or a bullet goes on
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view const line = lines[i];
    if (!line.starts_with('|')) titles.clear();
    if (line.starts_with("```")) {
      std::string code;
      for (++i; i < lines.size() && !lines[i].starts_with("```"); ++i) code += std::string{lines[i]} + "\n";
      page.code(code);
      open = false;
    } else if (line.starts_with('#')) {
      page.subheading(std::string{trimmed(line.substr(line.find_first_not_of('#')))});
      open = false;
    } else if (line.starts_with("|--")) {
      continue;
    } else if (line.starts_with('|')) {
      open = false;
      if (titles.empty())
        titles = cells_of(line);
      else
        add_row(titles, cells_of(line), page);
    } else if (line.empty()) {
      open = false;
    } else if (line.starts_with("- ")) {
      page.bullet(std::string{line.substr(2)});
      open = true;
    } else if (open) {
      page.blocks.back().text += " " + std::string{trimmed(line)};
    } else {
      page.paragraph(std::string{trimmed(line)});
      open = true;
    }
  }
}

bool add(std::string_view markdown, std::string_view heading, bool whole, Page& page) {
  std::size_t const rank = heading.find_first_not_of('#');
  std::vector<std::string_view> taken;
  bool found = false;
  bool code = false;
  for (std::string_view const line : lines_of(markdown)) {
    if (line.starts_with("```")) code = !code;
    if (!found) {
      found = line.starts_with(heading);
      continue;
    }
    if (!code && line.starts_with('#') && (!whole || line.find_first_not_of('#') <= rank)) break;
    taken.push_back(line);
  }
  read(taken, page);
  return found;
}

}  // namespace

bool add_section(std::string_view markdown, std::string_view heading, Page& page) {
  return add(markdown, heading, true, page);
}

bool add_opening(std::string_view markdown, std::string_view heading, Page& page) {
  return add(markdown, heading, false, page);
}

}  // namespace fastjournal::manual
