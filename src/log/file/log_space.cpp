#include "log/file/log_space.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::log::file {

LogSpace::LogSpace(env::Disk& disk, std::string const& folder, LogOptions const& options, AdoptedContainers found,
                   NewestFile& newest, BaseMark const& base, DurableMarks& durable)
    : disk_(disk),
      folder_(folder),
      options_(options),
      newest_(newest),
      base_(base),
      durable_(durable),
      start_(found.start),
      generation_(found.generation),
      base_on_disk_(found.base_on_disk),
      spares_(disk, folder, options, found.store_id, found.index, std::move(found.free)),
      policy_(options.initial_containers, options.when_empty, options.container_bytes) {
  for (Container& container : found.chain) chain_.append(std::move(container));
}

// ---------------------------------------------------------------------------
// Headers

Container LogSpace::take_spare(Lsn first, Lsn cut) {
  Container container = spares_.take();
  ContainerHeader& header = container.header;
  header.generation = ++generation_;
  header.generation_before = chain_.is_empty() ? 0 : chain_.last().header.generation;
  header.first = first;
  header.cut = cut;
  header.start = start_;
  tell(header);
  container.live_until = kNoLsn;
  return container;
}

void LogSpace::tell(ContainerHeader& header) const {
  header.base = base_for_header();
  header.durable = durable_.durable();
  header.catalogue = base_.in_effect().catalogue;
  header.described = base_.described();
}

Lsn LogSpace::base_for_header() const {
  Lsn const base = base_.in_effect().lsn;
  if (chain_.is_empty()) return base;
  return std::min(base, Lsn{chain_.oldest().header.end().value - options_.block_bytes});
}

Status LogSpace::write_header(Container& container) {
  ContainerHeader const& header = container.header;
  if (container.file == nullptr) {
    auto file = disk_.open(join_path(folder_, container_name(header.index)), env::OpenMode::read_write);
    if (!file.ok()) return file.status();
    container.file = std::move(file).value();
  }
  if (Status status = log::file::write_header(*container.file, header, container.stale_copy); !status.ok())
    return status;
  if (Status status = newest_.tell_generation(header.generation, durable_.data_durable()); !status.ok()) return status;
  container.stale_copy = 0;
  base_on_disk_ = std::max(base_on_disk_, header.base);
  durable_.told(header.durable);
  return {};
}

Status LogSpace::put_base_on_disk() {
  // The current container may have it too: its header has two copies, one of which is always whole.
  Container& container = chain_.last();
  tell(container.header);
  return write_header(container);
}

Status LogSpace::begin(Lsn first, Lsn read_end) {
  // After an interrupted first start the next one is a first start again.
  while (generation_ == 0 && spares_.count() < options_.initial_containers)
    if (Status status = spares_.extend(); !status.ok()) return status;
  if (spares_.count() == 0)
    if (Status status = spares_.extend(); !status.ok())
      return {status.code(), fmt::format("log {}: a start needs a container, and none can be made: {}", options_.name,
                                         status.message())};
  Lsn const cut = chain_.is_empty() ? first : read_end;
  Container container = take_spare(first, cut);
  container.header.durable = cut;
  if (Status status = write_header(container); !status.ok()) return status;
  chain_.append(std::move(container));
  return {};
}

Status LogSpace::leave(Lsn at, Lsn wish) {
  // Prepared containers follow the end of this one, which is never reached. Their generations stay unused.
  for (Container& container : chain_.take_prepared()) spares_.add(std::move(container));
  Lsn const rounded{(wish.value + kBlockBytesMax - 1) / kBlockBytesMax * kBlockBytesMax};
  Container container = take_spare(std::max(chain_.current().header.end(), rounded), at);
  if (Status status = write_header(container); !status.ok()) return status;
  chain_.append(std::move(container));
  return {};
}

// ---------------------------------------------------------------------------
// Room

std::uint64_t LogSpace::needed_for(Lsn at, std::uint64_t bytes) const {
  ContainerHeader const& current = chain_.current().header;
  std::uint64_t const capacity = current.payload_bytes();
  std::uint64_t const left = current.end().value - at.value;
  return bytes <= left ? 0 : (bytes - left + capacity - 1) / capacity;
}

std::uint64_t LogSpace::room_bytes(Lsn at) const {
  ContainerHeader const& current = chain_.current().header;
  return current.end().value - at.value + spares() * current.payload_bytes();
}

