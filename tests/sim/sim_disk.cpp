// The simulated disk; its faults are listed in sim_disk.h.
#include "tests/sim/sim_disk.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"

// The return address of the caller, for tests that make every call fail.
#define FJ_CALLER __builtin_return_address(0)

namespace fastjournal::sim {

namespace {

constexpr std::string_view kCallNames[kCallKinds] = {
    "open",     "read",   "write",       "sync", "size",       "truncate", "make folder", "list",    "rename",
    "exchange", "remove", "sync folder", "lock", "free bytes", "look",     "add note",    "reserve", "punch"};

std::string folder_of(std::string_view path) {
  std::size_t const slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string{} : std::string(path.substr(0, slash));
}

bool changes_disk(Call kind) {
  return kind == Call::write || kind == Call::sync || kind == Call::truncate || kind == Call::make_folder ||
         kind == Call::rename || kind == Call::exchange || kind == Call::remove || kind == Call::sync_folder ||
         kind == Call::add_note || kind == Call::reserve || kind == Call::punch;
}

// The path after the names `one` and `other` are exchanged.
std::string exchanged(std::string const& path, std::string const& one, std::string const& other) {
  auto const is_at = [&](std::string const& name) {
    return path == name || (path.starts_with(name) && path[name.size()] == '/');
  };
  if (is_at(one)) return other + path.substr(one.size());
  return is_at(other) ? one + path.substr(other.size()) : path;
}

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 30U;
  value *= 0xBF58476D1CE4E5B9ULL;
  value ^= value >> 27U;
  value *= 0x94D049BB133111EBULL;
  return value ^ (value >> 31U);
}

}  // namespace

Chooser keep_all() {
  return [](std::size_t) { return true; };
}
Chooser keep_none() {
  return [](std::size_t) { return false; };
}
Chooser keep_mask(std::uint64_t mask) {
  return [mask](std::size_t thing) { return thing < 64 && ((mask >> thing) & 1U) != 0; };
}
Chooser keep_some(std::uint64_t seed) {
  return [seed](std::size_t thing) { return (mix(seed * 0x9E3779B97F4A7C15ULL + thing + 1) & 1U) != 0; };
}

class SimFile final : public env::File {
 public:
  SimFile(SimDisk& disk, std::shared_ptr<SimDisk::Node> node, std::string path, bool read_only)
      : disk_(disk),
        node_(std::move(node)),
        path_(std::move(path)),
        generation_(disk.generation_),
        read_only_(read_only) {}

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
    if (Status status = enter(Call::read, FJ_CALLER); !status.ok()) return status;
    std::vector<std::byte> const& seen = node_->seen.get();
    if (offset >= seen.size()) return std::size_t{0};
    std::size_t const count = std::min<std::uint64_t>(into.size(), seen.size() - offset);
    std::memcpy(into.data(), seen.data() + offset, count);
    return count;
  }
  void expect(std::uint64_t, std::uint64_t) override {}
  void forget_cached(std::uint64_t, std::uint64_t) override {}
  Status write(std::uint64_t offset, std::span<std::byte const> bytes) override {
    FJ_CHECK(!read_only_, "a file opened for reading is not written");
    if (Status status = alive(); !status.ok()) return status;
    return disk_.write(*node_, path_, offset, bytes, FJ_CALLER);
  }
  // Power may be cut at two moments: when the sectors are under way, and when they are synced.
  Status write_through(std::uint64_t offset, std::span<std::byte const> bytes) override {
    FJ_CHECK(!read_only_, "a file opened for reading is not written");
    if (Status status = alive(); !status.ok()) return status;
    if (Status status = disk_.write(*node_, path_, offset, bytes, FJ_CALLER); !status.ok()) return status;
    return disk_.sync(*node_, path_, FJ_CALLER, offset, bytes.size());
  }
  Status sync() override {
    if (Status status = alive(); !status.ok()) return status;
    return disk_.sync(*node_, path_, FJ_CALLER);
  }
  Result<std::uint64_t> size() override {
    if (Status status = enter(Call::size, FJ_CALLER); !status.ok()) return status;
    return std::uint64_t{node_->seen.get().size()};
  }
  Status truncate(std::uint64_t size) override {
    FJ_CHECK(!read_only_, "a file opened for reading is not written");
    if (Status status = enter(Call::truncate, FJ_CALLER); !status.ok()) return status;
    std::uint64_t const before = node_->seen.get().size();
    node_->seen.change().resize(size);
    node_->size_dirty = true;
    disk_.mark(*node_, std::min(before, size), std::max(before, size) - std::min(before, size));
    return {};
  }
  Status reserve(std::uint64_t offset, std::uint64_t bytes) override {
    FJ_CHECK(!read_only_, "a file opened for reading is not written");
    if (Status status = enter(Call::reserve, FJ_CALLER); !status.ok()) return status;
    return disk_.reserve(*node_, path_, offset + bytes);
  }
  Status punch(std::uint64_t offset, std::uint64_t bytes) override {
    FJ_CHECK(!read_only_, "a file opened for reading is not written");
    if (Status status = enter(Call::punch, FJ_CALLER); !status.ok()) return status;
    disk_.punch(*node_, offset, bytes);
    return {};
  }
  Status look() override {
    if (Status status = enter(Call::look, FJ_CALLER); !status.ok()) return status;
    if (auto const named = disk_.names_.find(path_); named != disk_.names_.end() && named->second == node_) return {};
    return {Code::damaged, fmt::format("{} was removed, or another file put in its place, while it was in use", path_)};
  }
  int descriptor() const override { return -1; }
  Result<std::unique_ptr<env::File>> reopen_to_read() override {
    if (Status status = enter(Call::open, FJ_CALLER); !status.ok()) return status;
    return std::unique_ptr<env::File>{std::make_unique<SimFile>(disk_, node_, path_, true)};
  }

 private:
  Status alive() const {
    if (generation_ == disk_.generation_) return {};
    return {Code::io_error, fmt::format("{}: opened before the crash", path_)};
  }
  Status enter(Call kind, void const* caller) const {
    if (Status status = alive(); !status.ok()) return status;
    return disk_.enter(kind, path_, caller);
  }

  SimDisk& disk_;
  std::shared_ptr<SimDisk::Node> node_;
  std::string path_;
  std::uint64_t generation_;
  bool read_only_;
};

