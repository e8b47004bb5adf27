// Finding, ordering, checking and handing out: recovery without the writing.
#include "storage/log_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/prefetch.h"
#include "core/log.h"
#include "storage/container.h"
#include "storage/mutants.h"
#include "storage/read_ahead.h"

namespace fastjournal::storage {

namespace {

constexpr std::uint64_t kWindowBytes = 1U << 20U;
// So many records are parsed ahead: memory for them is prefetched while others are applied.
constexpr std::size_t kRecordsAhead = 8;
// And bytes that a worker checked are prefetched so far ahead.
constexpr std::uint64_t kBytesAhead = 1024;
// Receivers read the clock as often.
constexpr std::uint64_t kProgressBytes = 1U << 20U;
constexpr Lsn kLsnMax{UINT64_MAX};

}  // namespace

// ---------------------------------------------------------------------------
// Headers

Result<LogReader> LogReader::open(env::Disk& disk, std::string folder) {
  LogReader reader(disk, std::move(folder));
  auto names = disk.list(reader.folder_);
  if (!names.ok()) return names.status();
  for (std::string const& name : names.value())
    if (auto const index = index_of_container(name))
      if (Status status = reader.read_headers(name, *index); !status.ok()) return status;
  if (Status status = reader.check_alike(); !status.ok()) return status;
  auto newest = read_newest(disk, reader.folder_);
  if (!newest.ok()) return newest.status();
  reader.newest_ = std::move(newest).value();
  if (is_mutant(Mutant::newest_not_looked_at)) return reader;
  if (Status status = reader.check_newest(); !status.ok()) return status;
  for (std::string const& note : reader.newest_.notes) reader.notes_.push_back(note);
  return reader;
}

Status LogReader::read_headers(std::string const& name, std::uint32_t index) {
  Container container;
  container.path = join_path(folder_, name);
  auto file = disk_->open(container.path, env::OpenMode::read_only);
  if (!file.ok()) return file.status();
  container.file = std::move(file.value());
  auto const size = container.file->size();
  if (!size.ok()) return size.status();
  auto const copies = read_header_copies(*container.file, index);
  if (!copies.ok()) return copies.status();
  auto const& [first, second] = copies.value();
  bytes_read_ += std::min<std::uint64_t>(size.value(), kHeaderBytesRead);
  if (!first && !second)
    return damaged(fmt::format("{} offset 0: neither copy of the container's header can be read; nothing was changed",
                               container.path));
  bool const take_second = !first || (second && second->lap > first->lap);
  container.header = take_second ? *second : *first;
  container.stale_copy = take_second ? 0 : 1;
  if (!first || !second)
    notes_.push_back(
        fmt::format("{}: copy {} of the header cannot be read, the other was used", container.path, first ? 2 : 1));
  if (container.header.size != size.value())
    return damaged(fmt::format("{}: the file has {} bytes, its header says {}; nothing was changed", container.path,
                               size.value(), container.header.size));
  containers_.push_back(std::move(container));
  return {};
}

Status LogReader::check_alike() const {
  for (Container const& container : containers_) {
    ContainerHeader const& a = containers_.front().header;
    ContainerHeader const& b = container.header;
    if (a.store_id != b.store_id || a.size != b.size || a.block != b.block)
      return damaged(fmt::format("{} does not belong to the log of {}: store {:016x}, not {:016x}; nothing was changed",
                                 container.path, containers_.front().path, b.store_id, a.store_id));
  }
  return {};
}

// There is no other trace of a removed container, or of an old copy.
Status LogReader::check_newest() const {
  std::string const file = join_path(folder_, std::string{kNewestName});
  Container const* tip = nullptr;
  for (Container const& container : containers_) {
    if (tip == nullptr || container.header.lap > tip->header.lap) tip = &container;
    if (container.header.version >= kFormatWithNewest && !newest_.is_there)
      return damaged(
          fmt::format("{} is missing, and {} is of a log that has it: newer containers may be missing with "
                      "it; nothing was changed. Put the file back, or restore a backup, or salvage what is "
                      "left",
                      file, container.path));
  }
  if (!newest_.is_there) return {};
  if (tip != nullptr && tip->header.store_id != newest_.what.store_id)
    return damaged(fmt::format("{} does not belong to the log of {}: store {:016x}, not {:016x}; nothing was changed",
                               file, tip->path, newest_.what.store_id, tip->header.store_id));
  std::uint64_t const lap = tip == nullptr ? 0 : tip->header.lap;
  if (newest_.what.lap <= lap) return {};
  return damaged(fmt::format(
      "{} says that there is a container of lap {}, but the newest that is here is {}: "
      "one or more are missing, or are old copies; nothing was changed. Put them back, or "
      "restore a backup, or salvage what is left",
      file, newest_.what.lap, tip == nullptr ? std::string{"none"} : fmt::format("{} of lap {}", tip->path, lap)));
}

// ---------------------------------------------------------------------------
// Order

Status LogReader::order() {
  Container* tip = nullptr;
  for (Container& container : containers_) {
    ContainerHeader const& header = container.header;
    if (header.lap == 0) continue;
    if (tip != nullptr && tip->header.lap == header.lap)
      return damaged(
          fmt::format("{} and {} both claim lap {}; nothing was changed", tip->path, container.path, header.lap));
    if (tip == nullptr || header.lap > tip->header.lap) tip = &container;
    base_ = std::max(base_, header.base);
    header_durable_ = std::max(header_durable_, header.durable);
  }
  if (!is_mutant(Mutant::newest_not_looked_at)) header_durable_ = std::max(header_durable_, newest_.what.durable);
  if (tip == nullptr) return {};
  chain_.push_back(tip);
  // Laps decrease with every step, so this ends whatever the headers contain. A base in the gap after a cut needs no
  // bytes before it: that container may have been freed.
  while (chain_.back()->header.cut > base_ && chain_.back()->header.lap_before != 0) {
    Container const& after = *chain_.back();
    auto const found = std::find_if(containers_.begin(), containers_.end(),
                                    [&](Container const& c) { return c.header.lap == after.header.lap_before; });
    if (found == containers_.end() || found->header.lap >= after.header.lap)
      return damaged(fmt::format(
          "the container of lap {}, which precedes {} and is needed from LSN {}, is missing; nothing was changed",
          after.header.lap_before, after.path, base_.value));
    chain_.push_back(&*found);
  }
  std::reverse(chain_.begin(), chain_.end());
  return make_segments();
}

Status LogReader::make_segments() {
  for (Container* container : chain_) {
    ContainerHeader const& header = container->header;
    Segment* segment = segments_.empty() ? nullptr : &segments_.back();
    ContainerHeader const* before = segment == nullptr ? nullptr : &segment->containers.back()->header;
    // A start cuts the stream, and so does a log that became empty (FileLog::reset).
    bool const follows = before != nullptr && before->start == header.start && header.cut == header.first;
    bool const fits = before == nullptr || (follows ? header.first == before->end()
                                                    : header.cut > before->first && header.cut <= before->end() &&
                                                          header.first >= before->end());
    if (!fits)
      return damaged(fmt::format("{} offset 0: the header does not fit the container before it; nothing was changed",
                                 container->path));
    if (!follows) {
      if (segment != nullptr) segment->limit = header.cut;
      segments_.emplace_back();
    }
    segments_.back().containers.push_back(container);
    segments_.back().limit = header.end();
  }
  segments_.back().last = true;
  // A base in the gap after a cut: nothing of that segment is needed.
  while (segments_.size() > 1 && base_ >= segments_.front().limit) segments_.erase(segments_.begin());
  return {};
}

// ---------------------------------------------------------------------------
// Batches

Result<std::span<std::byte const>> LogReader::view(Segment const& segment, Lsn lsn, std::uint64_t bytes) {
  bool const inside = lsn >= window_at_ && lsn.value + bytes <= window_at_.value + window_bytes_;
  if (!inside) {
    std::uint64_t const left = segment.end().value - lsn.value;
    std::uint64_t const want = std::min(left, std::max(bytes, kWindowBytes));
    if (window_.size() < want) window_.resize(want);
    window_bytes_ = 0;
    if (Status status = segment.read(lsn, std::span(window_).first(want)); !status.ok()) return status;
    bytes_read_ += want;
    window_at_ = lsn;
    window_bytes_ = want;
  }
  return std::span<std::byte const>(window_).subspan(lsn.value - window_at_.value, bytes);
}

Result<LogReader::Found> LogReader::batch_at(Segment const& segment, Lsn lsn) {
  Found found;
  Container const* container = segment.container_at(lsn);
  if (container == nullptr) return found;
  auto const head = view(segment, lsn, kBatchHeaderBytes);
  if (!head.ok()) return head.status();
  auto const header = decode_batch(head.value(), lsn, container->header.lap, container->header.block);
  if (!header) return found;
  found.plausible = true;
  found.header = *header;
  if (header->end() > segment.end()) return found;
  auto const bytes = view(segment, lsn, header->length);
  if (!bytes.ok()) return bytes.status();
  found.bytes = bytes.value();
  found.intact = is_intact(*header, container->header.store_id, found.bytes);
  return found;
}

void LogReader::count_batch(Segment const& segment, BatchHeader const& header) {
  for (Lsn at = header.lsn; at < header.end();) {
    Container* container = segment.container_at(at);
    container->live_until = header.end();
    at = container->header.end();
  }
}

Status LogReader::deliver(Segment const& segment, ReadAhead::Batch const& batch, RecordHandler& handler,
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
          fmt::format("{}: a record of a sound batch cannot be read", segment.place(Lsn{header.lsn.value + at})));
    group_open = !record->last_of_group;
    if (record->view.table == TableId::catalogue && record->view.type != core::kClockRecord)
      report.described = header.end();
    if (given < decoded) handler.on_soon(record->view);
    ahead[decoded++ % kRecordsAhead] = record->view;
    at += record->bytes;
  }
  if (group_open) return damaged(fmt::format("{}: the batch ends inside a group", segment.place(header.lsn)));
  Container const* container = segment.container_at(header.lsn);
  handler.on_batch({header, container->path, offset_in(container->header, header.lsn), given, batch.bytes});
  report.records += given;
  ++report.batches;
  return {};
}

