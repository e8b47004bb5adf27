// A page of the manual as values, and its two forms: roff for `man`, Markdown for the site. Text has the marks of our
// Markdown: `code` and **strong** are bold in a page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fastjournal::manual {

struct Block {
  enum class Kind { heading, subheading, paragraph, item, bullet, code };
  Kind kind{Kind::paragraph};
  std::string text;  // of code: lines
  std::string tag;   // of an item
};

struct Page {
  std::string name;
  int section{1};
  std::string title;  // after the dash of NAME
  std::vector<Block> blocks;

  void heading(std::string text) { blocks.push_back({Block::Kind::heading, std::move(text), {}}); }
  void subheading(std::string text) { blocks.push_back({Block::Kind::subheading, std::move(text), {}}); }
  void paragraph(std::string text) { blocks.push_back({Block::Kind::paragraph, std::move(text), {}}); }
  void item(std::string tag, std::string text) {
    blocks.push_back({Block::Kind::item, std::move(text), std::move(tag)});
  }
  void bullet(std::string text) { blocks.push_back({Block::Kind::bullet, std::move(text), {}}); }
  void code(std::string lines) { blocks.push_back({Block::Kind::code, std::move(lines), {}}); }
};

// The release, and the day of it (YYYY-MM-DD), stand at the foot of each page.
struct Edition {
  std::string version;
  std::string date;
};

[[nodiscard]] std::string as_roff(Page const& page, Edition const& edition);
[[nodiscard]] std::string as_markdown(Page const& page);

// With a full stop, and a capital letter where it begins with a plain word.
[[nodiscard]] std::string sentence(std::string text);

// Without line ends and marks.
[[nodiscard]] std::string plain(std::string_view text);

}  // namespace fastjournal::manual
