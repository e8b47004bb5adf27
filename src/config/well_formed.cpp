// One pass over the bytes. See well_formed.h.
#include "config/well_formed.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/utf8.h"

namespace fastjournal::config {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_name_start(char c) {
  auto const byte = static_cast<unsigned char>(c);
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == ':' || byte >= 0x80;
}
bool is_name(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

class Scanner {
 public:
  Scanner(std::string_view text, Problems& problems) : text_(text), problems_(problems) {}

  bool document() {
    if (!characters()) return false;
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    if (starts("<?xml") && at_ + 5 < text_.size() && kBlanks.find(text_[at_ + 5]) != std::string_view::npos &&
        !declaration())
      return false;
    if (!misc()) return false;
    if (at_ == text_.size()) return fault("the file has no element, expected a root element");
    if (!element_tree() || !misc()) return false;
    if (at_ == text_.size()) return true;
    return starts("<") ? fault("a second root element, expected the end of the file")
                       : fault("text after the root element, expected the end of the file");
  }

 private:
  bool fault(std::string what) {
    problems_.add(line_of(at_), std::move(what));
    return false;
  }
  bool fault_at(std::size_t at, std::string what) {
    at_ = at;
    return fault(std::move(what));
  }
  [[nodiscard]] int line_of(std::size_t at) const {
    return 1 + static_cast<int>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  [[nodiscard]] bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }
  std::string_view take_name() {
    std::size_t const from = at_;
    if (at_ < text_.size() && is_name_start(text_[at_]))
      while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }

  // UTF-8, and no control characters.
  bool characters() {
    if (!is_utf8(text_)) {
      while (!text_.empty() && at_ < text_.size()) {  // the line of the first broken byte
        std::size_t const end = std::min(text_.find('\n', at_), text_.size());
        if (!is_utf8(text_.substr(at_, end - at_))) break;
        at_ = end + 1;
      }
      at_ = std::min(at_, text_.size());
      return fault("bytes that are not UTF-8, expected a file in UTF-8");
    }
    auto const bad = std::find_if(text_.begin(), text_.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    });
    if (bad == text_.end()) return true;
    return fault_at(
        static_cast<std::size_t>(bad - text_.begin()),
        "a control character, expected text: XML allows no other control characters than tabs and line ends");
  }

  // <?xml version="1.0" encoding="UTF-8"?>
  bool declaration() {
    std::size_t const end = text_.find("?>", at_);
    if (end == std::string_view::npos) return fault("an XML declaration without an end, expected \"?>\"");
    std::string inside{text_.substr(at_ + 5, end - at_ - 5)};
    std::replace(inside.begin(), inside.end(), '\'', '"');
    std::transform(inside.begin(), inside.end(), inside.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    inside.erase(inside.find_last_not_of(kBlanks) + 1);
    inside.erase(0, inside.find_first_not_of(kBlanks));
    for (std::string_view const good : {"version=\"1.0\"", "version=\"1.0\" encoding=\"utf-8\""})
      if (inside == good) {
        at_ = end + 2;
        return true;
      }
    return fault("this XML declaration, expected <?xml version=\"1.0\" encoding=\"UTF-8\"?>");
  }

  // Comments and blanks between elements.
  bool misc() {
    for (;;) {
      skip_blanks();
      if (starts("<!DOCTYPE"))
        return fault("a document type, expected none: they and their entities are not read here");
      if (starts("<?")) return fault("a processing instruction, expected none");
      if (!starts("<!--")) return true;
      if (!comment()) return false;
    }
  }

  bool comment() {
    std::size_t const end = text_.find("--", at_ + 4);
    if (end == std::string_view::npos) return fault("a comment without an end, expected \"-->\"");
    if (text_.substr(end, 3) != "-->")
      return fault_at(end, "\"--\" inside a comment, expected \"-->\" or a single dash");
    at_ = end + 3;
    return true;
  }

  bool cdata() {
    std::size_t const end = text_.find("]]>", at_);
    if (end == std::string_view::npos) return fault("a CDATA section without an end, expected \"]]>\"");
    at_ = end + 3;
    return true;
  }

  // &amp; and the other predefined entities, &#233;, &#xE9;
  bool entity() {
    std::size_t const end = text_.find_first_of(";<& \t\r\n\"'", at_ + 1);
    std::string_view const name =
        end != std::string_view::npos && text_[end] == ';' ? text_.substr(at_ + 1, end - at_ - 1) : std::string_view{};
    for (std::string_view const known : {"amp", "lt", "gt", "quot", "apos"})
      if (name == known) {
        at_ = end + 1;
        return true;
      }
    if (name.starts_with("#") && is_character(name.substr(1))) {
      at_ = end + 1;
      return true;
    }
    if (name.empty()) return fault("a bare \"&\", expected \"&amp;\"");
    return fault("the entity \"&" + std::string{name} +
                 ";\", expected &amp; &lt; &gt; &quot; &apos; or a character by number");
  }
  static bool is_character(std::string_view digits) {
    bool const hexadecimal = digits.starts_with("x");
    if (hexadecimal) digits.remove_prefix(1);
    std::uint32_t point = 0;
    auto const [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), point, hexadecimal ? 16 : 10);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return false;
    bool const blank = point == '\t' || point == '\n' || point == '\r';
    return blank || (point >= 0x20 && point < 0xD800) || (point > 0xDFFF && point < 0xFFFE) ||
           (point > 0xFFFF && point <= 0x10FFFF);
  }

  // The root element with its contents.
  bool element_tree() {
    if (!starts("<")) return fault("text before the root element, expected \"<\"");
    if (starts("</")) return fault("an end tag without its start tag, expected a root element");
    if (starts("<!")) return fault("a declaration before the root element, expected the root element");
    if (!start_tag()) return false;
    while (!open_.empty())
      if (!character_data() || !markup()) return false;
    return true;
  }

  // Markup inside an element, from its "<".
  bool markup() {
    if (starts("<!--")) return comment();
    if (starts("<![CDATA[")) return cdata();
    if (starts("<!")) return fault("a declaration inside the document, expected an element");
    if (starts("<?")) return fault("a processing instruction, expected none");
    return starts("</") ? end_tag() : start_tag();
  }

  bool character_data() {
    while (at_ < text_.size() && text_[at_] != '<') {
      if (starts("]]>")) return fault("\"]]>\" in text, expected \"]]&gt;\"");
      if (text_[at_] != '&')
        ++at_;
      else if (!entity())
        return false;
    }
    if (at_ < text_.size()) return true;
    return fault("the end of the file inside <" + std::string{open_.back().name} + "> of line " +
                 std::to_string(line_of(open_.back().at)) + ", expected </" + std::string{open_.back().name} + ">");
  }

  bool end_tag() {
    std::size_t const from = at_;
    at_ += 2;
    std::string_view const name = take_name();
    if (open_.back().name != name)
      return fault_at(from, "</" + std::string{name} + "> where <" + std::string{open_.back().name} + "> of line " +
                                std::to_string(line_of(open_.back().at)) + " is open, expected </" +
                                std::string{open_.back().name} + ">");
    skip_blanks();
    if (!starts(">")) return fault_at(from, "an end tag without an end, expected \">\"");
    ++at_;
    open_.pop_back();
    return true;
  }

  bool start_tag() {
    constexpr std::size_t kDepthMax = 50;
    std::size_t const from = at_++;
    std::string_view const name = take_name();
    if (name.empty()) return fault_at(from, "\"<\" without a name, expected an element, or \"&lt;\" for the character");
    if (open_.size() == kDepthMax) return fault_at(from, "elements deeper than 50, expected fewer");
    if (++elements_ > kElementsMax)
      return fault_at(from, "more than " + std::to_string(kElementsMax) + " elements, expected fewer");
    std::vector<std::string_view> attributes;
    for (;;) {
      std::size_t const blanks_from = at_;
      skip_blanks();
      bool const blanks = at_ > blanks_from;
      if (starts("/>")) {
        at_ += 2;
        return true;
      }
      if (starts(">")) {
        ++at_;
        open_.push_back({name, from});
        return true;
      }
      if (at_ == text_.size()) return fault_at(from, "<" + std::string{name} + "> has no end, expected \">\"");
      if (!blanks || !attribute(attributes))
        return !blanks ? fault("a missing blank before an attribute of <" + std::string{name} + ">, expected one")
                       : false;
    }
  }

  // Their number is limited: each is compared with all before it, here and in tinyxml2.
  bool attribute(std::vector<std::string_view>& seen) {
    constexpr std::size_t kAttributesMax = 100;
    std::string_view const name = take_name();
    if (name.empty()) return fault("something that is no attribute, expected a name, \">\" or \"/>\"");
    std::string const shown{name};
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      return fault("attribute \"" + shown + "\" twice, expected it once");
    if (seen.size() == kAttributesMax) return fault("more than 100 attributes of one element, expected fewer");
    seen.push_back(name);
    skip_blanks();
    if (!starts("=")) return fault("attribute \"" + shown + "\" without a value, expected " + shown + "=\"...\"");
    ++at_;
    skip_blanks();
    char const quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '\'')
      return fault("attribute \"" + shown + "\" without quotes, expected " + shown + "=\"...\"");
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '<')
        return fault("\"<\" in the value of attribute \"" + shown + "\", expected \"&lt;\" or a closing quote");
      if (text_[at_] != '&')
        ++at_;
      else if (!entity())
        return false;
    }
    if (at_ == text_.size()) return fault("attribute \"" + shown + "\" without a closing quote, expected one");
    ++at_;
    return true;
  }

  struct Open {
    std::string_view name;
    std::size_t at;
  };

  std::string_view text_;
  std::size_t at_{0};
  std::vector<Open> open_;
  std::size_t elements_{0};
  Problems& problems_;
};

}  // namespace

bool check_well_formed(std::string_view text, Problems& problems) { return Scanner{text, problems}.document(); }

}  // namespace fastjournal::config
