#include "clients/programs/logs/salvage.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "clients/programs/logs/rewrite.h"

namespace fastjournal::tools {
namespace {

// Leaving out a record may make another one not fit. Two rounds were seen.
constexpr int kTrialsMax = 16;

using Reasons = std::map<std::pair<TableId, std::string>, std::uint64_t>;

// Every record of every batch, from base on.
class EachRecord : public ScanVisitor {
 public:
  explicit EachRecord(Lsn base) : base_(base) {}
  Status on_batch(ScannedSegment const&, std::uint64_t, log::file::BatchHeader const& header,
                  std::span<std::byte const> bytes) override {
    return for_each_record(header, bytes, base_, [&](RecordView const& record, bool) { return on_record(record); });
  }
  virtual Status on_record(RecordView const& record) = 0;

 protected:
  ~EachRecord() = default;

 private:
  Lsn base_;
};

// Applies the remaining records to tables; records that do not fit are added to `left_out`.
class Trial {
 public:
  Trial(engine::TableTypes const& types, Scan& scan, std::set<Lsn>& left_out, Reasons& reasons)
      : tables_(types), scan_(scan), left_out_(left_out), reasons_(reasons) {}

  // Like a start: the catalogue first.
  Status run() {
    Catalogue catalogue{*this};
    if (Status status = scan_.walk(catalogue); !status.ok()) return status;
    if (!find_nameless()) return scan_.walk(catalogue);
    Rows rows{*this};
    return scan_.walk(rows);
  }
  [[nodiscard]] bool all_fit() const { return misfits_ == 0; }

 private:
  struct Catalogue final : EachRecord {
    explicit Catalogue(Trial& owner) : EachRecord(owner.scan_.base()), trial(owner) {}
    Status on_record(RecordView const& record) override {
      if (record.table != TableId::catalogue || trial.left_out_.contains(record.lsn)) return {};
      auto const table = log::Catalogue::table_of(record);
      if (table && trial.nameless_.contains(*table))
        trial.leave_out(record, "of a table whose name or columns are lost");
      else if (!trial.tables_.on_catalogue(record).ok())
        trial.leave_out(record, "does not fit what is left");
      return {};
    }
    Trial& trial;
  };
  struct Rows final : EachRecord {
    explicit Rows(Trial& owner) : EachRecord(owner.scan_.base()), trial(owner) {}
    Status on_record(RecordView const& record) override { return trial.try_one(record); }
    Trial& trial;
  };

  // Tables with a damaged catalogue entry: the rest of the entry is left out too. False: there are some.
  bool find_nameless() {
    for (auto const& [id, entry] : tables_.catalogue().tables())
      if (entry.name.empty() || entry.schemas.empty()) nameless_.insert(id);
    return nameless_.empty();
  }

  Status try_one(RecordView const& record) {
    if (left_out_.contains(record.lsn)) return {};
    bool const known = record.table == TableId::catalogue || tables_.catalogue().find(record.table) != nullptr;
    if (!known) {
      leave_out(record, "of a table that was dropped, or whose name is lost");
      return {};
    }
    RecordView moved = record;
    moved.lsn.value += scan_.beyond().value;
    Status const status = tables_.on_record(moved, scan_.beyond());
    if (status.ok()) return {};
    // A type that is not installed, or a lost schema: not the record's fault.
    if (tables_.tables().size() < tables_.catalogue().tables().size()) return status;
    leave_out(record, "does not fit what is left");
    return {};
  }

  void leave_out(RecordView const& record, std::string reason) {
    left_out_.insert(record.lsn);
    ++reasons_[{record.table, std::move(reason)}];
    ++misfits_;
  }

  Recovered tables_;
  Scan& scan_;
  std::set<Lsn>& left_out_;
  Reasons& reasons_;
  std::set<TableId> nameless_;
  std::uint64_t misfits_{0};
};

// Writes the records that fit.
class Writing final : public ScanVisitor {
 public:
  Writing(Rewriter& out, Lsn base, std::set<Lsn> const& left_out, Salvaged& report)
      : out_(out), base_(base), left_out_(left_out), report_(report) {}
  void on_segment(ScannedSegment const& segment) override {
    if (!segment.problem.empty()) report_.odd_segments.push_back(segment.name + ": " + segment.problem);
  }
  Status on_batch(ScannedSegment const&, std::uint64_t, log::file::BatchHeader const& header,
                  std::span<std::byte const> bytes) override {
    ++report_.batches;
    return out_.take(header, bytes, base_, [&](RecordView const& record) { return !left_out_.contains(record.lsn); });
  }
  void on_gap(Gap const& gap) override {
    if (!gap.damage) return;
    report_.lost.push_back(gap);
    report_.lost_bytes += gap.end.value - gap.begin.value;
  }

