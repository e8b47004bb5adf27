#include "model/plan/migration.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "model/plan/destinations.h"

namespace fastjournal::plan {
namespace {

class Comparer {
 public:
  Comparer(Plan const& older, Plan const& newer, Renamed const& renamed)
      : older_(older), newer_(newer), renamed_(renamed), before_(older), now_(newer) {}

  Migration run() {
    check();
    if (!out_.findings.empty()) return std::move(out_);
    compare_sources();
    compare_destinations();
    return std::move(out_);
  }

 private:
  void error(std::string_view name, std::string what) { out_.findings.push_back({name, 0, false, std::move(what)}); }

  void check() {
    if (older_.name != newer_.name)
      error("other-plan", "plan " + newer_.name + " is another plan than " + older_.name + ", expected one name");
    if (newer_.version <= older_.version)
      error("not-newer", "version " + std::to_string(newer_.version) + " follows version " +
                             std::to_string(older_.version) + ", expected a larger number");
    std::set<std::string_view> taken;
    for (auto const& [before, now] : renamed_) {
      if (!find(older_, before))
        error("unknown-step", before + " becomes " + now + ", but version " + std::to_string(older_.version) +
                                  " has no source or step " + before + ", expected one of its names");
      if (!find(newer_, now))
        error("unknown-step", before + " becomes " + now + ", but version " + std::to_string(newer_.version) +
                                  " has no source or step " + now + ", expected one of its names");
      if (!taken.insert(now).second)
        error("renamed-twice", "two sources or steps become " + now + ", expected each new name once");
    }
  }

  [[nodiscard]] static std::optional<StepIndex> find(Plan const& plan, std::string_view name) {
    for (std::size_t at = 0; at < plan.steps.size(); ++at)
      if (plan.steps[at].name == name) return static_cast<StepIndex>(at);
    return std::nullopt;
  }

  // The same source or step of the newer plan.
  [[nodiscard]] std::optional<StepIndex> now_of(StepIndex before) const {
    Step const& step = older_.step(before);
    auto const other = renamed_.find(step.name);
    // A name that another one has taken means that one.
    if (other == renamed_.end() &&
        std::any_of(renamed_.begin(), renamed_.end(), [&](auto const& one) { return one.second == step.name; }))
      return std::nullopt;
    std::optional<StepIndex> const now = find(newer_, other == renamed_.end() ? step.name : other->second);
    if (!now || newer_.step(*now).is_source != step.is_source) return std::nullopt;
    return now;
  }

  void compare_sources() {
    std::vector<bool> known(newer_.steps.size());
    for (std::size_t at = 0; at < older_.steps.size(); ++at) {
      Step const& step = older_.steps[at];
      if (!step.is_source) continue;
      std::optional<StepIndex> const now = now_of(static_cast<StepIndex>(at));
      if (!now) {
        out_.sources.push_back({Carried::What::gone, step.name, {}, {}});
        continue;
      }
      known[*now] = true;
      Step const& next = newer_.step(*now);
      std::string change;
      // Hashes of two kinds cannot be compared.
      if (next.hash != step.hash)
        change = "hash " + std::string{word_of(kHashWords, step.hash)} + " becomes " +
                 std::string{word_of(kHashWords, next.hash)} + ": every document counts as changed";
      out_.sources.push_back({Carried::What::kept, step.name, next.name, change});
    }
    for (std::size_t at = 0; at < newer_.steps.size(); ++at)
      if (newer_.steps[at].is_source && !known[at])
        out_.sources.push_back({Carried::What::fresh, {}, newer_.steps[at].name, {}});
  }

  // The destination that goes on with this one: the same output by the same branches; or the only one of the same
  // output, if branches were or are no matter.
  [[nodiscard]] std::optional<std::size_t> now_of(Destination const& before) const {
    std::optional<StepIndex> const step = now_of(before.step);
    if (!step) return std::nullopt;
    Branches branches;
    for (StepIndex const branch : before.branches) {
      std::optional<StepIndex> const now = now_of(branch);
      if (!now) break;
      branches.push_back(*now);
    }
    std::vector<std::size_t> of_step;
    for (std::size_t at = 0; at < now_.all().size(); ++at) {
      Destination const& one = now_.all()[at];
      if (one.step != *step) continue;
      of_step.push_back(at);
      if (one.branches == branches && branches.size() == before.branches.size()) return at;
    }
    bool const was_only = std::count_if(before_.all().begin(), before_.all().end(),
                                        [&](Destination const& one) { return one.step == before.step; }) == 1;
    if (of_step.size() == 1 && (was_only || newer_.step(*step).any_path)) return of_step.front();
    return std::nullopt;
  }

  [[nodiscard]] std::string change_of(StepIndex before, StepIndex now) const {
    Step const& was = older_.step(before);
    Step const& is = newer_.step(now);
    std::string out;
    if (was.kind != is.kind)
      out = std::string{word_of(kKindWords, was.kind)} + " becomes " + std::string{word_of(kKindWords, is.kind)};
    if (was.guarantee != is.guarantee)
      out.append(out.empty() ? "" : ", ")
          .append(word_of(kGuaranteeWords, was.guarantee))
          .append(" becomes ")
          .append(word_of(kGuaranteeWords, is.guarantee));
    return out;
  }

  void compare_destinations() {
    std::vector<std::size_t> used(now_.all().size());
    std::vector<std::optional<std::size_t>> next;
    for (Destination const& one : before_.all()) {
      next.push_back(now_of(one));
      if (next.back()) ++used[*next.back()];
    }
    for (std::size_t at = 0; at < before_.all().size(); ++at) {
      Destination const& one = before_.all()[at];
      if (!next[at]) {
        out_.destinations.push_back({Carried::What::gone, one.name, {}, {}});
        continue;
      }
      Destination const& now = now_.all()[*next[at]];
      out_.destinations.push_back({used[*next[at]] > 1 ? Carried::What::merged : Carried::What::kept, one.name,
                                   now.name, change_of(one.step, now.step)});
    }
    for (std::size_t at = 0; at < now_.all().size(); ++at)
      if (used[at] == 0) out_.destinations.push_back({Carried::What::fresh, {}, now_.all()[at].name, {}});
  }

  Plan const& older_;
  Plan const& newer_;
  Renamed const& renamed_;
  Destinations before_;
  Destinations now_;
  Migration out_;
};

}  // namespace

Migration migrate(Plan const& older, Plan const& newer, Renamed const& renamed) {
  return Comparer{older, newer, renamed}.run();
}

}  // namespace fastjournal::plan
