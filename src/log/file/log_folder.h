// A log's folder as it is found: the containers with their headers, the file `newest`, and the order of the stream that
// follows from them. What the batches say is read later (log_reader.h). Nothing here changes anything on disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/file/newest.h"
#include "log/file/segment.h"

namespace fastjournal::log::file {

// Owned by the reader. What must hold once order() returned ok: the chain has every container that the headers say is
// needed, each of which fits the one before it.
class LogFolder {
 public:
  // Reads the headers. ok with no containers: there is no log yet. damaged: names container and offset.
  [[nodiscard]] static Result<LogFolder> open(env::Disk& disk, std::string folder);
  // Once. What follows is valid after it.
  [[nodiscard]] Status order();

  // All containers, by index.
  [[nodiscard]] std::vector<FoundContainer>& containers() { return containers_; }
  [[nodiscard]] std::vector<FoundContainer> const& containers() const { return containers_; }
  [[nodiscard]] FoundNewest const& newest() const { return newest_; }
  [[nodiscard]] std::vector<std::string> const& notes() const { return notes_; }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

  // The containers with the stream from base to the end, in its order.
  [[nodiscard]] std::vector<FoundContainer*> const& chain() const { return chain_; }
  [[nodiscard]] std::vector<Segment> const& segments() const { return segments_; }
  // The largest base that a header names.
  [[nodiscard]] Lsn base() const { return base_; }
  // Everything below is durable, as headers and `newest` say.
  [[nodiscard]] Lsn durable() const { return durable_; }

 private:
  LogFolder(env::Disk& disk, std::string folder) : disk_(&disk), folder_(std::move(folder)) {}

  Status read_headers(std::string const& name, std::uint32_t index);
  Status check_alike() const;
  Status check_newest() const;
  Status make_segments();

  env::Disk* disk_;
  std::string folder_;
  std::uint64_t bytes_read_{0};
  FoundNewest newest_;
  std::vector<FoundContainer> containers_;
  std::vector<FoundContainer*> chain_;
  std::vector<Segment> segments_;
  std::vector<std::string> notes_;
  Lsn base_{};
  Lsn durable_{};
};

}  // namespace fastjournal::log::file
