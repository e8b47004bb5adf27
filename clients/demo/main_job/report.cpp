#include "clients/demo/main_job/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "clients/demo/main_job/documents.h"

namespace fastjournal::main_job {
namespace {

// Limit of findings shown per list.
constexpr std::size_t kShown = 5;

double rows_per_second(Outcome const& outcome) {
  return outcome.seconds > 0 ? static_cast<double>(outcome.counts.done) / outcome.seconds : 0;
}

std::string megabytes(std::uint64_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

std::string milliseconds(std::uint64_t us) { return fmt::format("{:.2f} ms", static_cast<double>(us) / 1e3); }

// A hit's URI in a form that a person can open.
std::string place_of(Hit const& hit) {
  auto const path = path_of(hit.uri);
  return path.ok() ? path.value().string() : hit.uri;
}

void add_findings(std::vector<std::string>& wrong, std::string_view what, std::vector<std::string> const& findings) {
  if (findings.empty()) return;
  std::string text = fmt::format("{} {}:", findings.size(), what);
  for (std::size_t i = 0; i < findings.size() && i < kShown; ++i) text += "\n    " + findings[i];
  if (findings.size() > kShown) text += fmt::format("\n    and {} more", findings.size() - kShown);
  wrong.push_back(text);
}

class Table {
 public:
  void line(std::string_view name, std::string const& value, std::string_view remark = {}) {
    text_ += fmt::format("  {:<18}{:>12}{}{}\n", name, value, remark.empty() ? "" : "  ", remark);
  }
  void line(std::string_view name, std::uint64_t value, std::string_view remark = {}) {
    line(name, fmt::format("{}", value), remark);
  }
  void gap() { text_ += "\n"; }
  [[nodiscard]] std::string const& text() const { return text_; }

 private:
  std::string text_;
};

// The others made a row.
std::uint64_t merged(Outcome const& outcome) {
  std::uint64_t const rows = outcome.counts.done + outcome.counts.parked;
  return outcome.counts.saved - std::min(outcome.counts.saved, rows);
}

void add_outage(Table& table, Outcome const& outcome) {
  Outage const& outage = outcome.outage;
  table.line("daemon stopped", fmt::format("{:.1f} s", outage.seconds),
             fmt::format("by kill -9; {} changes were saved meanwhile: p99 {}, the slowest {}", outage.saves.count,
                         milliseconds(outage.saves.p99_us), milliseconds(outage.saves.slowest_us)));
  table.line("caught up", fmt::format("{:.1f} s", outage.caught_up_seconds),
             "after its return, with the forwarder's pause: all that was saved before is with the daemon");
  table.line("forwarded", outcome.forwarder.confirmed,
             fmt::format("changes; {} sent, {} set aside, {} bytes damaged", outcome.forwarder.sent,
                         outcome.forwarder.set_aside, outcome.forwarder.damaged_bytes));
}

void add_lateness(Table& table, Outcome const& outcome) {
  table.line("lateness p50", milliseconds(outcome.daemon.lateness_us_p50),
             "due -> message written, as the daemon measures it");
  table.line("lateness p99", milliseconds(outcome.daemon.lateness_us_p99),
             fmt::format("over {} wake-ups until it was killed", outcome.daemon.wakes));
  if (outcome.lateness.count() == 0) return;
  table.line("received p50", milliseconds(outcome.lateness.percentile(50)), "due -> message read by the backend");
  table.line(
      "received p99", milliseconds(outcome.lateness.percentile(99)),
      fmt::format("over {} messages, also of rows that were due while there was no daemon", outcome.lateness.count()));
}

void add_work(Table& table, Outcome const& outcome) {
  Counts const& counts = outcome.counts;
  table.line("pages", counts.pages,
             fmt::format("{} finished; {} of text read", counts.finished, megabytes(counts.bytes)));
  table.line("saved", counts.saved,
             fmt::format("changes, each by one append to the spool: p99 {}, the slowest {}",
                         milliseconds(outcome.saves.p99_us), milliseconds(outcome.saves.slowest_us)));
  table.line("merged", merged(outcome), "changes into a row that waited");
  table.line("done", counts.done, "rows");
  if (counts.parked > 0)
    table.line("parked", counts.parked, "documents that could not be read; in doubt see the backends' output");
  table.line("timed out", outcome.verdict.timed_out,
             outcome.killed.empty()
                 ? std::string{"no backend was caught with a row in hand, so none was killed"}
                 : fmt::format("leased rows; {} was killed with {} in hand", outcome.killed, outcome.killed_rows));
  table.line("handed out again", outcome.verdict.came_back,
             outcome.verdict.folded == 0
                 ? std::string{}
                 : fmt::format("{} more went into a newer row of their page", outcome.verdict.folded));
  table.line("lost", outcome.verdict.lost.size(), "pages with fewer changes done than saved");
  table.line("double", outcome.verdict.doubled.size(),
             "pages with more changes done than saved, or leased to two at once, by id and epoch");
}

std::string index_text(Outcome const& outcome) {
  std::string text = fmt::format("\n  index  {} pages, {}; the best for `{}`:\n", outcome.index_pages,
                                 megabytes(outcome.index_bytes), outcome.query);
  for (Hit const& hit : outcome.hits)
    text += fmt::format("\n    {}\n      {}\n      {}\n", place_of(hit), hit.title, hit.snippet);
  return text;
}

}  // namespace

std::vector<std::string> what_is_wrong(Outcome const& outcome) {
  std::vector<std::string> wrong;
  add_findings(wrong, "lost", outcome.verdict.lost);
  add_findings(wrong, "double", outcome.verdict.doubled);
  add_findings(wrong, "not in the index although done", outcome.index_missing);
  if (outcome.counts.pages != outcome.pages_wanted)
    wrong.push_back(fmt::format("{} of {} pages were saved", outcome.counts.pages, outcome.pages_wanted));
  if (outcome.hits.empty()) wrong.push_back(fmt::format("the index answers nothing to `{}`", outcome.query));
  std::uint64_t const back = outcome.verdict.came_back + outcome.verdict.folded;
  if (back < outcome.verdict.timed_out)
    wrong.push_back(
        fmt::format("{} leases ended without DONE, but only {} rows came back", outcome.verdict.timed_out, back));
  if (outcome.outage.seconds == 0) wrong.emplace_back("the daemon was not stopped in the middle");
  if (outcome.forwarder.set_aside > 0)
    wrong.push_back(fmt::format("the forwarder set {} changes aside", outcome.forwarder.set_aside));
  if (outcome.forwarder.damaged_bytes > 0)
    wrong.push_back(fmt::format("{} bytes of the spool are damaged", outcome.forwarder.damaged_bytes));
  if (outcome.forwarder.confirmed != outcome.counts.saved || outcome.forwarder.waiting_bytes > 0)
    wrong.push_back(fmt::format("of {} changes saved the forwarder brought {} over, and {} bytes wait",
                                outcome.counts.saved, outcome.forwarder.confirmed, outcome.forwarder.waiting_bytes));
  if (outcome.daemon.rows_left != outcome.daemon.rows_parked)
    wrong.push_back(fmt::format("{} rows are left in the daemon, {} of them parked", outcome.daemon.rows_left,
                                outcome.daemon.rows_parked));
  wrong.insert(wrong.end(), outcome.problems.begin(), outcome.problems.end());
  return wrong;
}

std::string table_of(Outcome const& outcome) {
  Table table;
  table.gap();
  add_work(table, outcome);
  table.gap();
  add_outage(table, outcome);
  table.gap();
  table.line(
      "rows/s", fmt::format("{:.0f}", rows_per_second(outcome)),
      fmt::format("over {:.1f} s, first save to last DONE, the time without a daemon included; {} in the best second",
                  outcome.seconds, outcome.best_second));
  add_lateness(table, outcome);
  std::string text = table.text() + index_text(outcome) + "\n";
  std::vector<std::string> const wrong = what_is_wrong(outcome);
  if (wrong.empty()) return text + "  Nothing was lost, nothing was done twice, and the index has every page.\n";
  text += "  NOT RIGHT:\n";
  for (std::string const& what : wrong) text += "  - " + what + "\n";
  return text;
}

std::string json_of(Outcome const& outcome) {
  Counts const& counts = outcome.counts;
  std::vector<std::string> const wrong = what_is_wrong(outcome);
  nlohmann::json hits = nlohmann::json::array();
  for (Hit const& hit : outcome.hits)
    hits.push_back({{"path", place_of(hit)}, {"title", hit.title}, {"snippet", hit.snippet}});
  nlohmann::json const object{
      {"ok", wrong.empty()},
      {"wrong", wrong},
      {"pages", counts.pages},
      {"saved", counts.saved},
      {"save_us", {{"p99", outcome.saves.p99_us}, {"slowest", outcome.saves.slowest_us}}},
      {"merged", merged(outcome)},
      {"leased", counts.leased},
      {"done", counts.done},
      {"parked", counts.parked},
      {"refused", counts.refused},
      {"timed_out", outcome.verdict.timed_out},
      {"handed_out_again", outcome.verdict.came_back},
      {"folded", outcome.verdict.folded},
      {"lost", outcome.verdict.lost.size()},
      {"double", outcome.verdict.doubled.size()},
      {"killed", outcome.killed},
      {"killed_rows", outcome.killed_rows},
      {"daemon_stopped",
       {{"seconds", outcome.outage.seconds},
        {"saved", outcome.outage.saves.count},
        {"save_us", {{"p99", outcome.outage.saves.p99_us}, {"slowest", outcome.outage.saves.slowest_us}}},
        {"caught_up_seconds", outcome.outage.caught_up_seconds}}},
      {"forwarder",
       {{"sent", outcome.forwarder.sent},
        {"confirmed", outcome.forwarder.confirmed},
        {"set_aside", outcome.forwarder.set_aside},
        {"damaged_bytes", outcome.forwarder.damaged_bytes},
        {"waiting_bytes", outcome.forwarder.waiting_bytes}}},
      {"seconds", outcome.seconds},
      {"rows_per_s", rows_per_second(outcome)},
      {"best_second", outcome.best_second},
      {"lateness_us",
       {{"p50", outcome.daemon.lateness_us_p50},
        {"p99", outcome.daemon.lateness_us_p99},
        {"wakes", outcome.daemon.wakes}}},
      {"received_us",
       {{"p50", outcome.lateness.percentile(50)},
        {"p99", outcome.lateness.percentile(99)},
        {"messages", outcome.lateness.count()}}},
      {"durability", outcome.daemon.durability},
      {"index",
       {{"pages", outcome.index_pages}, {"bytes", outcome.index_bytes}, {"query", outcome.query}, {"hits", hits}}},
  };
  // File names and texts may contain anything: bytes that are not UTF-8 are replaced, without an exception.
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace fastjournal::main_job
