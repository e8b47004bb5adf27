#include "tests/support/spool/sim_producer.h"

#include <utility>

#include "base/check.h"

namespace fastjournal::sim {

void SimProducer::save(std::function<std::string(spool::Seed)> make_record) {
  FJ_CHECK(stage_ == Stage::idle, "a producer saves one row after the other");
  make_record_ = std::move(make_record);
  written_.reset();
  stage_ = Stage::opens;
  number_ = 0;
}

bool SimProducer::fits(std::int64_t now_s) const {
  return file_ && spool::begin_of_period(now_s, rules_.period_s) == begin_s_;
}

std::optional<Status> SimProducer::over(Status status) {
  stage_ = Stage::idle;
  return status;
}

std::optional<Status> SimProducer::step(std::int64_t now_s) {
  switch (stage_) {
    case Stage::idle: return Status{};
    case Stage::opens:
      if (fits(now_s)) {
        stage_ = Stage::writes;
        return std::nullopt;
      }
      if (number_ == 0) {
        leave();
        begin_s_ = spool::begin_of_period(now_s, rules_.period_s);
      }
      opened_ = folder_.open({begin_s_, number_});
      if (opened_)
        stage_ = Stage::locks;
      else
        ++number_;
      return std::nullopt;
    case Stage::locks: {
      spool::Instance const file = *std::exchange(opened_, std::nullopt);
      stage_ = Stage::opens;
      SimFolder::File const* const look = folder_.find(file);
      if (look == nullptr) return std::nullopt;  // deleted meanwhile
      if (!folder_.lock(file)) {
        ++number_;
        return std::nullopt;
      }
      if (!look->is_writable || look->bytes.size() >= rules_.file_bytes_max) {
        folder_.unlock(file);
        ++number_;
        return std::nullopt;
      }
      file_ = file;
      if (look->bytes.empty())
        stage_ = Stage::begins;
      else
        take_file();
      return std::nullopt;
    }
    case Stage::begins: {
      // Another one may have done the same: the first head counts.
      if (Status status = folder_.append(*file_, folder_.draw_head()); !status.ok()) {
        leave();
        return over(std::move(status));
      }
      take_file();
      return std::nullopt;
    }
    case Stage::writes: {
      Status status;
      write(SIZE_MAX, status);
      if (!status.ok()) return over(std::move(status));
      stage_ = Stage::looks;
      return std::nullopt;
    }
    case Stage::looks: {
      SimFolder::File const* const look = folder_.find(*file_);
      if (look == nullptr) {  // deleted while it was written: into the next one
        leave();
        stage_ = Stage::opens;
        number_ = 0;
        return std::nullopt;
      }
      bool const is_over = !look->is_writable || look->bytes.size() >= rules_.file_bytes_max;
      if (rules_.sync_each) folder_.sync_file(*file_);
      if (is_over) leave();
      return over({});
    }
  }
  return Status{};
}

void SimProducer::take_file() {
  std::optional<spool::Seed> const seed = folder_.seed_of(*file_);
  if (seed) {
    seed_ = *seed;
    stage_ = Stage::writes;
    return;
  }
  leave();
  ++number_;
  stage_ = Stage::opens;
}

void SimProducer::write(std::size_t most, Status& status) {
  written_ = Written{*file_, folder_.files().at(*file_).bytes.size(), make_record_(seed_), seed_};
  status = folder_.append(*file_, written_->record, most);
}

Status SimProducer::finish(std::int64_t now_s) {
  for (;;)
    if (std::optional<Status> status = step(now_s)) return std::move(*status);
}

void SimProducer::die(std::size_t most) {
  if (stage_ == Stage::begins && most > 0) static_cast<void>(folder_.append(*file_, folder_.draw_head(), most));
  if (stage_ == Stage::writes && most > 0) {
    Status ignored;
    write(most, ignored);
  }
  stage_ = Stage::idle;
  opened_.reset();
  leave();
}

void SimProducer::lose_power() {
  stage_ = Stage::idle;
  opened_.reset();
  file_.reset();
}

void SimProducer::leave() {
  if (file_) folder_.unlock(*file_);
  file_.reset();
}

void SimProducer::sync() {
  if (file_) folder_.sync_file(*file_);
}

}  // namespace fastjournal::sim
