// Parameters of a message, found by their names (given.h). One place, so that a program that saves a row for later hears
// what the daemon would say.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "model/given.h"
#include "model/priority_names.h"

namespace fastjournal::model {

// For a command of a table; an empty name: of one without columns.
[[nodiscard]] Status unknown_parameter(std::string_view command, std::string_view table, std::string_view name);

// Reads the parameters of one command; the first error stays.
class Parameters {
 public:
  explicit Parameters(Message const& message) : message_(message) {}

  [[nodiscard]] bool has(std::string_view name) const { return message_.has(name); }
  // The whole number, within [min, max]; `absent` if there is none.
  std::int64_t integer(std::string_view name, std::int64_t absent, std::int64_t min, std::int64_t max);
  std::uint64_t unsigned_integer(std::string_view name, std::uint64_t absent);
  // Milliseconds since 1970, or `+N`: N ms after now. What looks like seconds is refused.
  std::int64_t date(std::string_view name, std::int64_t absent, std::int64_t now);
  // At most `bytes_max` bytes.
  std::string_view text(std::string_view name, std::size_t bytes_max);

  std::uint8_t priority(std::string_view name, std::uint8_t absent, PriorityNames const& names);

  void refuse(Code code, std::string_view name, std::string text);
  void refuse(Status why);
  [[nodiscard]] bool ok() const { return status_.ok(); }
  [[nodiscard]] Status take_status() { return std::move(status_); }

 private:
  [[nodiscard]] Param const* find(std::string_view name) const {
    for (Param const& param : message_.params())
      if (param.name.size() == name.size() && std::memcmp(param.name.data(), name.data(), name.size()) == 0)
        return &param;
    return nullptr;
  }

  Message const& message_;
  Status status_;
};

// The parameters of INSERT beside the columns and the sender's identity.
struct InsertParameters {
  std::uint8_t priority{100};  // the smallest is first; in the middle of the list system's 0 to 255
  std::int64_t date{0};        // not before; at least `now`
  bool has_date{false};        // it was asked for
  std::int64_t expires{0};     // 0: never
  std::int64_t inserted{0};    // the producer's date; `now` without one
  bool has_inserted{false};

  // Of a new row: nothing is due before it was made.
  [[nodiscard]] std::int64_t due() const { return date < inserted ? inserted : date; }
};
// A past process_date is raised to now.
[[nodiscard]] InsertParameters insert_of(std::uint8_t priority, std::optional<std::int64_t> process_date,
                                         std::optional<std::int64_t> expiration_date,
                                         std::optional<std::int64_t> insertion_date, std::int64_t now);
[[nodiscard]] InsertParameters read_insert(Parameters& parameters, std::int64_t now, PriorityNames const& names = {});
// Of the refusal of an insertion_date that is too far ahead: by so many ms. Only it has this.
inline constexpr std::string_view kAheadFact = "ahead_ms";
// Refuses the date of a clock that is fast by more than `skew_max`, as it would shadow all others; 0: takes any.
[[nodiscard]] Status check_insertion(InsertParameters const& insert, std::int64_t now, std::int64_t skew_max);
// Refuses a row that would never be handed out.
[[nodiscard]] Status check_expiration(InsertParameters const& insert, std::int64_t now);

}  // namespace fastjournal::model