class SimLock final : public env::FolderLock {
 public:
  SimLock(SimDisk& disk, std::string path) : disk_(disk), path_(std::move(path)), generation_(disk.generation_) {
    disk_.locks_[path_] = this;
  }
  SimLock(SimLock const&) = delete;
  SimLock& operator=(SimLock const&) = delete;
  ~SimLock() override {
    if (generation_ == disk_.generation_) disk_.locks_.erase(path_);
  }
  // The folder was renamed.
  void move(std::string path) { path_ = std::move(path); }

  Status look() override {
    if (generation_ != disk_.generation_) return {Code::io_error, fmt::format("{}: locked before the crash", path_)};
    if (Status status = disk_.enter(Call::look, path_, FJ_CALLER); !status.ok()) return status;
    if (!disk_.moved_away_.contains(path_)) return {};
    return {Code::damaged, fmt::format("the folder {} was moved away while it was in use", path_)};
  }
  std::string const& note() const override { return disk_.notes_[path_]; }
  Status add_note(std::string_view line) override {
    if (generation_ != disk_.generation_) return {Code::io_error, fmt::format("{}: locked before the crash", path_)};
    if (Status status = disk_.enter(Call::add_note, path_, FJ_CALLER); !status.ok()) return status;
    disk_.notes_[path_].append(line).append("\n");
    return {};
  }

 private:
  SimDisk& disk_;
  std::string path_;
  std::uint64_t generation_;
};

SimDisk::~SimDisk() = default;

void SimDisk::copy_state(SimDisk const& other) {
  // One node may have several names, durable and not.
  std::map<Node const*, std::shared_ptr<Node>> twins;
  auto const twin_of = [&](std::shared_ptr<Node> const& node) {
    std::shared_ptr<Node>& twin = twins[node.get()];
    if (twin == nullptr && node != nullptr) twin = std::make_shared<Node>(*node);
    return twin;
  };
  options_ = other.options_;
  names_.clear();
  durable_names_.clear();
  changes_of_names_.clear();
  for (auto const& [name, node] : other.names_) names_.emplace_hint(names_.end(), name, twin_of(node));
  for (auto const& [name, node] : other.durable_names_)
    durable_names_.emplace_hint(durable_names_.end(), name, twin_of(node));
  for (NameChange const& change : other.changes_of_names_)
    changes_of_names_.push_back({change.kind, change.path, change.to, twin_of(change.node)});
  folders_ = other.folders_;
  unsynced_folders_ = other.unsynced_folders_;
  moved_away_ = other.moved_away_;
  notes_ = other.notes_;
  ignore_syncs_ = other.ignore_syncs_;
  ignore_folder_syncs_ = other.ignore_folder_syncs_;
  start_again();
}

