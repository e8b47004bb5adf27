// The migration of the documents of a plan to a newer version: which sources and destinations go on
// under which name, which are new, and which end. A decision on paper: nothing is changed here.
//
// A new version is a new state space, and the old one stays. A destination that goes on brings what is known of each
// document along; at a new one every document is missing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/plan/checks.h"
#include "model/plan/plan.h"

namespace fastjournal::plan {

// Sources and steps that have another name in the newer version: old name to new name.
using Renamed = std::map<std::string, std::string, std::less<>>;

struct Carried {
  enum class What : std::uint8_t {
    kept,    // goes on
    merged,  // goes on together with others: a document that reached one of them has arrived
    fresh,   // is new
    gone,    // ends: what is known stays with the old version
  };
  What what{What::kept};
  std::string before;  // empty if it is new
  std::string now;     // empty if it ends
  std::string change;  // what is different about it, or empty
};

struct Migration {
  // Errors: other-plan, not-newer, unknown-step (nothing of that name in the older or the newer plan), renamed-twice.
  // With errors the lists are empty.
  std::vector<Finding> findings;
  std::vector<Carried> sources;       // in the order of the older plan, then those that are new
  std::vector<Carried> destinations;  // likewise
};

// Of two plans without errors.
[[nodiscard]] Migration migrate(Plan const& older, Plan const& newer, Renamed const& renamed);

}  // namespace fastjournal::plan
