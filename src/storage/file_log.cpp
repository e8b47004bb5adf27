// The writing side: the open batch, containers, commit. Opening is in file_log_open.cpp.
#include "storage/file_log.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "storage/mutants.h"

namespace fastjournal::storage {

namespace {

// Headers of small records, beyond one byte for each of their bodies (file_log.h, reserve).
constexpr std::uint64_t kHeaderSlackBytes = 4096;
constexpr std::uint64_t kHeaderBytesMax = 1U << 20U;
constexpr std::uint64_t kBufferBytesMin = 256U << 10U;
constexpr std::uint32_t kChorePauseMax = 1024;

}  // namespace

FileLog::FileLog(env::Disk& disk, std::string folder, LogOptions options)
    : disk_(disk), folder_(std::move(folder)), options_(std::move(options)) {}

FileLog::~FileLog() = default;

Status FileLog::fail(Status const& why) {
  // If the folder is gone, every call fails with a different error.
  Status const looked = lock_ == nullptr ? Status{} : lock_->look();
  Status const& status = looked.code() == Code::damaged ? looked : why;
  error_ = {status.code(), fmt::format("log {}: {}", options_.name, status.message())};
  return error_;
}

// ---------------------------------------------------------------------------
// Room

bool FileLog::reserve(std::size_t bytes, bool removing) {
  if (!removing) resting_ = false;
  return take_room(bytes + std::min<std::uint64_t>(bytes, kHeaderBytesMax) + kHeaderSlackBytes,
                   removing ? KeptBack{0, kept_for_copy_} : KeptBack{kept_back(), 0});
}

bool FileLog::reserve_to_copy(std::size_t bytes) { return take_room(bytes, {}); }

bool FileLog::take_room(std::uint64_t need, KeptBack kept) {
  if (!error_.ok()) {
    refusal_ = error_;
    return false;
  }
  // A long turn is written in parts, but a group is never split.
  if (used_ > kBatchHeaderBytes && used_ + need > options_.batch_bytes_max && !group_open_) {
    if (Status status = write_open_batch(0); !status.ok()) {
      refusal_ = error_;
      return false;
    }
  }
  std::uint64_t const total = round_up(used_ + need, options_.block_bytes);
  if (total > kBatchBytesMax) {
    refusal_ = {Code::too_large,
                fmt::format("log {}: {} bytes in one group, the limit is {}", options_.name, total, kBatchBytesMax)};
    return false;
  }
  if (!make_room(total, kept)) return false;
  grow_buffer(total);
  reserved_ = std::max(reserved_, used_ + need);
  return true;
}

std::uint64_t FileLog::room_bytes() const {
  return chain_.back().header.end().value - batch_at_.value + spares() * chain_.back().header.payload_bytes();
}

bool FileLog::make_room(std::uint64_t bytes, KeptBack kept) {
  std::uint64_t const capacity = chain_.back().header.payload_bytes();
  std::uint64_t const left = chain_.back().header.end().value - batch_at_.value;
  std::uint64_t const needed = bytes <= left ? 0 : (bytes - left + capacity - 1) / capacity;
  // A container that is being created counts as part of the reserve: otherwise every turn would wait for it.
  std::uint64_t const coming = coming_ ? 1 : 0;
  std::uint64_t const containers = needed + kept.containers - std::min<std::uint64_t>(coming, kept.containers);
  while (spares() < containers || room_bytes() + coming * capacity < bytes + kept.bytes) {
    if (Status status = extend(); !status.ok()) {
      if (!pinned_.empty()) {
        give_up_pin();
        continue;
      }
      Code const code = status.code() == Code::not_allowed ? Code::not_allowed : Code::no_space;
      refusal_ = {code, fmt::format("log {}: {} more bytes do not fit into {} containers, and no other can be made: {}",
                                    options_.name, bytes, containers_total(), status.message())};
      return false;
    }
  }
  while (ready_.size() < needed) {
    if (Status status = prepare_next(); !status.ok()) {
      refusal_ = fail(status);
      return false;
    }
  }
  return true;
}

ContainerHeader FileLog::unused_header() {
  ContainerHeader header;
  header.index = ++index_;
  header.store_id = store_id_;
  header.size = options_.container_bytes;
  header.block = static_cast<std::uint32_t>(options_.block_bytes);
  return header;
}

Status FileLog::check_disk_space() {
  auto const free = disk_.free_bytes();
  if (!free.ok()) return free.status();
  if (free.value() >= options_.container_bytes + options_.disk_reserve_bytes) return {};
  return {Code::no_space, fmt::format("{} bytes are free, a container takes {} and {} must stay free", free.value(),
                                      options_.container_bytes, options_.disk_reserve_bytes)};
}

Status FileLog::extend() {
  if (Status status = check_disk_space(); !status.ok()) return status;
  Container container;
  container.header = unused_header();
  container.clean = true;
  if (Status status = make_container(disk_, folder_, container.header); !status.ok()) return status;
  free_.push_back(std::move(container));
  return {};
}

Status FileLog::put_header(Container& container) {
  if (container.file == nullptr) {
    auto file = disk_.open(join_path(folder_, container_name(container.header.index)), env::OpenMode::read_write);
    if (!file.ok()) return file.status();
    container.file = std::move(file.value());
  }
  if (is_mutant(Mutant::newest_written_too_early))
    if (Status status = tell_lap(container.header.lap); !status.ok()) return status;
  if (Status status = write_header(*container.file, container.header, container.stale_copy); !status.ok())
    return status;
  if (Status status = tell_lap(container.header.lap); !status.ok()) return status;
  container.stale_copy = 0;
  base_in_header_ = std::max(base_in_header_, container.header.base);
  durable_told_ = std::max(durable_told_, container.header.durable);
  return {};
}

// The container is still empty: from its first record on its loss must be detected.
Status FileLog::tell_lap(std::uint64_t lap) {
  if (lap <= newest_lap_ || is_mutant(Mutant::newest_not_written)) return {};
  newest_lap_ = lap;
  return newest_containers_->write(newest_now(std::max(newest_told_, data_synced_)));
}

Status FileLog::prepare_next() {
  FJ_CHECK(!free_.empty(), "a container is there to be prepared");
  Container container = take_free();
  ContainerHeader const& before = ready_.empty() ? chain_.back().header : ready_.back().header;
  ContainerHeader& header = container.header;
  header.lap = ++lap_;
  header.lap_before = before.lap;
  header.first = header.cut = before.end();
  header.start = start_;
  tell(header);
  container.live_until = kNoLsn;
  if (Status status = put_header(container); !status.ok()) return status;
  ready_.push_back(std::move(container));
  return {};
}

FileLog::Container FileLog::take_free() {
  auto found = std::find_if(free_.begin(), free_.end(), [](Container const& container) { return container.clean; });
  if (found == free_.end()) found = free_.begin();
  Container container = std::move(*found);
  free_.erase(found);
  container.clean = false;
  return container;
}

void FileLog::grow_buffer(std::uint64_t bytes) {
  if (bytes <= buffer_bytes_) return;
  std::uint64_t const size = std::max({bytes, kBufferBytesMin, std::min(buffer_bytes_ * 2, options_.batch_bytes_max)});
  std::unique_ptr<std::byte, FreeAligned> larger{
      static_cast<std::byte*>(::operator new (size, std::align_val_t{env::kDirectAlignment}))};
  if (used_ > kBatchHeaderBytes) std::memcpy(larger.get(), buffer_.get(), used_);
  buffer_ = std::move(larger);
  buffer_bytes_ = size;
}

// ---------------------------------------------------------------------------
// The open batch

Records::Place FileLog::append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                               std::size_t body_bytes) {
  std::size_t const size = record_bytes(!object.is_none(), body_bytes);
  FJ_CHECK(used_ + size <= reserved_, "records stay within what was reserved");
  std::span<std::byte> const at(buffer_.get() + used_, size);
  Lsn const lsn{batch_at_.value + used_};
  last_record_ = used_;
  used_ += size;
  if (table == TableId::catalogue && type != core::kClockRecord) describes_ = true;
  group_open_ = true;
  return {lsn, begin_record(at, table, type, version, object, body_bytes)};
}

