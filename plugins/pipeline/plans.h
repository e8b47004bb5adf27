// The versions of the table's plan. The newest one is the table's: documents are found under it. Older ones stay as long
// as they have documents, for people to look at; their documents are no longer handed out.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/types.h"
#include "model/plan/destinations.h"
#include "model/plan/plan.h"
#include "plugins/pipeline/records.h"
#include "plugins/pipeline/states.h"

namespace fastjournal::pipeline {

inline constexpr std::size_t kPlansMax = 16;

// Whether a source tells of what it does not have any more.
[[nodiscard]] bool tells_deleted(plan::Plan const& plan);

struct Plan {
  Plan(plan::Plan its_rules, std::string its_text);
  // Documents name it, and a replay has not come to its record.
  explicit Plan(ObjectId its_id);

  [[nodiscard]] bool is_known() const { return !text.empty(); }

  // The cells of a source's documents, as numbers of destinations.
  [[nodiscard]] std::vector<std::uint16_t> const& of_source(std::uint16_t source) const { return of_sources[source]; }
  [[nodiscard]] plan::Destination const& destination(std::uint16_t number) const { return destinations.all()[number]; }
  [[nodiscard]] plan::Step const& output(std::uint16_t number) const { return rules.step(destination(number).step); }
  // None: there is no such source, step or destination.
  [[nodiscard]] std::optional<std::uint16_t> source_named(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint16_t> step_named(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint16_t> destination_named(std::string_view name) const;

  plan::Plan const rules;
  std::string const text;
  plan::Destinations const destinations;
  std::vector<std::vector<std::uint16_t>> of_sources;  // by step

  ObjectId id{};
  std::uint32_t region{0};
  std::uint64_t documents{0};
  struct Target {
    Mode mode{Mode::open};
    std::string reason{};
  };
  std::vector<Target> targets;  // by destination
  // Since when nothing new is taken; of the newest plan.
  struct Drain {
    std::int64_t since{0};
    std::string by{};
    std::string reason{};
  };
  std::optional<Drain> drain{};
  struct Counts {
    std::array<std::uint64_t, kStates> states{};  // cells by state
    std::uint64_t in_doubt{0};                    // of those being sent
    std::uint64_t leased{0};
  };
  std::vector<std::vector<Counts>> counts;  // by source, in the order of of_source

  // Of documents of this source; none: of all.
  [[nodiscard]] Counts counts_at(std::uint16_t destination, std::optional<std::uint16_t> source = std::nullopt) const;
  [[nodiscard]] std::uint64_t memory_bytes() const;
};

class Plans {
 public:
  // Null: there is none (so far).
  [[nodiscard]] Plan const* newest() const { return newest_ == kNoPlan ? nullptr : plans_[newest_].get(); }
  [[nodiscard]] std::uint8_t newest_number() const { return newest_; }
  [[nodiscard]] Plan const& operator[](std::uint8_t number) const { return *plans_[number]; }
  [[nodiscard]] Plan& at(std::uint8_t number) { return *plans_[number]; }
  [[nodiscard]] std::optional<std::uint8_t> find(ObjectId id) const;
  [[nodiscard]] std::optional<std::uint8_t> find_version(std::uint32_t version) const;
  [[nodiscard]] bool is_full() const { return count() == kPlansMax; }
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::uint64_t memory_bytes() const;
  // By number; null where there is none.
  [[nodiscard]] std::array<std::unique_ptr<Plan>, kPlansMax> const& all() const { return plans_; }

  // None: there is no room.
  std::optional<std::uint8_t> add(std::unique_ptr<Plan> plan);
  // One that was not known is: with the documents that it has.
  void know(std::uint8_t number, std::unique_ptr<Plan> plan);
  void remove(std::uint8_t number) { plans_[number].reset(); }

  static constexpr std::uint8_t kNoPlan = 0xFF;

 private:
  void look_for_newest(std::uint8_t number);

  std::array<std::unique_ptr<Plan>, kPlansMax> plans_;
  std::uint8_t newest_{kNoPlan};  // of those that are known
};

}  // namespace fastjournal::pipeline
