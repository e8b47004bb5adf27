#include "plugins/blob/blob.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "model/type_check.h"
#include "plugins/blob/datagrams.h"
#include "plugins/blob/protocol.h"
#include "plugins/blob/records.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/records.h"

namespace fastjournal::blob {
namespace {

// Pages that one search for those to copy forward looks at.
constexpr std::uint32_t kRestateLooksMax = 20'000;
// Ends of one step of the timers.
constexpr std::uint32_t kClientsPerStep = 50;

constexpr std::array<std::string_view, 11> kOptionNames = {
    "maintenance",   "maintain-every", "expire-age",  "expire-size", "expire-unreferenced", "blob-size-max",
    "data-size-max", "blobs-max",      "client-keep", "clients-max", "key-secret"};

}  // namespace

// Dispatch: check_type compares this table with blob.xml.
struct BlobTable::Named {
  std::string_view name;
  Handler handler;

  static auto const& all() {
    using B = BlobTable const&;
    using C = Command const&;
    using D = Decision&;
    static constexpr std::array<Named, 6> commands = {{
        {"PUT", [](B table, C command, D decision) { return table.writes_.put(command, decision); }},
        {"GET", [](B table, C command, D decision) { return table.reads_.get(command, decision); }},
        {"LIST", [](B table, C command, D decision) { return table.reads_.list(command, decision); }},
        {"ATTACH", [](B table, C command, D decision) { return table.reads_.attach(command, decision); }},
        {"OMIT", [](B table, C command, D decision) { return table.writes_.omit(command, decision); }},
        {"MAINTAIN", [](B table, C command, D decision) { return table.maintenance_.maintain(command, decision); }},
    }};
    return commands;
  }
};

BlobTable::BlobTable(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                     std::shared_ptr<TableDeclaration const> declaration)
    : shared_(std::move(declaration), context.hash_seed) {
  for (CommandDeclaration const& command : type->commands)
    for (Named const& known : Named::all())
      if (known.name == command.name) handlers_.push_back(known.handler);
}

Status BlobTable::check_type(TypeDeclaration const& type) {
  std::vector<std::string_view> commands;
  for (Named const& known : Named::all()) commands.push_back(known.name);
  std::vector<std::string_view> protocols;
  for (PluginProtocol const& protocol : table_type().protocols) protocols.push_back(protocol.name);
  return model::check_type(type, commands, kOptionNames, protocols);
}

Status BlobTable::check_change(TableDeclaration const& next) const {
  Options const options = Options::read(next);
  if (Status status = options.check(next); !status.ok()) return status;
  if (options.key_secret != shared_.options.key_secret && !shared_.holds.empty())
    return {Code::bad_configuration, next.at("key-secret") + ": table " + next.name +
                                         " has a part in a transaction that is not over, and its keys would be others: "
                                         "end that first (fastjournal tx ls)"};
  if (options.key_secret != shared_.options.key_secret && shared_.index.size() > 0)
    return {Code::bad_configuration,
            next.at("key-secret") + ": table " + next.name + " has blobs (" + std::to_string(shared_.index.size()) +
                "), which would not be found with another key-secret: make a table of another name"};
  if (options.maintenance != shared_.options.maintenance && (shared_.state.is_building() || shared_.state.is_waiting()))
    return {
        Code::bad_configuration,
        next.at("maintenance") + ": a maintenance of table " + next.name + " runs in the mode " +
            std::string{Maintenance::kModeNames[static_cast<std::size_t>(shared_.state.mode)]} +
            ": change it when that has ended (STATS: maintenance_phase is 0 then), or end it with MAINTAIN cancel=1"};
  std::uint64_t const end = shared_.taken_bytes();
  if (options.data_bytes_max != 0 && options.data_bytes_max < end &&
      shared_.options.data_bytes_max != options.data_bytes_max)
    return {Code::bad_configuration, next.at("data-size-max") + ": the data file of table " + next.name + " has " +
                                         std::to_string(end) +
                                         " bytes already: send MAINTAIN first, or allow more than these"};
  return {};
}

void BlobTable::change(std::shared_ptr<TableDeclaration const> next) {
  shared_.options = Options::read(*next);
  shared_.declaration = std::move(next);
}

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
  rows::append_clock(decision.records, {from.value, decision.now.value});
}

bool BlobTable::decide_recovered(Decision& decision) const {
  shared_.see(decision.now);
  // Of an empty table nobody was told a place.
  if (shared_.index.size() > 0) shared_.names.began(decision.now.value);
  return false;
}

bool BlobTable::decide_time_lost(DurationMs lost, Decision& decision) const {
  maintenance_.decide_time_lost(lost, decision);
  return false;
}

// ---------------------------------------------------------------------------
// Bytes outside the log

Status BlobTable::wish_to_store(Command const& command, TimeMs now, StoreRequest& wish) const {
  shared_.see(now);
  return command.message->command == "PUT" ? writes_.wish_to_store(command, wish) : Status{};
}

Result<std::uint64_t> BlobTable::accept_content(Command const& command, TimeMs now, std::uint64_t bytes) const {
  shared_.see(now);
  if (command.message->command == "PUT") return writes_.accept_content(command, bytes);
  return Status{Code::not_supported, std::string{command.message->command} + " takes no content"};
}

void BlobTable::link_leads_to(std::string_view link, std::uint32_t file) {
  if (link == kDataLink) shared_.names.leads_to(file);
  if (link == kNewerLink) shared_.names.newer_leads_to(file);
}

bool BlobTable::take_detached() { return shared_.names.take_detached(); }