Status LogSpace::find_room(Lsn at, std::uint64_t bytes, SpacePolicy::Kept kept) {
  std::uint64_t const coming = spares_.is_coming() ? 1 : 0;
  std::uint64_t const coming_bytes = coming * chain_.current().header.payload_bytes();
  std::uint64_t const containers =
      needed_for(at, bytes) + kept.containers - std::min<std::uint64_t>(coming, kept.containers);
  while (spares() < containers || room_bytes(at) + coming_bytes < bytes + kept.bytes) {
    Status const status = spares_.extend();
    if (status.ok()) continue;
    if (spares_.pinned() > 0) {
      spares_.give_up_pin();
      continue;
    }
    Code const code = status.code() == Code::not_allowed ? Code::not_allowed : Code::no_space;
    return {code, fmt::format("log {}: {} more bytes do not fit into {} containers, and no other can be made: {}",
                              options_.name, bytes, total(), status.message())};
  }
  return {};
}

Status LogSpace::prepare(Lsn at, std::uint64_t bytes) {
  for (std::uint64_t const needed = needed_for(at, bytes); chain_.prepared() < needed;) {
    Lsn const first = chain_.last().header.end();
    Container container = take_spare(first, first);
    if (Status status = write_header(container); !status.ok()) return status;
    chain_.prepare(std::move(container));
  }
  return {};
}

void LogSpace::free_below_base() {
  while (std::optional<Container> container = chain_.take_oldest_below(base_.in_effect().lsn)) {
    spares_.retire(std::move(*container));
  }
}

void LogSpace::pin() {
  FJ_CHECK(!spares_.is_pinned(), "one pin at a time");
  spares_.pin(chain_.current().header.generation);
}

bool LogSpace::unpin() {
  bool const pinned = spares_.is_pinned();
  spares_.give_up_pin();
  return pinned;
}

log::LogUsage LogSpace::usage(Lsn at) const {
  log::LogUsage usage;
  std::uint32_t const wiped = spares_.is_wiping() ? 1 : 0;
  usage.containers = static_cast<std::uint32_t>(total()) + wiped;
  usage.containers_kept = policy_.allowed_in_use();
  usage.containers_free_most = policy_.spares_most(chain_.size());
  usage.containers_pinned = static_cast<std::uint32_t>(spares_.pinned());
  usage.containers_free = static_cast<std::uint32_t>(spares()) + wiped;
  usage.disk_bytes = usage.containers * options_.container_bytes;
  usage.logical_bytes = chain_.bytes_between(base_.wanted().lsn, at);
  usage.left_bytes = chain_.current().header.end().value - at.value;
  usage.room_bytes = room_bytes(at);
  usage.is_short = usage.containers_free + (spares_.is_coming() ? 1U : 0U) < policy_.kept_back(chain_.size());
  if (chain_.size() > 1) usage.oldest_container_end = chain_.oldest().live_until;
  return usage;
}

// ---------------------------------------------------------------------------
// Chores

bool LogSpace::is_below_base_on_disk(Container const& container) const { return container.live_until <= base_on_disk_; }

Status LogSpace::raise_base_on_disk(Container const& container) {
  return is_below_base_on_disk(container) ? Status{} : put_base_on_disk();
}

Result<std::unique_ptr<Chore>> LogSpace::take_chore(Lsn at) {
  if (is_chore_out()) return std::unique_ptr<Chore>{};
  spares_.count_call();
  ContainerHeader const& current = chain_.current().header;
  std::uint64_t const filled = at.value - current.first.value;
  if (spares() < policy_.spares_wanted(chain_.size(), filled, current.payload_bytes()))
    if (std::unique_ptr<Chore> chore = spares_.make()) return chore;
  // One at a time, and never the last one.
  Container const* const unclean =
      options_.wipe && spares() >= SpacePolicy::kKeptBack ? spares_.next_to_wipe() : nullptr;
  if (unclean != nullptr) {
    if (Status status = raise_base_on_disk(*unclean); !status.ok()) return status;
    if (is_below_base_on_disk(*unclean)) return spares_.wipe();
  }
  bool const surplus =
      spares() > policy_.spares_kept(chain_.size(), filled, current.payload_bytes()) && total() > policy_.allowed();
  Container const* const unneeded = surplus ? spares_.next_to_remove() : nullptr;
  if (unneeded == nullptr) return std::unique_ptr<Chore>{};
  if (Status status = raise_base_on_disk(*unneeded); !status.ok()) return status;
  return is_below_base_on_disk(*unneeded) ? spares_.remove() : std::unique_ptr<Chore>{};
}

}  // namespace fastjournal::log::file
