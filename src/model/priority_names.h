// Words for priorities: `NOW` in place of 0. The usual ones are those of the list system's listener; a table may have
// others. Kept as text, as they are rarely asked for: what is given as a number never comes here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/status.h"
#include "model/given.h"

namespace fastjournal::model {

class PriorityNames {
 public:
  static constexpr std::string_view kUsual =
      "NOW=0 IMPORTANT=10 NEW_PAGE=20 RESET=50 UPDATES=180 SLOW=200 REVIEW=230 TIME_ALLOWS=255";
  static constexpr std::size_t kWordBytesMax = 64;

  // WORD=NUMBER, separated by blanks; numbers up to 255, and words of letters, digits, _ and -, a letter first.
  [[nodiscard]] static Status check(std::string_view text);
  // Of an option, which was checked.
  void take(std::string_view text) { text_ = text == kUsual ? std::string_view{} : text; }
  // Capitals and small letters are the same.
  [[nodiscard]] std::optional<std::uint8_t> find(std::string_view word) const;
  [[nodiscard]] std::string_view text() const { return text_.empty() ? kUsual : std::string_view{text_}; }

 private:
  std::string text_{};  // empty: the usual ones
};

// A value that is no number.
[[nodiscard, gnu::cold]] std::optional<std::uint8_t> named_priority(Param const& param, PriorityNames const& names,
                                                                    Status& why);
void read_priority(Param const& param, PriorityNames const& names, std::int64_t min, std::int64_t max, auto& to,
                   Status& why) {
  std::string_view const given = param.value.bytes;
  if (given.empty() || given[0] <= '9') [[likely]]
    return read_integer(param, min, max, to, why);
  take(named_priority(param, names, why), to);
}

}  // namespace fastjournal::model