Status SimDisk::enter(Call kind, std::string_view path, void const* caller, Failure* how) {
  if (is_stopped())
    return {Code::io_error, fmt::format("{} {}: the power is gone", kCallNames[static_cast<std::size_t>(kind)], path)};
  std::uint64_t const number = ++calls_[static_cast<std::size_t>(kind)];
  if (changes_disk(kind)) {
    if (observer_) observer_();
    ++changes_;
  }
  auto const planned = std::find_if(failures_.begin(), failures_.end(),
                                    [&](PlannedFailure const& plan) { return plan.kind == kind && plan.at == number; });
  if (planned == failures_.end()) return {};
  Failure const failure = planned->how;
  failures_.erase(planned);
  failed_callers_.push_back(caller);
  if (how != nullptr) *how = failure;
  Code const code = failure == Failure::no_space ? Code::no_space : Code::io_error;
  return {code, fmt::format("{} {}: injected failure", kCallNames[static_cast<std::size_t>(kind)], path)};
}

void SimDisk::fail_call(Call kind, std::uint64_t nth, Failure how) {
  failures_.push_back({kind, calls(kind) + nth, how});
}

void SimDisk::forget_failures() {
  failures_.clear();
  misdirect_.reset();
  lose_write_ = false;
}

void SimDisk::mark(Node& node, std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes == 0) return;
  for (std::uint64_t sector = offset / options_.sector_bytes; sector <= (offset + bytes - 1) / options_.sector_bytes;
       ++sector) {
    if (node.dirty.empty() || node.dirty.back() < sector) {
      node.dirty.push_back(sector);
      continue;
    }
    auto const at = std::lower_bound(node.dirty.begin(), node.dirty.end(), sector);
    if (*at != sector) node.dirty.insert(at, sector);
  }
}

Status SimDisk::write(Node& node, std::string_view path, std::uint64_t offset, std::span<std::byte const> bytes,
                      void const* caller) {
  Failure how = Failure::io_error;
  Status const status = enter(Call::write, path, caller, &how);
  if (!status.ok() && how != Failure::short_write) return status;
  if (!status.ok()) bytes = bytes.first(bytes.size() / 2);
  if (std::exchange(lose_write_, false)) return status;
  if (misdirect_) offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(offset) + *misdirect_);
  misdirect_.reset();
  if (Status grown = grow(node, path, offset + bytes.size()); !grown.ok()) return grown;
  if (!bytes.empty()) std::memcpy(node.seen.change().data() + offset, bytes.data(), bytes.size());
  mark(node, offset, bytes.size());
  if (!node.holes.empty() && !bytes.empty())
    node.holes.erase(node.holes.lower_bound(offset / options_.sector_bytes),
                     node.holes.upper_bound((offset + bytes.size() - 1) / options_.sector_bytes));
  return status;
}

Status SimDisk::reserve(Node& node, std::string_view path, std::uint64_t size) {
  std::uint64_t const before = std::max<std::uint64_t>(node.seen.get().size(), node.reserved);
  if (size <= before) return {};
  if (used_bytes() + (size - before) > options_.capacity_bytes)
    return {Code::no_space, fmt::format("write {}: No space left on device", path)};
  node.reserved = size;
  return {};
}

Status SimDisk::grow(Node& node, std::string_view path, std::uint64_t size) {
  std::uint64_t const before = node.seen.get().size();
  if (size <= before) return {};
  if (Status status = reserve(node, path, size); !status.ok()) return status;
  node.seen.change().resize(size);
  node.size_dirty = true;
  mark(node, before, size - before);
  return {};
}

void SimDisk::punch(Node& node, std::uint64_t offset, std::uint64_t bytes) {
  std::uint64_t const size = node.seen.get().size();
  if (offset >= size) return;
  bytes = std::min(bytes, size - offset);
  std::vector<std::byte>& seen = node.seen.change();
  std::fill_n(seen.begin() + static_cast<std::ptrdiff_t>(offset), bytes, std::byte{0});
  mark(node, offset, bytes);
  std::uint64_t const from = (offset + env::kPunchAlignment - 1) / env::kPunchAlignment * env::kPunchAlignment;
  std::uint64_t const to =
      offset + bytes == size ? size : (offset + bytes) / env::kPunchAlignment * env::kPunchAlignment;
  for (std::uint64_t sector = from / options_.sector_bytes; sector * options_.sector_bytes < to; ++sector)
    node.holes.insert(node.holes.end(), sector);
}

