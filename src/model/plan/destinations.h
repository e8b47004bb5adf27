// Where a document has to arrive. A destination is an output step together with the branches by which duplicating
// routers send copies there: two copies that arrive at one step by two branches are two deliveries, and each has a
// status of its own.
//
// Routers that choose duplicate nothing. What is below them is one destination whichever way a document takes, and those
// that it does not take are dropped once the choice is known.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/plan/plan.h"

namespace fastjournal::plan {

inline constexpr std::size_t kDestinationsMax = 256;

// The branches taken below duplicating routers, from the source on: the successors chosen there.
using Branches = std::vector<StepIndex>;

struct Destination {
  std::string name;  // STEP, or STEP<-via->BRANCH[/BRANCH...] where copies may arrive by other branches too
  StepIndex step{0};
  Branches branches;               // none if the step has `any_path`
  std::vector<StepIndex> sources;  // whose documents have to arrive
};

// A way from a source to a step, both included.
using Path = std::vector<StepIndex>;

class Destinations {
 public:
  // Of a plan without cycles, which outlives it. Ordered by step, then by branches.
  explicit Destinations(Plan const& plan);

  // There were more than kDestinationsMax: the list is not whole.
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  [[nodiscard]] std::vector<Destination> const& all() const { return all_; }
  // Indices of those that documents of this source have to reach.
  [[nodiscard]] std::vector<std::size_t> of_source(StepIndex source) const;
  // Ways to a step, at most that many.
  [[nodiscard]] std::vector<Path> paths_to(StepIndex step, std::size_t paths_max) const;
  // Those of a copy that takes this way.
  [[nodiscard]] Branches branches_of(Path const& path) const;

 private:
  Plan const& plan_;
  std::vector<Destination> all_;
  bool is_cut_{false};
};

// The steps above this one and those below it, without it.
[[nodiscard]] std::vector<bool> above(Plan const& plan, StepIndex step);
[[nodiscard]] std::vector<bool> below(Plan const& plan, StepIndex step);

}  // namespace fastjournal::plan
