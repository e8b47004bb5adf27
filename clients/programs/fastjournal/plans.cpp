// The verbs `plan ...`: the plans of pipelines, read from their files. No daemon is asked.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "clients/programs/fastjournal/json_line.h"
#include "clients/programs/fastjournal/verbs.h"
#include "config/plan_reader.h"
#include "model/plan/crash.h"
#include "model/plan/destinations.h"
#include "model/plan/migration.h"

namespace fastjournal::cli {
namespace {

using plan::Destinations;
using plan::Plan;
using plan::StepIndex;

// Of one destination, for people and for scripts.
constexpr std::size_t kPathsShownMax = 4;
constexpr std::size_t kPathsMax = 100;

// Names, with this between them.
template <typename List>
std::string joined(List const& list, std::string_view between, std::function<std::string(std::size_t)> const& name) {
  std::string out;
  for (auto const one : list) out.append(out.empty() ? "" : between).append(name(static_cast<std::size_t>(one)));
  return out;
}

// A table for people: its messages borrow its cells.
struct Sheet {
  std::vector<std::string_view> names;
  std::vector<std::vector<std::string>> rows;

  [[nodiscard]] std::string text(Look const& look) const {
    std::vector<Message> lines(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t cell = 0; cell < names.size(); ++cell) lines[row].set(names[cell], rows[row][cell]);
    return render_table(lines, look);
  }
};

// One plan, explained.
class Explained {
 public:
  explicit Explained(Plan const& plan) : plan_(plan), destinations_(plan) {}

  void print(Console& console) const {
    console.out << fmt::format("plan {}, version {}, fault tolerance {}\n\n", plan_.name, plan_.version,
                               plan_.fault_tolerant ? "on" : "off")
                << steps().text(console.look) << '\n'
                << destinations().text(console.look);
    if (plan_.fault_tolerant)
      console.out << '\n' << crashes().text(console.look);
    else
      console.out << "\nA crash loses what was under way, until its source finds it changed.\n";
  }

  void print_json(Console& console) const {
    nlohmann::ordered_json out{
        {"plan", plan_.name}, {"version", plan_.version}, {"fault_tolerance", plan_.fault_tolerant}};
    out["steps"] = nlohmann::json::array();
    for (plan::Step const& step : plan_.steps) {
      nlohmann::ordered_json one{{"name", step.name},
                                 {"kind", step.is_source ? "source" : plan::word_of(plan::kKindWords, step.kind)},
                                 {"router", plan::word_of(plan::kRouterWords, step.router)},
                                 {"after", names_of(step.before)}};
      if (!step.is_source) one["effect"] = plan::word_of(plan::kEffectWords, step.effect);
      out["steps"].push_back(std::move(one));
    }
    out["destinations"] = nlohmann::json::array();
    for (plan::Destination const& one : destinations_.all()) {
      nlohmann::json paths = nlohmann::json::array();
      for (plan::Path const& path : paths_of(one, kPathsMax)) paths.push_back(names_of(path));
      out["destinations"].push_back({{"name", one.name},
                                     {"step", plan_.step(one.step).name},
                                     {"guarantee", guarantee_of(one.step)},
                                     {"sources", names_of(one.sources)},
                                     {"paths", std::move(paths)}});
    }
    out["crashes"] = nlohmann::json::array();
    for (StepIndex const step : plan::in_order(plan_)) {
      plan::Crash const crash = plan::crash_in(plan_, destinations_, step);
      out["crashes"].push_back({{"in", plan_.step(step).name},
                                {"runs_again", names_of(crash.again)},
                                {"passed", names_of(crash.skipped)},
                                {"sent_again", destinations_of(crash.sent_again)},
                                {"in_doubt", destinations_of(crash.in_doubt)}});
    }
    console.out << json_line(out);
  }