Status SimDisk::sync(Node& node, std::string_view path, void const* caller, std::uint64_t offset, std::uint64_t bytes) {
  auto const covers = [&](std::uint64_t sector) {
    std::uint64_t const begin = sector * options_.sector_bytes;
    return begin + options_.sector_bytes > offset && begin - std::min(begin, offset) < bytes;
  };
  Status status = enter(Call::sync, path, caller);
  if (status.ok() && ignore_syncs_) return {};
  if (status.ok()) {
    std::vector<std::byte> const& seen = node.seen.get();
    std::vector<std::byte>& durable = node.durable.change();
    durable.resize(seen.size());
    for (std::uint64_t const sector : node.dirty) {
      std::uint64_t const at = sector * options_.sector_bytes;
      if (at >= seen.size() || !covers(sector)) continue;
      std::uint64_t const count = std::min<std::uint64_t>(options_.sector_bytes, seen.size() - at);
      std::memcpy(durable.data() + at, seen.data() + at, count);
    }
  }
  if (!is_stopped() || status.ok()) {
    std::erase_if(node.dirty, covers);
    if (node.dirty.empty()) node.size_dirty = false;
  }
  return status;
}

Result<std::unique_ptr<env::File>> SimDisk::open(std::string_view path, env::OpenMode mode) {
  if (Status status = enter(Call::open, path, FJ_CALLER); !status.ok()) return status;
  auto found = names_.find(path);
  if (mode == env::OpenMode::create_new || mode == env::OpenMode::create_closed) {
    if (no_new_files_) return Status{Code::not_allowed, fmt::format("open {}: Permission denied", path)};
    if (found != names_.end()) return Status{Code::in_use, fmt::format("open {}: File exists", path)};
    if (!folders_.contains(folder_of(path)))
      return Status{Code::not_found, fmt::format("open {}: no such folder", path)};
    if (observer_) observer_();
    ++changes_;
    auto node = std::make_shared<Node>();
    changes_of_names_.push_back({NameChange::Kind::create, std::string(path), {}, node});
    found = names_.emplace(std::string(path), std::move(node)).first;
  }
  if (found == names_.end()) return Status{Code::not_found, fmt::format("open {}: No such file or directory", path)};
  return std::unique_ptr<env::File>(
      std::make_unique<SimFile>(*this, found->second, std::string(path), mode == env::OpenMode::read_only));
}

Status SimDisk::make_folder(std::string_view path) {
  if (Status status = enter(Call::make_folder, path, FJ_CALLER); !status.ok()) return status;
  std::vector<std::string> made;
  for (std::string at(path); !at.empty(); at = folder_of(at))
    if (folders_.insert(at).second) made.push_back(at);
  unsynced_folders_.insert(unsynced_folders_.end(), made.rbegin(), made.rend());
  return {};
}

Result<std::vector<std::string>> SimDisk::list(std::string_view path) {
  if (Status status = enter(Call::list, path, FJ_CALLER); !status.ok()) return status;
  if (!folders_.contains(path)) return Status{Code::not_found, fmt::format("list {}: No such file or directory", path)};
  std::set<std::string> out;
  for (auto const& [name, node] : names_)
    if (folder_of(name) == path) out.insert(name.substr(path.empty() ? 0 : path.size() + 1));
  for (std::string const& folder : folders_)
    if (!folder.empty() && folder_of(folder) == path) out.insert(folder.substr(path.empty() ? 0 : path.size() + 1));
  return std::vector<std::string>(out.begin(), out.end());
}

SimDisk::NameChange SimDisk::NameChange::behind(NameChange const& exchange) const {
  return {kind, exchanged(path, exchange.path, exchange.to), exchanged(to, exchange.path, exchange.to), node};
}

void SimDisk::apply(NameChange const& change, Names& names) {
  switch (change.kind) {
    case NameChange::Kind::create: names[change.path] = change.node; return;
    case NameChange::Kind::remove: names.erase(change.path); return;
    case NameChange::Kind::rename:
      names.erase(change.path);
      names[change.to] = change.node;
      return;
    case NameChange::Kind::exchange: {
      Names all;
      for (auto& [name, node] : names) all.emplace(exchanged(name, change.path, change.to), std::move(node));
      names = std::move(all);
      return;
    }
  }
}

