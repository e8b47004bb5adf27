// Values of attributes: names, booleans, whole numbers, durations, sizes, one of several words. A reader returns
// nothing and adds a problem if the value is wrong. It returns nothing without a problem if the attribute is absent:
// the Shape decides whether attributes are required.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/xml.h"
#include "fastjournal/declaration.h"

namespace fastjournal::config {

// The characters of a name.
struct NameRule {
  std::string_view extra;  // allowed besides [a-z0-9]; the first character must be a letter
  std::size_t bytes_max{64};
  std::string_view expected;  // the rule as text, for messages
  bool upper{false};          // [A-Z0-9] instead of [a-z0-9]
};
inline constexpr NameRule kColumnName{"_", 64, "a letter a-z, then a-z, 0-9 or _, at most 64 characters"};
inline constexpr NameRule kTypeName{"", 64, "a letter a-z, then a-z or 0-9, at most 64 characters"};
inline constexpr NameRule kOptionName{"-", 64, "a letter a-z, then a-z, 0-9 or -, at most 64 characters"};
inline constexpr NameRule kLogName{"_-", 64, "a letter a-z, then a-z, 0-9, _ or -, at most 64 characters"};
inline constexpr NameRule kServiceName{"_", 64, "a letter a-z, then a-z, 0-9 or _, at most 64 characters"};
inline constexpr NameRule kCommandName{"_", 64, "a letter A-Z, then A-Z, 0-9 or _, at most 64 characters", true};
[[nodiscard]] bool is_name(std::string_view text, NameRule const& rule);

[[nodiscard]] std::optional<std::string> name_field(Element const& element, std::string_view attribute,
                                                    NameRule const& rule);
[[nodiscard]] std::optional<bool> boolean_field(Element const& element, std::string_view attribute);
[[nodiscard]] std::optional<std::int64_t> integer_field(Element const& element, std::string_view attribute,
                                                        std::int64_t min, std::int64_t max);
[[nodiscard]] std::optional<std::int64_t> duration_field(Element const& element, std::string_view attribute,
                                                         std::int64_t min, std::int64_t max);
[[nodiscard]] std::optional<std::int64_t> size_field(Element const& element, std::string_view attribute,
                                                     std::int64_t min, std::int64_t max);
// Index of the word in `words`.
[[nodiscard]] std::optional<std::size_t> word_field(Element const& element, std::string_view attribute,
                                                    std::vector<std::string_view> const& words);
// The words for rights, or "all".
[[nodiscard]] std::optional<Rights> rights_field(Element const& element, std::string_view attribute);
// The same for text from another source; not ok: what was found and what was expected.
[[nodiscard]] Result<Rights> parse_rights(std::string_view text);
// Must not be empty.
[[nodiscard]] std::optional<std::string> text_field(Element const& element, std::string_view attribute);

// The IPv4 address of a network card; empty: the attribute is absent, or wrong.
[[nodiscard]] std::string interface_field(Element const& element, std::string_view attribute);

// Parses an option's value. An error states what was found and what was expected.
[[nodiscard]] Result<std::int64_t> parse_option(OptionDeclaration const& option, std::string_view text);
// In the spelling of people: "1h", "16MiB", "5".
[[nodiscard]] std::string format_option(OptionType type, std::int64_t value);
// What a parameter takes, in sentences: " 1 to 1024. Default: 1."; empty: it has no limits.
[[nodiscard]] std::string limits_of(ParameterDeclaration const& parameter);
// Indexed by OptionType.
[[nodiscard]] std::vector<std::string_view> const& option_type_words();

}  // namespace fastjournal::config