// ---------------------------------------------------------------------------
// Reading

Result<Lsn> LogReader::find_batch(Segment const& segment, Lsn wanted, RecoveryReport& report) {
  Lsn const front = segment.containers.front()->header.first;
  if (front > wanted) return front;  // the wanted LSN is in the gap after a cut, or the log is new
  std::uint64_t number = (wanted.value - front.value) / segment.containers.front()->header.payload_bytes();
  for (;; --number) {
    // The container may begin with the rest of a batch whose begin is gone. So unreadable bytes below the wanted LSN
    // are skipped.
    Lsn at = segment.containers[number]->header.first;
    Lsn seen_to = at;
    while (at <= wanted && at < segment.limit) {
      auto const found = batch_at(segment, at);
      if (!found.ok()) return found.status();
      if (!found.value().intact) {
        at.value += segment.block();
        continue;
      }
      BatchHeader const& header = found.value().header;
      if (header.end() > wanted) return at;
      // Needed batches are counted when they are handed out; stamps are not needed.
      if (header.end() <= base_) count_batch(segment, header);
      at = seen_to = header.end();
    }
    if (number > 0 && seen_to < wanted) continue;  // it may have begun in a container before
    // Nothing is there, as it must be at the end of the stream.
    if (Status status = judge(segment, std::max(wanted, seen_to), false, report); !status.ok()) return status;
    return kNoLsn;
  }
}

