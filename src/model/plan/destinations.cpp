#include "model/plan/destinations.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "model/plan/checks.h"

namespace fastjournal::plan {
namespace {

// The ways by which copies arrive at a step: their branches, and the sources that use them.
using Arrivals = std::map<Branches, std::set<StepIndex>>;

std::string name_of(Plan const& plan, StepIndex step, Branches const& branches, bool is_only) {
  std::string out = plan.step(step).name;
  if (is_only || branches.empty()) return out;
  out.append("<-via->");
  for (std::size_t at = 0; at < branches.size(); ++at)
    out.append(at == 0 ? "" : "/").append(plan.step(branches[at]).name);
  return out;
}

std::vector<bool> reached(Plan const& plan, StepIndex step, std::vector<StepIndex> Step::*next) {
  std::vector<bool> out(plan.steps.size());
  std::vector<StepIndex> left = plan.step(step).*next;
  while (!left.empty()) {
    StepIndex const one = left.back();
    left.pop_back();
    if (out[one]) continue;
    out[one] = true;
    for (StepIndex const other : plan.step(one).*next) left.push_back(other);
  }
  return out;
}

}  // namespace

std::vector<bool> above(Plan const& plan, StepIndex step) { return reached(plan, step, &Step::before); }
std::vector<bool> below(Plan const& plan, StepIndex step) { return reached(plan, step, &Step::after); }

Destinations::Destinations(Plan const& plan) : plan_(plan) {
  std::vector<Arrivals> arrivals(plan.steps.size());
  for (StepIndex const at : in_order(plan)) {
    Step const& step = plan.step(at);
    if (step.is_source) arrivals[at][{}].insert(at);
    for (StepIndex const next : step.after)
      for (auto const& [branches, sources] : arrivals[at]) {
        Branches theirs = branches;
        if (step.duplicates()) theirs.push_back(next);
        Arrivals& there = arrivals[next];
        // Twice as many as a plan may have: it is refused anyway, and must not take all memory before.
        if (there.size() > 2 * kDestinationsMax && !there.contains(theirs)) {
          is_cut_ = true;
          continue;
        }
        there[std::move(theirs)].insert(sources.begin(), sources.end());
      }
  }
  for (std::size_t at = 0; at < plan.steps.size(); ++at) {
    Step const& step = plan.steps[at];
    if (!step.is_output() || arrivals[at].empty()) continue;
    auto const index = static_cast<StepIndex>(at);
    if (step.any_path) {
      std::set<StepIndex> sources;
      for (auto const& [branches, theirs] : arrivals[at]) sources.insert(theirs.begin(), theirs.end());
      all_.push_back({step.name, index, {}, {sources.begin(), sources.end()}});
    } else {
      for (auto const& [branches, sources] : arrivals[at])
        all_.push_back({name_of(plan, index, branches, arrivals[at].size() == 1),
                        index,
                        branches,
                        {sources.begin(), sources.end()}});
    }
  }
  if (all_.size() > kDestinationsMax) {
    is_cut_ = true;
    all_.resize(kDestinationsMax);
  }
}

std::vector<std::size_t> Destinations::of_source(StepIndex source) const {
  std::vector<std::size_t> out;
  for (std::size_t at = 0; at < all_.size(); ++at)
    if (std::find(all_[at].sources.begin(), all_[at].sources.end(), source) != all_[at].sources.end())
      out.push_back(at);
  return out;
}

std::vector<Path> Destinations::paths_to(StepIndex step, std::size_t paths_max) const {
  std::vector<Path> out;
  // Backwards from the step; the last one is taken first, so that ways come in the order of the file.
  std::vector<Path> left{{step}};
  while (!left.empty() && out.size() < paths_max) {
    Path way = std::move(left.back());
    left.pop_back();
    Step const& first = plan_.step(way.back());
    if (first.is_source) {
      std::reverse(way.begin(), way.end());
      out.push_back(std::move(way));
      continue;
    }
    for (std::size_t at = first.before.size(); at > 0; --at) {
      left.push_back(way);
      left.back().push_back(first.before[at - 1]);
    }
  }
  return out;
}

Branches Destinations::branches_of(Path const& path) const {
  Branches out;
  for (std::size_t at = 1; at < path.size(); ++at)
    if (plan_.step(path[at - 1]).duplicates()) out.push_back(path[at]);
  return out;
}

}  // namespace fastjournal::plan
