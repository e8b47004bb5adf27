#include "clients/main_job/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "clients/main_job/documents.h"

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

void add_lateness(Table& table, Outcome const& outcome) {
  table.line("lateness p50", milliseconds(outcome.daemon.lateness_us_p50),
             "due -> message written, as the daemon measures it");
  table.line("lateness p99", milliseconds(outcome.daemon.lateness_us_p99),
             fmt::format("over {} wake-ups", outcome.daemon.wakes));
  if (outcome.lateness.count() == 0) return;
  table.line("received p50", milliseconds(outcome.lateness.percentile(50)), "due -> message read by the backend");
  table.line("received p99", milliseconds(outcome.lateness.percentile(99)),
             fmt::format("over {} messages", outcome.lateness.count()));
}

void add_work(Table& table, Outcome const& outcome) {
  Counts const& counts = outcome.counts;
  table.line("pages", counts.pages,
             fmt::format("{} finished; {} of text read", counts.finished, megabytes(counts.bytes)));
  table.line("inserted", counts.inserted + counts.behind,
             fmt::format("rows; {} of them behind a row in work", counts.behind));
  table.line("merged", counts.merged, "inserts into a row that waited");
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
  table.line("lost", outcome.verdict.lost.size(), "pages not done after their last insert, by id");
  table.line("double", outcome.verdict.doubled.size(), "rows done twice, or leased to two at once, by id and epoch");
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
    wrong.push_back(fmt::format("{} of {} pages were inserted", outcome.counts.pages, outcome.pages_wanted));
  if (outcome.hits.empty()) wrong.push_back(fmt::format("the index answers nothing to `{}`", outcome.query));
  std::uint64_t const back = outcome.verdict.came_back + outcome.verdict.folded;
  if (back < outcome.verdict.timed_out)
    wrong.push_back(
        fmt::format("{} leases ended without DONE, but only {} rows came back", outcome.verdict.timed_out, back));
  if (outcome.daemon.done != outcome.counts.done)
    wrong.push_back(
        fmt::format("the daemon counts {} rows done, the backends {}", outcome.daemon.done, outcome.counts.done));
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
  table.line(
      "rows/s", fmt::format("{:.0f}", rows_per_second(outcome)),
      fmt::format("over {:.1f} s, first insert to last DONE: as fast as the producer writes; {} in the best second",
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
      {"inserted", counts.inserted + counts.behind},
      {"behind", counts.behind},
      {"merged", counts.merged},
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
