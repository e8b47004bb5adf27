// The file `newest` of a log's folder: what the newest container is, and what of the log is durable, said outside of
// the containers. Without it a container that was removed, or put back from an old copy, looks like one that was never
// there, and a tail that was wiped like one that was never written. A file of its own: the lock of the folder would
// have to name a container before it is durable.
//
// The file has five places of 4 KiB and is made whole: written, synced, renamed
// to its name, the folder synced, before the first container of format 3 has a
// header. A place is 64 bytes at its begin, which no medium writes in parts:
//
//   u64 checksum   XXH3-64 of the rest
//   u64 magic      kNewestMagic
//   u32 version    1
//   u32 start      the highest number of a start that a header had
//   u64 store id
//   u64 sequence   of its writer
//   u64 lap        a header of this lap is durable
//   u64 durable    everything below was durable; the end of the last batch with records
//   u64 zero
//
// Two writers, each of whom writes two places in turn and syncs, so that one of
// the two is whole at any moment: the log, after each new container's header
// (places 0 and 1), and the syncs that end a stamp or a seal (2 and 3), which may
// be on a thread. Place 4 is written after every other sync and not synced: it
// survives a kill -9, and costs next to nothing.
//
// Nothing is ever said here that is not durable already, so that no start is
// refused for a power cut between a container and this file: what it says may
// be old, never wrong. What holds is the highest of each.
//
// A stamp or a torn tail that is damaged does not stop a start: `durable` ends with the last batch that has records.
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

#include "env/disk.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::storage {

inline constexpr std::string_view kNewestName = "newest";
inline constexpr std::uint64_t kNewestMagic = 0x31'54'53'45'57'45'4E'5F;  // "_NEWEST1"
inline constexpr std::uint64_t kNewestPlaceBytes = 4096;
inline constexpr std::size_t kNewestPlaces = 5;
inline constexpr std::uint64_t kNewestFileBytes = kNewestPlaces * kNewestPlaceBytes;
inline constexpr std::size_t kNewestBytes = 64;

struct Newest {
  std::uint64_t store_id{0};
  std::uint64_t lap{0};
  Lsn durable{};
  std::uint32_t start{0};
};

using NewestBytes = std::array<std::byte, kNewestBytes>;
[[nodiscard]] NewestBytes encode(Newest const& what, std::uint64_t sequence);

// What the file says, if it is there and can be read.
struct FoundNewest {
  bool is_there{false};
  Newest what;
  std::array<std::uint64_t, kNewestPlaces> sequence{};
  std::vector<std::string> notes;  // places that cannot be read, where another one says enough
};
// damaged: it is there, and not one of two places that are written in turn can be read.
[[nodiscard]] Result<FoundNewest> read_newest(env::Disk& disk, std::string const& folder);
// Durable under its name when this returns ok. One that is there is replaced; one that is unfinished must be gone.
[[nodiscard]] Status make_newest(env::Disk& disk, std::string const& folder, Newest const& what);
[[nodiscard]] bool is_unfinished_newest(std::string_view name);

// One of the two that write it. Belongs to one thread at a time.
class NewestWriter {
 public:
  // `first_place`: the first of its two.
  NewestWriter(std::unique_ptr<env::File> file, std::size_t first_place, FoundNewest const& found);
  // Durable when this returns ok.
  [[nodiscard]] Status write(Newest const& what);
  // As long as the kernel lives.
  [[nodiscard]] Status write_unsynced(Newest const& what);
  // Has the file its name still?
  [[nodiscard]] Status look() const { return file_->look(); }

 private:
  std::unique_ptr<env::File> file_;
  std::size_t first_place_;
  std::uint64_t sequence_;
  std::uint64_t unsynced_{0};
};

}  // namespace fastjournal::storage
