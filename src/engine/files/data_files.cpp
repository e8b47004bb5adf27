#include "engine/files/data_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"

namespace fastjournal::storage {

// ---------------------------------------------------------------------------
// Folder

Status DataFiles::open(std::vector<std::string>& left_over) {
  ByteFilesOptions const& options = context_.options;
  Result<std::vector<std::string>> names = context_.disk.list(options.folder);
  if (!names.ok() && names.status().code() == Code::not_found) return {};
  if (!names.ok()) return names.status();
  has_folder_ = true;
  Result<std::unique_ptr<env::FolderLock>> lock = context_.disk.lock_folder(options.folder);
  if (!lock.ok()) return lock.status();
  lock_ = std::move(lock).value();
  for (std::string const& name : names.value()) {
    if (name.starts_with(kStagePrefix)) left_over.push_back(name);
    std::optional<std::uint32_t> const number = number_of(name);
    if (!number) continue;
    last_number_ = std::max(last_number_, *number);
    Result<std::unique_ptr<env::File>> opened =
        context_.disk.open(options.folder + "/" + name, env::OpenMode::read_write);
    if (!opened.ok()) return opened.status();
    FilePtr file = std::move(opened).value();
    std::string head(40, '\0');
    Result<std::size_t> const got = file->read(0, std::as_writable_bytes(std::span{head.data(), head.size()}));
    if (!got.ok()) return got.status();
    std::optional<FileHeader> const header = read_header(std::string_view{head}.substr(0, got.value()));
    // Made, and not durable when the power was cut, so nothing in it is named; or of a table that was dropped.
    bool const is_blank = head.find_first_not_of('\0') == std::string::npos || got.value() < head.size();
    bool const is_of_dropped = header && header->store_id == options.store_id && header->table != options.table;
    if (is_blank || is_of_dropped) {
      left_over.push_back(name);
      continue;
    }
    // A file of other origin: it stays, and its number is passed over.
    if (!header || header->number != *number || header->table != options.table) continue;
    bool const is_stranger = header->store_id != options.store_id;
    if (!options.keeps) {
      if (!is_stranger) left_over.push_back(name);
      continue;
    }
    Result<std::uint64_t> const size = file->size();
    if (!size.ok()) return size.status();
    DataFile& known = files_[*number];
    known.number = *number;
    known.end = std::max<std::uint64_t>(size.value(), kHeaderBytes);
    known.found_bytes = size.value();
    known.is_stranger = is_stranger;
    known.file = std::move(file);
  }
  return give_access();
}

Status DataFiles::prepare_folder() {
  if (has_folder_) return {};
  std::string const& folder = context_.options.folder;
  if (Status status = context_.disk.make_folder(folder); !status.ok()) return status;
  std::size_t const slash = folder.rfind('/');
  std::string const above = slash == std::string::npos ? std::string{} : folder.substr(0, slash);
  if (Status status = context_.disk.sync_folder(above); !status.ok()) return status;
  if (Status status = context_.disk.sync_folder(""); !status.ok()) return status;
  Result<std::unique_ptr<env::FolderLock>> lock = context_.disk.lock_folder(folder);
  if (!lock.ok()) return lock.status();
  lock_ = std::move(lock).value();
  has_folder_ = true;
  return give_access();
}

Status DataFiles::set_access(std::optional<env::Access> const& access) {
  std::optional<env::Access> const before = std::exchange(context_.options.access, access);
  Status status = give_access();
  // The next RELOAD tries again, and says again what is wrong.
  if (!status.ok()) context_.options.access = before;
  return status;
}

Status DataFiles::give_access() {
  ByteFilesOptions const& options = context_.options;
  std::optional<env::Access> const& declared = options.access;
  if (!has_folder_ || (!declared && !options.usual)) return {};
  env::Access access = declared ? *declared : *options.usual;
  // A reader who is let in must reach the file, and is in none of the groups of the folders above.
  bool const is_for_others = declared && ((access.mode & 0004U) != 0 || (access.group && (access.mode & 0040U) != 0));
  // They may have had another one, when it was declared.
  if (!access.group && options.usual) access.group = options.usual->group;
  for (std::size_t slash = options.folder.rfind('/'); is_for_others; slash = options.folder.rfind('/', slash - 1)) {
    std::string const above = slash == std::string::npos ? std::string{} : options.folder.substr(0, slash);
    if (Status status = context_.disk.let_through(above); !status.ok()) return status;
    if (slash == std::string::npos || slash == 0) break;
  }
  if (Status status = context_.disk.give(options.folder, access); !status.ok()) return status;
  for (auto const& [number, file] : files_)
    if (Status status = context_.disk.give(path_of(number), access); !status.ok()) return status;
  return {};
}

// What is written to a file that was removed or moved away would be acknowledged, and lost.
Status DataFiles::look(bool all) {
  std::set<std::uint32_t> const written = std::exchange(written_to_, {});
  if (lock_ == nullptr || context_.is_dropped()) return {};
  Status status = lock_->look();
  for (auto const& [number, file] : files_)
    if (status.ok() && !file.removing && (all || written.contains(number))) status = file.file->look();
  if (!status.ok()) context_.fail(status);
  return status;
}

std::string DataFiles::path_of(std::uint32_t number) const { return context_.options.folder + "/" + file_name(number); }

// ---------------------------------------------------------------------------
// Files

DataFile* DataFiles::find(std::uint32_t number) {
  auto const found = files_.find(number);
  return found == files_.end() ? nullptr : &found->second;
}

DataFile const* DataFiles::find(std::uint32_t number) const {
  auto const found = files_.find(number);
  return found == files_.end() ? nullptr : &found->second;
}

// On the loop: two syncs, once for each file.
Result<DataFile*> DataFiles::make(std::uint32_t number) {
  if (Status status = prepare_folder(); !status.ok()) return status;
  ByteFilesOptions const& options = context_.options;
  Result<FilePtr> made = make_file(context_.disk, options.folder, path_of(number),
                                   {number, options.table, options.store_id}, options.access);
  // A file of other origin has this name: the next attempt takes the next number.
  if (made.status().code() == Code::in_use && !context_.manages_files()) last_number_ = std::max(last_number_, number);
  if (!made.ok()) return made.status();
  return &add(number, std::move(made).value());
}

DataFile& DataFiles::add(std::uint32_t number, FilePtr made) {
  DataFile& file = files_[number];
  file.number = number;
  file.file = std::move(made);
  last_number_ = std::max(last_number_, number);
  written_to_.insert(number);
  return file;
}

void DataFiles::remove(DataFile& file) {
  if (!std::exchange(file.removing, true)) garbage_.files.push_back(file.number);
}

std::vector<std::uint32_t> DataFiles::in_use() const {
  std::vector<std::uint32_t> out;
  for (auto const& [number, file] : files_)
    if (!file.removing && (context_.manages_files() || file.named > 0 || file.outstanding > 0)) out.push_back(number);
  return out;
}

// ---------------------------------------------------------------------------
// Places

Result<DataFile*> DataFiles::file_for(std::uint64_t bytes) {
  if (context_.manages_files()) {
    DataFile* const said = find(context_.manager->file_for_new());
    if (said == nullptr)
      return Status{Code::unavailable, context_.options.folder + ": the file for new values is being made"};
    return said;
  }
  DataFile* const last = find(last_number_);
  bool const has_room = last != nullptr && !last->removing &&
                        (last->end == kHeaderBytes || last->end + bytes <= context_.options.file_bytes);
  return has_room ? Result<DataFile*>{last} : make(last_number_ + 1);
}

Status DataFiles::reserve(DataFile& file, std::uint64_t end) {
  if (end <= file.reserved) return {};
  std::uint64_t const kept_free = context_.options.kept_free_bytes;
  std::uint64_t const from = std::max(file.reserved, file.end);
  std::uint64_t const to = std::max(end, from + context_.options.reserve_bytes);
  Result<std::uint64_t> const free = context_.disk.free_bytes();
  if (!free.ok()) return free.status();
  Status status{Code::no_space, ""};
  // What is wanted at least, if there is no more.
  for (std::uint64_t const up_to : {to, end}) {
    if (free.value() < up_to - from + kept_free) continue;
    status = file.file->reserve(from, up_to - from);
    if (status.ok()) file.reserved = up_to;
    if (status.code() != Code::no_space) return status;
  }
  return {Code::no_space, fmt::format("{}: no space for {} bytes more: {} MiB are free on this disk, and {} MiB are "
                                      "kept for the logs; free some, or let rows end",
                                      path_of(file.number), end - file.end, free.value() >> 20U, kept_free >> 20U)};
}

Result<Extent> DataFiles::take_place(DataFile& file, std::uint64_t bytes) {
  file.end = aligned(file.end, alignment());
  Status const status = reserve(file, file.end + bytes);
  if (!status.ok() && status.code() != Code::not_supported) return status;
  Extent extent{.file = file.number, .begin = file.end, .end = file.end + bytes};
  if (bytes == 0) return extent;
  file.end = aligned(extent.end, alignment());
  ++file.outstanding;
  places_.emplace(key_of(extent), false);
  tell_taken(file);
  return extent;
}

Result<DataFiles::Placed> DataFiles::place(std::uint64_t bytes, bool must_reserve) {
  Result<DataFile*> const file = file_for(bytes);
  if (!file.ok()) return file.status();
  if (must_reserve)
    if (Status status = reserve(*file.value(), file.value()->end + bytes); !status.ok()) return status;
  Result<Extent> const extent = take_place(*file.value(), bytes);
  if (!extent.ok()) return extent.status();
  return Placed{extent.value(), file.value()->file};
}

CopyJob::Copy DataFiles::place_copy(DataFile& to, CopyRequest const& request) {
  CopyJob::Copy copy;
  copy.request = request;
  copy.name = path_of(request.from.file);
  DataFile const* const from = find(request.from.file);
  Result<Extent> place = take_place(to, request.from.size());
  if (from == nullptr) {
    copy.status = {Code::damaged, copy.name + ": the file is gone"};
    if (place.ok()) give_back(place.value());
  } else if (!place.ok()) {
    copy.status = place.status();
  } else {
    copy.from = from->file;
    copy.offset = place->begin;
  }
  return copy;
}

void DataFiles::place_again(DataFile& file, Extent const& extent) {
  places_.emplace(key_of(extent), false);
  ++file.outstanding;
}

bool DataFiles::set_promised(Extent const& extent, bool is_promised) {
  auto const place = places_.find(key_of(extent));
  if (place == places_.end()) return false;
  place->second = is_promised;
  return true;
}

// It is named, or given back.
void DataFiles::settle(Extent const& extent) {
  if (places_.erase(key_of(extent)) == 0) return;
  if (DataFile* const file = find(extent.file)) --file->outstanding;
}

void DataFiles::give_back(Extent const& extent) {
  if (extent.size() == 0) return;
  auto const place = places_.find(key_of(extent));
  if (place == places_.end() || place->second) return;
  context_.touch();
  settle(extent);
  // Its place was never told, so nothing has to be durable first. A reader of a table's own file sees zeros in its
  // place, also in blocks that it shares with others.
  DataFile* const file = find(extent.file);
  if (file == nullptr || cannot_punch_) return;
  if (!context_.manages_files()) return want_punched(*file, extent.begin, extent.end);
  garbage_.punches.push_back({file->file, extent.begin, extent.size()});
  std::uint64_t const block = aligned(extent.begin, env::kPunchAlignment);
  std::uint64_t const end = extent.end / env::kPunchAlignment * env::kPunchAlignment;
  if (end > block) file->hollow_bytes += end - block;
  tell_taken(*file);
}

DataFile* DataFiles::named(Extent const& extent) {
  DataFile* const file = find(extent.file);
  if (file == nullptr) return nullptr;
  FJ_CHECK(!context_.is_serving || is_placed(extent), "a record names a place that was given out");
  settle(extent);
  ++file->named;
  file->named_bytes += extent.size();
  return file;
}

DataFile* DataFiles::freed(Extent const& extent) {
  DataFile* const file = find(extent.file);
  if (file == nullptr) return nullptr;
  FJ_CHECK(file->named > 0 && file->named_bytes >= extent.size(), "what is freed was named");
  --file->named;
  file->named_bytes -= extent.size();
  return file;
}

// ---------------------------------------------------------------------------
// Space

std::uint64_t DataFiles::alignment() const { return context_.manages_files() ? kAlignmentSaid : env::kPunchAlignment; }

// Its last block is all its own, as places begin at blocks.
void DataFiles::want_punched(DataFile const& file, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t const from = aligned(begin, env::kPunchAlignment);
  std::uint64_t const to =
      context_.manages_files() ? end / env::kPunchAlignment * env::kPunchAlignment : aligned(end, env::kPunchAlignment);
  if (cannot_punch_ || from >= to) return;
  garbage_.punches.push_back({file.file, from, to - from});
}

void DataFiles::cannot_punch() {
  if (std::exchange(cannot_punch_, true)) return;
  for (auto& [number, file] : files_) {
    file.hollow_bytes = 0;
    tell_taken(file);
  }
}

void DataFiles::tell_taken(DataFile const& file) {
  if (context_.manages_files() && context_.manager->file_for_new() == file.number)
    context_.manager->file_has(file.number, file.end, file.hollow_bytes);
}

}  // namespace fastjournal::storage
