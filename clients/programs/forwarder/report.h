// A forwarder's report about itself: a JSON object for `fastjournal spool status`, and figures for a scraper. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clients/spool/core/forwarder.h"
#include "fastjournal/types.h"

namespace fastjournal::forwarder {

struct ServerReport {
  std::string address;
  std::string_view state;  // "connected", "away", or "refused": it does not take our token or certificate
  TimeMs since{};
  std::string problem;
};

struct Report {
  std::int64_t process{0};
  TimeMs date{};
  TimeMs since{};  // start of this process
  std::vector<ServerReport> servers;
  spool::ForwarderFigures figures;
  Status problem;
  std::vector<spool::HeldTable> held;
};

// Dates are milliseconds since 1970:
//   {"format":1,"process":N,"date":N,"since":N,"servers":[{"address":"","state":"","since":N,"problem":""}],
//    "figures":{"sent":N,"confirmed":N,"held":N,"set_aside":N,"damaged_bytes":N,"failures":N,"files":N,
//               "tables_held":N,"in_flight":N,"waiting_bytes":N},
//    "problem":{"code":"","message":""},   absent if there is none
//    "held":[{"table":"","code":"","message":"","next_try":N}]}
[[nodiscard]] std::string json_of(Report const& report);

// The text format of Prometheus, which collectors of files read. The label `spool` is the folder.
[[nodiscard]] std::string metrics_of(Report const& report, std::string_view folder);

}  // namespace fastjournal::forwarder
