#include "model/plan/checks.h"

#include <algorithm>
#include <set>
#include <utility>

#include "model/plan/codec.h"
#include "model/plan/destinations.h"

namespace fastjournal::plan {
namespace {

class Checker {
 public:
  explicit Checker(Plan const& plan) : plan_(plan) {}

  std::vector<Finding> run() {
    check_sources();
    bool const is_acyclic = check_cycle();
    for (Step const& step : plan_.steps) {
      check_end(step);
      check_router(step);
      check_output(step);
      check_versions(step);
    }
    if (is_acyclic) check_destinations();
    if (found_.empty()) check_size();
    if (found_.empty()) {
      check_branches();
      check_behind_potent();
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](Finding const& left, Finding const& right) { return left.line < right.line; });
    if (found_.size() > kFindingsMax) found_.resize(kFindingsMax);
    return std::move(found_);
  }

 private:
  void error(std::string_view name, int line, std::string what) {
    found_.push_back({name, line, false, std::move(what)});
  }
  void warn(std::string_view name, int line, std::string what) {
    found_.push_back({name, line, true, std::move(what)});
  }

  [[nodiscard]] static std::string called(Step const& step) {
    return (step.is_source ? "source " : "step ") + step.name;
  }

  void check_sources() {
    bool const has_source =
        std::any_of(plan_.steps.begin(), plan_.steps.end(), [](Step const& step) { return step.is_source; });
    if (!has_source) error("no-source", 1, "plan " + plan_.name + " has no source, expected at least one <source>");
  }

  // One cycle is shown: where there are more, they are found one after the other.
  bool check_cycle() {
    if (in_order(plan_).size() == plan_.steps.size()) return true;
    for (std::size_t at = 0; at < plan_.steps.size(); ++at) {
      auto const index = static_cast<StepIndex>(at);
      if (!below(plan_, index)[at]) continue;
      std::string way = plan_.steps[at].name;
      // From successor to successor, by those from which the way leads back.
      std::set<StepIndex> been;
      for (StepIndex one = index;;) {
        std::vector<StepIndex> const& next = plan_.step(one).after;
        auto const back = std::find_if(next.begin(), next.end(), [&](StepIndex other) {
          return other == index || (!been.contains(other) && below(plan_, other)[index]);
        });
        if (back == next.end()) break;
        one = *back;
        been.insert(one);
        way.append(" > ").append(plan_.step(one).name);
        if (one == index) break;
      }
      error("cycle", plan_.steps[at].line, "documents would go round: " + way + ", expected no way back to a step");
      return false;
    }
    return false;
  }

  void check_end(Step const& step) {
    if (!step.after.empty()) return;
    if (step.is_source)
      error("ends-in-source", step.line,
            called(step) + " has no step behind it, expected a step with after=\"" + step.name + "\"");
    else if (step.kind == Kind::safe)
      error("ends-in-safe", step.line,
            called(step) +
                " is safe and nothing follows it: what it does has no effect, expected kind=\"idempotent\" "
                "or kind=\"potent\", or a step behind it");
  }

  void check_router(Step const& step) {
    if (step.after.size() > 1 && step.router == Router::none)
      error("no-router", step.line,
            called(step) + " has " + std::to_string(step.after.size()) +
                " steps behind it, expected router=\"by-name\", \"duplicate-all\" or \"round-robin\"");
    if (step.after.size() < 2 && step.router != Router::none)
      error("router-without-choice", step.line,
            called(step) + " has a router and " + (step.after.empty() ? "no step" : "one step") +
                " behind it, expected two or more");
    if (plan_.fault_tolerant && !step.is_source && step.kind == Kind::potent && step.effect == Effect::mutating &&
        !step.after.empty())
      error("potent-mutating", step.line,
            called(step) +
                " is potent and mutating and has steps behind it: after a crash it cannot run again, and "
                "what it made is lost, expected effect=\"preserving\", two steps, or "
                "fault-tolerance=\"false\"");
  }

  void check_versions(Step const& step) {
    if (step.keeps_versions && (!step.remembers || step.hash == Hash::none))
      error("versions-unknown", step.line,
            called(step) + " has versions=\"all\" and " + (step.remembers ? "hash=\"none\"" : "remember=\"false\"") +
                ": nothing tells its versions apart, expected a hash, and a source that remembers");
    if (step.tells_deleted && (!step.remembers || step.hash == Hash::none))
      error("deleted-unknown", step.line,
            called(step) + " has deleted=\"tell\" and " + (step.remembers ? "hash=\"none\"" : "remember=\"false\"") +
                ": that a document is gone is a version of it, expected a hash, and a source that remembers");
  }