// The cursor is the front of the next key: keys that begin alike are listed together.
std::uint64_t BlobTable::list_extents(std::uint64_t cursor, std::uint32_t looks, std::vector<Extent>& found) const {
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
  while (shared_.index.walk(from, looks, list))
    if (front(from) != last) return front(from);
  return 0;
}

// ---------------------------------------------------------------------------
// Space

Lsn BlobTable::oldest_lsn() const {
  Lsn oldest = shared_.state_lsn.is_none() ? kNoLsn : rows::Regions::start(rows::Regions::of(shared_.state_lsn));
  for (Lsn const other : {shared_.index.regions().oldest(), shared_.clients.windows().regions().oldest()})
    oldest = oldest.is_none() || other.is_none() ? std::max(oldest, other) : std::min(oldest, other);
  return oldest;
}

Restated BlobTable::restate_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const {
  rows::CopyRoom room{budget_bytes};
  bool more = false;
  if (!shared_.state_lsn.is_none() && rows::Regions::start(rows::Regions::of(shared_.state_lsn)) < below) {
    if (room.take(kStateRecordBytes))
      append_state(decision.records, RecordType::state, shared_.state);
    else
      more = true;
  }
  std::uint64_t left = shared_.index.regions().count_below(below);
  std::uint32_t const pages = shared_.index.pages();
  Index::Buffer buffer;
  for (std::uint32_t looked = 0; left > 0 && !room.is_full() && looked < std::min(pages, kRestateLooksMax); ++looked) {
    if (restate_from_ >= pages) restate_from_ = 0;
    bool const is_below =
        !shared_.index.is_empty(restate_from_) && rows::Regions::start(shared_.index.region_of(restate_from_)) < below;
    if (is_below) {
      PageBody const body = shared_.index.body_of(restate_from_, buffer);
      if (!room.take(page_record_bytes(body))) break;
      append_page(decision.records, body);
      --left;
    }
    ++restate_from_;
  }
  more = shared_.clients.restate(below, room, decision.records) || left > 0 || more;
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
    write_state(canonical, shared_.state);
    sink.object(as_bytes(canonical));
  }
  shared_.clients.digest(sink);
}

void BlobTable::metrics(TimeMs, MetricSink& sink) const {
  Index const& index = shared_.index;
  State const& state = shared_.state;
  Statistics const& counted = shared_.statistics;
  auto const now = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    sink.integer({name, help, Metric::Kind::gauge}, static_cast<std::int64_t>(value));
  };
  auto const count = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    sink.integer({name, help, Metric::Kind::counter}, static_cast<std::int64_t>(value));
  };
  now("rows", "blobs that are there", index.size());
  now("blob_bytes", "bytes of all blobs", index.bytes());
  now("file_bytes", "where the last blob in the data file ends, as far as known", index.file_end());
  now("garbage_bytes", "bytes of the data file that the next maintenance leaves out at least",
      index.file_end() - std::min(index.file_end(), index.bytes()));
  now("file_number", "number of the data file", index.files().current);
  now("index_pages", "pages of the index", index.pages());
  now("memory_bytes", "bytes of memory", memory_bytes());
  now("clients", "clients whose sequence numbers are remembered", shared_.clients.windows().size());
  count("hits", "blobs that were shown", counted.hits);
  count("misses", "reads that found nothing", counted.misses);
  count("puts", "blobs that were stored", counted.puts);
  count("replaced", "blobs that were stored in place of another", counted.replaced);
  count("duplicates", "blobs that were sent again", counted.duplicates);
  count("puts_refused", "blobs that were refused when their bytes had come", counted.refused);
  bool const builds = state.is_building();
  now("maintenance_running", "1: a new data file is being built", builds ? 1 : 0);
  now("maintenance_mode", "of the one that runs, or was the last: 0 modern, 1 online, 2 offline",
      static_cast<std::uint64_t>(state.mode));
  now("maintenance_phase",
      "0: idle, 1: what is left out is chosen, 2: blobs are copied, 3: readers by name are refused until the exchange, "
      "4: "
      "the other file waits for its readers",
      static_cast<std::uint64_t>(maintenance_.phase()));
  now("maintenance_total_blobs", "blobs that were there when the maintenance began", builds ? state.total : 0);
  now("maintenance_done_blobs", "blobs that are in the new data file", builds ? index.copied() : 0);
  now("maintenance_bytes", "bytes of the blobs that were there when it began", builds ? state.total_bytes : 0);
  now("maintenance_bytes_done", "bytes of the blobs that are in the new data file", builds ? index.copied_bytes() : 0);
  now("maintenance_old_file", "number of the data file that is read no more, and still there; 0: there is none",
      state.old_file);
  count("maintenances", "maintenances that began", counted.maintenances);
  count("maintenances_given_up", "maintenances whose copies failed", counted.given_up);
  count("left_out", "blobs that maintenance left out", counted.left_out);
  count("copied", "blobs that maintenance copied", counted.copied);
  count("copied_bytes", "bytes of these", counted.copied_bytes);
}

namespace {

Result<std::unique_ptr<Table>> create(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                                      std::shared_ptr<TableDeclaration const> declaration) {
  if (Status status = Options::read(*declaration).check(*declaration); !status.ok()) return status;
  return std::unique_ptr<Table>{std::make_unique<BlobTable>(context, std::move(type), std::move(declaration))};
}

}  // namespace

PluginDescriptor const& table_type() {
  static constexpr std::array<PluginProtocol, 2> protocols{
      {{"blobread", make_read_protocol, make_datagram_protocol}, {"blobwrite", make_write_protocol}}};
  static PluginDescriptor const descriptor{.build = "g++ " __VERSION__,
                                           .name = "blob",
                                           .check_type = BlobTable::check_type,
                                           .create = create,
                                           .protocols = protocols};
  return descriptor;
}

}  // namespace fastjournal::blob