 private:
  Rewriter& out_;
  Lsn base_;
  std::set<Lsn> const& left_out_;
  Salvaged& report_;
};

// The names of tables, as far as the catalogue is readable.
class SalvageNames final : public EachRecord {
 public:
  explicit SalvageNames(Lsn base) : EachRecord(base) {}
  Status on_record(RecordView const& record) override {
    if (record.table == TableId::catalogue) static_cast<void>(catalogue.apply(record));
    return {};
  }
  log::Catalogue catalogue;
};

Status check_damaged(env::Disk& disk, std::string const& folder, engine::TableTypes const& types,
                     Progress const& progress) {
  Result<LogFacts> const found = verify(disk, folder, types, progress);
  if (found.ok())
    return {Code::wrong_state,
            fmt::format("the log is sound, {} records: there is nothing to salvage", found->report.records)};
  return found.status().code() == Code::damaged ? Status{} : found.status();
}

log::file::LogOptions options_of(Scan const& scan, std::uint64_t store_id) {
  log::file::LogOptions out;
  out.name = "salvaged";
  out.segment_bytes = scan.segment_bytes();
  // Any size of the old log is valid.
  out.segment_bytes_min = scan.segment_bytes();
  out.block_bytes = scan.block_bytes();
  out.store_id_seed = store_id;
  return out;
}

}  // namespace

Result<Salvaged> salvage(env::Disk& disk, std::string const& folder, env::Disk& to_disk, std::string const& to_folder,
                         engine::TableTypes const& types, std::uint64_t store_id, Progress const& progress) {
  if (Status status = check_damaged(disk, folder, types, progress); !status.ok()) return status;
  auto const lock = disk.lock_folder_to_read(folder);
  if (!lock.ok()) return lock.status();
  Result<Scan> opened = Scan::open(disk, folder);
  if (!opened.ok()) return opened.status();
  Scan& scan = opened.value();
  scan.tell(progress, "looking for what fits");

  std::set<Lsn> left_out;
  Reasons reasons;
  bool all_fit = false;
  for (int trials = 0; !all_fit; ++trials) {
    if (trials == kTrialsMax)
      return Status{Code::damaged, fmt::format("what is left does not come together in {} rounds; `fastjournal log "
                                               "dump` shows every record",
                                               kTrialsMax)};
    Trial trial{types, scan, left_out, reasons};
    if (Status status = trial.run(); !status.ok()) return status;
    all_fit = trial.all_fit();
  }

  Salvaged out;
  {
    auto rewriter = Rewriter::open(to_disk, to_folder, options_of(scan, store_id), {scan.beyond(), scan.last_start()});
    if (!rewriter.ok()) return rewriter.status();
    scan.tell(progress, "writing");
    Writing writing{*rewriter.value(), scan.base(), left_out, out};
    if (Status status = scan.walk(writing); !status.ok()) return status;
    if (Status status = rewriter.value()->finish(); !status.ok()) return status;
    out.records_kept = rewriter.value()->records();
  }
  for (ScannedSegment const& segment : scan.segments())
    if (!segment.in_stream && !segment.header)
      out.odd_segments.push_back(segment.name + ": " + segment.problem + "; nothing in it was used");
  scan.tell(progress, "looking for names");
  SalvageNames names{scan.base()};
  if (Status status = scan.walk(names); !status.ok()) return status;
  for (auto const& [what, records] : reasons) {
    auto const* const entry = names.catalogue.find(what.first);
    std::string const name = what.first == TableId::catalogue ? "(catalogue)" : entry != nullptr ? entry->name : "";
    out.left_out.push_back({what.first, name, records, what.second});
  }
  Result<LogFacts> facts = verify(to_disk, to_folder, types, progress);
  if (!facts.ok()) return Status{facts.status().code(), "what was salvaged: " + facts.status().message()};
  out.result = std::move(facts).value();
  return out;
}

}  // namespace fastjournal::tools
