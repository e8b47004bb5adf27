// The forwarder as a program: folder, daemons, alerts and reports around spool::Forwarder, and one wait for all of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clients/programs/forwarder/alerts.h"
#include "clients/programs/forwarder/link.h"
#include "clients/programs/forwarder/options.h"
#include "clients/programs/forwarder/report.h"
#include "clients/programs/forwarder/wakes.h"
#include "clients/spool/core/forwarder.h"
#include "clients/spool/core/posix_folder.h"
#include "platform/alerts/alert_sender.h"

namespace fastjournal::forwarder {

class Service {
 public:
  explicit Service(Options options);
  ~Service();

  // Makes and locks the folder, and reads what an earlier forwarder kept. in_use: another one runs.
  [[nodiscard]] Status prepare();
  // Until a signal, or the end of --once. The value is the exit status.
  [[nodiscard]] int serve();

 private:
  void wait();
  void take_signals();
  void publish(bool is_last);
  void tell(Report const& report, TimeMs now);
  void note_changes(Report const& report);
  [[nodiscard]] Report report() const;
  [[nodiscard]] std::vector<Cause> causes(Report const& report, TimeMs now);
  [[nodiscard]] bool is_news_of_lines();
  [[nodiscard]] bool is_drained() const;

  Options const options_;
  TimeMs const since_;
  std::unique_ptr<spool::PosixFolder> folder_;
  std::unique_ptr<DaemonLink> link_;
  std::unique_ptr<spool::Forwarder> forwarder_;
  std::unique_ptr<Wakes> wakes_;
  std::unique_ptr<env::Disk> flags_;
  std::unique_ptr<alerts::AlertSender> alert_sender_;
  AlertDesk desk_;
  TimeMs next_report_{};
  std::string reported_;           // as it was written last, without its date
  std::vector<std::string> said_;  // of each daemon, in the log
  std::vector<bool> up_;           // each daemon, as it was last asked
  TimeMs away_since_{};
  TimeMs failed_at_{};
  std::string failure_;  // of the folder, then
  TimeMs damaged_at_{};
  std::uint64_t failures_{0};
  std::uint64_t damaged_bytes_{0};
  bool is_changed_{true};  // the folder, since the last run
  bool is_stopping_{false};
};

}  // namespace fastjournal::forwarder
