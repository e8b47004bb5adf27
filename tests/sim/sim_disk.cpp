// The simulated disk; its faults are listed in sim_disk.h.
#include "tests/sim/sim_disk.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"

namespace fastjournal::sim {

namespace {

constexpr std::string_view kCallNames[] = {"open",        "read", "write",  "sync",   "size",        "truncate",
                                           "make folder", "list", "rename", "remove", "sync folder", "lock"};

std::string folder_of(std::string_view path) {
  std::size_t const slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string{} : std::string(path.substr(0, slash));
}

bool changes_disk(Call kind) {
  return kind == Call::write || kind == Call::sync || kind == Call::truncate || kind == Call::make_folder ||
         kind == Call::rename || kind == Call::remove || kind == Call::sync_folder;
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
    if (Status status = enter(Call::read); !status.ok()) return status;
    if (offset >= node_->seen.size()) return std::size_t{0};
    std::size_t const count = std::min<std::uint64_t>(into.size(), node_->seen.size() - offset);
    std::memcpy(into.data(), node_->seen.data() + offset, count);
    return count;
  }
  Status write(std::uint64_t offset, std::span<std::byte const> bytes) override {
    FJ_CHECK(!read_only_, "a file opened for reading is not written");
    if (Status status = alive(); !status.ok()) return status;
    return disk_.write(*node_, path_, offset, bytes);
  }
  Status sync() override {
    if (Status status = alive(); !status.ok()) return status;
    return disk_.sync(*node_, path_);
  }
  Result<std::uint64_t> size() override {
    if (Status status = enter(Call::size); !status.ok()) return status;
    return std::uint64_t{node_->seen.size()};
  }
  Status truncate(std::uint64_t size) override {
    FJ_CHECK(!read_only_, "a file opened for reading is not written");
    if (Status status = enter(Call::truncate); !status.ok()) return status;
    std::uint64_t const before = node_->seen.size();
    node_->seen.resize(size);
    node_->size_dirty = true;
    disk_.mark(*node_, std::min(before, size), std::max(before, size) - std::min(before, size));
    return {};
  }

 private:
  Status alive() const {
    if (generation_ == disk_.generation_) return {};
    return {Code::io_error, fmt::format("{}: opened before the crash", path_)};
  }
  Status enter(Call kind) const {
    if (Status status = alive(); !status.ok()) return status;
    return disk_.enter(kind, path_);
  }

  SimDisk& disk_;
  std::shared_ptr<SimDisk::Node> node_;
  std::string path_;
  std::uint64_t generation_;
  bool read_only_;
};

class SimLock final : public env::FolderLock {
 public:
  SimLock(SimDisk& disk, std::string path) : disk_(disk), path_(std::move(path)), generation_(disk.generation_) {}
  SimLock(SimLock const&) = delete;
  SimLock& operator=(SimLock const&) = delete;
  ~SimLock() override {
    if (generation_ == disk_.generation_) disk_.locks_.erase(path_);
  }

 private:
  SimDisk& disk_;
  std::string path_;
  std::uint64_t generation_;
};

SimDisk::~SimDisk() = default;

Status SimDisk::enter(Call kind, std::string_view path, Failure* how) {
  if (is_stopped())
    return {Code::io_error, fmt::format("{} {}: the power is gone", kCallNames[static_cast<std::size_t>(kind)], path)};
  std::uint64_t const number = ++calls_[static_cast<std::size_t>(kind)];
  if (changes_disk(kind)) ++changes_;
  if (!failure_ || failure_->kind != kind || failure_->at != number) return {};
  Failure const failure = failure_->how;
  failure_.reset();
  if (how != nullptr) *how = failure;
  Code const code = failure == Failure::no_space ? Code::no_space : Code::io_error;
  return {code, fmt::format("{} {}: injected failure", kCallNames[static_cast<std::size_t>(kind)], path)};
}

void SimDisk::fail_call(Call kind, std::uint64_t nth, Failure how) { failure_ = {kind, calls(kind) + nth, how}; }

void SimDisk::mark(Node& node, std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes == 0) return;
  for (std::uint64_t sector = offset / options_.sector_bytes; sector <= (offset + bytes - 1) / options_.sector_bytes;
       ++sector)
    node.dirty.insert(sector);
}

