// Services that the server needs from the program around it: the daemon implements them with files and signals, the
// simulator with values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/engine.h"
#include "core/log_store.h"
#include "fastjournal/status.h"

namespace fastjournal::server {

class ServerHost {
 public:
  virtual ~ServerHost() = default;
  // The tables folder as it is now; not ok: every mistake in it.
  [[nodiscard]] virtual Result<core::Declarations> read_declarations() = 0;
  // Finish this turn, then end cleanly.
  virtual void stop(std::string_view reason) = 0;
  // The same, and the supervisor starts us again.
  virtual void restart(std::string_view reason) = 0;
  // The log file is opened again. Not ok: the old one stays in use.
  [[nodiscard]] virtual Status rotate_log() = 0;
  // A write or sync failed: nothing more is acknowledged; end at once.
  virtual void fatal(Status const& status) = 0;
  // Runs it, on another thread if there is one, then gives it back to log.finish_job on the
  // thread of the loop: at once, or in a later collect_work. Either way another turn follows. A job of Lane::sync waits
  // for no other job, and for none of another log.
  virtual void run_job(core::LogStore& log, core::Lane lane, std::unique_ptr<core::LogJob> job) = 0;
  // Returns when the log's job of Lane::sync has been given back; at once if none is out.
  virtual void wait_for_sync(core::LogStore& log) = 0;
  // Called once a turn: gives back finished work.
  virtual void collect_work() = 0;
  // Appends `text`, whole lines, to the file of messages that this table refused but confirmed. When that is durable,
  // or has failed, Server::refused_kept is called with the ticket, on the thread of the loop: at once, or in a later
  // collect_work.
  virtual void keep_refused(std::string_view table, std::string text, std::uint64_t ticket) = 0;
  // An alert was raised, repeated or lowered, durably: for flag files, a command, and the log.
  virtual void tell(core::AlertNotice const& notice) = 0;
  // Memory has run out, and the reserve for it is in use: nothing that needs more may be begun.
  [[nodiscard]] virtual bool has_memory_ended() { return false; }
  // Tries to refill the reserve; true if it is full.
  [[nodiscard]] virtual bool restore_memory() { return true; }
  // The absolute path of the folders of the logs.
  [[nodiscard]] virtual std::string data_folder() const = 0;
  // A line in the daemon's log: a warning; information.
  virtual void note(std::string_view text) = 0;
  virtual void inform(std::string_view text) = 0;
};

}  // namespace fastjournal::server
