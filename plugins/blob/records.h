// The records of blobs: their numbers, bodies and codec. Bodies state effects, never commands. Those of clients that
// number their commands, and of an accepted clock, are the ones of rows (plugins/rows/records.h).
//
//   put       key 12 {u32 hash_value, u64 hash_id}, entry_time 4, hash 8, varints: file, begin, size; the bytes, if the
//             record carries them
//   page      depth 1, kinds 1 (1: copies, 2: marks), first key 12, last key 12, varints: file, next file, count;
//             count entries of 32 bytes (entry.h), count hashes of 8, [count copies of 8: where they begin], [count marks]
//   omit      key 12
//   damaged   key 12; a text for the alert
//   moved     varints: the next file; for each blob: key 12, begin 8
//   left      keys of 12
//   state, begun, swapped, ended, cancelled
//             varints: file, next file, last number, old file; old_ends 6, began 6; varints: oldest entry, oldest read,
//             bytes, total, bytes of the total, mode (state.h); cancelled: a text for the alert, empty
//             if a person wanted it
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/blob/index.h"
#include "plugins/blob/state.h"
#include "plugins/rows/records.h"

namespace fastjournal::blob {

enum class RecordType : std::uint8_t {
  put = rows::kOwnRecords,  // a blob begins, in place of the one under its key
  page = 33,                // all blobs of a range of keys, copied forward
  omit = 34,                // the next maintenance leaves it out
  damaged = 35,             // its bytes cannot be read: as well
  moved = 36,               // blobs have a copy in the next file
  state = 37,               // the table begins, its times changed, or it is copied forward
  begun = 38,               // a maintenance
  swapped = 39,             // ... has exchanged the files: what has no copy is gone
  ended = 40,               // the old file is gone
  cancelled = 41,           // the maintenance was given up, and so are all copies
  left = 42,                // blobs are gone: the maintenance that runs leaves them out
};

[[nodiscard]] constexpr std::uint8_t newest_version(std::uint8_t type) {
  bool const is_own =
      type >= static_cast<std::uint8_t>(RecordType::put) && type <= static_cast<std::uint8_t>(RecordType::left);
  return is_own ? 1 : 0;
}

struct PutBody {
  Key key{};
  std::uint32_t entry_time{0};
  Extent extent{};
  std::string_view carried{};
};
struct Copied {
  Key key{};
  std::uint64_t begin{0};
};
struct MovedBody {
  std::uint32_t file{0};
  std::vector<Copied> blobs;
};

// Each appends one record.
Lsn append_put(Records& records, PutBody const& body);
void append_page(Records& records, PageBody const& body);
void append_omit(Records& records, Key const& key);
void append_damaged(Records& records, Key const& key, std::string_view text);
void append_moved(Records& records, std::uint32_t file, std::span<Copied const> blobs);
void append_left(Records& records, std::span<Key const> keys);
// `type`: one of those that state all of it.
void append_state(Records& records, RecordType type, State const& state, std::string_view text = {});

// Bytes of a page's record, its header included.
[[nodiscard]] std::size_t page_record_bytes(PageBody const& body);
inline constexpr std::size_t kStateRecordBytes = 128;

// False: malformed.
[[nodiscard]] bool read_put(std::string_view bytes, PutBody& body);
[[nodiscard]] bool read_page(std::string_view bytes, PageBody& body);
[[nodiscard]] bool read_omit(std::string_view bytes, Key& key);
[[nodiscard]] bool read_damaged(std::string_view bytes, Key& key, std::string_view& text);
[[nodiscard]] bool read_moved(std::string_view bytes, MovedBody& body);
[[nodiscard]] bool read_left(std::string_view bytes, std::vector<Key>& keys);
[[nodiscard]] bool read_state(std::string_view bytes, State& state, std::string_view& text);

// Canonical bytes, for the digest.
void write_blob(std::string& out, Blob const& blob, std::uint32_t next_file);
void write_state(std::string& out, State const& state);

}  // namespace fastjournal::blob