Status SimDisk::rename(std::string_view from, std::string_view to) {
  if (Status status = enter(Call::rename, from, FJ_CALLER); !status.ok()) return status;
  auto const found = names_.find(from);
  if (found == names_.end()) return {Code::not_found, fmt::format("rename {}: No such file or directory", from)};
  changes_of_names_.push_back({NameChange::Kind::rename, std::string(from), std::string(to), found->second});
  apply(NameChange(changes_of_names_.back()), names_);
  return {};
}

Status SimDisk::exchange(std::string_view one, std::string_view other) {
  if (Status status = enter(Call::exchange, one, FJ_CALLER); !status.ok()) return status;
  FJ_CHECK(folder_of(one) == folder_of(other), "names are exchanged inside of one folder");
  for (std::string_view const path : {one, other})
    if (!folders_.contains(path)) return {Code::not_found, fmt::format("exchange {}: no such folder", path)};
  NameChange const change{NameChange::Kind::exchange, std::string(one), std::string(other), nullptr};
  apply(change, names_);
  std::set<std::string, std::less<>> folders;
  for (std::string const& folder : folders_) folders.insert(exchanged(folder, change.path, change.to));
  folders_ = std::move(folders);
  std::map<std::string, SimLock*, std::less<>> locks;
  for (auto const& [path, lock] : locks_) {
    std::string const moved = exchanged(path, change.path, change.to);
    lock->move(moved);
    locks[moved] = lock;
  }
  locks_ = std::move(locks);
  for (std::string& folder : unsynced_folders_) folder = exchanged(folder, change.path, change.to);
  std::map<std::string, std::string, std::less<>> notes;
  for (auto& [path, note] : notes_) notes[exchanged(path, change.path, change.to)] = std::move(note);
  notes_ = std::move(notes);
  changes_of_names_.push_back(change);
  return {};
}

Status SimDisk::remove(std::string_view path) {
  if (Status status = enter(Call::remove, path, FJ_CALLER); !status.ok()) return status;
  if (folders_.contains(path)) {
    bool const empty =
        std::none_of(names_.begin(), names_.end(), [&](auto const& one) { return folder_of(one.first) == path; }) &&
        std::none_of(folders_.begin(), folders_.end(), [&](auto const& one) { return folder_of(one) == path; });
    if (!empty) return {Code::io_error, fmt::format("remove {}: Directory not empty", path)};
    folders_.erase(std::string(path));
    std::erase(unsynced_folders_, path);
    notes_.erase(std::string(path));
    return {};
  }
  auto const found = names_.find(path);
  if (found == names_.end()) return {Code::not_found, fmt::format("remove {}: No such file or directory", path)};
  changes_of_names_.push_back({NameChange::Kind::remove, std::string(path), {}, found->second});
  names_.erase(found);
  return {};
}

// A file with the name of its target, as far as names and durability are concerned.
Status SimDisk::point(std::string_view link, std::string_view target) {
  if (Status status = enter(Call::rename, link, FJ_CALLER); !status.ok()) return status;
  if (!folders_.contains(folder_of(link))) return {Code::not_found, fmt::format("make link {}: no such folder", link)};
  auto node = std::make_shared<Node>();
  std::span<std::byte const> const bytes = std::as_bytes(std::span{target});
  node->seen.change().assign(bytes.begin(), bytes.end());
  node->durable = node->seen;
  changes_of_names_.push_back({NameChange::Kind::create, std::string(link), {}, std::move(node)});
  apply(NameChange(changes_of_names_.back()), names_);
  return {};
}

Status SimDisk::give(std::string_view path, env::Access const& access) {
  if (!names_.contains(std::string{path}) && !folders_.contains(std::string{path}))
    return {Code::not_found, fmt::format("change the mode of {}: no such file", path)};
  given_[std::string{path}] = access;
  return {};
}

Status SimDisk::let_through(std::string_view folder) {
  let_through_.emplace(folder);
  return {};
}