Status LogReader::judge(Segment const& segment, Lsn lsn, bool plausible, RecoveryReport& report) {
  auto const refuse = [&](Lsn durable) {
    return damaged(
        fmt::format("{}: the batch there is damaged or missing, and everything below LSN {} was durable; nothing was "
                    "changed. Restore the file, or salvage what is left",
                    segment.place(lsn), durable.value));
  };
  if (!segment.last) return refuse(segment.limit);
  if (header_durable_ > lsn && !is_mutant(Mutant::skip_header_durable_check)) return refuse(header_durable_);
  std::uint64_t const block = segment.block();
  std::uint64_t intact = 0;
  Lsn end = lsn;
  for (Lsn at{lsn.value / block * block}; at < segment.limit; at.value += block) {
    auto const found = batch_at(segment, at);
    if (!found.ok()) return found.status();
    bool const is_cut_off = plausible && at == lsn;
    if (is_cut_off || found.value().intact) end = std::max(end, std::min(found.value().header.end(), segment.limit));
    if (!found.value().intact) continue;
    if (found.value().header.durable > lsn && !is_mutant(Mutant::skip_durable_check))
      return refuse(found.value().header.durable);
    ++intact;
  }
  report.cut = plausible || intact > 0;
  if (report.cut) {
    report.cut_at = lsn;
    report.cut_bytes = end.value - lsn.value;
    report.cut_reason = fmt::format(
        "{}: the log ends there; {} bytes behind, {} whole batches among them, of which nothing says that they were "
        "ever durable, were cut",
        segment.place(lsn), report.cut_bytes, intact);
  }
  return {};
}

