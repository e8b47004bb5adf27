#include "server/logs/table_files.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fastjournal::server {
namespace {

// Moved values that a table is told of in one step: their records fit into it.
constexpr std::size_t kMovedPerStep = 64;
constexpr std::uint32_t kStepsPerCopy = 1024;
// Tables whose files are looked at once, though they were not written to: some 5 us each.
constexpr std::uint64_t kLooksPerRound = 256;

// Of types whose files a table may give to a group.
constexpr std::string_view kGiveOption = "file-group";

// Names of tables are names of folders.
std::string folder_of(std::string const& table) { return "bytes/" + table; }

}  // namespace

Result<engine::Outside*> TableFiles::outside_of(engine::HostedTable& table) {
  std::string const folder = folder_of(table.name);
  // Of a table that was dropped a moment ago and had this name.
  if (auto const old = all_.find(folder); old != all_.end() && old->second->files->is_over()) forget(*old->second);
  if (all_.contains(folder))
    return Status{Code::in_use, "table " + table.name +
                                    ": the files of a dropped table of this name are being "
                                    "removed; try again in a moment"};
  Result<std::optional<env::Access>> access = host_.access_of(*table.declaration);
  if (!access.ok()) return access.status();
  bool const may_be_given =
      std::ranges::any_of(table.declaration->options, [](auto const& one) { return one.name == kGiveOption; });
  auto one = std::make_unique<One>(*this, table);
  one->files = std::make_unique<storage::ByteFiles>(
      host_.disk(),
      storage::ByteFilesOptions{.folder = folder,
                                .table = table.id,
                                .store_id = table.log->store_id,
                                .access = std::move(access).value(),
                                .usual = may_be_given ? std::optional{host_.usual_access()} : std::nullopt,
                                .keeps = table.log->keeps},
      *table.can.stores, table.can.manages_files, one.get());
  One& added = *all_.emplace(folder, std::move(one)).first->second;
  Status status = added.files->open();
  if (status.ok() && is_serving_) status = begin(added);
  if (!status.ok()) {
    forget(added);
    return status;
  }
  added.files->hold(is_held_);
  return added.files.get();
}

void TableFiles::forget(One& one) {
  std::erase(touched_, &one);
  std::erase(written_, &one);
  set_date(one, INT64_MAX);
  all_.erase(one.files->folder());
}

void TableFiles::set_date(One& one, std::int64_t due_us) {
  if (due_us == one.due_us) return;
  std::string_view const folder = one.files->folder();
  if (one.due_us != INT64_MAX) dates_.erase({one.due_us, folder});
  one.due_us = due_us;
  if (due_us != INT64_MAX) dates_.insert({due_us, folder});
}

Status TableFiles::begin() {
  is_serving_ = true;
  for (auto const& [folder, one] : all_)
    if (!one->files->is_dropped())
      if (Status status = begin(*one); !status.ok()) return status;
  return {};
}

Status TableFiles::begin(One& one) { return one.files->begin(one.log->log->end_lsn()); }

std::vector<std::string> TableFiles::declared_anew() {
  std::vector<std::string> out;
  for (auto const& [folder, one] : all_) {
    engine::HostedTable const* const table = table_of(*one->files);
    if (table == nullptr) continue;
    Result<std::optional<env::Access>> access = host_.access_of(*table->declaration);
    Status status = access.status();
    if (status.ok() && access.value() != one->files->access()) status = one->files->set_access(access.value());
    if (!status.ok()) out.push_back("table " + table->name + ": its files stay as they were: " + status.message());
  }
  return out;
}

Status TableFiles::finish() {
  for (auto const& [folder, one] : all_)
    if (!one->files->is_dropped())
      if (Status status = one->files->sync_carried(); !status.ok()) return status;
  return {};
}

std::string TableFiles::path_of(storage::ByteFiles const& files, std::uint32_t file) const {
  return host_.bytes_root() + "/" + files.path_of(file);
}

bool TableFiles::collect() {
  if (all_.empty()) return true;
  host_.collect_byte_work();
  for (One* const one : touched_) {
    if (!one->files->failure().ok()) {
      logs_.fail(one->files->failure());
      return false;
    }
    for (std::string const& text : one->files->take_damage()) {
      engine::HostedTable const* const table = table_of(*one->files);
      alerts_.raise(kBytesDamaged, 90, (table == nullptr ? std::string{} : "table " + table->name + ": ") + text,
                    "bytes,manual");
    }
  }
  return true;
}

std::vector<engine::HostedTable*> TableFiles::take_detached() {
  std::vector<engine::HostedTable*> out;
  for (One* const one : touched_)
    if (engine::HostedTable* const table = table_of(*one->files))
      if (ManagesFiles* const manager = table->can.manages_files; manager != nullptr && manager->take_detached())
        out.push_back(table);
  return out;
}

bool TableFiles::move_copied(TimeMs now) {
  bool again = false;
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    storage::ByteFiles& files = *touched_[i]->files;
    engine::HostedTable* const table = files.copying().has_copied() ? table_of(files) : nullptr;
    if (table != nullptr && table->serves()) {
      storage::Copying::Copied const& copied = files.copying().copied();
      std::span<Moved const> rest{copied.moved};
      // Also if all were values of transactions: the table may have waited for these alone.
      do {
        std::span<Moved const> const some = rest.first(std::min(rest.size(), kMovedPerStep));
        engine_.decide(*table, now, kStepsPerCopy,
                       [&](Decision& decision) { return table->can.manages_files->decide_moved(some, decision); });
        rest = rest.subspan(some.size());
      } while (!rest.empty());
      if (!copied.not_moved.empty())
        engine_.decide(*table, now, 1, [&](Decision& decision) {
          table->can.manages_files->decide_not_moved(copied.not_moved, copied.why, decision);
          return false;
        });
    }
    if (files.copying().has_copied()) {
      files.copying().settle_copied();
      again = true;
    }
  }
  return again;
}

