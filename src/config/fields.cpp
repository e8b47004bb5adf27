// See fields.h.
#include "config/fields.h"

#include <algorithm>
#include <charconv>

#include "config/address.h"
#include "model/duration.h"
#include "model/value.h"

namespace fastjournal::config {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c, bool upper) { return upper ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z'; }

Result<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t out = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc::result_out_of_range)
    return Status{Code::bad_parameter,
                  "found " + model::shown(text) + ", which is above 64 bits, expected a whole number"};
  if (error != std::errc{} || end != text.data() + text.size())
    return Status{Code::bad_parameter, "found " + model::shown(text) + ", expected a whole number"};
  return out;
}

Result<std::int64_t> parse_number(OptionType type, std::string_view text) {
  switch (type) {
    case OptionType::duration: return model::parse_duration(text);
    case OptionType::size: return model::parse_size(text);
    default: return parse_integer(text);
  }
}

Result<std::int64_t> parse_limited(OptionType type, std::string_view text, std::int64_t min, std::int64_t max) {
  Result<std::int64_t> const number = parse_number(type, text);
  if (!number.ok() || (number.value() >= min && number.value() <= max)) return number;
  std::string expected;
  if (min != INT64_MIN) expected.append(" at least ").append(format_option(type, min));
  if (min != INT64_MIN && max != INT64_MAX) expected.append(" and");
  if (max != INT64_MAX) expected.append(" at most ").append(format_option(type, max));
  return Status{Code::bad_parameter, "found " + model::shown(text) + ", expected" + expected};
}

std::optional<std::int64_t> number_field(Element const& element, std::string_view attribute, OptionType type,
                                         std::int64_t min, std::int64_t max) {
  std::optional<std::string_view> const text = element.attribute(attribute);
  if (!text) return std::nullopt;
  Result<std::int64_t> const number = parse_limited(type, *text, min, max);
  if (number.ok()) return number.value();
  element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\": " + number.status().message());
  return std::nullopt;
}

void wrong(Element const& element, std::string_view attribute, std::string_view found, std::string const& expected) {
  element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\": found " + model::shown(found) +
                                    ", expected " + expected);
}

std::string bound_text(Bound const& bound, OptionType type) {
  return bound.option.empty() ? format_option(type, bound.value) : "`" + bound.option + "`";
}

}  // namespace

bool is_name(std::string_view text, NameRule const& rule) {
  if (text.empty() || text.size() > rule.bytes_max || !is_letter(text[0], rule.upper)) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c, rule.upper) || is_digit(c) || rule.extra.find(c) != std::string_view::npos;
  });
}

std::optional<std::string> name_field(Element const& element, std::string_view attribute, NameRule const& rule) {
  std::optional<std::string_view> const text = element.attribute(attribute);
  if (!text) return std::nullopt;
  if (is_name(*text, rule)) return std::string{*text};
  wrong(element, attribute, *text, std::string{rule.expected});
  return std::nullopt;
}

std::optional<bool> boolean_field(Element const& element, std::string_view attribute) {
  std::optional<std::size_t> const word = word_field(element, attribute, {"true", "false"});
  if (!word) return std::nullopt;
  return *word == 0;
}

std::optional<std::int64_t> integer_field(Element const& element, std::string_view attribute, std::int64_t min,
                                          std::int64_t max) {
  return number_field(element, attribute, OptionType::integer, min, max);
}
std::optional<std::int64_t> duration_field(Element const& element, std::string_view attribute, std::int64_t min,
                                           std::int64_t max) {
  return number_field(element, attribute, OptionType::duration, min, max);
}
std::optional<std::int64_t> size_field(Element const& element, std::string_view attribute, std::int64_t min,
                                       std::int64_t max) {
  return number_field(element, attribute, OptionType::size, min, max);
}

std::optional<std::size_t> word_field(Element const& element, std::string_view attribute,
                                      std::vector<std::string_view> const& words) {
  std::optional<std::string_view> const text = element.attribute(attribute);
  if (!text) return std::nullopt;
  auto const at = std::find(words.begin(), words.end(), *text);
  if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  wrong(element, attribute, *text, listed(words) + near_miss(*text, words));
  return std::nullopt;
}

