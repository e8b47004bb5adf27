#include "log/file/flush.h"

namespace fastjournal::log::file {

void Flush::sync() {
  for (std::shared_ptr<env::File> const& file : files_) {
    status_ = file->sync();
    if (!status_.ok()) return;
  }
  tell();
}

void Flush::tell() {
  auto const& [newest, what, durably] = covered_.newest;
  if (newest == nullptr) return;
  status_ = durably ? newest->write(what) : newest->write_unsynced(what);
}

void Flush::run() {
  std::int64_t const begin_us = clock_ == nullptr ? 0 : clock_->monotonic_us();
  sync();
  if (clock_ != nullptr) took_us_ = clock_->monotonic_us() - begin_us;
}

void SyncTimes::add(std::int64_t took_us) {
  if (took_us < 0) return;
  all_.add(static_cast<std::uint64_t>(took_us));
  bool& place = was_slow_[next_];
  next_ = (next_ + 1) % kWindow;
  if (place) --slow_ones_;
  place = took_us >= kSlowUs;
  if (place) ++slow_ones_;
  if (slow_ones_ >= kSlowOfWindow) slow_ = true;
  if (slow_ones_ == 0) slow_ = false;
}

}  // namespace fastjournal::log::file
