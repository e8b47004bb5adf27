#include "log/file/read_ahead.h"

#include <algorithm>

namespace fastjournal::log::file {

namespace {

// Large enough for the rotation to cost nothing, small enough for a processor's caches.
constexpr std::uint64_t kReadWindowBytes = 4U << 20U;
constexpr std::uint64_t kPieceBytes = 512U << 10U;
// How far ahead the kernel is asked to read. Its own read-ahead ends at 128 KiB, and a start from an empty cache took
// twice as long with it.
constexpr std::uint64_t kExpectedBytes = 16U << 20U;

}  // namespace

ReadAhead::ReadAhead(env::Workers& workers, SegmentRun const& run, Lsn from, Lsn until)
    : workers_(workers),
      run_(run),
      store_id_(run.segments.front()->header.store_id),
      until_(std::min(until, run.limit)),
      at_(from) {
  prepare(windows_[0], from, 0);
  workers_.begin(windows_[0].read.size(), [this](std::size_t i) { read_piece(windows_[0], i); });
  workers_.finish();
  find_batches(windows_[0]);
  begin(windows_[0], windows_[1]);
  workers_.finish();
  find_batches(windows_[1]);
  begin(windows_[1], windows_[2]);
}

ReadAhead::~ReadAhead() { workers_.finish(); }

Result<std::optional<ReadAhead::Batch>> ReadAhead::next() {
  while (taken_ == windows_[current_].batches.size() && !windows_[current_].is_last) turn();
  Window const& window = windows_[current_];
  if (taken_ == window.batches.size() || window.intact[taken_] == 0) {
    for (Status const& status : window.read)
      if (!status.ok()) return status;
    return std::optional<Batch>{};
  }
  BatchHeader const& header = window.batches[taken_++];
  at_ = header.end();
  return std::optional<Batch>{Batch{header, window.batch(header)}};
}

void ReadAhead::turn() {
  workers_.finish();
  std::size_t const following = (current_ + 2) % windows_.size();
  find_batches(windows_[following]);
  std::size_t const used = current_;
  current_ = (current_ + 1) % windows_.size();
  taken_ = 0;
  begin(windows_[following], windows_[used]);
}

void ReadAhead::begin(Window& check, Window& read) {
  // Nothing is read after the last window, and the bytes of an earlier rotation must not be used.
  prepare(read, check.is_last ? run_.end() : check.end, check.next_bytes);
  std::size_t const checks = check.pieces.size();
  if (checks + read.read.size() == 0) return;
  workers_.begin(checks + read.read.size(), [this, &check, &read, checks](std::size_t i) {
    if (i < checks)
      check_piece(check, i);
    else
      read_piece(read, i - checks);
  });
}

void ReadAhead::prepare(Window& window, Lsn at, std::uint64_t bytes_least) {
  window.at = window.end = at;
  std::uint64_t const wanted = until_ > at ? until_.value - at.value : 0;
  std::uint64_t const usual = std::clamp(wanted / run_.block() * run_.block(), kPieceBytes, kReadWindowBytes);
  window.bytes = std::min(run_.end().value - at.value, std::max(usual, bytes_least));
  // The memory of a rare large batch is freed.
  std::size_t const bytes = window.memory.size();
  if (bytes < window.bytes || bytes > 2 * kReadWindowBytes)
    window.memory = LargeMemory{static_cast<std::size_t>(window.bytes)};
  window.read.assign((window.bytes + kPieceBytes - 1) / kPieceBytes, {});
  window.batches.clear();
  window.intact.clear();
  window.pieces.clear();
  window.next_bytes = 0;
  window.is_last = false;
  bytes_read_ += window.bytes;
}

void ReadAhead::read_piece(Window& window, std::size_t number) const {
  std::uint64_t const from = number * kPieceBytes;
  std::uint64_t const bytes = std::min(kPieceBytes, window.bytes - from);
  Lsn const ahead{window.at.value + from + kExpectedBytes};
  if (ahead < until_) run_.expect(ahead, bytes);
  window.read[number] = run_.read(Lsn{window.at.value + from}, {window.memory.data() + from, bytes});
}

// Follows the lengths from batch to batch. A wrong length leads to a place that is not a batch or fails its own check;
// both are handled at the end of the batch before.
void ReadAhead::find_batches(Window& window) {
  bool const all_read = std::all_of(window.read.begin(), window.read.end(), [](Status const& s) { return s.ok(); });
  Lsn const read_to{window.at.value + (all_read ? window.bytes : 0)};
  std::uint64_t piece_bytes = kPieceBytes;
  while (window.end < run_.limit && window.end < read_to) {
    FoundSegment const& segment = *run_.segment_at(window.end);
    std::span<std::byte const> const head{window.memory.data() + (window.end.value - window.at.value),
                                          kBatchHeaderBytes};
    auto const header = decode_batch(head, window.end, segment.header.generation, segment.header.block);
    if (!header || header->end() > run_.end()) break;
    if (header->end() > read_to) {
      window.next_bytes = header->length;
      break;
    }
    if (piece_bytes >= kPieceBytes) {
      window.pieces.push_back(window.batches.size());
      piece_bytes = 0;
    }
    piece_bytes += header->length;
    window.batches.push_back(*header);
    window.end = header->end();
  }
  window.intact.assign(window.batches.size(), 0);
  bool const found_no_batch = window.end < read_to && window.next_bytes == 0;
  window.is_last = !all_read || found_no_batch || window.end >= until_;
}

void ReadAhead::check_piece(Window& window, std::size_t number) const {
  std::size_t const end = number + 1 < window.pieces.size() ? window.pieces[number + 1] : window.batches.size();
  for (std::size_t i = window.pieces[number]; i < end; ++i)
    window.intact[i] = is_intact(window.batches[i], store_id_, window.batch(window.batches[i])) ? 1 : 0;
}

}  // namespace fastjournal::log::file
