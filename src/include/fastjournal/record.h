// Records: what a table appends when it decides, and gets when it applies. Apart from table.h as the log, the wire of the
// feed and files know no more of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fastjournal/types.h"

namespace fastjournal {

// A record read back from the log. Views are valid during the call.
struct RecordView {
  TableId table{};
  std::uint8_t type{0};     // the table type's own numbering, 1 to 255
  std::uint8_t version{0};  // of that record type's body
  Lsn lsn{};                // its place in the log
  ObjectId object{};        // the object it belongs to: object_of(lsn) if it begins the object
  std::span<std::byte const> body{};
};

// The largest body of one record.
inline constexpr std::size_t kRecordBodyBytesMax = 64U << 20U;

// Takes the records of decide. The space was reserved before decide was called: append cannot fail as long as a step
// stays within kStepBytesMax beyond twice the size of its message.
class Records {
 public:
  struct Place {
    Lsn lsn;                    // of this record
    std::span<std::byte> body;  // to be filled before the next append
  };

  // No `object`: the record begins an object, whose id is the returned LSN.
  virtual Place append(std::uint8_t type, std::uint8_t version, ObjectId object, std::size_t body_bytes) = 0;

 protected:
  ~Records() = default;
};
inline constexpr std::size_t kStepBytesMax = 16U << 10U;

// Required durability of the step's records before its answer leaves.
enum class Durability : std::uint8_t {
  synced,   // the default
  written,  // handed to the kernel: survives kill -9, not a power cut. Leases only.
};

// Independent of order: a table gives the canonical bytes of each of its objects in any order. They hold exactly the
// state that compaction reproduces, without derived state.
class DigestSink {
 public:
  virtual void object(std::span<std::byte const> canonical) = 0;

 protected:
  ~DigestSink() = default;
};

}  // namespace fastjournal
