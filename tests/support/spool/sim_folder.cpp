#include "tests/support/spool/sim_folder.h"

#include <algorithm>

namespace fastjournal::sim {
namespace {

constexpr std::size_t kSectorBytes = 64;
constexpr std::uint64_t kInodes = 8;

void for_each_row(std::string const& bytes,
                  std::function<void(spool::Found const&, Message const&, spool::Unwrapped const&)> const& look) {
  std::optional<spool::Seed> const seed = spool::seed_of_file(bytes);
  if (!seed) return;
  for (spool::Found found = spool::find_record(bytes, 0, *seed, true); found.kind == spool::Found::Kind::record;
       found = spool::find_record(bytes, found.end, *seed, true)) {
    Message row;
    spool::Unwrapped unwrapped;
    static_cast<void>(spool::unwrap(found.body, row, unwrapped));
    look(found, row, unwrapped);
  }
}

bool begins_with_aside(std::string const& bytes) {
  bool is_first = true;
  bool out = false;
  for_each_row(bytes, [&](spool::Found const&, Message const&, spool::Unwrapped const& unwrapped) {
    out = out || (std::exchange(is_first, false) && unwrapped.is_aside);
  });
  return out;
}

}  // namespace

// ---------------------------------------------------------------------------
// Producers

std::optional<spool::Instance> SimFolder::open(spool::Place const& place) {
  for (auto const& [instance, file] : files_)
    if (!file.is_removed && !file.is_ended && file.place == place)
      return file.is_writable ? std::optional{instance} : std::nullopt;
  Instance const made{1, ++inodes_ % kInodes + 1, ++births_};
  files_[made].place = place;
  return made;
}

bool SimFolder::lock(Instance const& file) {
  File& locked = at(file);
  if (locked.is_locked) return false;
  ++locked.holders;
  return true;
}

void SimFolder::unlock(Instance const& file) {
  if (auto const found = files_.find(file); found != files_.end() && found->second.holders > 0) --found->second.holders;
}

Status SimFolder::append(Instance const& file, std::string_view bytes, std::size_t most) {
  File& to = at(file);
  bool const fails = is_full_;
  if (fails) most = std::min(most, one_in(2) ? 0 : chance_() % bytes.size());
  std::string_view const written = bytes.substr(0, most);
  to.last_append = to.bytes.size();
  to.bytes += written;
  to.is_dirty = to.is_dirty || !written.empty();
  return fails ? Status{Code::no_space, "the disk of the spool is full"} : Status{};
}

void SimFolder::sync_file(Instance const& file) {
  File& what = at(file);
  if (what.is_dirty) what.durable = what.bytes;
  what.is_dirty = false;
  what.is_name_durable = true;
}

// ---------------------------------------------------------------------------
// Faults

void SimFolder::begin_again() {
  calls_left_ = UINT64_MAX;
  for (auto& [instance, file] : files_) file.is_locked = false;
}

std::string SimFolder::torn(std::string const& before, std::string const& after) {
  std::uint64_t const way = chance_() % 4;
  if (way == 0) return before;
  if (way == 1) return after;
  std::size_t const shorter = std::min(before.size(), after.size());
  std::size_t const longer = std::max(before.size(), after.size());
  std::string out(shorter + chance_() % (longer - shorter + 1), '\0');
  for (std::size_t at = 0; at < out.size(); at += kSectorBytes) {
    std::string const& from = one_in(2) ? before : after;
    for (std::size_t i = at; i < std::min({at + kSectorBytes, out.size(), from.size()}); ++i) out[i] = from[i];
  }
  return out;
}

void SimFolder::tear(std::map<std::string, std::string>& files, std::map<std::string, std::string>& durable) {
  for (auto const& [table, before] : durable)
    if (auto const found = files.find(table); found != files.end()) found->second = torn(before, found->second);
  durable.clear();
}

// All of it, if only the sync failed.
std::string_view SimFolder::part_of(std::string_view bytes) {
  return one_in(2) ? bytes : bytes.substr(0, chance_() % bytes.size());
}

void SimFolder::cut_power() {
  std::erase_if(files_, [&](auto const& entry) { return !entry.second.is_name_durable && one_in(2); });
  for (auto& [instance, file] : files_) {
    if (file.is_dirty) file.bytes = file.durable = torn(file.durable, file.bytes);
    file.is_dirty = false;
    file.is_name_durable = true;
    if (!file.is_end_durable) {
      file.is_ended = one_in(2);
      file.is_writable = one_in(2);
    }
    file.is_end_durable = true;
    file.holders = 0;
    file.is_locked = false;
    if (file.is_removed) file.is_removed = one_in(2);
  }
  std::erase_if(files_, [&](auto const& entry) {
    if (entry.second.is_removed) kept_.erase(entry.first);
    return entry.second.is_removed;
  });
  tear(held_, unsynced_held_);
  tear(aside_, unsynced_aside_);
  for (auto& [table, bytes] : removed_held_)
    if (one_in(2) && !held_.contains(table)) held_[table] = bytes;
  removed_held_.clear();
}

void SimFolder::resend(std::int64_t now_s) {
  if (aside_.empty()) return;
  auto const first = aside_.begin();
  Instance const made{1, ++inodes_ % kInodes + 1, ++births_};
  File& file = files_[made];
  file.place = {now_s, static_cast<std::uint32_t>(births_)};
  file.bytes = file.durable = first->second;
  file.is_name_durable = true;
  file.is_ended = true;
  file.is_writable = false;
  file.last_append = file.bytes.size();
  if (auto const before = unsynced_aside_.find(first->first); before != unsynced_aside_.end()) {
    file.durable = before->second;
    file.is_dirty = true;
    unsynced_aside_.erase(before);
  }
  aside_.erase(first);
}

void SimFolder::hide(Instance const& file, bool is_hidden) {
  File& what = at(file);
  what.is_hidden = is_hidden && !begins_with_aside(what.bytes);
}

void SimFolder::flip(Instance const& file, std::size_t offset, std::uint8_t bits) {
  File& what = at(file);
  what.bytes.at(offset) = static_cast<char>(static_cast<std::uint8_t>(what.bytes.at(offset)) ^ bits);
  what.is_dirty = true;
}

SimFolder::Fate SimFolder::enter(bool needs_space) {
  if (calls_left_ == 0) return Fate::not_done;
  if (before_call) before_call();
  if (calls_left_ != UINT64_MAX && --calls_left_ == 0) return one_in(2) ? Fate::in_part : Fate::not_done;
  if (needs_space && is_full_) return one_in(2) ? Fate::in_part : Fate::not_done;
  if (fail_one_in != 0 && one_in(fail_one_in)) return one_in(2) ? Fate::in_part : Fate::not_done;
  return Fate::done;
}

// One change of a name: it happened, or not, and only a forwarder that was killed does not hear of it.
bool SimFolder::happened(Fate fate) const { return fate == Fate::done || (fate == Fate::in_part && calls_left_ == 0); }

Status SimFolder::failure() const {
  if (calls_left_ == 0) return {Code::io_error, "the forwarder was killed"};
  return is_full_ ? Status{Code::no_space, "the disk of the spool is full"} : Status{Code::io_error, "a call failed"};
}

SimFolder::File& SimFolder::at(Instance const& file) {
  static File nobody;
  auto const found = files_.find(file);
  if (found != files_.end()) return found->second;
  note_wrong("a file that is not there is used");
  return nobody = {};
}

void SimFolder::note_wrong(std::string text) {
  if (wrong_.empty()) wrong_ = std::move(text);
}

// ---------------------------------------------------------------------------
// Looking

std::size_t SimFolder::count() const {
  return static_cast<std::size_t>(
      std::count_if(files_.begin(), files_.end(), [](auto const& entry) { return !entry.second.is_removed; }));
}

std::optional<spool::Seed> SimFolder::seed_of(Instance const& file) const {
  auto const found = files_.find(file);
  return found == files_.end() ? std::nullopt : spool::seed_of_file(found->second.bytes);
}

std::vector<SimFolder::Refused> SimFolder::aside() const {
  std::vector<Refused> out;
  for (auto const& [name, bytes] : aside_)
    for_each_row(bytes, [&, &table = name](spool::Found const&, Message const& row, spool::Unwrapped const& unwrapped) {
      out.push_back({table, std::string{unwrapped.aside.code}, std::string{unwrapped.aside.reason},
                     std::string{row.text("id")}, row.command == "ASIDE", row.has("client") || row.has("sequence")});
    });
  return out;
}

std::uint64_t SimFolder::settled_to(Instance const& file) const {
  auto const found = kept_.find(file);
  return found == kept_.end() ? 0 : found->second.offset;
}

SimFolder::File const* SimFolder::find(Instance const& file) const {
  auto const found = files_.find(file);
  return found == files_.end() || found->second.is_removed ? nullptr : &found->second;
}

// ---------------------------------------------------------------------------
// The forwarder

Result<std::vector<spool::Listed>> SimFolder::list() {
  if (enter() != Fate::done) return failure();
  std::vector<spool::Listed> out;
  for (auto& [instance, file] : files_) {
    file.is_locked = file.is_locked && !file.is_hidden;
    if (!file.is_removed && !file.is_hidden) out.push_back({instance, file.place, file.bytes.size(), file.is_ended});
  }
  std::shuffle(out.begin(), out.end(), chance_);
  return out;
}

Status SimFolder::read(Instance const& file, std::uint64_t offset, std::size_t bytes, std::string& to) {
  if (enter() != Fate::done || fail_reads) return failure();
  asked_bytes_ = std::max(asked_bytes_, bytes);
  File const& from = at(file);
  std::size_t end = from.bytes.size();
  if (from.holders > 0) {
    std::size_t const last = end - from.last_append;
    if (slow_writes && last > 0 && one_in(3)) end = from.last_append + chance_() % last;
    end -= std::min(unseen_bytes, end - from.last_append);
  }
  if (offset < end) to.append(from.bytes, offset, std::min(bytes, end - offset));
  return {};
}

Status SimFolder::sync(Instance const& file) {
  Fate const fate = enter();
  if (fate != Fate::not_done) sync_file(file);
  return fate == Fate::done ? Status{} : failure();
}

// Not synced: what was erased may be there again.
Status SimFolder::erase(Instance const& file, std::uint64_t from, std::uint64_t to) {
  Fate const fate = enter();
  if (calls_left_ != 0)
    if (auto const found = kept_.find(file); found == kept_.end() || found->second.offset < to)
      note_wrong("rows are erased before that is kept");
  if (fate == Fate::not_done) return failure();
  File& what = at(file);
  if (from < spool::kFileHeadBytes) note_wrong("the head of a file is erased");
  if (fate == Fate::in_part) to = from + chance_() % (to - from + 1);
  std::fill(what.bytes.begin() + static_cast<std::ptrdiff_t>(from),
            what.bytes.begin() + static_cast<std::ptrdiff_t>(to), '\0');
  what.is_dirty = true;
  return fate == Fate::done ? Status{} : failure();
}

// The bit first, then the name.
Status SimFolder::end(Instance const& file) {
  Fate const fate = enter();
  if (fate == Fate::not_done) return failure();
  File& what = at(file);
  what.is_end_durable = false;
  what.is_writable = false;
  if (fate == Fate::in_part && one_in(2)) return failure();
  what.is_ended = true;
  return fate == Fate::done ? Status{} : failure();
}

Result<bool> SimFolder::is_left(Instance const& file) {
  Fate const fate = enter();
  if (fate == Fate::not_done) return failure();
  File& what = at(file);
  if (what.holders == 0) what.is_locked = true;
  if (fate != Fate::done) return failure();
  return what.is_locked;
}

Status SimFolder::put_apart(Instance const& file) {
  if (Status status = remove(file); !status.ok()) return status;
  ++put_apart_;
  return {};
}

Status SimFolder::remove(Instance const& file) {
  Fate const fate = enter();
  if (!happened(fate)) return failure();
  File& what = at(file);
  if (!what.is_ended || !what.is_locked) note_wrong("a file is removed that a producer may have");
  what.is_removed = true;
  what.is_locked = false;
  return fate == Fate::done ? Status{} : failure();
}

Result<std::vector<spool::Progress>> SimFolder::kept() {
  if (enter() != Fate::done) return failure();
  std::vector<spool::Progress> out;
  for (auto const& [instance, progress] : kept_)
    if (find(instance) != nullptr) out.push_back(progress);
  return out;
}

Status SimFolder::keep(std::vector<spool::Progress> const& progress) {
  Fate const fate = enter(true);
  if (fate == Fate::not_done) return failure();
  // Each has a line of its own, with a checksum: some of them may be there.
  for (spool::Progress const& one : progress)
    if (fate == Fate::done || one_in(2)) kept_[one.instance] = one;
  return fate == Fate::done ? Status{} : failure();
}

Result<std::vector<std::string>> SimFolder::held_tables() {
  if (enter() != Fate::done) return failure();
  std::vector<std::string> out;
  for (auto const& [table, bytes] : held_) out.push_back(table);
  return out;
}

Result<spool::Seed> SimFolder::held_seed(std::string const& table) {
  auto const found = held_.find(table);
  Fate const fate = enter(found == held_.end());
  if (fate == Fate::not_done) return failure();
  // It gets its name once its head is there.
  if (found == held_.end()) held_[table] = draw_head();
  if (fate != Fate::done) return failure();
  return *spool::seed_of_file(held_[table]);
}

Status SimFolder::read_held(std::string const& table, std::uint64_t offset, std::size_t bytes, std::string& to) {
  if (enter() != Fate::done) return failure();
  if (auto const found = held_.find(table); found != held_.end() && offset < found->second.size())
    to.append(found->second, offset, bytes);
  return {};
}

Status SimFolder::hold(std::string const& table, std::string_view records) {
  Fate const fate = enter(true);
  if (fate == Fate::not_done) return failure();
  auto const found = held_.find(table);
  if (found == held_.end()) return {Code::io_error, "there is no file of " + table};
  ++holds_;
  unsynced_held_.try_emplace(table, found->second);
  found->second += fate == Fate::done ? records : part_of(records);
  if (fail_behind_appends) return failure();
  if (fate == Fate::done) unsynced_held_.erase(table);
  return fate == Fate::done ? Status{} : failure();
}

Status SimFolder::erase_held(std::string const& table, std::uint64_t to) {
  Fate const fate = enter();
  if (fate == Fate::not_done) return failure();
  auto const found = held_.find(table);
  if (found == held_.end()) return {};
  std::uint64_t const from = spool::kFileHeadBytes;
  if (to > found->second.size()) note_wrong("more is erased than is held");
  if (to <= from || to > found->second.size()) return {};
  if (fate == Fate::in_part) to = from + chance_() % (to - from + 1);
  std::fill(found->second.begin() + static_cast<std::ptrdiff_t>(from),
            found->second.begin() + static_cast<std::ptrdiff_t>(to), '\0');
  if (fate == Fate::done) unsynced_held_.erase(table);
  return fate == Fate::done ? Status{} : failure();
}

Status SimFolder::remove_held(std::string const& table) {
  Fate const fate = enter();
  if (!happened(fate)) return failure();
  if (auto const found = held_.find(table); found != held_.end()) {
    removed_held_[table] = std::move(found->second);
    held_.erase(found);
    unsynced_held_.erase(table);
  }
  return fate == Fate::done ? Status{} : failure();
}

Status SimFolder::set_aside(std::string_view table, spool::Aside const& aside) {
  Fate const fate = enter(true);
  if (fate == Fate::not_done) return failure();
  std::string& file = aside_.try_emplace(std::string{table}, draw_head()).first->second;
  std::string record;
  if (Status status = spool::append_aside(aside, *spool::seed_of_file(file), record); !status.ok()) return status;
  unsynced_aside_.try_emplace(std::string{table}, file);
  file += fate == Fate::done ? record : part_of(record);
  if (fail_behind_appends) return failure();
  if (fate == Fate::done) unsynced_aside_.erase(std::string{table});
  return fate == Fate::done ? Status{} : failure();
}

Result<spool::Identities> SimFolder::settled_before() {
  if (enter() != Fate::done) return failure();
  unsynced_held_.clear();
  unsynced_aside_.clear();
  for (auto const& [instance, file] : files_)
    if (file.is_dirty && begins_with_aside(file.bytes)) sync_file(instance);
  spool::Identities out;
  auto const collect = [&out](std::string const& bytes) {
    for_each_row(bytes, [&out](spool::Found const&, Message const&, spool::Unwrapped const& unwrapped) {
      if (unwrapped.is_aside) out[std::string{unwrapped.aside.client}].push_back(unwrapped.aside.sequence);
    });
  };
  for (auto const& [table, bytes] : aside_) collect(bytes);
  for (auto const& [instance, file] : files_)
    if (!file.is_removed && !file.is_hidden) collect(file.bytes);
  spool::Identities held;
  for (auto& [table, bytes] : held_) {
    std::string const before = bytes;
    for_each_row(before, [&, &bytes = bytes](spool::Found const& found, Message const& row, spool::Unwrapped const&) {
      std::int64_t const sequence = row.integer("sequence").value_or(0);
      held[std::string{row.text("client")}].push_back(sequence);
      auto const client = out.find(row.text("client"));
      if (client != out.end() && std::count(client->second.begin(), client->second.end(), sequence) != 0)
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(found.begin), found.end - found.begin, '\0');
    });
  }
  for (auto const& [client, sequences] : held)
    out[client].insert(out[client].end(), sequences.begin(), sequences.end());
  for (auto& [client, sequences] : out) std::sort(sequences.begin(), sequences.end());
  return out;
}

}  // namespace fastjournal::sim