Result<Rights> parse_rights(std::string_view text) {
  if (text == "all") return kAllRights;
  Rights out;
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t const end = std::min(rest.find(' '), rest.size());
    std::string_view const word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.empty()) continue;
    std::optional<Right> const right = right_named(word);
    if (!right)
      return Status{Code::bad_parameter, "found " + model::shown(word) +
                                             ", expected words out of read, add, work, manage and admin, or all alone"};
    out.add(*right);
  }
  if (out.is_empty())
    return Status{Code::bad_parameter,
                  "found none, expected words out of read, add, work, manage and admin, or all alone"};
  return out;
}

std::optional<Rights> rights_field(Element const& element, std::string_view attribute) {
  std::optional<std::string_view> const text = element.attribute(attribute);
  if (!text) return std::nullopt;
  Result<Rights> const rights = parse_rights(*text);
  if (rights.ok()) return rights.value();
  element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\": " + rights.status().message());
  return std::nullopt;
}

std::optional<std::string> text_field(Element const& element, std::string_view attribute) {
  std::optional<std::string_view> const text = element.attribute(attribute);
  if (!text) return std::nullopt;
  if (!text->empty()) return std::string{*text};
  wrong(element, attribute, *text, "some text");
  return std::nullopt;
}

std::string interface_field(Element const& element, std::string_view attribute) {
  std::optional<std::string_view> const text = element.attribute(attribute);
  if (!text) return {};
  if (is_ipv4(*text)) return std::string{*text};
  element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\": found " + model::shown(*text) +
                                    ", expected the IPv4 address of a network card, as in 192.168.1.5");
  return {};
}

Result<std::int64_t> parse_option(OptionDeclaration const& option, std::string_view text) {
  switch (option.type) {
    case OptionType::integer:
    case OptionType::duration:
    case OptionType::size: return parse_limited(option.type, text, option.min, option.max);
    case OptionType::boolean:
      if (text == "true" || text == "false") return std::int64_t{text == "true"};
      return Status{Code::bad_parameter, "found " + model::shown(text) + ", expected true or false"};
    case OptionType::choice: {
      auto const at = std::find(option.choices.begin(), option.choices.end(), text);
      if (at != option.choices.end()) return std::int64_t{at - option.choices.begin()};
      std::vector<std::string_view> const words{option.choices.begin(), option.choices.end()};
      return Status{Code::bad_parameter,
                    "found " + model::shown(text) + ", expected " + listed(words) + near_miss(text, words)};
    }
    case OptionType::text:
    case OptionType::plan: return std::int64_t{0};
  }
  return std::int64_t{0};
}

std::string format_option(OptionType type, std::int64_t value) {
  switch (type) {
    case OptionType::duration: return model::format_duration(value);
    case OptionType::size: return model::format_size(value);
    case OptionType::boolean: return value != 0 ? "true" : "false";
    default: return std::to_string(value);
  }
}

std::string limits_of(ParameterDeclaration const& one) {
  OptionType const type = one.type == "string"     ? OptionType::size
                          : one.type == "duration" ? OptionType::duration
                                                   : OptionType::integer;
  std::string out;
  for (std::string const& choice : one.choices) out += (out.empty() ? " One of `" : ", `") + choice + "`";
  if (!one.choices.empty()) out += ".";
  if (one.is_flag())
    out += " 0 or 1.";
  else if (one.min && one.max)
    out += " " + bound_text(*one.min, type) + " to " + bound_text(*one.max, type) + ".";
  else if (one.max)
    out += " At most " + bound_text(*one.max, type) + ".";
  if (one.default_value) out += " Default: " + bound_text(*one.default_value, type) + ".";
  if (one.kept > 0) out += " " + format_option(type, one.kept) + " of it are kept.";
  return out;
}

std::vector<std::string_view> const& option_type_words() {
  static std::vector<std::string_view> const words{"integer", "duration", "size", "boolean", "choice", "text", "plan"};
  return words;
}

}  // namespace fastjournal::config
