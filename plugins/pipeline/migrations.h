// The state of documents goes over from an older version of the plan to the newest one: MIGRATE, a page at a time. What
// becomes of sources and destinations is decided by src/model/plan/migration.h, as `fastjournal plan compare` shows it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fastjournal/table.h"
#include "model/plan/migration.h"
#include "plugins/pipeline/table_state.h"

namespace fastjournal::pipeline {

class Migrations {
 public:
  explicit Migrations(TableState const& shared) : shared_(shared) {}

  Verdict migrate(Command const& command, Decision& decision) const;

 private:
  // How one version's sources and destinations become those of the newest one.
  struct Way {
    std::uint8_t from{0};
    std::map<std::uint16_t, std::uint16_t> sources{};                    // of the older plan: of the newest
    std::map<std::uint16_t, std::vector<std::uint16_t>> destinations{};  // of the newest: of the older
  };
  enum class Fate : std::uint8_t {
    goes_over,
    is_there,  // its source has found it under the newest plan, or it went over before
    stays,     // its source is gone, a worker has it, it is in doubt, or what it was made of stays
  };

  [[nodiscard]] bool find_way(made::Migrate const& given, Decision& decision, Way& way) const;
  // The document under the newest plan; kNone: it is not there (yet).
  [[nodiscard]] std::uint32_t successor_of(Way const& way, std::uint32_t document) const;
  [[nodiscard]] Archive::Number archived_successor(Way const& way, std::uint32_t document) const;
  // With the body that it has there, if it goes over.
  // `is_dry`: what it was made of need not be there, if it would go over.
  [[nodiscard]] Fate look_at(Way const& way, std::uint32_t document, bool is_dry, DocumentBody& body) const;
  [[nodiscard]] CellBody carried(Way const& way, std::uint32_t document, std::uint16_t destination) const;

  TableState const& shared_;
};

}  // namespace fastjournal::pipeline