void FileLog::end_group(Durability durability) {
  if (!group_open_) return;
  mark_last_of_group(buffer_.get() + last_record_);
  group_open_ = false;
  if (durability == Durability::synced) promised_ = true;
}

Status FileLog::commit() {
  close_turn();
  return needs_sync() ? write_synced() : write();
}

void FileLog::close_turn() {
  FJ_CHECK(!group_open_, "groups are complete when they are committed");
  if (sync_wanted_ || (promised_ && options_.sync == SyncPolicy::always)) needed_ = end_of_records();
  promised_ = sync_wanted_ = false;
}

Status FileLog::write() {
  if (!error_.ok()) return error_;
  if (used_ > kBatchHeaderBytes)
    if (Status status = write_open_batch(0); !status.ok()) return status;
  committed_ = batch_at_;
  return {};
}

Status FileLog::write_synced() {
  if (!error_.ok()) return error_;
  env::Clock* const clock = options_.clock;
  std::int64_t const begin_us = clock == nullptr ? 0 : clock->monotonic_us();
  if (used_ > kBatchHeaderBytes)
    if (Status status = write_open_batch(0, may_go_through() ? How::through : How::to_kernel); !status.ok())
      return status;
  committed_ = batch_at_;
  std::unique_ptr<Flush> flush = take_flush();
  flush->run();
  if (clock != nullptr) flush->took_us_ = clock->monotonic_us() - begin_us;
  finish_flush(std::move(flush));
  return error_;
}