  void check_output(Step const& step) {
    if (step.is_source || step.is_output()) return;
    if (step.guarantee != Guarantee::at_most_once || step.any_path)
      error("guarantee-without-output", step.line,
            called(step) +
                " is no output, expected guarantee and any-path on a step that is potent, or idempotent "
                "with no step behind it");
  }

  void check_destinations() {
    Destinations const destinations{plan_};
    if (destinations.is_cut())
      error("too-many-destinations", 1,
            "plan " + plan_.name + " has more than " + std::to_string(kDestinationsMax) +
                " destinations: duplicating routers below each other multiply them, expected fewer of them, or "
                "any-path=\"true\"");
  }

  void check_size() {
    std::size_t const bytes = encode(plan_).size();
    if (bytes > kPlanBytesMax)
      error("too-large", 1,
            "plan " + plan_.name + " is " + std::to_string(bytes) + " bytes as one line, expected at most " +
                std::to_string(kPlanBytesMax) + ": one record of the log keeps it; use shorter names or fewer steps");
  }

  // How many deliveries a document makes that leaves by this successor.
  [[nodiscard]] std::size_t deliveries(StepIndex next) const {
    Plan part = plan_;
    // The same plan with this step as its only source.
    for (Step& step : part.steps) step.is_source = false;
    part.steps[next].before.clear();
    bool const is_output = part.steps[next].is_output();
    part.steps[next].is_source = true;
    return Destinations{part}.all().size() + (is_output ? 1 : 0);
  }

  void check_branches() {
    for (Step const& step : plan_.steps) {
      if (step.router != Router::round_robin) continue;
      std::size_t const first = deliveries(step.after.front());
      for (StepIndex const next : step.after)
        if (std::size_t const count = deliveries(next); count != first) {
          warn("unequal-branches", step.line,
               called(step) + " sends by turns to " + plan_.step(step.after.front()).name + ", with " +
                   std::to_string(first) + (first == 1 ? " delivery" : " deliveries") + ", and to " +
                   plan_.step(next).name + ", with " + std::to_string(count) +
                   ": a document that is run again may take the other branch and be delivered more often, expected "
                   "branches that deliver alike");
          break;
        }
    }
  }

  void check_behind_potent() {
    for (std::size_t at = 0; at < plan_.steps.size(); ++at) {
      Step const& step = plan_.steps[at];
      if (step.is_source || step.kind != Kind::potent) continue;
      std::vector<bool> const steps = below(plan_, static_cast<StepIndex>(at));
      for (std::size_t other = 0; other < plan_.steps.size(); ++other)
        if (steps[other] && plan_.steps[other].kind != Kind::safe) {
          warn("non-safe-behind-potent", plan_.steps[other].line,
               called(plan_.steps[other]) + " is behind " + called(step) +
                   ", which is potent: when it fails, the document passes " + step.name +
                   " again without running it, expected both on branches of their own");
          break;
        }
    }
  }

  Plan const& plan_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<StepIndex> in_order(Plan const& plan) {
  std::vector<std::size_t> missing(plan.steps.size());
  std::vector<StepIndex> out;
  for (std::size_t at = 0; at < plan.steps.size(); ++at) {
    missing[at] = plan.steps[at].before.size();
    if (missing[at] == 0) out.push_back(static_cast<StepIndex>(at));
  }
  for (std::size_t at = 0; at < out.size(); ++at)
    for (StepIndex const next : plan.step(out[at]).after)
      if (--missing[next] == 0) out.push_back(next);
  return out.size() == plan.steps.size() ? out : std::vector<StepIndex>{};
}

std::vector<Finding> check(Plan const& plan) { return Checker{plan}.run(); }

// What arrives twice at an idempotent output does no harm, and what may be sent again is never in doubt.
std::vector<Finding> suggest(Plan const& plan) {
  std::vector<Finding> out;
  if (!plan.fault_tolerant) return out;
  for (Step const& step : plan.steps)
    if (step.is_output() && step.kind == Kind::idempotent && step.guarantee == Guarantee::at_most_once)
      out.push_back({"at-least-once", step.line, true,
                     "step " + step.name +
                         " is idempotent, and its guarantee at-most-once leaves documents in doubt after a crash: with "
                         "guarantee=\"at-least-once\" they are sent again by themselves"});
  return out;
}

bool is_usable(std::vector<Finding> const& findings, bool strict) {
  return std::all_of(findings.begin(), findings.end(),
                     [&](Finding const& finding) { return finding.is_warning && !strict; });
}

}  // namespace fastjournal::plan
