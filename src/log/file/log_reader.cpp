#include "log/file/log_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/prefetch.h"
#include "log/file/read_ahead.h"
#include "log/log.h"

namespace fastjournal::log::file {

namespace {

// So many records are parsed ahead: memory for them is prefetched while others are applied.
constexpr std::size_t kRecordsAhead = 8;
// And bytes that a worker checked are prefetched so far ahead.
constexpr std::uint64_t kBytesAhead = 1024;
// Receivers read the clock as often.
constexpr std::uint64_t kProgressBytes = 1U << 20U;
constexpr Lsn kLsnMax{UINT64_MAX};

}  // namespace

Result<LogReader> LogReader::open(env::Disk& disk, std::string folder) {
  Result<LogFolder> found = LogFolder::open(disk, std::move(folder));
  if (!found.ok()) return found.status();
  return LogReader(std::move(found).value());
}

// ---------------------------------------------------------------------------
// Batches

void LogReader::count_batch(SegmentRun const& run, BatchHeader const& header) {
  for (Lsn at = header.lsn; at < header.end();) {
    FoundSegment* segment = run.segment_at(at);
    segment->live_until = header.end();
    at = segment->header.end();
  }
}

Status LogReader::deliver(SegmentRun const& run, ReadAhead::Batch const& batch, RecordHandler& handler,
                          RecoveryReport& report) {
  BatchHeader const& header = batch.header;
  std::uint64_t at = kBatchHeaderBytes;
  std::array<RecordView, kRecordsAhead> ahead;
  std::uint64_t decoded = 0;
  std::uint64_t given = 0;
  bool group_open = false;
  while (at < header.used || given < decoded) {
    if (at == header.used || decoded - given == kRecordsAhead) {
      RecordView const& view = ahead[given++ % kRecordsAhead];
      if (view.lsn >= base_)
        if (Status status = handler.on_record(view, base_); !status.ok()) return status;
      continue;
    }
    prefetch(batch.bytes.data() + std::min<std::uint64_t>(at + kBytesAhead, header.used));
    auto const record = decode_record(batch.bytes.subspan(at, header.used - at), Lsn{header.lsn.value + at});
    if (!record)
      return damaged(
          fmt::format("{}: a record of a sound batch cannot be read", run.place(Lsn{header.lsn.value + at})));
    group_open = !record->last_of_group;
    if (record->view.table == TableId::catalogue && record->view.type != log::kClockRecord)
      report.described = header.end();
    if (given < decoded) handler.on_soon(record->view);
    ahead[decoded++ % kRecordsAhead] = record->view;
    at += record->bytes;
  }
  if (group_open) return damaged(fmt::format("{}: the batch ends inside a group", run.place(header.lsn)));
  FoundSegment const* segment = run.segment_at(header.lsn);
  handler.on_batch({header, segment->path, offset_in(segment->header, header.lsn), given, batch.bytes});
  report.records += given;
  ++report.batches;
  return {};
}

// ---------------------------------------------------------------------------
// Reading

Result<Lsn> LogReader::find_batch(SegmentRun const& run, Lsn wanted, RecoveryReport& report) {
  Lsn const front = run.segments.front()->header.first;
  if (front > wanted) return front;  // the wanted LSN is in the gap after a cut, or the log is new
  std::uint64_t number = (wanted.value - front.value) / run.segments.front()->header.payload_bytes();
  for (;; --number) {
    // The segment may begin with the rest of a batch whose begin is gone. So unreadable bytes below the wanted LSN
    // are skipped.
    Lsn at = run.segments[number]->header.first;
    Lsn seen_to = at;
    while (at <= wanted && at < run.limit) {
      auto const found = window_.batch_at(run, at);
      if (!found.ok()) return found.status();
      if (!found.value().intact) {
        at.value += run.block();
        continue;
      }
      BatchHeader const& header = found.value().header;
      if (header.end() > wanted) return at;
      // Needed batches are counted when they are handed out; markers are not needed.
      if (header.end() <= base_) count_batch(run, header);
      at = seen_to = header.end();
    }
    if (number > 0 && seen_to < wanted) continue;  // it may have begun in a segment before
    // Nothing is there, as it must be at the end of the stream.
    if (Status status = judge(run, std::max(wanted, seen_to), false, report); !status.ok()) return status;
    return kNoLsn;
  }
}

Status LogReader::judge(SegmentRun const& run, Lsn lsn, bool plausible, RecoveryReport& report) {
  auto const refuse = [&](Lsn durable) {
    return damaged(
        fmt::format("{}: the batch there is damaged or missing, and everything below LSN {} was durable; nothing was "
                    "changed. Restore the file, or salvage what is left",
                    run.place(lsn), durable.value));
  };
  if (!run.last) return refuse(run.limit);
  if (folder_.durable() > lsn) return refuse(folder_.durable());
  std::uint64_t const block = run.block();
  std::uint64_t intact = 0;
  Lsn end = lsn;
  for (Lsn at{lsn.value / block * block}; at < run.limit; at.value += block) {
    auto const found = window_.batch_at(run, at);
    if (!found.ok()) return found.status();
    bool const is_cut_off = plausible && at == lsn;
    if (is_cut_off || found.value().intact) end = std::max(end, std::min(found.value().header.end(), run.limit));
    if (!found.value().intact) continue;
    if (found.value().header.durable > lsn) return refuse(found.value().header.durable);
    ++intact;
  }
  report.cut = plausible || intact > 0;
  if (report.cut) {
    report.cut_at = lsn;
    report.cut_bytes = end.value - lsn.value;
    report.cut_reason = fmt::format(
        "{}: the log ends there; {} bytes behind, {} whole batches among them, of which nothing says that they were "
        "ever durable, were cut",
        run.place(lsn), report.cut_bytes, intact);
  }
  return {};
}

Status LogReader::read_run(SegmentRun const& run, Range range, RecordHandler& handler, RecoveryReport& report) {
  ReadAhead ahead(*workers_, run, range.begin, range.end);
  while (ahead.at() < range.end) {
    auto const batch = ahead.next();
    if (!batch.ok()) return batch.status();
    if (!batch.value()) break;
    if (Status status = deliver(run, *batch.value(), handler, report); !status.ok()) return status;
    note_batch(run, batch.value()->header);
    tell_progress(handler, report, run, batch.value()->header);
  }
  bytes_ahead_ += ahead.bytes_read();
  Lsn const at = ahead.at();
  if (at >= range.end && at <= run.limit) return {};
  if (at < run.limit) {
    auto const found = window_.batch_at(run, at);
    if (!found.ok()) return found.status();
    if (found.value().intact)
      return {Code::io_error, fmt::format("{}: two readings of the same bytes differ; nothing was changed. "
                                          "The disk, its cable or the memory is failing",
                                          run.place(at))};
    return judge(run, at, found.value().plausible, report);
  }
  if (at != run.limit)
    return damaged(
        fmt::format("{}: a batch goes beyond the place where the next start cut the log", run.place(range.begin)));
  return {};
}

void LogReader::note_batch(SegmentRun const& run, BatchHeader const& header) {
  // Markers have no records: the next start may cut below them, so that starts without work use up no
  // segments.
  if (header.used > kBatchHeaderBytes) {
    count_batch(run, header);
    end_ = header.end();
  }
  last_flags_ = header.flags;
  batch_base_ = std::max(batch_base_, header.base);
  if (header.end() > folder_.durable()) unproved_.push_back({header.lsn, header.end()});
  std::erase_if(unproved_, [&](Range const& range) { return range.end <= header.durable; });
}

// ---------------------------------------------------------------------------
// Progress

void LogReader::begin_progress(bool catalogue, Range range) {
  progress_ = {};
  progress_.catalogue = catalogue;
  for (SegmentRun const& run : folder_.runs()) {
    Lsn const begin = std::max(range.begin, run.segments.front()->header.first);
    Lsn const end = std::min(range.end, run.limit);
    if (begin < end) progress_.bytes_total += end.value - begin.value;
  }
  progress_.segments_total = static_cast<std::uint32_t>(folder_.chain().size());
}

void LogReader::tell_progress(RecordHandler& handler, RecoveryReport const& report, SegmentRun const& run,
                              BatchHeader const& header) {
  std::uint64_t const before = progress_.bytes / kProgressBytes;
  // The first batch may begin before the range.
  progress_.bytes = std::min(progress_.bytes + header.length, progress_.bytes_total);
  if (progress_.bytes / kProgressBytes == before) return;
  progress_.records = report.records;
  auto const segment = std::find(folder_.chain().begin(), folder_.chain().end(), run.segment_at(header.lsn));
  progress_.segments = static_cast<std::uint32_t>(segment - folder_.chain().begin());
  handler.on_progress(progress_);
}

namespace {

// The first reading of the parts that are read twice: only records of the catalogue are handed out.
class CatalogueOnly final : public RecordHandler {
 public:
  explicit CatalogueOnly(RecordHandler& handler) : handler_(handler) {}
  Status on_record(RecordView const& record, Lsn) override {
    return record.table == TableId::catalogue ? handler_.on_catalogue(record) : Status{};
  }
  void on_progress(ReadProgress const& progress) override { handler_.on_progress(progress); }

