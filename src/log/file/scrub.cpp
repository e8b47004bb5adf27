#include "log/file/scrub.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "log/file/segment.h"
#include "log/file/segment_run.h"

namespace fastjournal::log::file {

SegmentHeader const& ScrubStep::segment_at(Lsn lsn) const {
  SegmentHeader const& front = task_.segments.front();
  return task_.segments[(lsn.value - front.first.value) / front.payload_bytes()];
}

void ScrubStep::run() {
  std::vector<std::byte> bytes(task_.limit.value - task_.from.value);
  result_.next = task_.from;
  result_.lost = task_.lost;
  result_.passed_over = task_.passed_over;
  result_.bytes = bytes.size();
  if (Status status = read(bytes); !status.ok()) {
    // The failing block is not known: the whole range counts as lost.
    if (task_.base < task_.limit) note_damage(std::max(task_.from, task_.base), std::move(status));
    result_.next = task_.limit;
    return;
  }
  check(bytes);
}

Status ScrubStep::read(std::vector<std::byte>& bytes) const {
  std::span<std::byte> into{bytes};
  for (Lsn at = task_.from; !into.empty();) {
    SegmentHeader const& header = segment_at(at);
    std::string const path = join_path(folder_, segment_name(header.index));
    auto const file = disk_.open(path, env::OpenMode::read_only);
    if (!file.ok()) return file.status();
    std::size_t const part = std::min<std::uint64_t>(into.size(), header.end().value - at.value);
    // From the medium, and not from the cache of the kernel.
    file.value()->forget_cached(offset_in(header, at), part);
    auto const got = file.value()->read(offset_in(header, at), into.first(part));
    if (!got.ok()) return got.status();
    if (got.value() != part) return damaged(fmt::format("{}: the file ends too early", path));
    into = into.subspan(part);
    at.value += part;
  }
  return {};
}

void ScrubStep::check(std::vector<std::byte> const& bytes) {
  Lsn& at = result_.next;
  while (at < task_.limit) {
    SegmentHeader const& segment = segment_at(at);
    auto const rest = std::span<std::byte const>(bytes).subspan(at.value - task_.from.value);
    auto const header = decode_batch(rest, at, segment.generation, segment.block);
    if (header && header->length > rest.size() && !task_.is_rest) {
      result_.bytes_needed = header->length;
      return;
    }
    if (header && header->length <= rest.size() && is_intact(*header, segment.store_id, rest.first(header->length))) {
      at = header->end();
      result_.lost = result_.passed_over = false;
      continue;
    }
    if (at >= task_.base) note_damage(result_.passed_over ? task_.base : at, {Code::damaged, "its checksum is wrong"});
    // Below the base the first segment may begin with the rest of a batch whose begin is gone. Only the batch with
    // the base is searched for there.
    result_.passed_over = at < task_.base;
    at.value += segment.block;
    if (result_.passed_over && at > task_.base) note_damage(task_.base, {Code::damaged, "its checksum is wrong"});
  }
}

void ScrubStep::note_damage(Lsn lsn, Status status) {
  if (!result_.lost) result_.damaged.push_back({lsn, std::move(status)});
  result_.lost = true;
  result_.passed_over = false;
}

}  // namespace fastjournal::log::file