Status LogReader::read_segment(Segment const& segment, Range range, RecordHandler& handler, RecoveryReport& report) {
  ReadAhead ahead(*workers_, segment, range.begin, range.end);
  while (ahead.at() < range.end) {
    auto const batch = ahead.next();
    if (!batch.ok()) return batch.status();
    if (!batch.value()) break;
    if (Status status = deliver(segment, *batch.value(), handler, report); !status.ok()) return status;
    note_batch(segment, batch.value()->header);
    tell_progress(handler, report, segment, batch.value()->header);
  }
  bytes_read_ += ahead.bytes_read();
  Lsn const at = ahead.at();
  if (at >= range.end && at <= segment.limit) return {};
  if (at < segment.limit) {
    auto const found = batch_at(segment, at);
    if (!found.ok()) return found.status();
    if (found.value().intact)
      return {Code::io_error, fmt::format("{}: two readings of the same bytes differ; nothing was changed. "
                                          "The disk, its cable or the memory is failing",
                                          segment.place(at))};
    return judge(segment, at, found.value().plausible, report);
  }
  if (at != segment.limit)
    return damaged(
        fmt::format("{}: a batch goes beyond the place where the next start cut the log", segment.place(range.begin)));
  return {};
}

void LogReader::note_batch(Segment const& segment, BatchHeader const& header) {
  // Stamps and seals have no records: the next start may cut below them, so that starts without work use up no
  // containers.
  if (header.used > kBatchHeaderBytes) {
    count_batch(segment, header);
    end_ = header.end();
  }
  last_flags_ = header.flags;
  batch_base_ = std::max(batch_base_, header.base);
  if (header.end() > header_durable_) unproved_.push_back({header.lsn, header.end()});
  std::erase_if(unproved_, [&](Range const& range) { return range.end <= header.durable; });
}

// ---------------------------------------------------------------------------
// Progress

void LogReader::begin_progress(bool catalogue, Range range) {
  progress_ = {};
  progress_.catalogue = catalogue;
  for (Segment const& segment : segments_) {
    Lsn const begin = std::max(range.begin, segment.containers.front()->header.first);
    Lsn const end = std::min(range.end, segment.limit);
    if (begin < end) progress_.bytes_total += end.value - begin.value;
  }
  progress_.containers_total = static_cast<std::uint32_t>(chain_.size());
}

void LogReader::tell_progress(RecordHandler& handler, RecoveryReport const& report, Segment const& segment,
                              BatchHeader const& header) {
  std::uint64_t const before = progress_.bytes / kProgressBytes;
  // The first batch may begin before the range.
  progress_.bytes = std::min(progress_.bytes + header.length, progress_.bytes_total);
  if (progress_.bytes / kProgressBytes == before) return;
  progress_.records = report.records;
  auto const container = std::find(chain_.begin(), chain_.end(), segment.container_at(header.lsn));
  progress_.containers = static_cast<std::uint32_t>(container - chain_.begin());
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
  for (Segment const& segment : segments_) {
    if (segment.limit <= range.begin || segment.containers.front()->header.first >= range.end) continue;
    auto const from = find_batch(segment, range.begin, report);
    if (!from.ok()) return from.status();
    if (from.value().is_none()) break;
    if (Status status = read_segment(segment, {from.value(), range.end}, handler, report); !status.ok()) return status;
  }
  return {};
}

// The newest header says where the records of table 0 are that were needed when it was written, except for those that
// were not durable yet.
Status LogReader::read_catalogue(RecordHandler& handler, RecoveryReport& report) {
  CatalogueOnly catalogue{handler};
  auto const by_durable = [](Container const* a, Container const* b) { return a->header.durable < b->header.durable; };
  ContainerHeader const& newest = (*std::max_element(chain_.begin(), chain_.end(), by_durable))->header;
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
  if (Status status = order(); !status.ok()) return status;
  if (!chain_.empty()) {
    if (handler.wants_catalogue_first()) {
      if (Status status = read_catalogue(handler, report); !status.ok()) return status;
      report = {};
    }
    if (Status status = read_range({base_, kLsnMax}, handler, false, report); !status.ok()) return status;
    for (Container const* container : chain_)
      report.catalogue = std::max(report.catalogue, container->header.catalogue);
    report.store_id = chain_.back()->header.store_id;
  }
  report.containers = static_cast<std::uint32_t>(containers_.size());
  // A base in a batch is only valid if the batch is.
  report.base = end_.is_none() ? base_ : std::max(base_, std::min(batch_base_, end_));
  report.end = end_;
  report.clean = (last_flags_ & kBatchSeal) != 0;
  report.bytes_scanned = bytes_read_;
  for (Container const& container : containers_) report.start = std::max(report.start, container.header.start);
  report.notes = notes_;
  return {};
}

}  // namespace fastjournal::storage
