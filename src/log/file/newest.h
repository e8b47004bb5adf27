// The file `newest` of a log's folder: the newest segment, and how far the log is durable, recorded outside of the
// segments. Without it a removed segment, or an old copy of one, could not be told from one that never existed, nor
// a wiped tail from one that was never written. The lock of the folder could not have this, as it would have to name a
// segment before that is durable.
//
// The file has five places of 4 KiB. It is created complete (written, synced, renamed, the folder synced) before the
// first segment of format 3 has a header. A place uses its first 64 bytes, which every medium writes atomically:
//
//   u64 checksum   XXH3-64 of the rest
//   u64 magic      kNewestMagic
//   u32 version    1
//   u32 start      the highest number of a start that a header had
//   u64 store id
//   u64 sequence   of its writer
//   u64 generation        a header of this generation is durable
//   u64 durable    everything below was durable; the end of the last batch with records
//   u64 zero
//
// There are two writers, each of which writes two places alternately and syncs, so that one of the two is always whole:
// the log, after each header of a new segment (places 0 and 1), and the syncs that end a marker (2 and 3),
// which may run on a thread. Place 4 is written after every other sync, and not synced: it survives a kill -9, and
// costs very little.
//
// The file records only what is already durable, so that a power cut between a segment and this file never causes a
// refusal: it may be old, but never wrong. The highest value of each field counts.
//
// A damaged marker or torn tail does not stop a start: `durable` ends with the last batch that has records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::log::file {

inline constexpr std::string_view kNewestName = "newest";
inline constexpr std::uint64_t kNewestMagic = 0x31'54'53'45'57'45'4E'5F;  // "_NEWEST1"
inline constexpr std::uint64_t kNewestPlaceBytes = 4096;
inline constexpr std::size_t kNewestPlaces = 5;
inline constexpr std::uint64_t kNewestFileBytes = kNewestPlaces * kNewestPlaceBytes;
inline constexpr std::size_t kNewestBytes = 64;

struct Newest {
  std::uint64_t store_id{0};
  std::uint64_t generation{0};
  Lsn durable{};
  std::uint32_t start{0};
};

using NewestBytes = std::array<std::byte, kNewestBytes>;
[[nodiscard]] NewestBytes encode(Newest const& what, std::uint64_t sequence);

// The contents of the file, if it exists and can be read.
struct FoundNewest {
  bool is_there{false};
  Newest what;
  std::array<std::uint64_t, kNewestPlaces> sequence{};
  std::vector<std::string> notes;  // unreadable places, if another one suffices
};
// damaged: neither of two places that are written alternately can be read.
[[nodiscard]] Result<FoundNewest> read_newest(env::Disk& disk, std::string const& folder);
// Durable under its name when this returns ok. Replaces an existing file; an unfinished one must have been removed.
[[nodiscard]] Status make_newest(env::Disk& disk, std::string const& folder, Newest const& what);
[[nodiscard]] bool is_unfinished_newest(std::string_view name);

// One of the two writers. Belongs to one thread at a time.
class NewestWriter {
 public:
  // `first_place`: the first of its two.
  NewestWriter(std::unique_ptr<env::File> file, std::size_t first_place, FoundNewest const& found);
  // Durable when this returns ok.
  [[nodiscard]] Status write(Newest const& what);
  // Not synced: survives the daemon, not the kernel.
  [[nodiscard]] Status write_unsynced(Newest const& what);
  // Whether the file still has its name.
  [[nodiscard]] Status look() const { return file_->look(); }

 private:
  std::unique_ptr<env::File> file_;
  std::size_t first_place_;
  std::uint64_t sequence_;
  std::uint64_t unsynced_{0};
};

}  // namespace fastjournal::log::file
