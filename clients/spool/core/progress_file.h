// The forwarder's file of progress. Lines are appended, the last one of a file of rows counts, and now and then it is
// written anew in one step. A line, in words separated by spaces:
//
//   device inode birth client offset ordinal begin seed checksum
//
// `begin`: everything before this offset was durable when the line was written. `seed`: of the file's head, in 16
// hexadecimal digits, or - for a file without one. A line of an earlier version has less of these two. The checksum is XXH3-64 of what is before it.
//
// A line that the end of the computer or of an earlier forwarder cut was of no effect: it is passed over. Any other bad
// line is damage: the line before it must not count in its place, as rows that were confirmed would come again under
// the numbers of new ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clients/spool/core/forwarding.h"
#include "clients/spool/core/record.h"
#include "fastjournal/status.h"
#include "platform/files/folder.h"

namespace fastjournal::spool {

struct Kept {
  Progress progress{};
  std::optional<Seed> seed{};  // of its file, as far as it is known

  friend bool operator==(Kept const&, Kept const&) = default;
};

class ProgressFile {
 public:
  // `folder`: of the spool; `closing`: that of its ended files; `own`: for the file. All outlive it.
  ProgressFile(files::Folder const& folder, files::Folder const& closing, files::Folder const& own)
      : folder_(folder), closing_(closing), own_(own) {}
  ProgressFile(ProgressFile const&) = delete;
  ProgressFile& operator=(ProgressFile const&) = delete;

  // Reads it; makes it if it is not there. damaged: names the line and what to do.
  [[nodiscard]] Status open();
  // By file. Changes are written by the next write_anew().
  [[nodiscard]] std::map<Instance, Kept>& kept() { return kept_; }
  // Durable when it returns. After a failure the file is written anew before anything is appended.
  [[nodiscard]] Status keep(std::vector<Kept> const& kept);
  // Anew, and in place of the old one at once.
  [[nodiscard]] Status write_anew();
  // Before anything is appended.
  void write_anew_soon() { is_whole_ = false; }

 private:
  [[nodiscard]] Status parse(std::string const& text);
  [[nodiscard]] Status damaged(std::size_t line) const;
  [[nodiscard]] bool is_in_place() const;

  files::Folder const& folder_;
  files::Folder const& closing_;
  files::Folder const& own_;
  files::Descriptor file_{};
  std::uint64_t bytes_{0};
  bool is_whole_{false};  // nothing but whole lines, and those of kept_ among them
  std::map<Instance, Kept> kept_;
};

}  // namespace fastjournal::spool