bool TableFiles::move_out(One& one) {
  engine::HostedTable* const table = one.moving_out == 0 ? table_of(*one.files) : nullptr;
  if (table == nullptr || table->can.offloads == nullptr || !table->serves()) return false;
  moved_out_.clear();
  bool const again = table->can.offloads->request_offload(moved_out_);
  if (moved_out_.empty()) return again;
  std::vector<storage::Staging::Piece> pieces;
  for (std::string const& value : moved_out_) pieces.push_back({.bytes = value});
  Result<storage::Staging::StageId> const stage = one.files->staging().store(pieces);
  if (stage.ok())
    one.moving_out = stage.value();
  else
    table->can.offloads->offload_failed(stage.status());
  return stage.ok();
}

bool TableFiles::take_stored(storage::ByteFiles& files, storage::Staging::Done const& done, TimeMs now) {
  One& one = one_of(files);
  if (one.moving_out != done.stage) return false;
  one.moving_out = 0;
  if (engine::HostedTable* const table = table_of(files)) {
    Offloads& offloads = *table->can.offloads;
    bool more = true;
    std::array<std::uint64_t, 4> carry{};
    if (done.status.ok() && table->serves())
      engine_.decide(*table, now, kStepsPerCopy, [&](Decision& decision) {
        decision.carry = carry;
        more = offloads.decide_offloaded(done.values, decision);
        carry = decision.carry;
        return more;
      });
    if (more)
      offloads.offload_failed(done.status.ok() ? Status{Code::no_space, "there is no room in the log"} : done.status);
  }
  files.staging().drop(done.stage);
  return true;
}

bool TableFiles::end_turn() {
  if (all_.empty()) return true;
  std::int64_t const now_us = clock_.monotonic_us();
  while (!dates_.empty() && dates_.begin()->first <= now_us) {
    One& one = *all_.find(dates_.begin()->second)->second;
    set_date(one, INT64_MAX);
    one.files->touch();
  }
  std::swap(looking_, touched_);
  bool is_any_over = false;
  for (One* const one : looking_) {
    one->files->begin_look();
    if (!end_turn_of(*one, now_us)) return false;
    is_any_over = is_any_over || one->files->is_over();
  }
  if (is_any_over)
    for (One* const one : looking_)
      if (one->files->is_over()) forget(*one);
  looking_.clear();
  std::int64_t const passed_us = look_times_.take(now_us);
  return passed_us == 0 || look(passed_us);
}

bool TableFiles::look(std::int64_t passed_us) {
  for (One* const one : std::exchange(written_, {})) {
    one->is_written = false;
    if (!look_at(*one, false)) return false;
  }
  // All of them in the time in which an idle log is looked at.
  std::int64_t const part_us = std::min(passed_us, env::LookTimes::kIdleLookEveryUs);
  std::uint64_t const share = all_.size() * static_cast<std::uint64_t>(part_us) / env::LookTimes::kIdleLookEveryUs;
  std::uint64_t const most = std::min<std::uint64_t>({share + 1, kLooksPerRound, all_.size()});
  for (std::uint64_t count = 0; count < most; ++count) {
    auto at = all_.upper_bound(looked_to_);
    if (at == all_.end()) at = all_.begin();
    looked_to_ = at->first;
    if (!look_at(*at->second, true)) return false;
  }
  return true;
}

bool TableFiles::look_at(One& one, bool all) {
  Status const status = one.files->look(all);
  if (status.ok()) return true;
  engine::HostedTable const* const table = table_of(*one.files);
  logs_.fail({status.code(), (table == nullptr ? "" : "table " + table->name + ": ") + status.message()});
  return false;
}

bool TableFiles::end_turn_of(One& one, std::int64_t now_us) {
  ++looks_;
  storage::ByteFiles& files = *one.files;
  log::Log const& log = *one.log->log;
  if (engine::HostedTable* const table = table_of(files)) table->is_noted = false;
  bool const moves_on = move_out(one);
  if (moves_on) network_.turn_again();
  files.end_turn(log.durable_lsn(), log.end_lsn(), now_us);
  if (!files.failure().ok()) {
    // What was carried was not written: its place is not told.
    logs_.fail(files.failure());
    return false;
  }
  for (storage::Lane const lane : storage::kLanes)
    if (std::unique_ptr<storage::Job> job = files.take_job(lane, now_us))
      host_.run_byte_job(files, lane, std::move(job));
  if (files.wants_look() && !std::exchange(one.is_written, true)) written_.push_back(&one);
  is_any_there_ = is_any_there_ || files.has_folder();
  set_date(one, files.next_us());
  if (moves_on || !files.is_settled()) files.touch();
  return true;
}

std::vector<TableFiles::Held> TableFiles::hold_all() {
  hold(true);
  std::vector<Held> out;
  for (auto const& [folder, one] : all_) {
    engine::HostedTable const* const table = table_of(*one->files);
    std::vector<std::uint32_t> const numbers = one->files->files();
    if (table == nullptr || numbers.empty()) continue;
    Held held{.table = table->name, .folder = host_.bytes_root() + "/" + one->files->folder(), .names = {}};
    for (std::uint32_t const number : numbers) held.names.push_back(storage::file_name(number));
    out.push_back(std::move(held));
  }
  return out;
}

void TableFiles::hold(bool held) {
  is_held_ = held;
  for (auto const& [folder, one] : all_) one->files->hold(held);
  if (!held) network_.turn_again();
}

}  // namespace fastjournal::server