  // For Graphviz: sources as ovals, outputs as double boxes.
  void print_dot(Console& console) const {
    console.out << fmt::format("digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n",
                               plan_.name);
    for (plan::Step const& step : plan_.steps)
      console.out << fmt::format("  \"{0}\" [label=\"{0}\\n{1}\"{2}];\n", step.name, label_of(step),
                                 step.is_source     ? ", shape=oval"
                                 : step.is_output() ? ", peripheries=2"
                                                    : "");
    for (plan::Step const& step : plan_.steps)
      for (StepIndex const next : step.after)
        console.out << fmt::format(
            "  \"{}\" -> \"{}\"{};\n", step.name, plan_.step(next).name,
            step.router == plan::Router::none
                ? ""
                : fmt::format(" [label=\"{}\"]", plan::word_of(plan::kRouterWords, step.router)));
    console.out << "}\n";
  }

 private:
  [[nodiscard]] std::string label_of(plan::Step const& step) const {
    if (step.is_source) return "source";
    std::string out{plan::word_of(plan::kKindWords, step.kind)};
    if (step.is_output()) out.append(", ").append(plan::word_of(plan::kGuaranteeWords, step.guarantee));
    return out;
  }
  [[nodiscard]] std::string_view guarantee_of(StepIndex step) const {
    return plan::word_of(plan::kGuaranteeWords, plan_.step(step).guarantee);
  }
  [[nodiscard]] std::vector<std::string> names_of(std::vector<StepIndex> const& steps) const {
    std::vector<std::string> out;
    for (StepIndex const step : steps) out.push_back(plan_.step(step).name);
    return out;
  }
  [[nodiscard]] std::vector<std::string> destinations_of(std::vector<std::size_t> const& list) const {
    std::vector<std::string> out;
    for (std::size_t const one : list) out.push_back(destinations_.all()[one].name);
    return out;
  }
  [[nodiscard]] std::string text_of(std::vector<StepIndex> const& steps, std::string_view between = " ") const {
    return joined(steps, between, [&](std::size_t step) { return plan_.steps[step].name; });
  }
  [[nodiscard]] std::string text_of(std::vector<std::size_t> const& list) const {
    return joined(list, " ", [&](std::size_t one) { return destinations_.all()[one].name; });
  }

  // The ways whose copies arrive there.
  [[nodiscard]] std::vector<plan::Path> paths_of(plan::Destination const& one, std::size_t paths_max) const {
    std::vector<plan::Path> out = destinations_.paths_to(one.step, kPathsMax);
    std::erase_if(out, [&](plan::Path const& path) {
      return !plan_.step(one.step).any_path && destinations_.branches_of(path) != one.branches;
    });
    if (out.size() > paths_max) out.resize(paths_max);
    return out;
  }

  [[nodiscard]] Sheet steps() const {
    Sheet out{{"step", "kind", "effect", "router", "behind"}, {}};
    for (plan::Step const& step : plan_.steps)
      out.rows.push_back(
          {step.name, std::string{step.is_source ? "source" : plan::word_of(plan::kKindWords, step.kind)},
           std::string{step.is_source ? "" : plan::word_of(plan::kEffectWords, step.effect)},
           std::string{step.router == plan::Router::none ? "" : plan::word_of(plan::kRouterWords, step.router)},
           text_of(step.before)});
    return out;
  }
  [[nodiscard]] Sheet destinations() const {
    Sheet out{{"destination", "guarantee", "sources", "paths"}, {}};
    for (plan::Destination const& one : destinations_.all()) {
      std::vector<plan::Path> const paths = paths_of(one, kPathsShownMax + 1);
      std::string text;
      for (std::size_t at = 0; at < std::min(paths.size(), kPathsShownMax); ++at)
        text.append(at == 0 ? "" : "; ").append(text_of(paths[at], " > "));
      if (paths.size() > kPathsShownMax) text.append("; ...");
      out.rows.push_back({one.name, std::string{guarantee_of(one.step)}, text_of(one.sources), text});
    }
    return out;
  }
  [[nodiscard]] Sheet crashes() const {
    Sheet out{{"crash_in", "runs_again", "passed", "sent_again", "in_doubt"}, {}};
    for (StepIndex const step : plan::in_order(plan_)) {
      plan::Crash const crash = plan::crash_in(plan_, destinations_, step);
      out.rows.push_back({plan_.step(step).name, text_of(crash.again), text_of(crash.skipped),
                          text_of(crash.sent_again), text_of(crash.in_doubt)});
    }
    return out;
  }