Status SimDisk::sync_folder(std::string_view path) {
  if (Status status = enter(Call::sync_folder, path, FJ_CALLER); !status.ok()) return status;
  if (ignore_folder_syncs_) return {};
  std::erase_if(unsynced_folders_, [path](std::string const& folder) { return folder_of(folder) == path; });
  std::vector<NameChange> rest;
  for (std::size_t i = 0; i < changes_of_names_.size(); ++i) {
    NameChange const& change = changes_of_names_[i];
    // A folder is synced under its present name, whatever it was when the change was made.
    NameChange now = change;
    for (std::size_t later = i + 1; later < changes_of_names_.size(); ++later)
      if (changes_of_names_[later].kind == NameChange::Kind::exchange) now = now.behind(changes_of_names_[later]);
    if (folder_of(now.path) != path) {
      rest.push_back(change);
      continue;
    }
    // The durable names are as before the exchanges that are not durable yet.
    NameChange durable = change;
    for (auto before = rest.rbegin(); before != rest.rend(); ++before)
      if (before->kind == NameChange::Kind::exchange) durable = durable.behind(*before);
    apply(durable, durable_names_);
    if (change.kind == NameChange::Kind::exchange)
      for (NameChange& before : rest) before = before.behind(change);
  }
  changes_of_names_ = std::move(rest);
  return {};
}

Result<std::unique_ptr<env::FolderLock>> SimDisk::lock_folder(std::string_view path) {
  if (Status status = enter(Call::lock, path, FJ_CALLER); !status.ok()) return status;
  if (locks_.contains(path)) return Status{Code::in_use, fmt::format("lock {}: held by somebody", path)};
  return std::unique_ptr<env::FolderLock>(std::make_unique<SimLock>(*this, std::string(path)));
}

Result<std::uint64_t> SimDisk::free_bytes() {
  if (Status status = enter(Call::free_bytes, "", FJ_CALLER); !status.ok()) return status;
  std::uint64_t const used = used_bytes();
  return used >= options_.capacity_bytes ? std::uint64_t{0} : options_.capacity_bytes - used;
}

std::uint64_t SimDisk::used_bytes() const {
  std::uint64_t used = 0;
  for (auto const& [name, node] : names_) {
    std::uint64_t const taken = std::max<std::uint64_t>(node->seen.get().size(), node->reserved);
    used += taken - std::min<std::uint64_t>(taken, node->holes.size() * options_.sector_bytes);
  }
  return used;
}

void SimDisk::settle(Node& node, Chooser const& survives, std::size_t& thing) const {
  node.reserved = 0;
  if (node.dirty.empty() && !node.size_dirty) {
    node.seen = node.durable;
    return;
  }
  node.holes.clear();
  std::vector<std::byte> const& seen = node.seen.get();
  std::vector<std::byte> medium = node.durable.get();
  std::uint64_t size = medium.size();
  if (node.size_dirty && survives(thing++)) size = seen.size();
  medium.resize(std::max<std::uint64_t>(size, medium.size()));
  for (std::uint64_t const sector : node.dirty) {
    if (!survives(thing++)) continue;
    std::uint64_t const at = sector * options_.sector_bytes;
    if (at >= medium.size() || at >= seen.size()) continue;
    std::uint64_t const count = std::min({std::uint64_t{options_.sector_bytes}, medium.size() - at, seen.size() - at});
    std::memcpy(medium.data() + at, seen.data() + at, count);
  }
  medium.resize(size);
  node.durable.change() = std::move(medium);
  node.seen = node.durable;
  node.dirty.clear();
  node.size_dirty = false;
}

std::size_t SimDisk::unsynced_things() const {
  std::size_t things = changes_of_names_.size() + unsynced_folders_.size();
  for (auto const& [name, node] : names_) things += node->dirty.size() + (node->size_dirty ? 1U : 0U);
  return things;
}

