#include "clients/programs/logs/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "clients/programs/logs/rewrite.h"
#include "log/file/segment.h"

namespace fastjournal::tools {
namespace {

// Gives records to the tables, for their digest, and batches to the new log.
class Copying final : public log::file::RecordHandler {
 public:
  Copying(Recovered& tables, Rewriter& out, Lsn base) : tables_(tables), out_(out), base_(base) {}
  [[nodiscard]] bool wants_catalogue_first() const override { return true; }
  Status on_catalogue(RecordView const& record) override { return tables_.on_catalogue(record); }
  Status on_record(RecordView const& record, Lsn base) override {
    return status_.ok() ? tables_.on_record(record, base) : status_;
  }
  void on_batch(log::file::BatchView const& batch) override {
    tables_.on_batch(batch);
    if (status_.ok()) status_ = out_.take(batch.header, batch.bytes, base_, [](RecordView const&) { return true; });
  }
  // To be checked after the last batch: no further record returns its error.
  [[nodiscard]] Status const& status() const { return status_; }

 private:
  Recovered& tables_;
  Rewriter& out_;
  Lsn base_;
  Status status_;
};

std::string parent_of(std::string const& path) {
  std::size_t const slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash);
}

// Other folders are refused: locking one would leave a file in it.
Status check_is_log(env::Disk& disk, std::string const& folder) {
  auto const names = disk.list(folder);
  if (!names.ok()) return names.status();
  bool const is_log = std::any_of(names->begin(), names->end(), [](std::string const& name) {
    return log::file::index_of_segment(name).has_value();
  });
  return is_log ? Status{} : no_log_here();
}

// With its contents: the files of a log, no folders.
Status remove_folder(env::Disk& disk, std::string const& folder) {
  auto const names = disk.list(folder);
  if (!names.ok()) return names.status();
  for (std::string const& name : names.value())
    if (Status status = disk.remove(log::file::join_path(folder, name)); !status.ok()) return status;
  if (Status status = disk.remove(folder); !status.ok()) return status;
  return disk.sync_folder(parent_of(folder));
}

class Resizing {
 public:
  Resizing(env::Disk& disk, std::string const& folder, engine::TableTypes const& types, Progress const& progress)
      : disk_(disk), folder_(folder), other_(folder + kResizeSuffix), types_(types), progress_(progress) {}

  Result<Resized> run(std::uint64_t segment_bytes, std::uint64_t store_id) {
    if (Status status = check_is_log(disk_, folder_); !status.ok()) return status;
    if (disk_.list(other_).ok())
      return Status{Code::bad_parameter, fmt::format("{} is there: an interrupted resize left it, or somebody else. "
                                                     "Nothing in it is needed for {}: remove it, then begin again",
                                                     other_, folder_)};
    // No other process writes here until the new log is durable under its name.
    auto const lock = disk_.lock_folder(folder_);
    if (!lock.ok()) return lock.status();
    if (Status status = write_anew(segment_bytes, store_id); !status.ok()) return status;
    if (new_log_ == nullptr) return unchanged();
    Result<LogFacts> after = read_log(disk_, other_, types_, progress_);
    if (!after.ok()) return Status{after.status().code(), "what was written: " + after.status().message()};
    if (after->digest != digest_)
      return Status{
          Code::io_error,
          fmt::format("what was written to {} reads as something else: digest {}, not {} as in {}, which is as "
                      "it was. Check the disk, and remove {} before it is tried again",
                      other_, engine::digest_text(after->digest), engine::digest_text(digest_), folder_, other_)};
    if (Status status = exchange(); !status.ok()) return status;
    out_.log = std::move(after).value();
    new_log_.reset();
    out_.left_behind = remove_folder(disk_, other_);
    return std::move(out_);
  }

 private:
  // Makes no new log if it would be the same.
  Status write_anew(std::uint64_t segment_bytes, std::uint64_t store_id) {
    auto opened = log::file::LogReader::open(disk_, folder_);
    if (!opened.ok()) return opened.status();
    log::file::LogReader& reader = opened.value();
    log::file::SegmentHeader const& any = reader.segments().front().header;
    out_.segment_bytes_before = any.size;
    segment_bytes = log::file::round_up(std::max(segment_bytes, log::file::kSegmentBytesMin), any.block);
    if (any.size == segment_bytes) return {};
    Lsn base{};
    Origin origin{log::file::kFirstLsn, 0};
    for (log::file::FoundSegment const& segment : reader.segments()) {
      if (segment.header.generation == 0) continue;
      base = std::max(base, segment.header.base);
      origin.beyond = std::max(origin.beyond, segment.header.end());
      origin.last_start = std::max(origin.last_start, segment.header.start);
    }
    log::file::LogOptions options;
    options.name = "resized";
    options.segment_bytes = segment_bytes;
    options.block_bytes = any.block;
    options.store_id_seed = store_id;
    auto rewriter = Rewriter::open(disk_, other_, std::move(options), origin);
    if (!rewriter.ok()) return rewriter.status();
    new_log_ = std::move(rewriter).value();
    Recovered tables{types_, progress_};
    tables.expect("copying", reader.segments().size() * any.payload_bytes());
    Copying copying{tables, *new_log_, base};
    log::file::RecoveryReport report;
    if (Status status = reader.read(copying, report); !status.ok()) return status;
    if (!copying.status().ok()) return copying.status();
    digest_ = tables.digest();
    return new_log_->finish();
  }

  Result<Resized> unchanged() {
    Result<LogFacts> facts = read_log(disk_, folder_, types_, progress_);
    if (!facts.ok()) return facts.status();
    out_.log = std::move(facts).value();
    return std::move(out_);
  }

  Status exchange() {
    if (Status status = disk_.exchange(folder_, other_); !status.ok()) return status;
    if (Status status = disk_.sync_folder(parent_of(folder_)); !status.ok())
      return {
          Code::io_error,
          fmt::format("{}: the new log stands under {} now, the old one under {}, and both hold the same; but a power "
                      "cut may exchange them again. Let no daemon write before `sync` succeeds",
                      status.message(), folder_, other_)};
    return {};
  }

  env::Disk& disk_;
  std::string const& folder_;
  std::string other_;
  engine::TableTypes const& types_;
  Progress const& progress_;
  std::unique_ptr<Rewriter> new_log_;  // has the lock of its folder
  std::uint64_t digest_{0};
  Resized out_;
};

}  // namespace

Result<Resized> resize(env::Disk& disk, std::string const& folder, std::uint64_t segment_bytes,
                       engine::TableTypes const& types, std::uint64_t store_id, Progress const& progress) {
  return Resizing{disk, folder, types, progress}.run(segment_bytes, store_id);
}

}  // namespace fastjournal::tools
