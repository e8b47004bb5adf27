// Files, places, and what becomes of them. storing.cpp has values on their way to a file and back.
#include "engine/files/byte_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"

namespace fastjournal::storage {
namespace {

constexpr std::uint64_t kLooksPerCall = 4096;
// Values of a file of another log that are compared with their hashes before it is taken as our own.
constexpr std::uint32_t kStrangerLooks = 8;
// Of a table that says its files, values are small and never given back one by one.
constexpr std::uint64_t kAlignmentSaid = 8;

// Carried bytes that are written at once.
constexpr std::size_t kJoinedBytesMax = 1U << 20U;

std::uint64_t aligned(std::uint64_t offset, std::uint64_t to) { return (offset + to - 1) / to * to; }

}  // namespace

ByteFiles::ByteFiles(env::Disk& disk, ByteFilesOptions options, Stores& table, Owner* owner)
    : disk_(disk), options_(std::move(options)), table_(&table), owner_(owner) {}

ByteFiles::~ByteFiles() = default;

std::uint64_t ByteFiles::alignment() const { return says_files() ? kAlignmentSaid : env::kPunchAlignment; }

std::string ByteFiles::path_of(std::uint32_t file) const { return options_.folder + "/" + file_name(file); }

ByteFiles::File* ByteFiles::find(std::uint32_t number) {
  auto const found = files_.find(number);
  return found == files_.end() ? nullptr : &found->second;
}

ByteFiles::File const* ByteFiles::find(std::uint32_t number) const {
  auto const found = files_.find(number);
  return found == files_.end() ? nullptr : &found->second;
}

// The first failure is the one that is told.
void ByteFiles::fail(Status status) {
  if (failure_.ok()) failure_ = std::move(status);
}

void ByteFiles::note_damage(Status const& status) {
  ++figures_.damaged;
  damage_.push_back(status.message());
}

// ---------------------------------------------------------------------------
// The start

Status ByteFiles::open() {
  Result<std::vector<std::string>> names = disk_.list(options_.folder);
  if (!names.ok() && names.status().code() == Code::not_found) return {};
  if (!names.ok()) return names.status();
  has_folder_ = true;
  Result<std::unique_ptr<env::FolderLock>> lock = disk_.lock_folder(options_.folder);
  if (!lock.ok()) return lock.status();
  lock_ = std::move(lock).value();
  for (std::string const& name : names.value()) {
    if (name.starts_with(kStagePrefix)) left_over_.push_back(name);
    std::optional<std::uint32_t> const number = number_of(name);
    if (!number) continue;
    last_number_ = std::max(last_number_, *number);
    Result<std::unique_ptr<env::File>> opened = disk_.open(options_.folder + "/" + name, env::OpenMode::read_write);
    if (!opened.ok()) return opened.status();
    FilePtr file = std::move(opened).value();
    std::string head(40, '\0');
    Result<std::size_t> const got = file->read(0, std::as_writable_bytes(std::span{head.data(), head.size()}));
    if (!got.ok()) return got.status();
    std::optional<FileHeader> const header = read_header(std::string_view{head}.substr(0, got.value()));
    // Made, and not durable when the power was cut, so nothing in it is named; or of a table that was dropped.
    bool const is_blank = head.find_first_not_of('\0') == std::string::npos || got.value() < head.size();
    bool const is_of_dropped = header && header->store_id == options_.store_id && header->table != options_.table;
    if (is_blank || is_of_dropped) {
      left_over_.push_back(name);
      continue;
    }
    // Somebody else's: it stays, and its number is passed over.
    if (!header || header->number != *number || header->table != options_.table) continue;
    bool const is_stranger = header->store_id != options_.store_id;
    if (!options_.keeps) {
      if (!is_stranger) left_over_.push_back(name);
      continue;
    }
    Result<std::uint64_t> const size = file->size();
    if (!size.ok()) return size.status();
    File& known = files_[*number];
    known.number = *number;
    known.end = std::max<std::uint64_t>(size.value(), kHeaderBytes);
    known.found_bytes = size.value();
    known.is_stranger = is_stranger;
    known.file = std::move(file);
  }
  return give_access();
}

Status ByteFiles::begin(Lsn end) {
  touch();
  flush_joined();
  if (!failure_.ok()) return failure_;
  if (Status status = sync_carried(); !status.ok()) return status;
  for (auto& [number, file] : files_) file.end = aligned(file.end, alignment());
  if (Status status = check_named(); !status.ok()) return status;
  if (Status status = adopt_strangers(); !status.ok()) return status;
  if (Status status = remove_garbage(); !status.ok()) return status;
  if (says_files())
    if (std::uint32_t const number = table_->file_for_new(); find(number) == nullptr)
      if (Result<File*> made = make(number); !made.ok()) return made.status();
  if (says_files())
    if (Status status = link_at_start(); !status.ok()) return status;
  for (auto const& [number, file] : files_) {
    tell_taken(file);
    if (says_files() && table_->file_to_be() == number) table_->file_has(number, file.end, 0);
  }
  turn_began_ = end;
  is_serving_ = true;
  if (says_files()) follow_wishes(end, end);
  return {};
}

Status ByteFiles::sync_carried() {
  flush_joined();
  // A job that is out has its own, which are not looked at apart here.
  bool const is_any_out = !carried_in_job_.is_none();
  for (auto& [number, file] : files_)
    if (is_any_out || carried_.contains(number))
      if (Status status = file.file->sync(); !status.ok()) return status;
  carried_.clear();
  return {};
}

// A log that was written anew (resized, salvaged) is another store, and its files of bytes are the same. Whether these
// are they, the bytes tell that records name: a few of each file, as the rest is looked at by scrubbing.
Status ByteFiles::adopt_strangers() {
  std::set<std::uint32_t> strangers;
  for (auto const& [number, file] : files_)
    if (file.is_stranger) strangers.insert(number);
  if (strangers.empty()) return {};
  std::map<std::uint32_t, std::uint32_t> looks;
  std::vector<Extent> found;
  for (auto const& [place, one] : promised_) found.push_back(one.extent);
  std::uint64_t cursor = 0;
  do {
    cursor = table_->list_extents(cursor, kLooksPerCall, found);
    for (Extent const& extent : std::exchange(found, {})) {
      if (extent.size() == 0 || !strangers.contains(extent.file) || looks[extent.file]++ >= kStrangerLooks) continue;
      std::string bytes;
      if (Status status = read_extent(*find(extent.file)->file, path_of(extent.file), extent, bytes); !status.ok())
        return {status.code(),
                "the file is of another log, and its bytes are not those that this one names: put back "
                "the files that belong together; " +
                    status.message()};
    }
  } while (cursor != 0);
  std::set<std::uint32_t> said;
  if (says_files()) {
    std::vector<FileWish> wishes;
    table_->list_files(wishes);
    for (FileWish const& wish : wishes) said.insert(wish.number);
  }
  for (std::uint32_t const number : strangers) {
    if (!looks.contains(number) && !said.contains(number) && files_.at(number).outstanding == 0) {
      // Nothing of ours: it stays where it is.
      files_.erase(number);
      continue;
    }
    File& file = files_.at(number);
    std::string const header = header_bytes({number, options_.table, options_.store_id});
    if (Status status = file.file->write(0, as_bytes(header)); !status.ok()) return status;
    if (Status status = file.file->sync(); !status.ok()) return status;
    file.is_stranger = false;
  }
  return {};
}

// Before anybody is told a place. Whatever is there: it may be of any step of any exchange. A link whose file is not there
// so far follows it.
Status ByteFiles::link_at_start() {
  std::vector<FileWish> wishes;
  table_->list_files(wishes);
  for (FileWish const& wish : wishes) {
    if (wish.link.empty()) continue;
    std::string const path = options_.folder + "/" + std::string{wish.link};
    bool const is_there = find(wish.number) != nullptr;
    Status status = is_there ? disk_.point(path, file_name(wish.number)) : disk_.remove(path);
    if (!status.ok() && (is_there || status.code() != Code::not_found)) return status;
    if (is_there) links_.emplace(wish.link, file_name(wish.number));
  }
  if (Status status = disk_.sync_folder(options_.folder); !status.ok()) return status;
  for (auto const& [link, target] : links_) table_->link_leads_to(link, number_of(target).value_or(0));
  return {};
}

// Everything that records name is in the files; and, of files of our own, what else is in them is given back.
Status ByteFiles::check_named() {
  std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> named;
  std::vector<Extent> found;
  std::uint64_t cursor = 0;
  do {
    found.clear();
    cursor = table_->list_extents(cursor, kLooksPerCall, found);
    for (Extent const& extent : found) {
      if (extent.size() == 0) continue;
      File const* const file = find(extent.file);
      if (file == nullptr)
        return {Code::damaged, fmt::format("{}: the file is gone, and records name values in it: put it back, or "
                                           "restore a backup",
                                           path_of(extent.file))};
      if (!says_files()) named[extent.file].emplace_back(extent.begin, extent.end);
    }
  } while (cursor != 0);
  if (!missing_.empty()) {
    Extent const& extent = missing_.begin()->second;
    return {Code::damaged,
            fmt::format("{}: the file ended at {}, and records name a value up to {}: restore a backup of "
                        "it",
                        path_of(extent.file), find(extent.file)->found_bytes, extent.end)};
  }
  if (says_files()) return {};
  for (auto const& [place, one] : promised_) named[one.extent.file].emplace_back(one.extent.begin, one.extent.end);
  for (auto& [number, file] : files_) {
    auto& extents = named[number];
    std::sort(extents.begin(), extents.end());
    std::uint64_t at = kHeaderBytes;
    for (auto const& [begin, end] : extents) {
      want_punched(file, at, begin);
      at = aligned(end, env::kPunchAlignment);
    }
    want_punched(file, at, file.end);
  }
  return {};
}

Status ByteFiles::remove_garbage() {
  std::set<std::uint32_t> wanted;
  if (says_files()) {
    std::vector<FileWish> wishes;
    table_->list_files(wishes);
    for (FileWish const& wish : wishes) wanted.insert(wish.number);
  }
  for (auto const& [number, file] : files_) {
    // The last one stays: a number is never given twice.
    bool const stays = says_files() ? wanted.contains(number) : file.named > 0 || number == last_number_;
    if (!stays && file.outstanding == 0) left_over_.push_back(file_name(number));
  }
  for (std::string const& name : left_over_) {
    if (std::optional<std::uint32_t> const number = number_of(name)) files_.erase(*number);
    if (Status status = disk_.remove(options_.folder + "/" + name); !status.ok() && status.code() != Code::not_found)
      return status;
  }
  left_over_.clear();
  std::erase_if(to_punch_, [](TidyJob::Punch const& punch) { return punch.file.use_count() == 1; });
  return {};
}

Status ByteFiles::prepare_folder() {
  if (has_folder_) return {};
  if (Status status = disk_.make_folder(options_.folder); !status.ok()) return status;
  std::size_t const slash = options_.folder.rfind('/');
  std::string const above = slash == std::string::npos ? std::string{} : options_.folder.substr(0, slash);
  if (Status status = disk_.sync_folder(above); !status.ok()) return status;
  if (Status status = disk_.sync_folder(""); !status.ok()) return status;
  Result<std::unique_ptr<env::FolderLock>> lock = disk_.lock_folder(options_.folder);
  if (!lock.ok()) return lock.status();
  lock_ = std::move(lock).value();
  has_folder_ = true;
  return give_access();
}

// On the loop: two syncs, once for each file.
Result<ByteFiles::File*> ByteFiles::make(std::uint32_t number) {
  if (Status status = prepare_folder(); !status.ok()) return status;
  Result<FilePtr> made =
      make_file(disk_, options_.folder, path_of(number), {number, options_.table, options_.store_id}, options_.access);
  // Somebody else's file has this name: the next attempt takes the next number.
  if (made.status().code() == Code::in_use && !says_files()) last_number_ = std::max(last_number_, number);
  if (!made.ok()) return made.status();
  File& file = files_[number];
  file.number = number;
  file.end = kHeaderBytes;
  file.file = std::move(made).value();
  last_number_ = std::max(last_number_, number);
  written_to_.insert(number);
  return &file;
}

// ---------------------------------------------------------------------------
// Places

Result<ByteFiles::File*> ByteFiles::file_for(std::uint64_t bytes) {
  if (says_files()) {
    File* const said = find(table_->file_for_new());
    if (said == nullptr) return Status{Code::unavailable, options_.folder + ": the file for new values is being made"};
    return said;
  }
  File* const last = find(last_number_);
  bool const has_room =
      last != nullptr && !last->removing && (last->end == kHeaderBytes || last->end + bytes <= options_.file_bytes);
  return has_room ? Result<File*>{last} : make(last_number_ + 1);
}

Status ByteFiles::reserve(File& file, std::uint64_t end) {
  if (end <= file.reserved) return {};
  std::uint64_t const from = std::max(file.reserved, file.end);
  std::uint64_t const to = std::max(end, from + options_.reserve_bytes);
  Result<std::uint64_t> const free = disk_.free_bytes();
  if (!free.ok()) return free.status();
  Status status{Code::no_space, ""};
  // What is wanted at least, if there is no more.
  for (std::uint64_t const up_to : {to, end}) {
    if (free.value() < up_to - from + options_.kept_free_bytes) continue;
    status = file.file->reserve(from, up_to - from);
    if (status.ok()) file.reserved = up_to;
    if (status.code() != Code::no_space) return status;
  }
  return {Code::no_space,
          fmt::format("{}: no space for {} bytes more: {} MiB are free on this disk, and {} MiB are "
                      "kept for the logs; free some, or let rows end",
                      path_of(file.number), end - file.end, free.value() >> 20U, options_.kept_free_bytes >> 20U)};
}

Result<Extent> ByteFiles::take_place(File& file, std::uint64_t bytes) {
  file.end = aligned(file.end, alignment());
  Status const status = reserve(file, file.end + bytes);
  if (!status.ok() && status.code() != Code::not_supported) return status;
  Extent extent{.file = file.number, .begin = file.end, .end = file.end + bytes};
  if (bytes == 0) return extent;
  file.end = aligned(extent.end, alignment());
  ++file.outstanding;
  places_.emplace(std::pair{extent.file, extent.begin}, extent);
  tell_taken(file);
  return extent;
}

void ByteFiles::tell_taken(File const& file) {
  if (says_files() && table_->file_for_new() == file.number) table_->file_has(file.number, file.end, file.hollow_bytes);
}

Result<StoredValue> ByteFiles::carry(std::string_view bytes, bool is_text) {
  touch();
  Result<File*> const file = file_for(bytes.size());
  if (!file.ok()) return file.status();
  // The record is decided at once, so its place in the file must be certain.
  if (Status status = reserve(*file.value(), file.value()->end + bytes.size()); !status.ok()) return status;
  Result<Extent> extent = take_place(*file.value(), bytes.size());
  if (!extent.ok()) return extent.status();
  Hash128 const hash = hash128(bytes);
  extent->hash = hash.low;
  return StoredValue{.extent = extent.value(), .hash_high = hash.high, .is_text = is_text};
}

// It is named, or given back.
void ByteFiles::settle(Extent const& extent) {
  if (places_.erase({extent.file, extent.begin}) == 0) return;
  if (File* const file = find(extent.file)) --file->outstanding;
}

void ByteFiles::give_back(Extent const& extent) {
  if (extent.size() == 0) return;
  bool const is_promised = promised_.contains(key_of(extent));
  if (!places_.contains(key_of(extent)) || is_promised) return;
  touch();
  if (!is_promised) settle(extent);
  // Nobody knows of it, so nothing has to be durable first. A reader of a table's own file sees zeros in its place, also
  // in blocks that it shares with others.
  File* const file = find(extent.file);
  if (file == nullptr || cannot_punch_) return;
  if (!says_files()) return want_punched(*file, extent.begin, extent.end);
  to_punch_.push_back({file->file, extent.begin, extent.size()});
  std::uint64_t const block = aligned(extent.begin, env::kPunchAlignment);
  std::uint64_t const end = extent.end / env::kPunchAlignment * env::kPunchAlignment;
  if (end > block) file->hollow_bytes += end - block;
  tell_taken(*file);
}

void ByteFiles::named(Extent const& extent, std::string_view carried) {
  if (extent.size() == 0) return;
  touch();
  File* const file = find(extent.file);
  // In a replay: its file was removed when nothing in it was named any more, and later records say so.
  if (file == nullptr) return;
  FJ_CHECK(!is_serving_ || places_.contains({extent.file, extent.begin}), "a record names a place that was given out");
  settle(extent);
  ++file->named;
  file->named_bytes += extent.size();
  if (!is_serving_ && carried.empty() && extent.end > file->found_bytes)
    missing_.emplace(std::pair{extent.file, extent.begin}, extent);
  if (carried.empty()) return;
  // Of another log, perhaps: whether it is ours is known after the replay.
  if (file->is_stranger) {
    missing_.erase({extent.file, extent.begin});
    if (extent.end > file->found_bytes) missing_.emplace(std::pair{extent.file, extent.begin}, extent);
    return;
  }
  write_joined(*file, extent.begin, carried);
  figures_.stored_bytes += carried.size();
  file->end = std::max(file->end, extent.end);
  if (carried_.empty()) {
    carried_since_ = turn_began_;
    carried_at_us_ = now_us_;
  }
  carried_.insert(extent.file);
  written_to_.insert(extent.file);
}

// A write for many that lie one behind the other, as each call costs more than what it writes. Nobody reads before the
// turn ends, nor in a replay. In a gap of less than the least alignment no value can lie.
void ByteFiles::write_joined(File const& file, std::uint64_t begin, std::string_view carried) {
  std::uint64_t const end = joined_.begin + joined_.bytes.size();
  bool const follows = joined_.file == file.file && begin >= end && begin - end < kAlignmentSaid &&
                       joined_.bytes.size() + carried.size() < kJoinedBytesMax;
  if (!follows) {
    flush_joined();
    joined_.file = file.file;
    joined_.begin = begin;
  } else {
    joined_.bytes.append(begin - end, '\0');
  }
  joined_.bytes.append(carried);
}

void ByteFiles::flush_joined() {
  if (joined_.bytes.empty()) return;
  if (Status status = joined_.file->write(joined_.begin, as_bytes(joined_.bytes)); !status.ok())
    fail(std::move(status));
  joined_.bytes.clear();
  joined_.file = nullptr;  // a file that is removed keeps its space as long as it is open
}

void ByteFiles::freed(Extent const& extent, Lsn lsn) {
  if (extent.size() == 0) return;
  touch();
  File* const file = find(extent.file);
  if (file == nullptr) return;
  FJ_CHECK(file->named > 0 && file->named_bytes >= extent.size(), "what is freed was named");
  --file->named;
  file->named_bytes -= extent.size();
  if (!missing_.empty()) missing_.erase({extent.file, extent.begin});
  if (!is_serving_ || says_files()) return;
  ++file->freeing;
  // The next reading may be of the answer that hands it out for the last time.
  freed_.push_back({extent, lsn, next_fetch_ + 1});
}

Lsn ByteFiles::oldest_needed() const {
  if (!carried_in_job_.is_none()) return carried_in_job_;
  return carried_.empty() ? kNoLsn : carried_since_;
}

void ByteFiles::dropped(Lsn lsn) {
  promised_.clear();
  let_go_.clear();
  is_dropped_ = true;
  dropped_at_ = lsn;
  table_ = nullptr;
  touch();
}

bool ByteFiles::is_over() const {
  return is_dropped_ && files_.empty() && out_.empty() && stages_.empty() && reading_.empty();
}

// ---------------------------------------------------------------------------
// Turns

// What waits for a job that is out goes on when that is given back, which touches it.
bool ByteFiles::is_settled() const {
  bool const is_waiting = is_dropped_ || !let_go_.empty() || !freed_.empty() || !to_store_.empty() ||
                          !to_fetch_.empty() || !to_punch_.empty() || !to_remove_.empty() || !to_unlink_.empty() ||
                          copied_ != nullptr;
  if (is_waiting || !says_files()) return !is_waiting;
  // Files and links change once the record that says so is durable.
  auto const is_leaving = [](auto const& one) { return !one.second.unwanted_since.is_none() && !one.second.removing; };
  return to_make_.empty() && to_link_.empty() && links_ == wished_links_ && table_->file_to_be() == 0 &&
         std::ranges::none_of(files_, is_leaving);
}

void ByteFiles::end_turn(Lsn durable, Lsn end, std::int64_t now_us) {
  flush_joined();
  now_us_ = now_us;
  turn_began_ = end;
  for (LetGo& one : let_go_)
    if (one.lsn.is_none()) one.lsn = end;
  if (is_held_) return;
  if (is_dropped_) {
    if (durable < dropped_at_ || out_.contains(Lane::tidy)) return;
    for (auto& [number, file] : files_)
      if (!std::exchange(file.removing, true)) to_remove_.push_back(number);
    return;
  }
  give_back_let_go(durable);
  free_durable(durable);
  if (says_files()) follow_wishes(durable, end);
}

void ByteFiles::free_durable(Lsn durable) {
  FetchId const oldest = oldest_reading();
  auto const may_go = [&](Freed const& freed) {
    return freed.lsn <= durable && (reading_.empty() || freed.before <= oldest);
  };
  while (!freed_.empty() && may_go(freed_.front())) {
    Extent const extent = freed_.front().extent;
    freed_.pop_front();
    File* const file = find(extent.file);
    if (file == nullptr) continue;
    --file->freeing;
    want_punched(*file, extent.begin, extent.end);
  }
  for (auto& [number, file] : files_) {
    bool const is_out = file.outstanding > 0;
    bool const is_empty = file.named == 0 && !is_out && file.freeing == 0;
    bool const is_last = number == last_number_;
    if (says_files() || !is_empty || file.removing || is_last) continue;
    file.removing = true;
    to_remove_.push_back(number);
  }
}

// Whole blocks within. Its last block is all its own, as places begin at blocks.
void ByteFiles::want_punched(File const& file, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t const from = aligned(begin, env::kPunchAlignment);
  std::uint64_t const to =
      says_files() ? end / env::kPunchAlignment * env::kPunchAlignment : aligned(end, env::kPunchAlignment);
  if (cannot_punch_ || from >= to) return;
  to_punch_.push_back({file.file, from, to - from});
}

// The files and links that the table wants. A file is made at once, since it does no harm; one is removed, and a link
// is set, when the record that says so is durable.
void ByteFiles::follow_wishes(Lsn durable, Lsn end) {
  std::vector<FileWish> wishes;
  table_->list_files(wishes);
  std::map<std::string, std::string, std::less<>> links;
  std::set<std::uint32_t> wanted;
  for (FileWish const& wish : wishes) {
    if (wish.number == 0) continue;
    wanted.insert(wish.number);
    if (!wish.link.empty()) links.emplace(wish.link, file_name(wish.number));
    if (find(wish.number) == nullptr && std::ranges::find(to_make_, wish.number) == to_make_.end() &&
        !out_.contains(Lane::tidy))
      to_make_.push_back(wish.number);
  }
  drop_copies(wanted);
  for (auto& [number, file] : files_) {
    if (wanted.contains(number)) {
      file.unwanted_since = kNoLsn;
      continue;
    }
    if (file.unwanted_since.is_none()) file.unwanted_since = end;
    if (file.unwanted_since > durable || file.removing || file.outstanding > 0) continue;
    file.removing = true;
    to_remove_.push_back(number);
  }
  if (links != wished_links_) {
    wished_links_ = std::move(links);
    links_wished_at_ = end;
  }
  if (links_wished_at_ > durable || links_ == wished_links_ || out_.contains(Lane::tidy)) return;
  to_link_.clear();
  for (auto const& [link, target] : wished_links_)
    if (auto const now = links_.find(link); now == links_.end() || now->second != target) to_link_[link] = target;
  for (auto const& [link, target] : links_)
    if (!wished_links_.contains(link)) to_link_[link] = {};
}

std::int64_t ByteFiles::next_us() const {
  std::int64_t next = INT64_MAX;
  if (!carried_.empty() && !out_.contains(Lane::store)) next = carried_at_us_ + options_.sync_after_us;
  if (is_serving_ && !is_dropped_ && !files_.empty() && !out_.contains(Lane::scrub))
    next = std::min(next, scrub_next_us_);
  return next;
}

std::vector<std::uint32_t> ByteFiles::files() const {
  std::vector<std::uint32_t> out;
  for (auto const& [number, file] : files_)
    if (!file.removing && (says_files() || file.named > 0 || file.outstanding > 0)) out.push_back(number);
  return out;
}

// ---------------------------------------------------------------------------
// Files and space, beside the loop

std::unique_ptr<Job> ByteFiles::tidy_job() {
  if (is_held_ && to_make_.empty() && to_link_.empty()) return nullptr;
  if (to_make_.empty() && to_link_.empty() && to_punch_.empty() && to_remove_.empty() && to_unlink_.empty())
    return nullptr;
  auto job = std::make_unique<TidyJob>();
  job->disk = &disk_;
  job->folder = options_.folder;
  job->access = options_.access;
  for (std::uint32_t const number : std::exchange(to_make_, {}))
    job->makes.push_back({{number, options_.table, options_.store_id}, path_of(number)});
  for (auto const& [link, target] : to_link_) job->links.push_back({options_.folder + "/" + link, target});
  job->removes = std::exchange(to_unlink_, {});
  if (!is_held_) {
    job->punches = std::exchange(to_punch_, {});
    for (std::uint32_t const number : to_remove_) job->removes.push_back(path_of(number));
    removing_ = std::exchange(to_remove_, {});
  }
  return job;
}

void ByteFiles::finish(TidyJob& job) {
  if (job.cannot_punch && !std::exchange(cannot_punch_, true))
    for (auto& [number, file] : files_) {
      file.hollow_bytes = 0;
      tell_taken(file);
    }
  figures_.given_back_bytes += job.punched_bytes;
  std::vector<std::uint32_t> const removed = std::exchange(removing_, {});
  for (TidyJob::Made& made : job.makes) {
    if (made.file == nullptr) continue;
    File& file = files_[made.header.number];
    file.number = made.header.number;
    file.file = std::move(made.file);
    last_number_ = std::max(last_number_, file.number);
    written_to_.insert(file.number);
    // The files may be exchanged from now on.
    if (says_files() && table_->file_to_be() == file.number) table_->file_has(file.number, file.end, 0);
  }
  // It was declared anew meanwhile.
  if (job.access != options_.access)
    if (Status const status = give_access(); !status.ok()) note_damage(status);
  if (!job.failure.ok()) {
    // The next turn tries it again; what waits for the file is told.
    note_damage(job.failure);
    auto const others = job.removes.end() - static_cast<std::ptrdiff_t>(removed.size());
    to_unlink_.insert(to_unlink_.end(), job.removes.begin(), others);
    to_remove_.insert(to_remove_.end(), removed.begin(), removed.end());
    return;
  }
  for (std::uint32_t const number : removed) {
    files_.erase(number);
    carried_.erase(number);  // nothing of it is named any more
  }
  for (auto const& [link, target] : std::exchange(to_link_, {})) {
    if (target.empty())
      links_.erase(link);
    else
      links_[link] = target;
    if (table_ != nullptr) table_->link_leads_to(link, number_of(target).value_or(0));
  }
}

}  // namespace fastjournal::storage
