#include "clients/programs/forwarder/report.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace fastjournal::forwarder {
namespace {

// One list for both forms.
struct Figure {
  std::string_view name;
  std::uint64_t spool::ForwarderFigures::*value;
  bool is_counter;
  std::string_view unit;  // of the metric's name
  std::string_view help;
};

constexpr Figure kFigures[] = {
    {"sent", &spool::ForwarderFigures::sent, true, "rows", "Rows sent to a daemon; again counts again."},
    {"confirmed", &spool::ForwarderFigures::confirmed, true, "rows", "Rows that are durable at a daemon."},
    {"held", &spool::ForwarderFigures::held, true, "rows",
     "Rows put aside for a while, as no daemon took their table."},
    {"set_aside", &spool::ForwarderFigures::set_aside, true, "rows", "Rows that no daemon will ever take."},
    {"redated", &spool::ForwarderFigures::redated, true, "rows",
     "Rows sent again without their insertion_date, as this computer's clock is ahead of the daemon's."},
    {"damaged_bytes", &spool::ForwarderFigures::damaged_bytes, true, "bytes", "Bytes that were no rows, passed over."},
    {"failures", &spool::ForwarderFigures::failures, true, "calls", "Calls of the spool folder that failed."},
    {"files", &spool::ForwarderFigures::files, false, "", "Files of rows."},
    {"tables_held", &spool::ForwarderFigures::tables_held, false, "", "Tables whose rows no daemon takes now."},
    {"in_flight", &spool::ForwarderFigures::in_flight, false, "", "Rows that were sent and have no answer."},
    {"waiting_bytes", &spool::ForwarderFigures::waiting_bytes, false, "", "Bytes of files that are not settled."},
};

// Bytes that are no UTF-8 become U+FFFD: paths and names may be anything.
std::string dump(nlohmann::ordered_json const& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string label_text(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string json_of(Report const& report) {
  nlohmann::ordered_json out{{"format", 1},
                             {"process", report.process},
                             {"date", report.date.value},
                             {"since", report.since.value},
                             {"servers", nlohmann::ordered_json::array()}};
  for (ServerReport const& server : report.servers)
    out["servers"].push_back({{"address", server.address},
                              {"state", server.state},
                              {"since", server.since.value},
                              {"problem", server.problem}});
  for (Figure const& figure : kFigures) out["figures"][std::string{figure.name}] = report.figures.*figure.value;
  if (!report.problem.ok())
    out["problem"] = {{"code", row_of(report.problem.code()).wire_name}, {"message", report.problem.message()}};
  out["held"] = nlohmann::ordered_json::array();
  for (spool::HeldTable const& held : report.held)
    out["held"].push_back({{"table", held.table},
                           {"code", row_of(held.reason.code()).wire_name},
                           {"message", held.reason.message()},
                           {"next_try", held.next_try.value}});
  return dump(out) + "\n";
}

std::string metrics_of(Report const& report, std::string_view folder) {
  std::string out;
  std::string const labels = fmt::format("{{spool=\"{}\"}}", label_text(folder));
  for (Figure const& figure : kFigures) {
    std::string_view const base = figure.name == "damaged_bytes" ? "damaged" : figure.name;
    std::string const name = fmt::format("fastjournal_spool_{}{}{}{}", base, figure.unit.empty() ? "" : "_",
                                         figure.unit, figure.is_counter ? "_total" : "");
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n{}{} {}\n", name, figure.help, name,
                       figure.is_counter ? "counter" : "gauge", name, labels, report.figures.*figure.value);
  }
  std::string_view const written = "fastjournal_spool_written_timestamp_seconds";
  out += fmt::format("# TYPE {} gauge\n# HELP {} When this was written.\n{}{} {}.{:03}\n", written, written, written,
                     labels, report.date.value / 1000, report.date.value % 1000);
  out += "# TYPE fastjournal_spool_connected gauge\n# HELP fastjournal_spool_connected 1: this daemon takes rows.\n";
  for (ServerReport const& server : report.servers)
    out += fmt::format("fastjournal_spool_connected{{spool=\"{}\",server=\"{}\"}} {}\n", label_text(folder),
                       label_text(server.address), server.state == "connected" ? 1 : 0);
  return out;
}

}  // namespace fastjournal::forwarder
