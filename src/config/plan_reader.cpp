// See plan_reader.h.
#include "config/plan_reader.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "config/fields.h"
#include "config/xml.h"
#include "model/value.h"

namespace fastjournal::config {
namespace {

constexpr std::int64_t kDay = 86'400'000;

template <std::size_t count>
std::vector<std::string_view> words(std::string_view const (&list)[count]) {
  return {std::begin(list), std::end(list)};
}

template <typename Enum, std::size_t count>
void read_word(Element const& element, std::string_view attribute, std::string_view const (&list)[count], Enum& out) {
  if (auto const word = word_field(element, attribute, words(list))) out = static_cast<Enum>(*word);
}

void read_retry(Element const& element, plan::Retry& out) {
  element.expect({.attributes = {{"max-attempts"},
                                 {"first"},
                                 {"factor"},
                                 {"max"},
                                 {"jitter"},
                                 {"timeout"},
                                 {"cancel-timeout"},
                                 {"on-timeout"}},
                  .children = {}});
  if (auto const value = integer_field(element, "max-attempts", 1, 1000))
    out.max_attempts = static_cast<std::uint32_t>(*value);
  if (auto const value = duration_field(element, "first", 0, 30 * kDay)) out.first_ms = *value;
  if (auto const value = integer_field(element, "factor", 1, 100)) out.factor = static_cast<std::uint32_t>(*value);
  if (auto const value = duration_field(element, "max", 0, 30 * kDay)) out.max_ms = *value;
  if (auto const value = integer_field(element, "jitter", 0, 100))
    out.jitter_percent = static_cast<std::uint32_t>(*value);
  if (auto const value = duration_field(element, "timeout", 1000, 30 * kDay)) out.timeout_ms = *value;
  if (auto const value = duration_field(element, "cancel-timeout", 0, kDay)) out.cancel_timeout_ms = *value;
  read_word(element, "on-timeout", plan::kOnTimeoutWords, out.on_timeout);
}

// One file being read.
class Reader {
 public:
  Reader(Element const& root, PlanFile& out) : root_(root), out_(out) {}

  void read() {
    root_.expect({.attributes = {{"name", Times::one}, {"version", Times::one}, {"fault-tolerance"}, {"strict"}},
                  .children = {{"description"}, {"retry"}, {"source", Times::any}, {"step", Times::any}}});
    static_cast<void>(root_.description());
    std::string_view const name = root_.attribute("name").value_or("");
    check_name(root_, name, "plan");
    plan_.name = name;
    if (auto const value = integer_field(root_, "version", 1, plan::kVersionMax))
      plan_.version = static_cast<std::uint32_t>(*value);
    plan_.fault_tolerant = boolean_field(root_, "fault-tolerance").value_or(true);
    plan_.strict = boolean_field(root_, "strict").value_or(false);
    if (auto const element = root_.child("retry")) read_retry(*element, retry_);
    std::vector<Element> steps;
    for (Element const& element : root_.children())
      if (element.name() == "source" || element.name() == "step") steps.push_back(element);
    if (steps.size() > plan::kStepsMax) {
      root_.problem(std::to_string(steps.size()) + " sources and steps, expected at most " +
                    std::to_string(plan::kStepsMax));
      return;
    }
    for (Element const& element : steps) element.name() == "source" ? read_source(element) : read_step(element);
    for (std::size_t at = 0; at < steps.size(); ++at) connect(steps[at], at);
  }

  // Of a file that has the shape of a plan.
  void finish() {
    if (out_.findings.empty()) {
      out_.findings = plan::check(plan_);
      out_.plan = std::move(plan_);
    }
    std::stable_sort(out_.findings.begin(), out_.findings.end(),
                     [](plan::Finding const& left, plan::Finding const& right) { return left.line < right.line; });
    if (out_.findings.size() > plan::kFindingsMax) out_.findings.resize(plan::kFindingsMax);
  }

 private:
  void find(std::string_view name, int line, std::string what) {
    out_.findings.push_back({name, line, false, std::move(what)});
  }

  void check_name(Element const& element, std::string_view name, std::string const& of) {
    if (is_name(name, kLogName)) return;
    find("bad-name", element.line_of("name"),
         "name of a " + of + ": found " + model::shown(name) + ", expected " + std::string{kLogName.expected});
  }

  plan::Step& begin(Element const& element) {
    plan::Step& step = plan_.steps.emplace_back();
    step.name = element.attribute("name").value_or("");
    step.line = element.line();
    step.retry = retry_;
    step.is_source = element.name() == "source";
    check_name(element, step.name, std::string{element.name()});
    auto const [known, is_new] = numbers_.emplace(step.name, static_cast<plan::StepIndex>(plan_.steps.size() - 1));
    if (!is_new && !step.name.empty())
      find("duplicate-step", element.line_of("name"),
           "name " + step.name + " twice, first in line " + std::to_string(plan_.step(known->second).line) +
               ", expected each source and step once");
    return step;
  }