Status SimDisk::write(Node& node, std::string_view path, std::uint64_t offset, std::span<std::byte const> bytes) {
  Failure how = Failure::io_error;
  Status const status = enter(Call::write, path, &how);
  if (!status.ok() && how != Failure::short_write) return status;
  if (!status.ok()) bytes = bytes.first(bytes.size() / 2);
  if (std::exchange(lose_write_, false)) return status;
  if (misdirect_) offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(offset) + *misdirect_);
  misdirect_.reset();
  std::uint64_t const end = offset + bytes.size();
  if (end > node.seen.size()) {
    std::uint64_t const before = node.seen.size();
    if (used_bytes() + (end - before) > options_.capacity_bytes)
      return {Code::no_space, fmt::format("write {}: No space left on device", path)};
    node.seen.resize(end);
    node.size_dirty = true;
    if (offset > before) mark(node, before, offset - before);
  }
  if (!bytes.empty()) std::memcpy(node.seen.data() + offset, bytes.data(), bytes.size());
  mark(node, offset, bytes.size());
  return status;
}

Status SimDisk::sync(Node& node, std::string_view path) {
  Status status = enter(Call::sync, path);
  if (status.ok() && ignore_syncs_) return {};
  if (status.ok()) {
    node.durable.resize(node.seen.size());
    for (std::uint64_t const sector : node.dirty) {
      std::uint64_t const at = sector * options_.sector_bytes;
      if (at >= node.seen.size()) continue;
      std::uint64_t const count = std::min<std::uint64_t>(options_.sector_bytes, node.seen.size() - at);
      std::memcpy(node.durable.data() + at, node.seen.data() + at, count);
    }
  }
  if (!is_stopped() || status.ok()) {
    node.dirty.clear();
    node.size_dirty = false;
  }
  return status;
}

