// The work of byte files beside the loop: values written and synced, read, copied; files made and removed. A job owns
// what it works with, so the loop goes on meanwhile; its outcome is looked at when it is given back. A sync that fails
// is told apart from a write that finds no space: the first ends the daemon, the second refuses a command.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/env/disk.h"
#include "base/hash.h"
#include "engine/files/byte_file_format.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/extent.h"
#include "fastjournal/status.h"

namespace fastjournal::storage {

// Of each lane at most one job of a table is out: lanes do not wait for one another.
enum class Lane : std::uint8_t {
  store,  // commands wait for it
  fetch,  // answers wait for it
  copy,   // from file to file
  tidy,   // files are made and removed, space is given back, links are set
  scrub,  // what is named is read again
};
inline constexpr std::array<Lane, 5> kLanes = {Lane::store, Lane::fetch, Lane::copy, Lane::tidy, Lane::scrub};

class Job {
 public:
  virtual ~Job() = default;
  // On any thread, once.
  virtual void run() = 0;
};

using FilePtr = std::shared_ptr<env::File>;

// Reads all of an extent; damaged: its bytes are not those that were stored. `name`: of the file, for people.
[[nodiscard]] Status read_extent(env::File& file, std::string const& name, Extent const& extent, std::string& out);

// Bytes that wait to be written.
struct Chunk {
  std::string_view bytes{};
  Buffer held{};  // what they lie in; empty: in that of a chunk before them, of the same stage
};

struct StoreJob final : Job {
  struct Write {
    std::uint64_t stage{0};
    std::size_t part{0};
    FilePtr file{};
    std::uint64_t offset{0};
    std::vector<Chunk> chunks{};  // one behind the other
    Hasher128* hasher{nullptr};   // of the part; lives as long as its stage
  };
  // A value that is elsewhere: in a file of its own, as its size was not known, or in one that is replaced.
  struct Move {
    std::uint64_t stage{0};
    FilePtr from{};
    std::uint64_t from_offset{0};
    FilePtr to{};
    std::uint64_t offset{0};
    std::uint64_t bytes{0};
    Hasher128 const* hasher{nullptr};  // of what came: what is moved is compared with it
  };
  std::vector<Write> writes;
  std::vector<Move> moves;
  std::vector<std::uint64_t> stages;     // all that it works for
  std::vector<std::uint64_t> completes;  // stages that are whole after this job,
  std::vector<FilePtr> syncs;            // once these are synced
  // out
  std::vector<std::pair<std::uint64_t, Status>> refused;  // stages that were not written
  Status failure;                                         // of a sync
  std::uint64_t written_bytes{0};

  void run() override;
};

struct FetchJob final : Job {
  struct Read {
    std::uint64_t fetch{0};
    std::size_t at{0};  // which one of its extents
    Extent extent{};
    FilePtr file{};
    std::string name{};
    // out
    std::string bytes{};
    Status status{};
  };
  std::vector<Read> reads;

  void run() override;
};

struct CopyJob final : Job {
  struct Copy {
    CopyRequest request{};
    FilePtr from{};
    std::string name{};
    std::uint64_t offset{0};
    // A value of a transaction, which is not the table's; its key is the place that was promised.
    bool is_promised{false};
    // out
    Status status{};
    std::uint64_t hash{0};
  };
  std::uint32_t file{0};
  FilePtr to{};
  std::vector<Copy> copies;
  Status failure;  // of the sync

  void run() override;
};

struct TidyJob final : Job {
  struct Made {
    FileHeader header{};
    std::string path{};
    // out
    FilePtr file{};
  };
  struct Punch {
    FilePtr file{};
    std::uint64_t offset{0};
    std::uint64_t bytes{0};
  };
  struct Link {
    std::string path{};
    std::string target{};  // empty: the link is removed
  };
  env::Disk* disk{nullptr};
  std::string folder;
  std::optional<env::Access> access;  // of what is made
  std::vector<Made> makes;
  std::vector<Link> links;
  std::vector<Punch> punches;
  std::vector<std::string> removes;
  // out
  Status failure;            // of what was to be made, or a link: then nothing is removed
  bool cannot_punch{false};  // this file system gives no space back
  std::uint64_t punched_bytes{0};

  void run() override;
};

struct ScrubJob final : Job {
  struct Look {
    Extent extent{};
    FilePtr file{};
    std::string name{};
    Status status{};
  };
  std::vector<Look> looks;

  void run() override;
};

// Makes it durable, with its name. in_use: a file of this name is there.
[[nodiscard]] Result<FilePtr> make_file(env::Disk& disk, std::string const& folder, std::string const& path,
                                        FileHeader const& header, std::optional<env::Access> const& access);

}  // namespace fastjournal::storage