  void read_router(Element const& element, plan::Step& step) {
    read_word(element, "router", plan::kRouterWords, step.router);
    auto const copies = integer_field(element, "copies-max", 1, plan::kStepsMax);
    if (!copies) return;
    step.copies_max = static_cast<std::uint32_t>(*copies);
    if (step.router != plan::Router::by_name)
      element.problem_at("copies-max", "attribute \"copies-max\" on a step whose router is " +
                                           std::string{plan::word_of(plan::kRouterWords, step.router)} +
                                           ", expected it with router=\"by-name\"");
  }

  void read_source(Element const& element) {
    element.expect({.attributes = {{"name", Times::one},
                                   {"after"},
                                   {"hash"},
                                   {"remember"},
                                   {"versions"},
                                   {"deleted"},
                                   {"router"},
                                   {"copies-max"}},
                    .children = {{"description"}}});
    plan::Step& step = begin(element);
    static_cast<void>(element.description());
    read_word(element, "hash", plan::kHashWords, step.hash);
    step.remembers = boolean_field(element, "remember").value_or(true);
    read_word(element, "versions", plan::kVersionsWords, step.keeps_versions);
    read_word(element, "deleted", plan::kDeletedWords, step.tells_deleted);
    read_router(element, step);
    if (element.attribute("after"))
      find("source-with-predecessor", element.line_of("after"),
           "source " + step.name + " has after=\"" + std::string{*element.attribute("after")} +
               "\", expected none: documents begin at a source");
  }

  void read_step(Element const& element) {
    element.expect({.attributes = {{"name", Times::one},
                                   {"after", Times::one},
                                   {"kind"},
                                   {"effect"},
                                   {"guarantee"},
                                   {"any-path"},
                                   {"router"},
                                   {"copies-max"}},
                    .children = {{"description"}, {"retry"}}});
    plan::Step& step = begin(element);
    static_cast<void>(element.description());
    read_word(element, "kind", plan::kKindWords, step.kind);
    // What has an effect outside and leaves no other document behind is the rule.
    step.effect = step.kind == plan::Kind::safe ? plan::Effect::mutating : plan::Effect::preserving;
    read_word(element, "effect", plan::kEffectWords, step.effect);
    read_word(element, "guarantee", plan::kGuaranteeWords, step.guarantee);
    step.any_path = boolean_field(element, "any-path").value_or(false);
    if (auto const retry = element.child("retry")) read_retry(*retry, step.retry);
    read_router(element, step);
  }

  // The edges to the step with this number.
  void connect(Element const& element, std::size_t at) {
    if (plan_.steps[at].is_source) return;
    std::string_view rest = element.attribute("after").value_or("");
    bool has_any = false;
    while (true) {
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      if (rest.empty()) break;
      std::string_view const name = rest.substr(0, rest.find(' '));
      rest.remove_prefix(name.size());
      has_any = true;
      connect(element, at, name);
    }
    if (!has_any && element.attribute("after"))
      find("unknown-predecessor", element.line_of("after"),
           "step " + plan_.steps[at].name + " is behind nothing, expected names of sources and steps in after=\"...\"");
  }

  void connect(Element const& element, std::size_t at, std::string_view name) {
    plan::Step& step = plan_.steps[at];
    auto const known = numbers_.find(name);
    if (known == numbers_.end()) {
      std::vector<std::string_view> names;
      for (auto const& [one, number] : numbers_) names.push_back(one);
      find("unknown-predecessor", element.line_of("after"),
           "step " + step.name + " is behind " + model::shown(name) + ", expected a source or a step of this plan" +
               near_miss(name, names));
      return;
    }
    if (std::find(step.before.begin(), step.before.end(), known->second) != step.before.end()) {
      element.problem_at("after", "attribute \"after\": " + std::string{name} + " twice, expected each step once");
      return;
    }
    step.before.push_back(known->second);
    plan_.steps[known->second].after.push_back(static_cast<plan::StepIndex>(at));
  }

  Element const& root_;
  PlanFile& out_;
  plan::Plan plan_;
  plan::Retry retry_;
  std::map<std::string, plan::StepIndex, std::less<>> numbers_;
};

}  // namespace

Result<PlanFile> read_plan(std::filesystem::path const& path) {
  Problems problems{path.string()};
  std::optional<Document> const document = Document::read(path, problems);
  if (!document) return problems.status();
  Element const root = document->root();
  if (root.name() != "plan") {
    root.problem("root element <" + std::string{root.name()} + ">, expected <plan>");
    return problems.status();
  }
  PlanFile out;
  Reader reader{root, out};
  reader.read();
  if (!problems.empty()) return problems.status();
  reader.finish();
  return out;
}

}  // namespace fastjournal::config