Result<std::unique_ptr<env::File>> SimDisk::open(std::string_view path, env::OpenMode mode) {
  if (Status status = enter(Call::open, path); !status.ok()) return status;
  auto found = names_.find(path);
  if (mode == env::OpenMode::create_new) {
    if (found != names_.end()) return Status{Code::in_use, fmt::format("open {}: File exists", path)};
    if (!folders_.contains(folder_of(path)))
      return Status{Code::not_found, fmt::format("open {}: no such folder", path)};
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
  if (Status status = enter(Call::make_folder, path); !status.ok()) return status;
  // Folders survive at once: the names inside are what the log depends on.
  for (std::string at(path); !at.empty(); at = folder_of(at)) folders_.insert(at);
  return {};
}

Result<std::vector<std::string>> SimDisk::list(std::string_view path) {
  if (Status status = enter(Call::list, path); !status.ok()) return status;
  if (!folders_.contains(path)) return Status{Code::not_found, fmt::format("list {}: No such file or directory", path)};
  std::set<std::string> out;
  for (auto const& [name, node] : names_)
    if (folder_of(name) == path) out.insert(name.substr(path.empty() ? 0 : path.size() + 1));
  for (std::string const& folder : folders_)
    if (!folder.empty() && folder_of(folder) == path) out.insert(folder.substr(path.empty() ? 0 : path.size() + 1));
  return std::vector<std::string>(out.begin(), out.end());
}

void SimDisk::apply(NameChange const& change, Names& names) const {
  switch (change.kind) {
    case NameChange::Kind::create: names[change.path] = change.node; return;
    case NameChange::Kind::remove: names.erase(change.path); return;
    case NameChange::Kind::rename:
      names.erase(change.path);
      names[change.to] = change.node;
      return;
  }
}

Status SimDisk::rename(std::string_view from, std::string_view to) {
  if (Status status = enter(Call::rename, from); !status.ok()) return status;
  auto const found = names_.find(from);
  if (found == names_.end()) return {Code::not_found, fmt::format("rename {}: No such file or directory", from)};
  changes_of_names_.push_back({NameChange::Kind::rename, std::string(from), std::string(to), found->second});
  apply(NameChange(changes_of_names_.back()), names_);
  return {};
}

Status SimDisk::remove(std::string_view path) {
  if (Status status = enter(Call::remove, path); !status.ok()) return status;
  auto const found = names_.find(path);
  if (found == names_.end()) return {Code::not_found, fmt::format("remove {}: No such file or directory", path)};
  changes_of_names_.push_back({NameChange::Kind::remove, std::string(path), {}, found->second});
  names_.erase(found);
  return {};
}

Status SimDisk::sync_folder(std::string_view path) {
  if (Status status = enter(Call::sync_folder, path); !status.ok()) return status;
  if (ignore_folder_syncs_) return {};
  std::vector<NameChange> rest;
  for (NameChange& change : changes_of_names_) {
    if (folder_of(change.path) == path) {
      apply(change, durable_names_);
    } else {
      rest.push_back(std::move(change));
    }
  }
  changes_of_names_ = std::move(rest);
  return {};
}

Result<std::unique_ptr<env::FolderLock>> SimDisk::lock_folder(std::string_view path) {
  if (Status status = enter(Call::lock, path); !status.ok()) return status;
  if (!locks_.insert(std::string(path)).second)
    return Status{Code::in_use, fmt::format("lock {}: held by somebody", path)};
  return std::unique_ptr<env::FolderLock>(std::make_unique<SimLock>(*this, std::string(path)));
}

Result<std::uint64_t> SimDisk::free_bytes() {
  std::uint64_t const used = used_bytes();
  return used >= options_.capacity_bytes ? std::uint64_t{0} : options_.capacity_bytes - used;
}

std::uint64_t SimDisk::used_bytes() const {
  std::uint64_t used = 0;
  for (auto const& [name, node] : names_) used += node->seen.size();
  return used;
}

void SimDisk::settle(Node& node, Chooser const& survives, std::size_t& thing) const {
  std::uint64_t size = node.durable.size();
  if (node.size_dirty && survives(thing++)) size = node.seen.size();
  std::vector<std::byte> medium = node.durable;
  medium.resize(std::max<std::uint64_t>(size, node.durable.size()));
  for (std::uint64_t const sector : node.dirty) {
    if (!survives(thing++)) continue;
    std::uint64_t const at = sector * options_.sector_bytes;
    if (at >= medium.size() || at >= node.seen.size()) continue;
    std::uint64_t const count =
        std::min({std::uint64_t{options_.sector_bytes}, medium.size() - at, node.seen.size() - at});
    std::memcpy(medium.data() + at, node.seen.data() + at, count);
  }
  medium.resize(size);
  node.durable = std::move(medium);
  node.seen = node.durable;
  node.dirty.clear();
  node.size_dirty = false;
}

std::size_t SimDisk::unsynced_things() const {
  std::size_t things = changes_of_names_.size();
  for (auto const& [name, node] : names_) things += node->dirty.size() + (node->size_dirty ? 1U : 0U);
  return things;
}

void SimDisk::crash(Chooser const& survives) {
  std::size_t thing = 0;
  // Names in the order of their changes; a change of a name that is not there
  // (its creation was lost) is lost as well.
  for (NameChange const& change : changes_of_names_) {
    bool const possible = change.kind == NameChange::Kind::create || durable_names_.contains(change.path);
    if (survives(thing++) && possible) apply(change, durable_names_);
  }
  std::set<Node*> done;
  for (Names* names : {&names_, &durable_names_})
    for (auto& [name, node] : *names)
      if (done.insert(node.get()).second) settle(*node, survives, thing);
  names_ = durable_names_;
  changes_of_names_.clear();
  start_again();
}

void SimDisk::kill() {
  ++generation_;
  locks_.clear();
}

void SimDisk::start_again() {
  kill();
  stop_at_.reset();
  failure_.reset();
  misdirect_.reset();
  lose_write_ = false;
}

SimDisk::Node& SimDisk::node_at(std::string_view path) {
  auto const found = names_.find(path);
  FJ_CHECK(found != names_.end(), "damage is done to a file that exists");
  return *found->second;
}

void SimDisk::flip(std::string_view path, std::uint64_t offset, std::uint8_t bits) {
  Node& node = node_at(path);
  for (std::vector<std::byte>* bytes : {&node.seen, &node.durable})
    if (offset < bytes->size()) (*bytes)[offset] ^= std::byte{bits};
}

void SimDisk::wipe(std::string_view path, std::uint64_t offset, std::uint64_t bytes) {
  Node& node = node_at(path);
  for (std::vector<std::byte>* medium : {&node.seen, &node.durable})
    for (std::uint64_t at = offset; at < std::min<std::uint64_t>(offset + bytes, medium->size()); ++at)
      (*medium)[at] = std::byte{0};
}

std::vector<std::string> SimDisk::files() const {
  std::vector<std::string> out;
  for (auto const& [name, node] : names_) out.push_back(name);
  return out;
}

std::vector<std::byte> SimDisk::content(std::string_view path) const {
  auto const found = names_.find(path);
  return found == names_.end() ? std::vector<std::byte>{} : found->second->seen;
}

std::map<std::string, std::vector<std::byte>, std::less<>> SimDisk::image() const {
  std::map<std::string, std::vector<std::byte>, std::less<>> out;
  for (auto const& [name, node] : names_) out[name] = node->seen;
  return out;
}

void SimDisk::restore(std::map<std::string, std::vector<std::byte>, std::less<>> const& image) {
  names_.clear();
  for (auto const& [name, bytes] : image) {
    auto node = std::make_shared<Node>();
    node->seen = bytes;
    node->durable = bytes;
    names_[name] = node;
    for (std::string folder = folder_of(name); !folder.empty(); folder = folder_of(folder)) folders_.insert(folder);
  }
  durable_names_ = names_;
  changes_of_names_.clear();
  start_again();
}

}  // namespace fastjournal::sim
