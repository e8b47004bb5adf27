// The records of a journal beside those of its rows (plugins/rows/records.h): the pause. Numbers and versions of both.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/journal/pause.h"
#include "plugins/rows/records.h"

namespace fastjournal::journal {

enum class RecordType : std::uint8_t {
  pause = 12,   // the table is paused, or drains: begins, changes, or is copied forward
  resume = 13,  // it is open again
};

// The newest version that is written and read, of any record of a journal; 0: no such record.
[[nodiscard]] constexpr std::uint8_t newest_version(std::uint8_t type) {
  bool const is_own =
      type == static_cast<std::uint8_t>(RecordType::pause) || type == static_cast<std::uint8_t>(RecordType::resume);
  return is_own ? 1 : rows::newest_version(static_cast<rows::RecordType>(type), {});
}

struct PauseBody {
  Standing standing{Standing::paused};
  bool by_failures{false};
  std::int64_t since{0};
  std::string_view by{};
  std::string_view reason{};
};

[[nodiscard]] PauseBody body_of(Pause const& pause);

// Each appends one record and returns its place.
Lsn append_pause(Records& records, ObjectId pause, PauseBody const& body);
Lsn append_resume(Records& records, ObjectId pause);

// Its canonical bytes, for the digest.
void write_pause(std::string& out, Pause const& pause);
// Bytes of its record, the header included; 0 while the table is open.
[[nodiscard]] std::uint64_t pause_record_bytes(Pause const& pause);

// False: malformed.
[[nodiscard]] bool read_pause(std::string_view bytes, PauseBody& body);

}  // namespace fastjournal::journal