  Plan const& plan_;
  Destinations destinations_;
};

// Indexed by plan::Carried::What.
constexpr std::string_view kWhatWords[] = {"kept", "merged", "new", "gone"};

std::string_view what_of(plan::Carried const& one) { return plan::word_of(kWhatWords, one.what); }

Sheet sheet_of(std::string_view heading, std::vector<plan::Carried> const& list) {
  Sheet out{{heading, "becomes", "what", "change"}, {}};
  for (plan::Carried const& one : list)
    out.rows.push_back({one.before, one.now, std::string{what_of(one)}, one.change});
  return out;
}

nlohmann::ordered_json json_of(std::vector<plan::Carried> const& list) {
  nlohmann::ordered_json out = nlohmann::json::array();
  for (plan::Carried const& one : list) {
    nlohmann::ordered_json next{{"what", what_of(one)}};
    if (!one.before.empty()) next["before"] = one.before;
    if (!one.now.empty()) next["now"] = one.now;
    if (!one.change.empty()) next["change"] = one.change;
    out.push_back(std::move(next));
  }
  return out;
}

// Problems of plans are the result of `plan check`; elsewhere only what was asked for is on standard output.
struct PlanAction {
  OptionSet& to;
  bool is_check;
  Flag strict{to, "--strict", "warnings are errors"};

  // Nothing: it was told why not.
  [[nodiscard]] std::optional<config::PlanFile> read(Call& call, std::string const& path) const {
    Result<config::PlanFile> file = config::read_plan(path);
    if (!file.ok()) {
      tell_malformed(call, file.status());
      return {};
    }
    if (!is_usable(call, path, file.value())) return {};
    return std::move(file).value();
  }
  [[nodiscard]] bool is_usable(Call& call, std::string const& path, config::PlanFile const& file) const {
    for (plan::Finding const& finding : file.findings) tell_finding(call, path, finding);
    return file.is_usable() && !(strict && !plan::is_usable(file.findings, true));
  }

  // Lines FILE:LINE: what.
  void tell_malformed(Call& call, Status const& status) const {
    if (!call.json) {
      call.console.err << printable_lines(status.message()) << '\n';
      return;
    }
    Message out;
    out.set("name", "malformed");
    out.set("severity", "error");
    out.set("problem", status.message());
    (is_check ? call.console.out : call.console.err) << render_json(out);
  }
  void tell_finding(Call& call, std::string const& path, plan::Finding const& finding,
                    std::string_view severity = {}) const {
    if (severity.empty()) severity = finding.is_warning ? "warning" : "error";
    if (!call.json) {
      std::string const line = finding.line == 0 ? std::string{} : fmt::format("{}:", finding.line);
      call.console.err << fmt::format("{}:{} {}: {}: {}\n", printable(path), line, severity, finding.name,
                                      printable(finding.what));
      return;
    }
    Message out;
    out.set("file", path);
    out.set_integer("line", finding.line);
    out.set("name", finding.name);
    out.set("severity", severity);
    out.set("problem", finding.what);
    (is_check ? call.console.out : call.console.err) << render_json(out);
  }
};

struct PlanFiles : PlanAction {
  WordList files{to, "FILE", "the plan's file, PLAN.xml", required};

  // False: at least one has errors.
  bool read_each(Call& call, std::function<void(std::string const& path, Plan const& plan)> const& take) const {
    bool all_good = true;
    for (std::string const& path : files) {
      std::optional<config::PlanFile> const file = read(call, path);
      all_good = all_good && file;
      if (file) take(path, *file->plan);
    }
    return all_good;
  }
};

struct PlanCheck : PlanFiles {
  ExitCode run(Call& call) {
    bool const all_good = read_each(call, [&](std::string const& path, Plan const& plan) {
      for (plan::Finding const& finding : plan::suggest(plan)) tell_finding(call, path, finding, "suggestion");
    });
    if (!all_good) return ExitCode::usage;
    if (!call.json)
      call.console.out << (files.size() == 1 ? "1 plan is good" : fmt::format("{} plans are good", files.size()))
                       << '\n';
    return ExitCode::ok;
  }
};

struct PlanExplain : PlanFiles {
  Flag dot{to, "--dot", "as a drawing for Graphviz"};

