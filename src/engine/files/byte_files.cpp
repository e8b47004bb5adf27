#include "engine/files/byte_files.h"

#include <algorithm>

namespace fastjournal::storage {

ByteFiles::ByteFiles(env::Disk& disk, ByteFilesOptions options, Stores& table, ManagesFiles* manager,
                     ByteFilesOwner* owner)
    : context_{.disk = disk, .options = std::move(options), .table = &table, .manager = manager, .owner = owner} {}

Status ByteFiles::begin(Lsn end) {
  touch();
  carried_.flush();
  if (!failure().ok()) return failure();
  if (Status status = sync_carried(); !status.ok()) return status;
  if (Status status = recovery_.finish(promised_.extents()); !status.ok()) return status;
  ManagesFiles* const manager = context_.manager;
  if (manager != nullptr)
    if (Status status = tidying_.link_at_start(); !status.ok()) return status;
  for (auto const& [number, file] : files_.all()) {
    files_.tell_taken(file);
    if (manager != nullptr && manager->file_to_be() == number) manager->file_has(number, file.end, 0);
  }
  carried_.turn_ended(end);
  context_.is_serving = true;
  if (manager != nullptr) tidying_.follow_requests(end, end);
  return {};
}

// ---------------------------------------------------------------------------
// What records say

void ByteFiles::named(Extent const& extent, std::string_view carried) {
  if (extent.size() == 0) return;
  touch();
  DataFile* const file = files_.named(extent);
  // In a replay: its file was removed when nothing in it was named any more, and later records say so.
  if (file == nullptr) return;
  // Of another log, perhaps: whether it is ours is known after the replay.
  bool const is_written = !carried.empty() && !file->is_stranger;
  if (!is_written && !context_.is_serving) recovery_.named(*file, extent);
  if (!is_written) return;
  carried_.write(*file, extent, carried);
}

void ByteFiles::freed(Extent const& extent, Lsn lsn) {
  if (extent.size() == 0) return;
  touch();
  DataFile* const file = files_.freed(extent);
  if (file == nullptr) return;
  recovery_.freed(extent);
  if (context_.is_serving && !context_.manages_files()) tidying_.freed(*file, extent, lsn);
}

void ByteFiles::dropped(Lsn lsn) {
  promised_.clear();
  dropped_at_ = lsn;
  context_.table = nullptr;
  context_.manager = nullptr;
  touch();
}

bool ByteFiles::is_over() const {
  return is_dropped() && files_.all().empty() && context_.out.empty() && !staging_.is_any() && !readings_.is_any();
}

// ---------------------------------------------------------------------------
// Turns

// What waits for a job that is out goes on when that is given back, which touches it.
bool ByteFiles::is_settled() const {
  return !is_dropped() && promised_.is_settled() && staging_.is_settled() && readings_.is_settled() &&
         !copying_.has_copied() && tidying_.is_settled();
}

void ByteFiles::end_turn(Lsn durable, Lsn end, std::int64_t now_us) {
  carried_.flush();
  context_.now_us = now_us;
  carried_.turn_ended(end);
  promised_.turn_ended(end);
  if (context_.is_held) return;
  if (is_dropped()) {
    if (durable >= dropped_at_ && !context_.out.contains(Lane::tidy)) tidying_.remove_all();
    return;
  }
  promised_.give_back_let_go(durable);
  tidying_.free_durable(durable);
  if (context_.manages_files()) tidying_.follow_requests(durable, end);
}

std::int64_t ByteFiles::next_us() const {
  std::int64_t next = context_.out.contains(Lane::store) ? INT64_MAX : carried_.due_us();
  if (context_.is_serving && !is_dropped() && !files_.all().empty() && !context_.out.contains(Lane::scrub))
    next = std::min(next, scrubbing_.next_us());
  return next;
}

std::unique_ptr<Job> ByteFiles::take_job(Lane lane, std::int64_t now_us) {
  if (!context_.is_serving || context_.out.contains(lane)) return nullptr;
  carried_.flush();
  if (!failure().ok()) return nullptr;
  context_.now_us = now_us;
  std::unique_ptr<Job> job;
  switch (lane) {
    case Lane::store: job = staging_.take_job(now_us); break;
    case Lane::fetch: job = readings_.take_job(); break;
    case Lane::copy: job = copying_.take_job(); break;
    case Lane::tidy: job = tidying_.take_job(); break;
    case Lane::scrub: job = scrubbing_.take_job(now_us); break;
  }
  if (job != nullptr) context_.out.insert(lane);
  return job;
}

void ByteFiles::finish_job(Lane lane, std::unique_ptr<Job> job) {
  touch();
  context_.out.erase(lane);
  switch (lane) {
    case Lane::store: staging_.finish_job(static_cast<StoreJob&>(*job)); break;
    case Lane::fetch: readings_.finish_job(static_cast<FetchJob&>(*job)); break;
    case Lane::copy: copying_.finish_job(static_cast<CopyJob&>(*job)); break;
    case Lane::tidy: tidying_.finish_job(static_cast<TidyJob&>(*job)); break;
    case Lane::scrub: scrubbing_.finish_job(static_cast<ScrubJob const&>(*job)); break;
  }
}

// ---------------------------------------------------------------------------
// Figures

ByteFigures ByteFiles::figures() const {
  ByteFigures out = context_.figures;
  out.files = files_.all().size();
  out.staged_bytes = staging_.bytes();
  for (auto const& [number, file] : files_.all()) {
    out.file_bytes += file.end;
    out.named_bytes += file.named_bytes;
  }
  for (Extent const& extent : promised_.extents()) out.promised_bytes += extent.size();
  return out;
}

void ByteFiles::metrics(MetricSink& sink) const {
  ByteFigures const out = figures();
  if (out.files != 0 || out.stored_bytes != 0) tell_figures(out, sink);
}

}  // namespace fastjournal::storage
