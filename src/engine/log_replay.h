// Hands the records of a log that is being opened to the engine: the connection of storage and core at the start, the
// same in the daemon and in the simulator.
#pragma once

#include <functional>
#include <utility>

#include "engine/engine.h"
#include "log/file/record_handler.h"

namespace fastjournal::engine {

class LogReplay final : public log::file::RecordHandler {
 public:
  using Progress = std::function<void(log::file::ReadProgress const&)>;

  using Check = std::function<Status()>;

  // `progress` is called every MiB or so. `check` is called when the log was read, before anything is written to it.
  // Either may be empty.
  LogReplay(Engine& engine, HostedLog& log, Progress progress = {}, Check check = {})
      : engine_(engine), log_(log), progress_(std::move(progress)), check_(std::move(check)) {}

  void on_store(std::uint64_t store_id) override { log_.store_id = store_id; }
  [[nodiscard]] bool wants_catalogue_first() const override { return true; }
  Status on_catalogue(RecordView const& record) override { return engine_.recovery().replay_catalogue(log_, record); }
  Status on_record(RecordView const& record, Lsn base) override {
    return engine_.recovery().replay(log_, record, base);
  }
  void on_soon(RecordView const& record) override { engine_.recovery().prefetch(log_, record); }
  Status on_read() override { return check_ ? check_() : Status{}; }
  void on_progress(log::file::ReadProgress const& progress) override {
    if (progress_) progress_(progress);
  }

 private:
  Engine& engine_;
  HostedLog& log_;
  Progress progress_;
  Check check_;
};

}  // namespace fastjournal::engine
