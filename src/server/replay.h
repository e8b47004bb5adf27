// Hands the records of a log that is being opened to the engine: the joint of
// storage and core at the start, the same in the daemon and in the simulator.
#pragma once

#include "core/engine.h"
#include "storage/log_reader.h"

namespace fastjournal::server {

class Replay final : public storage::RecordHandler {
 public:
  Replay(core::Engine& engine, core::HostedLog& log) : engine_(engine), log_(log) {}

  [[nodiscard]] bool wants_catalogue_first() const override { return true; }
  Status on_catalogue(RecordView const& record) override { return engine_.replay_catalogue(log_, record); }
  Status on_record(RecordView const& record, Lsn base) override { return engine_.replay(log_, record, base); }

 private:
  core::Engine& engine_;
  core::HostedLog& log_;
};

}  // namespace fastjournal::server
