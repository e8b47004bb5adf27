// Versions of one document, which follows which. A source may keep them: then what has changed is a document of its own
// beside the one before, if that is missing somewhere. The older one has no name any more, and goes when it has
// arrived. The newer one comes to each destination behind it.
//
// Gone. A source may tell that it has a document no more: that is a version of it, to be deleted at each destination.
// It goes when it is deleted everywhere; with children it stays for an operator, as they are orphans, which are not
// deleted.
#pragma once

#include <cstdint>

#include <absl/container/flat_hash_map.h>
#include "plugins/pipeline/extras.h"
#include "plugins/pipeline/plans.h"
#include "plugins/pipeline/store.h"

namespace fastjournal::pipeline {

class Versions {
 public:
  Versions(Store const& store, Plans const& plans, Extras& extras) : store_(store), plans_(plans), extras_(extras) {}

  // The version before, while it is missing somewhere; kNone: there is none.
  [[nodiscard]] std::uint32_t before(std::uint32_t document) const;
  // The document that is its newer version; none: there is none.
  [[nodiscard]] ObjectId behind(std::uint32_t document) const;
  // The newer one waits at each destination until the one before is over there.
  [[nodiscard]] bool is_behind(std::uint32_t cell) const;
  // This cell has another state: the one of the newer version that is at the wrong place now; kNone: there is none.
  [[nodiscard]] std::uint32_t misplaced_behind(std::uint32_t cell) const;

  void follow(ObjectId before, ObjectId document) { newer_[before.value] = document; }
  // Returns the newer version, which is behind nothing any more; kNone: there was none.
  std::uint32_t stop_following(ObjectId before);
  // A document is gone.
  void forget(ObjectId document);

  [[nodiscard]] std::uint64_t memory_bytes() const { return newer_.capacity() * 17; }

 private:
  Store const& store_;
  Plans const& plans_;
  Extras& extras_;
  absl::flat_hash_map<std::uint64_t, ObjectId> newer_;  // by the version before
};

}  // namespace fastjournal::pipeline