bool FileLog::may_go_through() const {
  if (!direct_ || has_unsynced()) return false;
  Lsn const end = chain_.back().header.end();
  Lsn const container_end = batch_at_ == end ? ready_.front().header.end() : end;
  return batch_at_.value + round_up(used_, options_.block_bytes) <= container_end.value;
}

Status FileLog::sync() {
  if (!error_.ok()) return error_;
  return has_unsynced() ? sync_written() : Status{};
}

Status FileLog::write_open_batch(std::uint32_t flags, How how) {
  BatchHeader header;
  header.length = static_cast<std::uint32_t>(round_up(used_, options_.block_bytes));
  header.used = static_cast<std::uint32_t>(used_);
  header.lsn = batch_at_;
  header.flags = flags;
  header.durable = durable_;
  header.base = base_;
  if (batch_at_ == chain_.back().header.end()) enter_next_container();
  header.lap = chain_.back().header.lap;
  std::span<std::byte> const batch(buffer_.get(), header.length);
  std::memset(batch.data() + used_, 0, header.length - used_);
  close_batch(header, store_id_, batch);
  if (Status status = write_bytes(batch_at_, batch, how); !status.ok()) return fail(status);

  for (auto container = chain_.rbegin(); container != chain_.rend() && container->header.end() > batch_at_; ++container)
    container->live_until = header.end();
  if (used_ > kBatchHeaderBytes) data_end_ = header.end();
  if (std::exchange(describes_, false)) described_ = header.end();
  durable_telling_ = durable_;
  batch_at_ = header.end();
  used_ = reserved_ = kBatchHeaderBytes;
  // The memory of a rare large batch is freed.
  if (buffer_bytes_ > 2 * std::max(options_.batch_bytes_max, kBufferBytesMin)) {
    buffer_.reset();
    buffer_bytes_ = 0;
  }
  return {};
}