void SimDisk::crash(Chooser const& survives) {
  std::size_t thing = 0;
  // Changes of names, in their order. If a name does not exist because its creation was lost, its changes are lost,
  // too.
  std::vector<std::pair<NameChange const*, bool>> exchanges;  // up to here, and whether they survived
  for (NameChange const& change : changes_of_names_) {
    NameChange placed = change;
    for (auto exchange = exchanges.rbegin(); exchange != exchanges.rend(); ++exchange)
      placed = placed.behind(*exchange->first);
    for (auto const& [exchange, survived] : exchanges)
      if (survived) placed = placed.behind(*exchange);
    bool const exchanges_names = change.kind == NameChange::Kind::exchange;
    bool const possible =
        change.kind == NameChange::Kind::create || exchanges_names || durable_names_.contains(placed.path);
    bool const survived = survives(thing++) && possible;
    if (survived) apply(placed, durable_names_);
    if (exchanges_names) exchanges.emplace_back(&change, survived);
  }
  // If a folder's name is lost, everything in it is lost.
  for (std::string const& folder : std::exchange(unsynced_folders_, {})) {
    bool const above_is_there = folders_.contains(folder_of(folder));
    if (!survives(thing++) || !above_is_there) lose_folder(folder);
  }
  std::set<Node*> done;
  for (Names* names : {&names_, &durable_names_})
    for (auto& [name, node] : *names)
      if (done.insert(node.get()).second) settle(*node, survives, thing);
  names_ = durable_names_;
  changes_of_names_.clear();
  // A removed folder exists again if one of its files does.
  for (auto const& [name, node] : names_)
    for (std::string folder = folder_of(name); !folder.empty(); folder = folder_of(folder)) folders_.insert(folder);
  start_again();
}

void SimDisk::lose_folder(std::string const& path) {
  auto const is_in = [&path](std::string const& name) { return name == path || name.starts_with(path + "/"); };
  std::erase_if(names_, [&](auto const& one) { return is_in(one.first); });
  std::erase_if(durable_names_, [&](auto const& one) { return is_in(one.first); });
  std::erase_if(notes_, [&](auto const& one) { return is_in(one.first); });
  std::erase_if(folders_, is_in);
}

void SimDisk::drop(std::string_view path) {
  names_.erase(names_.find(path));
  if (auto const found = durable_names_.find(path); found != durable_names_.end()) durable_names_.erase(found);
  std::erase_if(changes_of_names_, [&](NameChange const& change) { return change.path == path || change.to == path; });
}

void SimDisk::kill() {
  ++generation_;
  locks_.clear();
}

void SimDisk::start_again() {
  kill();
  stop_at_.reset();
  forget_failures();
  failed_callers_.clear();
}

SimDisk::Node& SimDisk::node_at(std::string_view path) {
  auto const found = names_.find(path);
  FJ_CHECK(found != names_.end(), "damage is done to a file that exists");
  return *found->second;
}

void SimDisk::flip(std::string_view path, std::uint64_t offset, std::uint8_t bits) {
  Node& node = node_at(path);
  for (Content* medium : {&node.seen, &node.durable})
    if (offset < medium->get().size()) medium->change()[offset] ^= std::byte{bits};
}

void SimDisk::wipe(std::string_view path, std::uint64_t offset, std::uint64_t bytes) {
  overwrite(path, offset, std::vector<std::byte>(bytes));
}

void SimDisk::overwrite(std::string_view path, std::uint64_t offset, std::span<std::byte const> bytes) {
  Node& node = node_at(path);
  for (Content* medium : {&node.seen, &node.durable}) {
    if (offset >= medium->get().size()) continue;
    std::size_t const count = std::min<std::uint64_t>(bytes.size(), medium->get().size() - offset);
    if (count > 0) std::memcpy(medium->change().data() + offset, bytes.data(), count);
  }
}

std::vector<std::string> SimDisk::files() const {
  std::vector<std::string> out;
  for (auto const& [name, node] : names_) out.push_back(name);
  return out;
}

std::vector<std::byte> SimDisk::content(std::string_view path) const {
  auto const found = names_.find(path);
  return found == names_.end() ? std::vector<std::byte>{} : found->second->seen.get();
}

std::map<std::string, std::vector<std::byte>, std::less<>> SimDisk::image() const {
  std::map<std::string, std::vector<std::byte>, std::less<>> out;
  for (auto const& [name, node] : names_) out[name] = node->seen.get();
  return out;
}

void SimDisk::restore(std::map<std::string, std::vector<std::byte>, std::less<>> const& image) {
  names_.clear();
  unsynced_folders_.clear();
  moved_away_.clear();
  notes_.clear();
  folders_ = {""};
  for (auto const& [name, bytes] : image) {
    auto node = std::make_shared<Node>();
    node->seen.change() = bytes;
    node->durable = node->seen;
    names_[name] = node;
    for (std::string folder = folder_of(name); !folder.empty(); folder = folder_of(folder)) folders_.insert(folder);
  }
  durable_names_ = names_;
  changes_of_names_.clear();
  start_again();
}

}  // namespace fastjournal::sim
