// The parts of a table's state, in the order in which they rest on each other. documents.h owns them and shows them to
// the table; applier.h changes them.
#pragma once

#include <cstdint>

#include "plugins/pipeline/archive.h"
#include "plugins/pipeline/cells.h"
#include "plugins/pipeline/counts.h"
#include "plugins/pipeline/extras.h"
#include "plugins/pipeline/families.h"
#include "plugins/pipeline/history.h"
#include "plugins/pipeline/plans.h"
#include "plugins/pipeline/store.h"
#include "plugins/pipeline/versions.h"
#include "plugins/pipeline/work.h"
#include "plugins/rows/regions.h"

namespace fastjournal::pipeline {

struct Parts {
  explicit Parts(std::uint64_t hash_seed)
      : store(hash_seed), archive(hash_seed), work(store, plans, hash_seed), extras(store) {}

  Plans plans;
  Store store;
  Archive archive;
  Work work;
  Extras extras;
  Families families{store, plans, extras, work};
  Versions versions{store, plans, extras};
  Counts counts{store, plans, families};
  Cells cells{store, plans, work, extras, families, versions, counts};
  History history;
  rows::Regions regions;        // of whole records
  std::uint64_t base_bytes{0};  // of whole records: plans, and documents without what few of them have
};

}  // namespace fastjournal::pipeline