Status FileLog::write_bytes(Lsn at, std::span<std::byte const> bytes, How how) {
  while (!bytes.empty()) {
    if (at == chain_.back().header.end()) enter_next_container();
    Container& container = chain_.back();
    std::size_t const part = std::min<std::uint64_t>(bytes.size(), container.header.end().value - at.value);
    std::uint64_t const offset = kHeaderBlocks * options_.block_bytes + (at.value - container.header.first.value);
    Status status;
    if (how == How::through && !is_mutant(Mutant::write_through_to_memory_only)) {
      status = container.file->write_through(offset, bytes.first(part));
    } else {
      container.dirty = how == How::to_kernel || container.dirty;
      status = container.file->write(offset, bytes.first(part));
    }
    if (!status.ok()) return status;
    bytes = bytes.subspan(part);
    at.value += part;
  }
  return {};
}

void FileLog::enter_next_container() {
  FJ_CHECK(!ready_.empty(), "the next container was prepared when room was reserved");
  if (!chain_.back().dirty) chain_.back().file.reset();
  chain_.push_back(std::move(ready_.front()));
  ready_.pop_front();
}

Status FileLog::sync_written() {
  std::unique_ptr<Flush> flush = take_flush();
  flush->run();
  finish_flush(std::move(flush));
  return error_;
}

std::unique_ptr<Flush> FileLog::take_flush() {
  FJ_CHECK(!flush_out_, "one flush is out at a time");
  auto flush = std::make_unique<Flush>();
  flush->clock_ = options_.clock;
  // Writes are in the last containers, not only in the current one: an earlier batch may have been written and not
  // synced.
  for (auto container = chain_.rbegin(); container != chain_.rend() && container->header.end() > durable_;
       ++container) {
    if (!container->dirty) continue;
    if (is_mutant(Mutant::skip_data_sync)) break;
    if (is_mutant(Mutant::sync_last_container_only) && container != chain_.rbegin()) break;
    flush->files_.push_back(container->file);
    container->dirty = false;
  }
  flush->end_ = batch_at_;
  flush->data_end_ = data_end_;
  flush->durable_told_ = durable_telling_;
  flush->base_ = base_needs_ <= batch_at_ ? base_ : base_safe_;
  flush->catalogue_ = base_needs_ <= batch_at_ ? catalogue_ : catalogue_safe_;
  flush_out_ = true;
  // A stamp or a seal covers all batches with records, and so does `newest` then. Otherwise `newest` is only written,
  // as nothing depends on it.
  flush->tells_durably_ = data_end_ > newest_told_ && durable_telling_ >= data_end_;
  if (flush->tells_durably_ || data_end_ > newest_telling_) {
    flush->newest_ = newest_durable_;
    flush->telling_ = newest_now(data_end_);
    newest_telling_ = data_end_;
  }
  return flush;
}

void FileLog::finish_flush(std::unique_ptr<Flush> flush) {
  FJ_CHECK(flush_out_, "a flush that was taken comes back");
  flush_out_ = false;
  sync_times_.add(flush->took_us_);
  if (!error_.ok()) return;
  if (!flush->status().ok() && !is_mutant(Mutant::believe_failed_sync)) {
    static_cast<void>(fail(flush->status()));
    return;
  }
  // Only the last is written.
  for (auto container = chain_.rbegin(); container != chain_.rend() && container->header.end() > durable_; ++container)
    if (!container->dirty && container != chain_.rbegin()) container->file.reset();
  durable_ = is_mutant(Mutant::flush_covers_what_came_later) ? batch_at_ : flush->end_;
  committed_ = std::max(committed_, durable_);
  durable_told_ = std::max(durable_told_, flush->durable_told_);
  data_synced_ = flush->data_end_;
  if (flush->tells_durably_) newest_told_ = std::max(newest_told_, flush->data_end_);
  bool const rests = base_needs_ <= durable_ || is_mutant(Mutant::flush_takes_the_base_of_its_end);
  base_safe_ = rests ? base_ : std::max(base_safe_, flush->base_);
  catalogue_safe_ = rests ? catalogue_ : std::max(catalogue_safe_, flush->catalogue_);
  free_below_base();
}

