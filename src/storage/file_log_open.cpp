// Opening a log: reads it, makes durable what was only written, and begins a fresh container, so that bytes beyond a
// cut can never be read as records. May be killed at any point and repeated.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "storage/file_log.h"
#include "storage/mutants.h"

namespace fastjournal::storage {

namespace {

// Smaller containers would be mostly padding.
constexpr std::uint64_t kBatchBytesLeast = 64U << 10U;
// In the lock, for a start that finds no container.
constexpr std::string_view kStoreNote = "store ";

Status check_options(LogOptions const& options) {
  auto const wrong = [&](std::string text) {
    return Status{Code::bad_configuration, fmt::format("log {}: {}", options.name, text)};
  };
  if (!std::has_single_bit(options.block_bytes) || options.block_bytes < kBlockBytesMin ||
      options.block_bytes > kBlockBytesMax)
    return wrong(fmt::format("block size {}: a power of two from {} to {} is expected", options.block_bytes,
                             kBlockBytesMin, kBlockBytesMax));
  if (options.container_bytes < options.container_bytes_min || options.container_bytes < 4 * options.block_bytes)
    return wrong(fmt::format("container-size {}: at least {} is expected", options.container_bytes,
                             options.container_bytes_min));
  if (options.container_bytes > kContainerBytesMax)
    return wrong(fmt::format("container-size {}: at most {} is expected", options.container_bytes, kContainerBytesMax));
  if (options.initial_containers < 2) return wrong("initial-containers: at least 2 is expected");
  if (options.batch_bytes_max > kBatchBytesMax) return wrong(fmt::format("more than {} bytes a batch", kBatchBytesMax));
  return {};
}

}  // namespace

Result<std::unique_ptr<FileLog>> FileLog::open(env::Disk& disk, std::string folder, LogOptions options,
                                               RecordHandler& handler, RecoveryReport& report) {
  if (Status status = check_options(options); !status.ok()) return status;
  options.container_bytes = round_up(options.container_bytes, options.block_bytes);
  std::unique_ptr<FileLog> log(new FileLog(disk, std::move(folder), std::move(options)));
  if (Status status = log->recover(handler, report); !status.ok()) return status;
  return log;
}

Status FileLog::recover(RecordHandler& handler, RecoveryReport& report) {
  if (Status status = make_folder(); !status.ok()) return status;
  auto lock = disk_.lock_folder(folder_);
  if (!lock.ok()) return lock.status();
  lock_ = std::move(lock.value());

  auto opened = LogReader::open(disk_, folder_);
  if (!opened.ok()) return opened.status();
  LogReader& reader = opened.value();
  if (Status status = check_known(reader); !status.ok()) return status;
  if (Status status = reader.read(handler, report, options_.workers); !status.ok()) return status;

  if (Status status = handler.on_read(); !status.ok()) return status;
  if (Status status = remove_unfinished(); !status.ok()) return status;
  if (Status status = prove(reader); !status.ok()) return status;
  adopt(reader, report);
  if (Status status = take_newest(reader, report.end); !status.ok()) return status;
  options_.workers = nullptr;
  options_.batch_bytes_max =
      std::min(options_.batch_bytes_max, std::max(kBatchBytesLeast, options_.container_bytes / 8));
  // After an interrupted first start the next one is a first start again.
  while (lap_ == 0 && free_.size() < options_.initial_containers)
    if (Status status = extend(); !status.ok()) return status;
  if (Status status = start_container(report); !status.ok()) return status;
  tell_opened(report);
  return remember_store();
}

Status FileLog::make_folder() {
  if (Status status = disk_.make_folder(folder_); !status.ok()) return status;
  if (is_mutant(Mutant::parents_not_synced)) return {};
  // Syncs the names of the folder and of those above it.
  for (std::string at = folder_; !at.empty();) {
    std::size_t const slash = at.rfind('/');
    at = slash == std::string::npos ? std::string{} : at.substr(0, slash);
    if (Status status = disk_.sync_folder(at); !status.ok()) return status;
  }
  return {};
}

Status FileLog::remove_unfinished() {
  if (is_mutant(Mutant::keep_unfinished_containers)) return {};
  auto const names = disk_.list(folder_);
  if (!names.ok()) return names.status();
  for (std::string const& name : names.value())
    if (is_unfinished_container(name) || is_unfinished_newest(name))
      if (Status status = disk_.remove(join_path(folder_, name)); !status.ok()) return status;
  // Names that an earlier start may not have synced.
  return disk_.sync_folder(folder_);
}

// No container: a first start, or all were removed and only the lock is left.
Status FileLog::check_known(LogReader& reader) const {
  if (!reader.containers().empty() || reader.newest().is_there) return {};
  std::string_view const note = lock_->note();
  std::size_t const store = note.rfind(kStoreNote);
  if (store == std::string_view::npos) return {};
  std::string_view const id = note.substr(store + kStoreNote.size());
  return {
      Code::damaged,
      fmt::format("log {}: its folder has no container and no file {}, but its lock knows store {}: they were "
                  "removed, or another disk is mounted there; nothing was made. Put them back, or restore a backup. "
                  "To begin with an empty log all the same, remove the file `lock` of that folder first",
                  options_.name, kNewestName, id.substr(0, id.find('\n')))};
}

Status FileLog::remember_store() {
  std::string const line = fmt::format("{}{:016x}", kStoreNote, store_id_);
  return lock_->note().ends_with(line + "\n") ? Status{} : lock_->add_note(line);
}

// Before the header of a container refers to it.
Status FileLog::take_newest(LogReader const& reader, Lsn end) {
  FoundNewest found = reader.newest();
  newest_lap_ = found.what.lap;
  newest_told_ = newest_telling_ = std::max(found.what.durable, end);
  if (!found.is_there) {
    newest_lap_ = lap_;
    if (Status status = make_newest(disk_, folder_, newest_now(newest_told_)); !status.ok()) return status;
    found = {};
    found.sequence.fill(2);
  }
  std::string const path = join_path(folder_, std::string{kNewestName});
  auto containers_file = disk_.open(path, env::OpenMode::read_write);
  if (!containers_file.ok()) return containers_file.status();
  auto durable_file = disk_.open(path, env::OpenMode::read_write);
  if (!durable_file.ok()) return durable_file.status();
  newest_containers_ = std::make_unique<NewestWriter>(std::move(containers_file.value()), 0, found);
  newest_durable_ = std::make_shared<NewestWriter>(std::move(durable_file.value()), 2, found);
  return {};
}

// The batches may be in the kernel's memory only: after kill -9, or after a failed sync, when the kernel takes the
// pages for clean. So the same bytes are written again and synced, in whole blocks, so that no valid block can be torn.
Status FileLog::prove(LogReader& reader) {
  if (is_mutant(Mutant::skip_proof_at_start)) return {};
  std::uint64_t const header_bytes =
      kHeaderBlocks * (reader.containers().empty() ? 0 : reader.containers().front().header.block);
  std::vector<std::byte> bytes;
  for (LogReader::Container* container : reader.chain()) {
    ContainerHeader const& header = container->header;
    std::unique_ptr<env::File> file;
    for (LogReader::Range const& range : reader.unproved()) {
      Lsn const begin = std::max(range.begin, header.first);
      Lsn const end = std::min(range.end, header.end());
      if (begin >= end) continue;
      if (file == nullptr) {
        auto opened = disk_.open(container->path, env::OpenMode::read_write);
        if (!opened.ok()) return opened.status();
        file = std::move(opened.value());
      }
      bytes.resize(end.value - begin.value);
      std::uint64_t const offset = header_bytes + (begin.value - header.first.value);
      auto const got = file->read(offset, bytes);
      if (!got.ok()) return got.status();
      if (got.value() != bytes.size())
        return {Code::io_error, fmt::format("{}: the file ends too early", container->path)};
      if (Status status = file->write(offset, bytes); !status.ok()) return status;
    }
    if (file != nullptr)
      if (Status status = file->sync(); !status.ok()) return status;
  }
  return {};
}

void FileLog::adopt(LogReader& reader, RecoveryReport const& report) {
  store_id_ = options_.store_id_seed;
  start_ = options_.starts_before;
  if (reader.newest().is_there) store_id_ = reader.newest().what.store_id;
  Lsn next = options_.first_lsn;
  for (LogReader::Container& found : reader.containers()) {
    ContainerHeader const& header = found.header;
    store_id_ = header.store_id;
    options_.container_bytes = header.size;
    options_.block_bytes = header.block;
    index_ = std::max(index_, header.index);
    lap_ = std::max(lap_, header.lap);
    start_ = std::max(start_, header.start);
    base_in_header_ = std::max(base_in_header_, header.base);
    if (header.lap > 0) next = std::max(next, header.end());
  }
  if (is_mutant(Mutant::append_at_cut) && !reader.is_empty()) next = report.end;
  batch_at_ = durable_ = committed_ = Lsn{round_up(next.value, options_.block_bytes)};

  std::vector<LogReader::Container*> kept;
  for (LogReader::Container* container : reader.chain())
    if (!reader.is_empty() && (!kept.empty() || container->live_until > report.base)) kept.push_back(container);
  while (!kept.empty() && kept.back()->live_until <= report.base) kept.pop_back();
  // A container between them with only a stamp is needed too, as the header of the next one names it.
  for (std::size_t i = 0; i + 1 < kept.size(); ++i)
    kept[i]->live_until = std::max(kept[i]->live_until, kept[i + 1]->header.cut);
  for (LogReader::Container& found : reader.containers()) {
    if (std::find(kept.begin(), kept.end(), &found) != kept.end()) continue;
    Container container;
    container.header = found.header;
    container.stale_copy = found.stale_copy;
    container.live_until = found.live_until;
    container.clean = found.header.lap == 0;
    free_.push_back(std::move(container));
  }
  for (LogReader::Container const* found : kept) {
    Container container;
    container.header = found->header;
    container.live_until = found->live_until;
    chain_.push_back(std::move(container));
  }
}

Status FileLog::start_container(RecoveryReport& report) {
  if (free_.empty())
    if (Status status = extend(); !status.ok())
      return {status.code(), fmt::format("log {}: a start needs a container, and none can be made: {}", options_.name,
                                         status.message())};
  Container container = take_free();
  ContainerHeader& header = container.header;
  header.lap = ++lap_;
  header.lap_before = chain_.empty() ? 0 : chain_.back().header.lap;
  header.first = batch_at_;
  header.cut = chain_.empty() || is_mutant(Mutant::forget_cut) ? batch_at_ : report.end;
  base_ = base_safe_ = chain_.empty() ? batch_at_ : report.base;
  catalogue_ = catalogue_safe_ = std::max(base_, report.catalogue);
  described_ = report.described;
  tell(header);
  header.durable = header.cut;
  header.start = is_mutant(Mutant::keep_start_number) ? start_ : ++start_;
  container.live_until = kNoLsn;
  if (Status status = put_header(container); !status.ok()) return status;
  if (Status status = try_direct(container); !status.ok()) return status;
  chain_.push_back(std::move(container));
  used_ = reserved_ = kBatchHeaderBytes;
  kept_for_copy_ = options_.container_bytes;
  report.start = start_;
  report.base = base_;
  report.store_id = store_id_;
  report.containers = static_cast<std::uint32_t>(containers_total());
  return {};
}

// The first block is empty, or not needed.
Status FileLog::try_direct(Container& container) {
  if (options_.sync_method == SyncMethod::fdatasync) return {};
  grow_buffer(options_.block_bytes);
  std::memset(buffer_.get(), 0, options_.block_bytes);
  Status const status = container.file->write_through(kHeaderBlocks * options_.block_bytes,
                                                      std::span{buffer_.get(), options_.block_bytes});
  direct_ = status.ok();
  if (status.ok() || (status.code() == Code::not_supported && options_.sync_method == SyncMethod::automatic)) return {};
  if (status.code() != Code::not_supported) return status;
  return {status.code(), fmt::format("log {}: {}; sync-method=\"auto\" takes fdatasync where this does not work",
                                     options_.name, status.message())};
}

}  // namespace fastjournal::storage
