#include "tests/unit/house/source.h"

#include <algorithm>

namespace fastjournal::house {
namespace {

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool goes_on(char c) { return starts_name(c) || (c >= '0' && c <= '9'); }

class Reader {
 public:
  Reader(std::string_view text, Source& out) : text_(text), out_(out) {}

  void run() {
    while (at_ < text_.size()) {
      char const c = text_[at_];
      if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
        step(1);
      } else if (looking_at("//")) {
        skip_to_line_end();
      } else if (looking_at("/*")) {
        std::size_t const end = text_.find("*/", at_ + 2);
        step(end == std::string_view::npos ? text_.size() - at_ : end + 2 - at_);
      } else if (c == '#' && read_include()) {
        skip_to_line_end();
      } else if (c == '"' || c == '\'') {
        skip_literal(c);
      } else if (goes_on(c)) {
        read_word();
      } else {
        std::size_t const length = looking_at("::") || looking_at("->") ? 2 : 1;
        out_.tokens.push_back({std::string{text_.substr(at_, length)}, line_});
        step(length);
      }
    }
  }

 private:
  [[nodiscard]] bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void step(std::size_t count) {
    count = std::min(count, text_.size() - at_);
    line_ += static_cast<int>(std::count(text_.begin() + at_, text_.begin() + at_ + count, '\n'));
    at_ += count;
  }

  void skip_to_line_end() {
    std::size_t const end = text_.find('\n', at_);
    step((end == std::string_view::npos ? text_.size() : end) - at_);
  }

  // A `'` inside a number never comes here: numbers are read as words.
  void skip_literal(char quote) {
    out_.tokens.push_back({"\"\"", line_});
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    step(end + 1 - at_);
  }

  void skip_raw_literal() {
    out_.tokens.push_back({"\"\"", line_});
    std::size_t const open = text_.find('(', at_);
    if (open == std::string_view::npos) return step(text_.size() - at_);
    std::string const close = ")" + std::string{text_.substr(at_ + 1, open - at_ - 1)} + "\"";
    std::size_t const end = text_.find(close, open);
    step(end == std::string_view::npos ? text_.size() - at_ : end + close.size() - at_);
  }

  void read_word() {
    bool const number = !starts_name(text_[at_]);
    std::size_t end = at_;
    while (end < text_.size() && (goes_on(text_[end]) || (number && (text_[end] == '\'' || text_[end] == '.')))) ++end;
    std::string word{text_.substr(at_, end - at_)};
    step(end - at_);
    if (at_ < text_.size() && text_[at_] == '"' && word.ends_with('R') && word.size() <= 3) return skip_raw_literal();
    out_.tokens.push_back({std::move(word), line_});
  }

  [[nodiscard]] bool read_include() {
    std::size_t at = text_.find_first_not_of(" \t", at_ + 1);
    if (at == std::string_view::npos || !text_.substr(at).starts_with("include")) return false;
    at = text_.find_first_not_of(" \t", at + 7);
    if (at == std::string_view::npos || (text_[at] != '<' && text_[at] != '"')) return false;
    bool const angled = text_[at] == '<';
    std::size_t const end = text_.find(angled ? '>' : '"', at + 1);
    if (end == std::string_view::npos) return false;
    out_.includes.push_back({std::string{text_.substr(at + 1, end - at - 1)}, angled, line_});
    return true;
  }

  std::string_view text_;
  Source& out_;
  std::size_t at_{0};
  int line_{1};
};

}  // namespace

Source read_source(std::string_view path, std::string_view text) {
  Source source;
  source.path = path;
  source.lines = split_lines(text);
  Reader{text, source}.run();
  return source;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_identifier(std::string_view token) { return !token.empty() && starts_name(token.front()); }

std::string folder_of(std::string_view path) {
  std::size_t const slash = path.rfind('/');
  return std::string{slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash)};
}

}  // namespace fastjournal::house
