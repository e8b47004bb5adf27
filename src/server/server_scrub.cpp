// Scrubbing of the logs: when the next step is due, and the alert about its results. The layer storage does the
// reading.
#include <algorithm>
#include <string>

#include "server/server.h"

namespace fastjournal::server {
namespace {

constexpr std::string_view kLogDamaged = "log-damaged";
// At most 50 MiB a second, whatever the size of the log, so that the disk stays usable.
constexpr std::int64_t kStepEveryUs = 20'000;

}  // namespace

// The steps of a round are spread evenly over its time.
void Server::scrub_log(ServedLog& served) {
  storage::FileLog& log = *served.log;
  tell_damage(served);
  std::int64_t const now_us = time_.monotonic_us();
  if (now_us < served.scrub_at_us) return;
  std::int64_t const span_us = static_cast<std::int64_t>(log.options().scrub_ms) * 1000;
  if (log.scrub_report().round_total == 0) served.scrub_round_us = now_us;
  if (std::unique_ptr<storage::Chore> step = log.take_scrub()) host_.run_chore(log, std::move(step));
  storage::ScrubReport const& report = log.scrub_report();
  double const part =
      report.round_total == 0
          ? 1.0
          : std::min(1.0, static_cast<double>(report.round_done) / static_cast<double>(report.round_total));
  served.scrub_at_us = std::max(now_us + kStepEveryUs,
                                served.scrub_round_us + static_cast<std::int64_t>(part * static_cast<double>(span_us)));
}

void Server::tell_damage(ServedLog& served) {
  storage::FileLog& log = *served.log;
  storage::ScrubReport const& report = log.scrub_report();
  if (report.damaged != served.damaged_told) {
    served.damaged_told = report.damaged;
    served.mending = true;
    raise_alert(
        kLogDamaged, 90,
        "what was durable cannot be read back: " + report.last_damage +
            ". Its rows are still in memory, and are written again elsewhere in the log; do not stop the daemon "
            "before its log says that this is done, or its next start is refused. Check the disk, and make a "
            "backup (fastjournal backup)",
        "log,manual");
  }
  if (!served.mending) return;
  // The next commit reports the error.
  static_cast<void>(log.mend());
  if (log.is_damaged()) {
    served.scrub_at_us = std::min(served.scrub_at_us, time_.monotonic_us() + kStepEveryUs);
    return;
  }
  served.mending = false;
  host_.note("log " + log.options().name +
             ": what the damaged place held stands elsewhere now; the next start does not need it");
}

}  // namespace fastjournal::server
