// The records of blobs: their numbers, bodies and codec. Bodies state effects, never commands. Those of clients that
// number their commands, and of an accepted clock, are the ones of rows (plugins/rows/records.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"
#include "model/body.h"
#include "plugins/blob/index.h"
#include "plugins/blob/state.h"
#include "plugins/rows/records.h"

namespace fastjournal::blob {

enum class RecordType : std::uint8_t {
  put = rows::kOwnRecords,  // a blob begins, in place of the one under its key
  page = 33,                // all blobs of a range of keys, compacted
  omit = 34,                // the next maintenance leaves it out
  damaged = 35,             // its bytes cannot be read: as well
  moved = 36,               // blobs have a copy in the next file
  state = 37,               // the table begins, its times changed, or it is compacted
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

void key_fields(auto& io, auto& key) { io.fixed(key.hash_value).fixed(key.hash_id); }

struct PutBody {
  static constexpr auto kType = RecordType::put;
  Key key{};
  std::uint32_t entry_time{0};
  Extent extent{};
  std::string_view carried{};  // its bytes, if the record has them
  static void fields(auto& io, auto& body) {
    key_fields(io, body.key);
    std::uint64_t size = body.extent.size();
    io.fixed(body.entry_time).fixed(body.extent.hash).number(body.extent.file).number(body.extent.begin).number(size);
    io.set(body.extent.end, body.extent.begin + size).rest(body.carried);
    io.must(body.extent.file != 0 && body.extent.end >= body.extent.begin);
    io.must(body.carried.empty() || body.carried.size() == size);
  }
};

// In order, and within the range.
[[nodiscard]] bool is_in_order(PageBody const& page);

struct PageRecord : PageBody {
  static constexpr auto kType = RecordType::page;
  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kCopies = 1;
    constexpr std::uint8_t kMarks = 2;
    io.byte(body.depth, kDepthMax);
    auto has = io.flags(std::uint8_t{kCopies | kMarks});
    key_fields(io, body.first);
    key_fields(io, body.last);
    io.number(body.files.current).number(body.files.next).number(body.count).must(body.count <= kEntriesPerPage);
    auto const part = [&](auto& from, std::size_t bytes_each) {
      std::string_view bytes{from, from == nullptr ? 0 : body.count * bytes_each};
      io.sized(bytes, body.count * bytes_each).set(from, bytes.data());
    };
    part(body.entries, kEntryBytes);
    part(body.hashes, sizeof(std::uint64_t));
    if (has(kCopies, body.copies != nullptr)) part(body.copies, sizeof(std::uint64_t));
    if (has(kMarks, body.marks != nullptr)) part(body.marks, 1);
    io.must(body.last >= body.first && body.files.current != 0);
    io.must(!io.kReads || (io.ok() && is_in_order(body)));
  }
};

struct OmitBody {
  static constexpr auto kType = RecordType::omit;
  Key key{};
  static void fields(auto& io, auto& body) { key_fields(io, body.key); }
};
struct DamagedBody {
  static constexpr auto kType = RecordType::damaged;
  Key key{};
  std::string_view text{};  // for the alert
  static void fields(auto& io, auto& body) {
    key_fields(io, body.key);
    io.rest(body.text);
  }
};
struct Copied {
  Key key{};
  std::uint64_t begin{0};
};
struct MovedBody {
  static constexpr auto kType = RecordType::moved;
  std::uint32_t file{0};
  std::vector<Copied> blobs{};
  static void fields(auto& io, auto& body) {
    io.number(body.file).must(body.file != 0).list_to_end(body.blobs, [&](auto& blob) {
      key_fields(io, blob.key);
      io.fixed(blob.begin);
    });
  }
};
struct LeftBody {
  static constexpr auto kType = RecordType::left;
  std::vector<Key> keys{};
  static void fields(auto& io, auto& body) {
    io.list_to_end(body.keys, [&](auto& key) { key_fields(io, key); });
  }
};
// Of each record that states all of it.
struct StateBody {
  State state{};
  std::string_view text{};  // cancelled: for the alert; empty if an operator requested it
  static void fields(auto& io, auto& body) {
    auto& state = body.state;
    io.number(state.files.current).number(state.files.next).number(state.last_number).number(state.old_file);
    io.six(state.old_ends).six(state.began).number(state.policy.oldest_entry_s).number(state.policy.oldest_read_s);
    io.number(state.policy.bytes_max).number(state.total).number(state.total_bytes).byte(state.mode, kLastMode);
    io.rest(body.text).must(state.files.current != 0);
  }
};

// Bytes of a page's record, its header included.
[[nodiscard]] inline std::size_t page_record_bytes(PageBody const& body) {
  return 32 + model::body_bytes(PageRecord{body});
}
inline constexpr std::size_t kStateRecordBytes = 128;

// Canonical bytes, for the digest.
void write_blob(std::string& out, Blob const& blob, std::uint32_t next_file);

}  // namespace fastjournal::blob
