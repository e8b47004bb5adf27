// The records of a journal beside those of its rows (plugins/rows/records.h) and schedules (schedule_records.h): the pause, and
// figures.
// Numbers and versions of all.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/journal/pause.h"
#include "plugins/rows/records.h"
#include "plugins/rows/schedules.h"

namespace fastjournal::journal {

enum class RecordType : std::uint8_t {
  pause = 12,    // the table is paused, or drains: begins, changes, or is compacted
  resume = 13,   // it is open again
  figures = 36,  // what happened in minutes or hours (figure_records.h)
};

[[nodiscard]] constexpr rows::Kind row_kind(bool has_keys) {
  return {.has_keys = has_keys, .groups = true, .progress = true, .recalls = true};
}

// The newest version that is written and read, of any record of a journal; 0: no such record.
[[nodiscard]] constexpr std::uint8_t newest_version(std::uint8_t type) {
  if (rows::Schedules::knows(type)) return rows::Schedules::newest_version(type);
  bool const is_own = type == static_cast<std::uint8_t>(RecordType::pause) ||
                      type == static_cast<std::uint8_t>(RecordType::resume) ||
                      type == static_cast<std::uint8_t>(RecordType::figures);
  return is_own ? 1
                : rows::newest_version(static_cast<rows::RecordType>(type),
                                       {.groups = true, .progress = true, .recalls = true});
}

struct PauseBody {
  static constexpr auto kType = RecordType::pause;
  Standing standing{Standing::paused};
  bool by_failures{false};
  std::int64_t since{0};
  std::string_view by{};
  std::string_view reason{};
  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kStanding = 3;
    constexpr std::uint8_t kByFailures = 4;
    auto has = io.flags(std::uint8_t{kStanding | kByFailures});
    has.value(kStanding, body.standing);
    io.set(body.by_failures, has(kByFailures, body.by_failures));
    io.must(body.standing == Standing::paused || body.standing == Standing::draining);
    io.six(body.since).text(body.by).rest(body.reason);
  }
};
using ResumeBody = model::EmptyBody<RecordType::resume>;

[[nodiscard]] inline PauseBody body_of(Pause const& pause) {
  return {pause.standing, pause.by_failures, pause.since, pause.by, pause.reason};
}
// Bytes of its record, the header included; 0 while the table is open.
[[nodiscard]] inline std::uint64_t pause_record_bytes(Pause const& pause) {
  return pause.id.is_none() ? 0 : 64U + pause.by.size() + pause.reason.size();
}

}  // namespace fastjournal::journal
