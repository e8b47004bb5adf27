#include "plugins/blob/blob.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "plugins/blob/datagrams.h"
#include "plugins/blob/protocol.h"
#include "plugins/blob/records.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/records.h"

namespace fastjournal::blob {
namespace {

// Pages that one search for those to compact looks at.
constexpr std::uint32_t kCompactWorkUnitsMax = 20'000;
// Ends of one step of the timers.
constexpr std::uint32_t kClientsPerStep = 50;

}  // namespace

// What each command of blob.xml is decided by.
std::span<rows::NamedCommand<BlobTable> const> BlobTable::commands() {
  using rows::by;
  static constexpr auto all = std::to_array<rows::NamedCommand<BlobTable>>({
      {"PUT", by<&BlobTable::writes_, &Writes::put>},
      {"GET", by<&BlobTable::reads_, &Reads::get>},
      {"LIST", by<&BlobTable::reads_, &Reads::list>},
      {"ATTACH", by<&BlobTable::reads_, &Reads::attach>},
      {"OMIT", by<&BlobTable::writes_, &Writes::omit>},
      {"MAINTAIN", by<&BlobTable::maintenance_, &Maintenance::maintain>},
  });
  return all;
}

BlobTable::BlobTable(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                     std::shared_ptr<TableDeclaration const> declaration)
    : shared_(std::move(declaration), context.hash_seed), commands_(*type) {}

Status BlobTable::check_change(TableDeclaration const& next) const {
  Options const options = TableState::read(next);
  if (Status status = options.check(next); !status.ok()) return status;
  if (options.key_secret != shared_.options.key_secret && !shared_.holds.empty())
    return next.refuse("key-secret", fmt::format("table {} has a part in a transaction that is not over, and its keys "
                                                 "would be others: end that first (fastjournal tx ls)",
                                                 next.name));
  if (options.key_secret != shared_.options.key_secret && shared_.index.size() > 0)
    return next.refuse("key-secret", fmt::format("table {} has blobs ({}), which would not be found with another "
                                                 "key-secret: make a table of another name",
                                                 next.name, shared_.index.size()));
  if (options.maintenance != shared_.options.maintenance && (shared_.state.is_building() || shared_.state.is_waiting()))
    return next.refuse(
        "maintenance",
        fmt::format("a maintenance of table {} runs in the mode {}: change it when that has ended (STATS: "
                    "maintenance_phase is 0 then), or end it with MAINTAIN cancel=1",
                    next.name, Maintenance::kModeNames[static_cast<std::size_t>(shared_.state.mode)]));
  std::uint64_t const end = shared_.taken_bytes();
  if (options.data_size_max != 0 && options.data_size_max < end &&
      shared_.options.data_size_max != options.data_size_max)
    return next.refuse("data-size-max", fmt::format("the data file of table {} has {} bytes already: send MAINTAIN "
                                                    "first, or allow more than these",
                                                    next.name, end));
  return {};
}

void BlobTable::change(std::shared_ptr<TableDeclaration const> next) { shared_.take(std::move(next)); }

// ---------------------------------------------------------------------------
// Time

TimeMs BlobTable::next_due() const {
  bool const has_work = !shared_.index.is_settled() || shared_.survey.has_work();
  return TimeMs{std::min({has_work ? shared_.work_due.value : INT64_MAX, maintenance_.next_due(),
                          shared_.clients.first_unused(shared_.options.client_keep)})};
}

bool BlobTable::advance(TimeMs now, std::size_t budget, TableObserver& observer) {
  shared_.see(now);
  if (!shared_.index.is_settled()) {
    shared_.index.settle_some(budget / kEntriesPerPage + 1, observer);
  } else if (shared_.survey.has_work()) {
    shared_.survey.work(shared_.index, static_cast<std::uint32_t>(budget), shared_.start_s);
  }
  return !shared_.index.is_settled() || shared_.survey.has_work();
}

bool BlobTable::decide_timer(Decision& decision) const {
  if (maintenance_.decide_timer(decision)) return true;
  std::int64_t const now = decision.now.value;
  return shared_.clients.drop_unused(shared_.options.client_keep, now, kClientsPerStep, decision.records) > 0;
}

void BlobTable::decide_clock_accepted(TimeMs from, Decision& decision) const {
  model::append_record(decision.records, {}, rows::ClockBody{from.value, decision.now.value});
}

bool BlobTable::decide_recovered(Decision& decision) const {
  shared_.see(decision.now);
  // Of an empty table no place was told.
  if (shared_.index.size() > 0) shared_.names.began(decision.now.value);
  return false;
}

bool BlobTable::decide_time_lost(DurationMs lost, Decision& decision) const {
  maintenance_.decide_time_lost(lost, decision);
  return false;
}

// ---------------------------------------------------------------------------
// Bytes outside the log

Status BlobTable::request_store(Command const& command, TimeMs now, StoreRequest& request) const {
  shared_.see(now);
  return command.message->command == "PUT" ? writes_.request_store(command, request) : Status{};
}

Result<std::uint64_t> BlobTable::accept_content(Command const& command, TimeMs now, std::uint64_t bytes) const {
  shared_.see(now);
  if (command.message->command == "PUT") return writes_.accept_content(command, bytes);
  return Stores::accept_content(command, now, bytes);
}

void BlobTable::link_leads_to(std::string_view link, std::uint32_t file) {
  if (link == kDataLink) shared_.names.leads_to(file);
  if (link == kNewerLink) shared_.names.newer_leads_to(file);
}

bool BlobTable::take_detached() { return shared_.names.take_detached(); }

// The cursor is the front of the next key: keys that begin alike are listed together.
std::uint64_t BlobTable::list_extents(std::uint64_t cursor, std::uint32_t work_units,
                                      std::vector<Extent>& found) const {
  auto const front = [](Key const& key) { return std::uint64_t{key.hash_value} << 32U | key.hash_id >> 32U; };
  Key from{static_cast<std::uint32_t>(cursor >> 32U), cursor << 32U};
  std::uint64_t last = cursor;
  std::uint32_t const next_file = shared_.index.files().next;
  auto const list = [&](Blob const& blob, std::uint8_t) {
    last = front(blob.key);
    if (blob.extent.size() == 0) return true;
    found.push_back(blob.extent);
    if (blob.has_copy()) found.push_back(blob.copy(next_file));
    return true;
  };
  while (shared_.index.walk(from, work_units, list))
    if (front(from) != last) return front(from);
  return 0;
}

// ---------------------------------------------------------------------------
// Space

Lsn BlobTable::oldest_lsn() const {
  Lsn const of_state =
      shared_.state_lsn.is_none() ? kNoLsn : rows::Regions::start(rows::Regions::of(shared_.state_lsn));
  return oldest_of({of_state, shared_.index.regions().oldest(), shared_.clients.windows().regions().oldest()});
}

Compacted BlobTable::compact_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const {
  rows::CopyRoom room{budget_bytes};
  bool more = false;
  if (!shared_.state_lsn.is_none() && rows::Regions::start(rows::Regions::of(shared_.state_lsn)) < below) {
    if (room.take(kStateRecordBytes))
      model::append_record(decision.records, {}, StateBody{shared_.state}, RecordType::state);
    else
      more = true;
  }
  std::uint64_t left = shared_.index.regions().count_below(below);
  std::uint32_t const pages = shared_.index.pages();
  Index::Buffer buffer;
  for (std::uint32_t looked = 0; left > 0 && !room.is_full() && looked < std::min(pages, kCompactWorkUnitsMax);
       ++looked) {
    if (compact_from_ >= pages) compact_from_ = 0;
    bool const is_below =
        !shared_.index.is_empty(compact_from_) && rows::Regions::start(shared_.index.region_of(compact_from_)) < below;
    if (is_below) {
      PageBody const body = shared_.index.body_of(compact_from_, buffer);
      if (!room.take(page_record_bytes(body))) break;
      model::append_record(decision.records, {}, PageRecord{body});
      --left;
    }
    ++compact_from_;
  }
  more = shared_.clients.compact(below, room, decision.records) || left > 0 || more;
  return {more, room.needed()};
}

std::uint64_t BlobTable::live_bytes() const {
  return shared_.index.live_bytes() + shared_.clients.windows().live_bytes() +
         (shared_.state_lsn.is_none() ? 0 : kStateRecordBytes);
}

// ---------------------------------------------------------------------------
// People

void BlobTable::digest(DigestSink& sink) const {
  std::string canonical;
  Key from{};
  bool more = true;
  while (more)
    more = shared_.index.walk(from, UINT32_MAX, [&](Blob const& blob, std::uint8_t) {
      canonical.clear();
      write_blob(canonical, blob, shared_.index.files().next);
      sink.object(as_bytes(canonical));
      return true;
    });
  if (!shared_.state_lsn.is_none()) {
    canonical.clear();
    canonical += 's';
    model::write_body(canonical, StateBody{shared_.state});
    sink.object(as_bytes(canonical));
  }
  shared_.clients.digest(sink);
}

void BlobTable::metrics(TimeMs, MetricSink& sink) const {
  Index const& index = shared_.index;
  State const& state = shared_.state;
  Statistics const& counted = shared_.statistics;
  sink.gauge("rows", "blobs that are there", index.size());
  sink.gauge("blob_bytes", "bytes of all blobs", index.bytes());
  sink.gauge("file_bytes", "where the last blob in the data file ends, as far as known", index.file_end());
  sink.gauge("garbage_bytes", "bytes of the data file that the next maintenance leaves out at least",
             index.file_end() - std::min(index.file_end(), index.bytes()));
  sink.gauge("file_number", "number of the data file", index.files().current);
  sink.gauge("index_pages", "pages of the index", index.pages());
  sink.gauge("memory_bytes", "bytes of memory", memory_bytes());
  sink.gauge("clients", "clients whose sequence numbers are remembered", shared_.clients.windows().size());
  sink.counter("hits", "blobs that were shown", counted.hits);
  sink.counter("misses", "reads that found nothing", counted.misses);
  sink.counter("puts", "blobs that were stored", counted.puts);
  sink.counter("replaced", "blobs that were stored in place of another", counted.replaced);
  sink.counter("duplicates", "blobs that were sent again", counted.duplicates);
  sink.counter("puts_refused", "blobs that were refused when their bytes had come", counted.refused);
  bool const builds = state.is_building();
  sink.gauge("maintenance_running", "1: a new data file is being built", builds ? 1 : 0);
  sink.gauge("maintenance_mode", "of the one that runs, or was the last: 0 modern, 1 online, 2 offline",
             static_cast<std::uint64_t>(state.mode));
  sink.gauge(
      "maintenance_phase",
      "0: idle, 1: what is left out is chosen, 2: blobs are copied, 3: readers by name are refused until the exchange, "
      "4: "
      "the other file waits for its readers",
      static_cast<std::uint64_t>(maintenance_.phase()));
  sink.gauge("maintenance_total_blobs", "blobs that were there when the maintenance began", builds ? state.total : 0);
  sink.gauge("maintenance_done_blobs", "blobs that are in the new data file", builds ? index.copied() : 0);
  sink.gauge("maintenance_bytes", "bytes of the blobs that were there when it began", builds ? state.total_bytes : 0);
  sink.gauge("maintenance_bytes_done", "bytes of the blobs that are in the new data file",
             builds ? index.copied_bytes() : 0);
  sink.gauge("maintenance_old_file", "number of the data file that is read no more, and still there; 0: there is none",
             state.old_file);
  sink.counter("maintenances", "maintenances that began", counted.maintenances);
  sink.counter("maintenances_given_up", "maintenances whose copies failed", counted.given_up);
  sink.counter("left_out", "blobs that maintenance left out", counted.left_out);
  sink.counter("copied", "blobs that maintenance copied", counted.copied);
  sink.counter("copied_bytes", "bytes of these", counted.copied_bytes);
}

namespace {

constexpr std::array<PluginProtocol, 2> kProtocols{
    {{"blobread", make_read_protocol, make_datagram_protocol}, {"blobwrite", make_write_protocol}}};

}  // namespace

PluginDescriptor const& table_type() {
  static PluginDescriptor const descriptor = rows::describe_type<BlobTable, Options, kProtocols>("blob");
  return descriptor;
}

}  // namespace fastjournal::blob
