#include "engine/files/recovery.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/bytes.h"

namespace fastjournal::storage {
namespace {

constexpr std::uint64_t kExtentsPerCall = 4096;
// Values of a file of another log that are compared with their hashes before it is taken as our own.
constexpr std::uint32_t kStrangerLooks = 8;

std::set<std::uint32_t> files_wanted(Context const& context) {
  std::set<std::uint32_t> out;
  std::vector<FileRequest> requests;
  if (context.manages_files()) context.manager->list_files(requests);
  for (FileRequest const& request : requests) out.insert(request.number);
  return out;
}

}  // namespace

Status Recovery::finish(std::vector<Extent> const& promised) {
  for (auto& [number, file] : files_.all()) file.end = aligned(file.end, files_.alignment());
  if (Status status = check_named(promised); !status.ok()) return status;
  if (Status status = adopt_strangers(promised); !status.ok()) return status;
  if (Status status = remove_garbage(); !status.ok()) return status;
  if (context_.manages_files())
    if (std::uint32_t const number = context_.manager->file_for_new(); files_.find(number) == nullptr)
      if (Result<DataFile*> made = files_.make(number); !made.ok()) return made.status();
  return {};
}

// Everything that records name is in the files; and, of files of our own, what else is in them is given back.
Status Recovery::check_named(std::vector<Extent> const& promised) {
  std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> named;
  std::vector<Extent> found;
  std::uint64_t cursor = 0;
  do {
    found.clear();
    cursor = context_.table->list_extents(cursor, kExtentsPerCall, found);
    for (Extent const& extent : found) {
      if (extent.size() == 0) continue;
      DataFile const* const file = files_.find(extent.file);
      if (file == nullptr)
        return {Code::damaged, fmt::format("{}: the file is gone, and records name values in it: put it back, or "
                                           "restore a backup",
                                           files_.path_of(extent.file))};
      if (!context_.manages_files()) named[extent.file].emplace_back(extent.begin, extent.end);
    }
  } while (cursor != 0);
  if (!missing_.empty()) {
    Extent const& extent = missing_.begin()->second;
    return {Code::damaged,
            fmt::format("{}: the file ended at {}, and records name a value up to {}: restore a backup of "
                        "it",
                        files_.path_of(extent.file), files_.find(extent.file)->found_bytes, extent.end)};
  }
  if (context_.manages_files()) return {};
  for (Extent const& extent : promised) named[extent.file].emplace_back(extent.begin, extent.end);
  for (auto& [number, file] : files_.all()) {
    auto& extents = named[number];
    std::sort(extents.begin(), extents.end());
    std::uint64_t at = kHeaderBytes;
    for (auto const& [begin, end] : extents) {
      files_.want_punched(file, at, begin);
      at = aligned(end, env::kPunchAlignment);
    }
    files_.want_punched(file, at, file.end);
  }
  return {};
}

// A log that was written anew (resized, salvaged) is another store, and its files of bytes are the same. Whether these
// are they, the bytes tell that records name: a few of each file, as the rest is looked at by scrubbing.
Status Recovery::adopt_strangers(std::vector<Extent> found) {
  std::set<std::uint32_t> strangers;
  for (auto const& [number, file] : files_.all())
    if (file.is_stranger) strangers.insert(number);
  if (strangers.empty()) return {};
  std::map<std::uint32_t, std::uint32_t> looks;
  std::uint64_t cursor = 0;
  do {
    cursor = context_.table->list_extents(cursor, kExtentsPerCall, found);
    for (Extent const& extent : std::exchange(found, {})) {
      if (extent.size() == 0 || !strangers.contains(extent.file) || looks[extent.file]++ >= kStrangerLooks) continue;
      std::string bytes;
      std::string const name = files_.path_of(extent.file);
      if (Status status = read_extent(*files_.find(extent.file)->file, name, extent, bytes); !status.ok())
        return {status.code(),
                "the file is of another log, and its bytes are not those that this one names: put back "
                "the files that belong together; " +
                    status.message()};
    }
  } while (cursor != 0);
  std::set<std::uint32_t> const said = files_wanted(context_);
  for (std::uint32_t const number : strangers) {
    DataFile& file = *files_.find(number);
    if (!looks.contains(number) && !said.contains(number) && file.outstanding == 0) {
      // Nothing of ours: it stays where it is.
      files_.all().erase(number);
      continue;
    }
    std::string const header = header_bytes({number, context_.options.table, context_.options.store_id});
    if (Status status = file.file->write(0, as_bytes(header)); !status.ok()) return status;
    if (Status status = file.file->sync(); !status.ok()) return status;
    file.is_stranger = false;
  }
  return {};
}

Status Recovery::remove_garbage() {
  std::set<std::uint32_t> const wanted = files_wanted(context_);
  for (auto const& [number, file] : files_.all()) {
    // The last one stays: a number is never given twice.
    bool const stays =
        context_.manages_files() ? wanted.contains(number) : file.named > 0 || number == files_.last_number();
    if (!stays && file.outstanding == 0) left_over_.push_back(file_name(number));
  }
  for (std::string const& name : left_over_) {
    if (std::optional<std::uint32_t> const number = number_of(name)) files_.all().erase(*number);
    Status status = context_.disk.remove(context_.options.folder + "/" + name);
    if (!status.ok() && status.code() != Code::not_found) return status;
  }
  left_over_.clear();
  std::erase_if(files_.garbage().punches, [](TidyJob::Punch const& punch) { return punch.file.use_count() == 1; });
  return {};
}

}  // namespace fastjournal::storage
