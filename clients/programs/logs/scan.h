// Reads a log's folder in any state: a start stops at the first damage, this continues after it. Finds the containers
// of the stream, their whole batches, and every range without a valid batch between them. `log dump` shows the result,
// and `log salvage` keeps it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/disk.h"
#include "clients/programs/logs/progress.h"
#include "log/file/format.h"

namespace fastjournal::tools {

struct ScannedContainer {
  std::string name;
  std::uint64_t file_bytes{0};
  // Empty: no copy of the header is readable, and no batch in the container tells its contents.
  std::optional<log::file::ContainerHeader> header;
  bool rebuilt{false};  // derived from the batches
  std::string problem;  // for people; empty: the header is sound
  bool in_stream{false};
  Lsn limit{};  // end of the valid part: the container's end, or a later start's cut of the stream
  std::unique_ptr<env::File> file;
};

struct Gap {
  std::string container;    // empty: a whole container is missing
  std::uint64_t offset{0};  // in it
  Lsn begin{};
  Lsn end{};
  bool damage{false};  // acknowledged data may be lost here; false: the unwritten rest, or a torn tail
  std::string reason;
};

class ScanVisitor {
 public:
  // A container of the stream, in the stream's order.
  virtual void on_container(ScannedContainer const&) {}
  // A whole batch, in its right place. Not ok ends the walk.
  virtual Status on_batch(ScannedContainer const& container, std::uint64_t offset, log::file::BatchHeader const& header,
                          std::span<std::byte const> bytes) = 0;
  // Not called in the first walk, which determines what was durable, and so what is damage.
  virtual void on_gap(Gap const&) {}

 protected:
  ~ScanVisitor() = default;
};

class Scan {
 public:
  // not_found: no container. damaged: no container tells the log's identity.
  [[nodiscard]] static Result<Scan> open(env::Disk& disk, std::string folder);

  // Reports the progress of walks from now on, as part of a caller's step. Both must outlive the walks.
  void tell(Progress const& progress, std::string_view step) {
    progress_ = &progress;
    step_ = step;
  }
  // May be repeated. Ends early only by an error of the disk.
  [[nodiscard]] Status walk(ScanVisitor& visitor);

  // By index, including those outside of the stream.
  [[nodiscard]] std::vector<ScannedContainer> const& containers() const { return containers_; }
  // The largest base in a sound header: nothing below it is needed.
  [[nodiscard]] Lsn base() const { return base_; }
  [[nodiscard]] std::uint64_t store_id() const { return store_id_; }
  // The highest start number found, and an LSN above every record and object of this log.
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
    log::file::BatchHeader header;
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
  Lsn durable_{};  // everything below was durable, according to headers and the batches seen so far
  std::uint64_t generations_missing_{0};  // newer than the newest container present
  bool know_durable_{false};              // all batches were read
  std::vector<std::byte> batch_;
  Progress const* progress_{nullptr};
  std::string_view step_;
};

}  // namespace fastjournal::tools