// ---------------------------------------------------------------------------
// Stamp and seal

bool FileLog::needs_stamp() const { return used_ == kBatchHeaderBytes && !flush_out_ && data_synced_ > durable_told_; }

Status FileLog::write_stamp() {
  // Without room for it nothing is lost.
  if (!needs_stamp() || !make_room(options_.block_bytes, {})) return error_;
  if (!has_unsynced()) {
    grow_buffer(options_.block_bytes);
    if (Status status = write_open_batch(0); !status.ok()) return status;
    committed_ = batch_at_;
  }
  needed_ = end_of_records();
  return {};
}

Status FileLog::stamp() {
  if (!error_.ok()) return error_;
  // Unsynced writes are synced first.
  for (int parts = has_unsynced() ? 2 : 1; parts > 0; --parts) {
    if (Status status = write_stamp(); !status.ok()) return status;
    if (Status status = sync(); !status.ok()) return status;
  }
  return {};
}

Status FileLog::seal() {
  if (Status status = commit(); !status.ok()) return status;
  if (Status status = sync(); !status.ok()) return status;
  if (!make_room(options_.block_bytes, {})) return error_;
  grow_buffer(options_.block_bytes);
  if (Status status = write_open_batch(kBatchSeal); !status.ok()) return status;
  return sync_written();
}

Status FileLog::look() {
  if (!error_.ok()) return error_;
  Status status = lock_->look();
  if (status.ok()) status = newest_containers_->look();
  for (std::deque<Container> const* containers : {&chain_, &ready_})
    for (Container const& container : *containers)
      if (status.ok() && container.file != nullptr) status = container.file->look();
  return status.ok() ? Status{} : fail(status);
}

// A full disk is the expected reason, and not reported.
std::string FileLog::shortage() const {
  return refusal_.code() == Code::not_allowed ? refusal_.message() : std::string{};
}

// ---------------------------------------------------------------------------
// Base and space

void FileLog::set_base(Lsn base, Lsn catalogue) {
  if (base <= base_ && catalogue <= catalogue_) return;
  FJ_CHECK(base <= end_lsn() && catalogue <= end_lsn(), "base does not pass the end of the log");
  base_ = std::max(base_, base);
  catalogue_ = std::max(catalogue_, catalogue);
  // It depends on every record appended so far: before they are durable, a recovery may still need records below it.
  base_needs_ = end_of_records();
  if (base_needs_ <= durable_ || is_mutant(Mutant::base_before_durable)) base_safe_ = base_;
  if (base_needs_ <= durable_ || is_mutant(Mutant::catalogue_before_durable)) catalogue_safe_ = catalogue_;
  free_below_base();
}

void FileLog::free_below_base() {
  while (chain_.size() > 1 && chain_.front().live_until <= base_safe_) {
    chain_.front().file.reset();
    (chain_.front().header.lap <= pinned_lap_ ? pinned_ : free_).push_back(std::move(chain_.front()));
    chain_.pop_front();
  }
}

Result<core::LogSnapshot> FileLog::pin() {
  FJ_CHECK(pinned_lap_ == 0, "one pin at a time");
  if (Status status = commit(); !status.ok()) return status;
  if (Status status = sync(); !status.ok()) return status;
  core::LogSnapshot out;
  out.store_id = store_id_;
  out.base = base_for_header();
  out.end = batch_at_;
  for (Container const& container : chain_) out.containers.push_back(container.header.index);
  pinned_lap_ = chain_.back().header.lap;
  return out;
}

bool FileLog::unpin() {
  bool const pinned = pinned_lap_ != 0;
  give_up_pin();
  return pinned;
}

void FileLog::give_up_pin() {
  std::move(pinned_.begin(), pinned_.end(), std::back_inserter(free_));
  pinned_.clear();
  pinned_lap_ = 0;
}

Status FileLog::reset() {
  if (!error_.ok()) return error_;
  resting_ = true;
  return leave_container();
}

