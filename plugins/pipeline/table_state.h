// State shared by all parts of a pipeline table: its declaration, and its documents.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/pipeline/documents.h"
#include "plugins/pipeline/options.h"
#include "plugins/pipeline/statistics.h"

namespace fastjournal::pipeline {

// Failures at one destination, of different documents, within the last `failing-for`. Derived: a restart forgets them.
struct Failing {
  struct One {
    std::int64_t at{0};
    DestinationBody::Spared cell{};
  };
  std::deque<One> last{};
};

struct TableState : rows::Declared<Options> {
  TableState(std::shared_ptr<TableDeclaration const> its_declaration, std::uint64_t hash_seed)
      : Declared(std::move(its_declaration)), documents(hash_seed) {
    documents.set_probe_every(options.probe_every);
    documents.set_history_bytes(options.history);
  }

  [[nodiscard]] Plan const* plan() const { return documents.plans().newest(); }
  [[nodiscard]] Store const& store() const { return documents.store(); }
  [[nodiscard]] Work const& work() const { return documents.work(); }
  [[nodiscard]] std::string name_of(std::uint32_t document) const {
    return "document " + std::to_string(store()[document].id().value) + " of table " + table();
  }
  [[nodiscard]] Status no_plan() const {
    return {Code::unavailable, "table " + table() + " has no plan so far: try again at once"};
  }
  [[nodiscard]] Status no_document(ObjectId id) const {
    return {Code::unknown_row,
            "table " + table() + " has no document " + std::to_string(id.value) + ": it was forgotten, or never there"};
  }

  Documents documents;
  mutable std::vector<Failing> failing;  // by destination of the newest plan
  mutable Statistics statistics;
};

}  // namespace fastjournal::pipeline
