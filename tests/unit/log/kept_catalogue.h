// A catalogue with the records that a test appends to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "log/catalogue.h"

namespace fastjournal::log {

// Collects appended records and applies them to a catalogue, as the engine does.
struct KeptCatalogue : Records {
  virtual ~KeptCatalogue() = default;
  Place append(std::uint8_t type, std::uint8_t version, ObjectId object, std::size_t body_bytes) override {
    bodies.emplace_back(body_bytes);
    Lsn const lsn{next += 64};
    views.push_back(
        {TableId::catalogue, type, version, lsn, object.is_none() ? object_of(lsn) : object, bodies.back()});
    return {lsn, bodies.back()};
  }
  void apply() {
    for (RecordView const& view : views) BOOST_REQUIRE(catalogue.apply(view));
    views.clear();
  }

  std::uint64_t next{4096};
  std::deque<std::vector<std::byte>> bodies;
  std::vector<RecordView> views;  // those that are not applied yet
  Catalogue catalogue;
};

}  // namespace fastjournal::log