// As at a start: the stream is cut at its end, and continues at LSNs that were never given.
Status FileLog::leave_container() {
  bool const has_open_batch = used_ > kBatchHeaderBytes;
  if (has_open_batch || has_unsynced() || chain_.back().live_until.is_none() || spares() == 0) return {};
  // Prepared containers follow the end of this one, which is never reached. Their laps stay unused.
  for (; !ready_.empty(); ready_.pop_front()) {
    ready_.front().file.reset();
    free_.push_back(std::move(ready_.front()));
  }
  Container container = take_free();
  ContainerHeader& header = container.header;
  header.lap = ++lap_;
  header.lap_before = chain_.back().header.lap;
  header.first = chain_.back().header.end();
  header.cut = batch_at_;
  header.start = start_;
  tell(header);
  container.live_until = kNoLsn;
  if (Status status = put_header(container); !status.ok()) return fail(status);
  chain_.back().file.reset();
  batch_at_ = durable_ = committed_ = header.first;
  chain_.push_back(std::move(container));
  return {};
}

Status FileLog::put_base_on_disk() {
  // The current container may have it too: its header has two copies, one of which is always whole.
  Container& container = ready_.empty() ? chain_.back() : ready_.back();
  tell(container.header);
  return put_header(container);
}

void FileLog::tell(ContainerHeader& header) const {
  header.base = base_for_header();
  header.durable = durable_;
  header.catalogue = catalogue_safe_;
  header.described = described_;
}

// Only a base that holds after a power cut at this moment. It must be in the first container that is needed, or
// recovery would not read that one: the batch with the base may begin in an earlier container.
Lsn FileLog::base_for_header() const {
  if (chain_.empty()) return batch_at_;
  if (is_mutant(Mutant::base_of_header_not_bounded)) return base_safe_;
  return std::min(base_safe_, Lsn{chain_.front().header.end().value - options_.block_bytes});
}

core::LogUsage FileLog::usage() const {
  core::LogUsage usage;
  std::uint32_t const wiped = wiped_ ? 1 : 0;
  usage.containers = static_cast<std::uint32_t>(containers_total()) + wiped;
  usage.containers_kept = std::max(options_.initial_containers, kContainersAllowed);
  usage.containers_free_most = spares_most();
  usage.containers_pinned = static_cast<std::uint32_t>(pinned_.size());
  usage.containers_free = static_cast<std::uint32_t>(spares()) + wiped;
  usage.disk_bytes = usage.containers * options_.container_bytes;
  for (auto container = chain_.begin(); container != chain_.end(); ++container) {
    // The header of the next container has the end of one that a start left half full.
    bool const last = std::next(container) == chain_.end();
    Lsn const end = last ? batch_at_ : std::min(container->header.end(), std::next(container)->header.cut);
    Lsn const begin = std::max(container->header.first, base_);
    if (end > begin) usage.logical_bytes += end.value - begin.value;
  }
  usage.left_bytes = chain_.back().header.end().value - batch_at_.value;
  usage.room_bytes = room_bytes();
  usage.is_short = usage.containers_free + (coming_ ? 1U : 0U) < kept_back();
  if (chain_.size() > 1) usage.oldest_container_end = chain_.front().live_until;
  return usage;
}

// ---------------------------------------------------------------------------
// Chores

std::uint64_t FileLog::containers_allowed() const {
  if (resting_ && options_.when_empty == WhenEmpty::remove) return 1;
  if (resting_ && options_.when_empty == WhenEmpty::truncate) return 1 + kKeptBack;
  return std::max(options_.initial_containers, kContainersAllowed);
}

std::uint64_t FileLog::spares_wanted() const {
  if (resting_) return std::min<std::uint64_t>(spares_most(), containers_allowed() - 1);
  // The last one only once three quarters of the current container are full, and still later if copying forward is
  // about to free an older one.
  Container const& current = chain_.back();
  bool const copying = kept_for_copy_ < options_.container_bytes;
  std::uint64_t const full = current.header.payload_bytes() / 16 * (copying ? 15 : 12);
  bool const nearly_full = batch_at_.value - current.header.first.value > full;
  return nearly_full || chain_.size() == 1 ? spares_most() : kept_back();
}