  ExitCode run(Call& call) {
    bool const all_good = read_each(call, [&](std::string const& /*path*/, Plan const& plan) {
      Explained const explained{plan};
      if (dot)
        explained.print_dot(call.console);
      else if (call.json)
        explained.print_json(call.console);
      else
        explained.print(call.console);
    });
    return all_good ? ExitCode::ok : ExitCode::usage;
  }
};

struct PlanCompare : PlanAction {
  WordList files{to, "FILES", "of the former version, then of the newer one", required, expected(2, 2)};
  WordList names{to, "--rename", "this source or step has another name in the newer version (repeatable)",
                 repeated("OLD=NEW")};

  ExitCode run(Call& call) {
    Result<config::PlanFile> const older = config::read_plan(files[0]);
    Result<config::PlanFile> const newer = config::read_plan(files[1]);
    for (Result<config::PlanFile> const* const file : {&older, &newer})
      if (!file->ok()) tell_malformed(call, file->status());
    bool const are_good = older.ok() && newer.ok() && is_usable(call, files[0], older.value()) &&
                          is_usable(call, files[1], newer.value());
    if (!are_good) return ExitCode::usage;
    plan::Renamed renamed;
    for (std::string const& pair : names) {
      std::size_t const at = pair.find('=');
      if (at == std::string::npos || at == 0 || at + 1 == pair.size())
        return call.misuse("--rename: found '" + printable(pair) + "', expected OLD=NEW");
      if (!renamed.emplace(pair.substr(0, at), pair.substr(at + 1)).second)
        return call.misuse("--rename: " + printable(pair.substr(0, at)) + " twice, expected each name once");
    }
    plan::Migration const found = plan::migrate(*older->plan, *newer->plan, renamed);
    for (plan::Finding const& finding : found.findings) tell_finding(call, files[1], finding);
    if (!found.findings.empty()) return ExitCode::usage;
    if (call.json) {
      nlohmann::ordered_json const out{{"plan", newer->plan->name},
                                       {"before", older->plan->version},
                                       {"now", newer->plan->version},
                                       {"sources", json_of(found.sources)},
                                       {"destinations", json_of(found.destinations)}};
      call.console.out << json_line(out);
    } else {
      call.console.out << fmt::format("plan {}: version {} becomes version {}\n\n", newer->plan->name,
                                      older->plan->version, newer->plan->version)
                       << sheet_of("source", found.sources).text(call.console.look) << '\n'
                       << sheet_of("destination", found.destinations).text(call.console.look);
    }
    return ExitCode::ok;
  }
};

constexpr Verb kPlanVerbs[]{
    {"plan check", "say what is wrong with plans: each problem with its name, line and what was expected",
     Needs::nothing, declare<PlanCheck, true>, "fastjournal plan check catalog.xml --strict",
     "Exit code 2: a plan has errors. Problems are on standard error, with --json on standard output."},
    {"plan explain", "list steps, destinations, paths, and what a crash would run again", Needs::nothing,
     declare<PlanExplain, false>,
     "fastjournal plan explain catalog.xml\n"
     "fastjournal plan explain catalog.xml --dot | dot -Tsvg > catalog.svg",
     "A plan with errors is not explained: they are on standard error."},
    {"plan compare", "say which sources and destinations go on in a newer version of a plan, which are new or end",
     Needs::nothing, declare<PlanCompare, false>,
     "fastjournal plan compare catalog-1.xml catalog-2.xml --rename index=search",
     "A destination that goes on keeps what is known of each document; at a new one every document is missing."},
};

}  // namespace

Verbs plan_verbs() { return kPlanVerbs; }

}  // namespace fastjournal::cli
