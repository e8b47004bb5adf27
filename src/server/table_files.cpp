#include "server/table_files.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fastjournal::server {
namespace {

// Moved values that a table is told of in one step: their records fit into it.
constexpr std::size_t kMovedPerStep = 64;
constexpr std::uint32_t kStepsPerCopy = 1024;

// Names of tables are names of folders.
std::string folder_of(std::string const& table) { return "bytes/" + table; }

}  // namespace

Result<engine::Outside*> TableFiles::outside_of(engine::HostedTable& table) {
  auto one = std::make_unique<One>();
  one->log = table.log;
  // A table that was dropped a moment ago may have had this name.
  std::erase_if(all_, [](auto const& old) { return old->files->is_over(); });
  for (auto const& other : all_)
    if (other->files->folder() == folder_of(table.name))
      return Status{Code::in_use, "table " + table.name +
                                      ": the files of a dropped table of this name are being "
                                      "removed; try again in a moment"};
  one->files = std::make_unique<storage::ByteFiles>(host_.disk(),
                                                    storage::ByteFilesOptions{.folder = folder_of(table.name),
                                                                              .table = table.id,
                                                                              .store_id = table.log->store_id,
                                                                              .keeps = table.log->keeps},
                                                    *table.can.stores);
  if (Status status = one->files->open(); !status.ok()) return status;
  if (is_serving_)
    if (Status status = begin(*one); !status.ok()) return status;
  one->files->hold(is_held_);
  all_.push_back(std::move(one));
  return all_.back()->files.get();
}

Status TableFiles::begin() {
  is_serving_ = true;
  for (auto const& one : all_)
    if (!one->files->is_dropped())
      if (Status status = begin(*one); !status.ok()) return status;
  return {};
}

Status TableFiles::begin(One& one) { return one.files->begin(one.log->log->end_lsn()); }

Status TableFiles::finish() {
  for (auto const& one : all_)
    if (!one->files->is_dropped())
      if (Status status = one->files->sync_carried(); !status.ok()) return status;
  return {};
}

std::string TableFiles::path_of(storage::ByteFiles const& files, std::uint32_t file) const {
  return host_.bytes_root() + "/" + files.path_of(file);
}

engine::HostedTable* TableFiles::table_of(storage::ByteFiles const& files) {
  for (auto const& table : engine_.tables())
    if (!table->is_dropped() && of(*table) == &files) return table.get();
  return nullptr;
}

bool TableFiles::collect() {
  if (all_.empty()) return true;
  host_.collect_byte_work();
  for (auto const& one : all_) {
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
  for (auto const& one : all_)
    if (engine::HostedTable* const table = table_of(*one->files))
      if (table->can.stores->take_detached()) out.push_back(table);
  return out;
}

bool TableFiles::move_copied(TimeMs now) {
  bool again = false;
  for (auto const& one : all_) {
    storage::ByteFiles& files = *one->files;
    engine::HostedTable* const table = files.has_copied() ? table_of(files) : nullptr;
    if (table != nullptr && table->serves()) {
      storage::ByteFiles::Copied const& copied = files.copied();
      std::span<Moved const> rest{copied.moved};
      // Also if all were values of transactions: the table may have waited for these alone.
      do {
        std::span<Moved const> const some = rest.first(std::min(rest.size(), kMovedPerStep));
        engine_.decide(*table, now, kStepsPerCopy,
                       [&](Decision& decision) { return table->can.stores->decide_moved(some, decision); });
        rest = rest.subspan(some.size());
      } while (!rest.empty());
      if (!copied.not_moved.empty())
        engine_.decide(*table, now, 1, [&](Decision& decision) {
          table->can.stores->decide_not_moved(copied.not_moved, copied.why, decision);
          return false;
        });
    }
    if (files.has_copied()) {
      files.settle_copied();
      again = true;
    }
  }
  return again;
}

bool TableFiles::move_out(One& one) {
  engine::HostedTable* const table = one.moving_out == 0 ? table_of(*one.files) : nullptr;
  if (table == nullptr || !table->serves()) return false;
  moved_out_.clear();
  bool const again = table->can.stores->wish_to_move_out(moved_out_);
  if (moved_out_.empty()) return again;
  std::vector<storage::ByteFiles::Piece> pieces;
  for (std::string const& value : moved_out_) pieces.push_back({.bytes = value});
  Result<storage::ByteFiles::StageId> const stage = one.files->store(pieces);
  if (stage.ok())
    one.moving_out = stage.value();
  else
    table->can.stores->not_moved_out(stage.status());
  return stage.ok();
}

bool TableFiles::take_stored(storage::ByteFiles& files, storage::ByteFiles::Done const& done, TimeMs now) {
  auto const found = std::ranges::find(all_, &files, [](auto const& one) { return one->files.get(); });
  if (found == all_.end() || (*found)->moving_out != done.stage) return false;
  (*found)->moving_out = 0;
  if (engine::HostedTable* const table = table_of(files)) {
    Stores& stores = *table->can.stores;
    bool more = true;
    std::array<std::uint64_t, 4> carry{};
    if (done.status.ok() && table->serves())
      engine_.decide(*table, now, kStepsPerCopy, [&](Decision& decision) {
        decision.carry = carry;
        more = stores.decide_moved_out(done.values, decision);
        carry = decision.carry;
        return more;
      });
    if (more)
      stores.not_moved_out(done.status.ok() ? Status{Code::no_space, "there is no room in the log"} : done.status);
  }
  files.drop(done.stage);
  return true;
}

bool TableFiles::end_turn() {
  if (all_.empty()) return true;
  std::int64_t const now_us = clock_.monotonic_us();
  bool is_any_over = false;
  for (auto const& one : all_) {
    storage::ByteFiles& files = *one->files;
    log::Log const& log = *one->log->log;
    if (move_out(*one)) network_.turn_again();
    files.end_turn(log.durable_lsn(), log.end_lsn(), now_us);
    if (!files.failure().ok()) {
      // What was carried was not written: nobody is told where it is.
      logs_.fail(files.failure());
      return false;
    }
    for (storage::Lane const lane : storage::kLanes)
      if (std::unique_ptr<storage::Job> job = files.take_job(lane, now_us))
        host_.run_byte_job(files, lane, std::move(job));
    is_any_over = is_any_over || files.is_over();
  }
  if (is_any_over) std::erase_if(all_, [](auto const& one) { return one->files->is_over(); });
  return true;
}

std::int64_t TableFiles::next_us() const {
  std::int64_t next = INT64_MAX;
  for (auto const& one : all_) next = std::min(next, one->files->next_us());
  return next;
}

std::vector<TableFiles::Held> TableFiles::hold_all() {
  hold(true);
  std::vector<Held> out;
  for (auto const& one : all_) {
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
  for (auto const& one : all_) one->files->hold(held);
  if (!held) network_.turn_again();
}

}  // namespace fastjournal::server