std::unique_ptr<Chore> FileLog::take_chore() {
  if (chore_out_ || !error_.ok()) return nullptr;
  if (chore_pause_ > 0) --chore_pause_;
  std::unique_ptr<Chore> chore = chore_to_make();
  if (chore == nullptr && options_.wipe) chore = chore_to_wipe();
  if (chore == nullptr) chore = chore_to_remove();
  chore_out_ = chore != nullptr;
  return chore;
}

std::unique_ptr<Chore> FileLog::chore_to_make() {
  if (spares() >= spares_wanted() || chore_pause_ > 0) return nullptr;
  if (!check_disk_space().ok()) {
    chore_pause_ = kChorePauseMax;
    return nullptr;
  }
  coming_ = true;
  return std::make_unique<Chore>(disk_, folder_, Chore::Kind::make, unused_header());
}

// One at a time, and never the last one.
std::unique_ptr<Chore> FileLog::chore_to_wipe() {
  if (spares() < kKeptBack || chore_pause_ > 0) return nullptr;
  auto const found = std::find_if(free_.begin(), free_.end(), [](Container const& one) { return !one.clean; });
  if (found == free_.end() || !is_below_base_on_disk(*found)) return nullptr;
  wiped_ = std::move(*found);
  free_.erase(found);
  coming_ = true;
  return std::make_unique<Chore>(disk_, folder_, Chore::Kind::wipe, wiped_->header);
}

std::unique_ptr<Chore> FileLog::chore_to_remove() {
  bool const surplus =
      spares() > (resting_ ? spares_wanted() : spares_most()) && containers_total() > containers_allowed();
  if (!surplus || free_.empty() || !is_below_base_on_disk(free_.back())) return nullptr;
  Container const container = std::move(free_.back());
  free_.pop_back();
  return std::make_unique<Chore>(disk_, folder_, Chore::Kind::remove, container.header,
                                 options_.wipe && !container.clean);
}

// A recovery reads containers down to the base in the headers, which must be above this one before its contents are
// overwritten.
bool FileLog::is_below_base_on_disk(Container const& container) {
  if (container.live_until <= base_in_header_ || is_mutant(Mutant::remove_before_base_is_told)) return true;
  if (Status status = put_base_on_disk(); !status.ok()) {
    static_cast<void>(fail(status));
    return false;
  }
  return container.live_until <= base_in_header_;
}

void FileLog::finish_chore(std::unique_ptr<Chore> chore) {
  FJ_CHECK(chore_out_, "a chore that was taken comes back");
  chore_out_ = coming_ = false;
  if (chore->kind() == Chore::Kind::check) {
    finish_scrub(chore->scrub());
    return;
  }
  bool const ok = chore->status().ok();
  if (wiped_) {
    wiped_->clean = ok;
    free_.push_back(std::move(*wiped_));
    wiped_.reset();
  } else if (ok && chore->kind() == Chore::Kind::make) {
    Container container;
    container.header = chore->header();
    container.clean = true;
    free_.push_back(std::move(container));
  }
  if (ok) {
    chore_failures_ = 0;
    return;
  }
  if (chore->is_fatal()) {
    static_cast<void>(fail(chore->status()));
    return;
  }
  // Not fatal: the log continues with the containers that it has, and reserve() reports the shortage.
  refusal_ = chore->status();
  chore_pause_ = std::min(kChorePauseMax, 16U << std::min(chore_failures_, 6U));
  ++chore_failures_;
}

void FileLog::run_chores() {
  while (std::unique_ptr<Chore> chore = take_chore()) {
    chore->run();
    bool const failed = !chore->status().ok();
    finish_chore(std::move(chore));
    if (failed) return;
  }
}

}  // namespace fastjournal::storage