 private:
  RecordHandler& handler_;
};

}  // namespace

Status LogReader::read_range(Range range, RecordHandler& handler, bool catalogue, RecoveryReport& report) {
  begin_progress(catalogue, range);
  end_ = {};
  last_flags_ = 0;
  batch_base_ = {};
  unproved_.clear();
  for (SegmentRun const& run : folder_.runs()) {
    if (run.limit <= range.begin || run.segments.front()->header.first >= range.end) continue;
    auto const from = find_batch(run, range.begin, report);
    if (!from.ok()) return from.status();
    if (from.value().is_none()) break;
    if (Status status = read_run(run, {from.value(), range.end}, handler, report); !status.ok()) return status;
  }
  return {};
}

// The newest header says where the records of table 0 are that were needed when it was written, except for those that
// were not durable yet.
Status LogReader::read_catalogue(RecordHandler& handler, RecoveryReport& report) {
  CatalogueOnly catalogue{handler};
  auto const by_durable = [](FoundSegment const* a, FoundSegment const* b) {
    return a->header.durable < b->header.durable;
  };
  SegmentHeader const& newest = (*std::max_element(folder_.chain().begin(), folder_.chain().end(), by_durable))->header;
  Range known{std::max(newest.catalogue, base_), std::min(newest.described, newest.durable)};
  Range rest{std::max(newest.durable, base_), kLsnMax};
  if (newest.catalogue.is_none()) rest.begin = base_;
  if (newest.catalogue.is_none() || known.end <= known.begin) known = {};
  if (known.end == rest.begin) rest.begin = std::exchange(known, {}).begin;
  if (known.begin != known.end)
    if (Status status = read_range(known, catalogue, true, report); !status.ok()) return status;
  return read_range(rest, catalogue, true, report);
}

Status LogReader::read(RecordHandler& handler, RecoveryReport& report, env::Workers* workers) {
  env::InlineWorkers alone;
  workers_ = workers != nullptr ? workers : &alone;
  report = {};
  if (Status status = folder_.order(); !status.ok()) return status;
  base_ = folder_.base();
  if (!folder_.chain().empty()) {
    handler.on_store(folder_.chain().back()->header.store_id);
    if (handler.wants_catalogue_first()) {
      if (Status status = read_catalogue(handler, report); !status.ok()) return status;
      report = {};
    }
    if (Status status = read_range({base_, kLsnMax}, handler, false, report); !status.ok()) return status;
    for (FoundSegment const* segment : folder_.chain())
      report.catalogue = std::max(report.catalogue, segment->header.catalogue);
    report.store_id = folder_.chain().back()->header.store_id;
  }
  report.segments = static_cast<std::uint32_t>(folder_.segments().size());
  // A base in a batch is only valid if the batch is.
  report.base = end_.is_none() ? base_ : std::max(base_, std::min(batch_base_, end_));
  report.end = end_;
  report.clean = (last_flags_ & kBatchCleanShutdown) != 0;
  report.bytes_scanned = folder_.bytes_read() + window_.bytes_read() + bytes_ahead_;
  for (FoundSegment const& segment : folder_.segments()) report.start = std::max(report.start, segment.header.start);
  report.notes = folder_.notes();
  return {};
}

}  // namespace fastjournal::log::file
