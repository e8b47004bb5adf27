#include "plugins/pipeline/plans.h"

#include <algorithm>
#include <utility>

namespace fastjournal::pipeline {

bool tells_deleted(plan::Plan const& plan) {
  return std::ranges::any_of(plan.steps, [](plan::Step const& step) { return step.is_source && step.tells_deleted; });
}

Plan::Plan(plan::Plan its_rules, std::string its_text)
    : rules(std::move(its_rules)), text(std::move(its_text)), destinations(rules), of_sources(rules.steps.size()) {
  for (std::size_t step = 0; step < rules.steps.size(); ++step)
    if (rules.steps[step].is_source)
      for (std::size_t const number : destinations.of_source(static_cast<plan::StepIndex>(step)))
        of_sources[step].push_back(static_cast<std::uint16_t>(number));
  targets.resize(destinations.all().size());
  for (std::vector<std::uint16_t> const& its : of_sources) counts.emplace_back(its.size());
}

Plan::Plan(ObjectId its_id) : destinations(rules), id(its_id) {}

std::optional<std::uint16_t> Plan::step_named(std::string_view name) const {
  auto const found = std::ranges::find(rules.steps, name, &plan::Step::name);
  if (found == rules.steps.end()) return std::nullopt;
  return static_cast<std::uint16_t>(found - rules.steps.begin());
}

std::optional<std::uint16_t> Plan::source_named(std::string_view name) const {
  std::optional<std::uint16_t> const step = step_named(name);
  return step && rules.step(*step).is_source ? step : std::nullopt;
}

std::optional<std::uint16_t> Plan::destination_named(std::string_view name) const {
  auto const found = std::ranges::find(destinations.all(), name, &plan::Destination::name);
  if (found == destinations.all().end()) return std::nullopt;
  return static_cast<std::uint16_t>(found - destinations.all().begin());
}

Plan::Counts Plan::counts_at(std::uint16_t number, std::optional<std::uint16_t> source) const {
  Counts out;
  for (plan::StepIndex const its : destination(number).sources) {
    if (source && its != *source) continue;
    std::vector<std::uint16_t> const& all = of_source(its);
    Counts const& one = counts[its][static_cast<std::size_t>(std::ranges::lower_bound(all, number) - all.begin())];
    for (std::size_t state = 0; state < kStates; ++state) out.states[state] += one.states[state];
    out.in_doubt += one.in_doubt;
    out.leased += one.leased;
  }
  return out;
}

std::uint64_t Plan::memory_bytes() const {
  constexpr std::uint64_t kRulesBytes = 16'384;  // about
  std::uint64_t out = kRulesBytes;
  for (std::vector<Counts> const& its : counts) out += its.size() * sizeof(Counts);
  return out;
}

std::uint64_t Plans::memory_bytes() const {
  std::uint64_t out = 0;
  for (auto const& plan : plans_) out += plan == nullptr ? 0 : plan->memory_bytes();
  return out;
}

std::size_t Plans::count() const {
  return static_cast<std::size_t>(std::ranges::count_if(plans_, [](auto const& plan) { return plan != nullptr; }));
}

std::optional<std::uint8_t> Plans::find(ObjectId id) const {
  for (std::size_t at = 0; at < kPlansMax; ++at)
    if (plans_[at] && plans_[at]->id == id) return static_cast<std::uint8_t>(at);
  return std::nullopt;
}

std::optional<std::uint8_t> Plans::find_version(std::uint32_t version) const {
  for (std::size_t at = 0; at < kPlansMax; ++at)
    if (plans_[at] && plans_[at]->is_known() && plans_[at]->rules.version == version)
      return static_cast<std::uint8_t>(at);
  return std::nullopt;
}

std::optional<std::uint8_t> Plans::add(std::unique_ptr<Plan> plan) {
  auto const room = std::ranges::find_if(plans_, [](auto const& one) { return one == nullptr; });
  if (room == plans_.end()) return std::nullopt;
  auto const number = static_cast<std::uint8_t>(room - plans_.begin());
  *room = std::move(plan);
  look_for_newest(number);
  return number;
}

void Plans::know(std::uint8_t number, std::unique_ptr<Plan> plan) {
  plan->documents = plans_[number]->documents;
  plans_[number] = std::move(plan);
  look_for_newest(number);
}

void Plans::look_for_newest(std::uint8_t number) {
  if (!plans_[number]->is_known()) return;
  if (newest_ == kNoPlan || plans_[number]->rules.version > plans_[newest_]->rules.version) newest_ = number;
}

}  // namespace fastjournal::pipeline
