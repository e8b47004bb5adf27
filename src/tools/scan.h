// Reads a log's folder whatever its state: where a start stops at the first
// damage, this goes on behind it. Finds the containers that make up the stream,
// their whole batches, and every range between them that should be a batch and
// is none. What `log dump` shows and `log salvage` keeps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/disk.h"
#include "storage/format.h"
#include "tools/progress.h"

namespace fastjournal::tools {

struct ScannedContainer {
  std::string name;
  std::uint64_t file_bytes{0};
  // Nothing: no copy could be read, and no batch in it tells what the header was.
  std::optional<storage::ContainerHeader> header;
  bool rebuilt{false};  // the header was made up from the batches
  std::string problem;  // for people; empty: the header is sound
  bool in_stream{false};
  Lsn limit{};  // of what counts in it: its end, or where a later start cut the stream
  std::unique_ptr<env::File> file;
};

struct Gap {
  std::string container;    // empty: a whole container is lost
  std::uint64_t offset{0};  // in it
  Lsn begin{};
  Lsn end{};
  bool damage{false};  // something acknowledged may be lost here; else the unwritten rest, or a torn tail
  std::string reason;
};

class ScanVisitor {
 public:
  // Of the stream, in its order.
  virtual void on_container(ScannedContainer const&) {}
  // Whole and of its place. Not ok ends the walk.
  virtual Status on_batch(ScannedContainer const& container, std::uint64_t offset, storage::BatchHeader const& header,
                          std::span<std::byte const> bytes) = 0;
  // Not in the first walk: it finds out what was durable, and so what is damage.
  virtual void on_gap(Gap const&) {}

 protected:
  ~ScanVisitor() = default;
};

class Scan {
 public:
  // not_found: there is no container at all. damaged: not one of them tells what log it is of.
  [[nodiscard]] static Result<Scan> open(env::Disk& disk, std::string folder);

  // For the walks from here on, the next steps of somebody's work. Both stay.
  void tell(Progress const& progress, std::string_view step) {
    progress_ = &progress;
    step_ = step;
  }
  // May be done again. Only what the disk itself refuses ends it.
  [[nodiscard]] Status walk(ScanVisitor& visitor);

  // By index, those outside of the stream too.
  [[nodiscard]] std::vector<ScannedContainer> const& containers() const { return containers_; }
  // The largest that a sound header names: nothing below it is needed.
  [[nodiscard]] Lsn base() const { return base_; }
  [[nodiscard]] std::uint64_t store_id() const { return store_id_; }
  // The highest number of a start that was seen, and an LSN that no record of this log ever had or names.
  [[nodiscard]] std::uint32_t last_start() const { return start_; }
  [[nodiscard]] Lsn beyond() const { return beyond_; }
  [[nodiscard]] std::uint64_t container_bytes() const { return size_; }
  [[nodiscard]] std::uint32_t block_bytes() const { return block_; }

 private:
  Scan(env::Disk& disk, std::string folder) : disk_(&disk), folder_(std::move(folder)) {}
  Status read_container(std::string const& name, std::uint32_t index);
  Status agree();
  Status rebuild(ScannedContainer& container, std::uint32_t index);
  void look_at_newest();
  void order();
  ScannedContainer* before(ScannedContainer const& after);
  Status walk_container(std::size_t at, Lsn& from, ScanVisitor& visitor);
  struct Found {
    bool plausible{false};
    bool intact{false};
    storage::BatchHeader header;
  };
  Result<Found> batch_at(std::size_t number, Lsn lsn);
  Result<bool> read_stream(std::size_t number, Lsn lsn, std::span<std::byte> into);
  void tell_place(std::size_t number, Lsn at) const;
  [[nodiscard]] bool follows(std::size_t number) const;

  env::Disk* disk_;
  std::string folder_;
  std::vector<ScannedContainer> containers_;
  std::vector<ScannedContainer*> stream_;
  std::uint64_t store_id_{0};
  std::uint64_t size_{0};
  std::uint32_t block_{0};
  std::uint32_t start_{0};
  Lsn base_{};
  Lsn beyond_{};
  Lsn durable_{};                  // everything below was durable, as headers and the batches seen so far say
  std::uint64_t laps_missing_{0};  // newer than the newest container that is here
  bool know_durable_{false};       // all batches were seen
  std::vector<std::byte> batch_;
  Progress const* progress_{nullptr};
  std::string_view step_;
};

}  // namespace fastjournal::tools
