#include "plugins/pipeline/history_reads.h"

#include <algorithm>
#include <array>
#include <string>

#include "plugins/pipeline/made.h"

namespace fastjournal::pipeline {
namespace {

// A page ends behind so many bytes of answers, or work units.
constexpr std::size_t kHistoryBytesMax = 1U << 20U;
constexpr std::uint64_t kHistoryWorkUnitsMax = 100'000;

// By Event::What; `state` has the name of the state.
constexpr std::array<std::string_view, 11> kWhatNames{"found",    "changed", "handed_out",    "",
                                                      "in_doubt", "routed",  "children_done", "forgotten",
                                                      "mode",     "drains",  "resumed"};

}  // namespace

Verdict HistoryReads::history(Command const& command, Decision& decision) const {
  made::History given;
  if (!given.read(command, decision)) return Verdict::done;
  ObjectId const document{given.document.value_or(0)};
  if (given.children && document.is_none())
    return decision.refuse(model::refused(Code::missing_parameter, "document",
                                          "HISTORY with children needs document: of which it is told"));
  History const& history = shared_.documents.history();
  std::uint64_t at = std::max(history.begin(), std::min(given.after, history.end() - 1) + 1);
  std::uint64_t const work_units_end = std::min(history.end(), at + kHistoryWorkUnitsMax);
  std::size_t shown = 0;
  std::size_t bytes = 0;
  std::uint64_t const from = at;
  for (; at < work_units_end && shown < given.count && bytes < kHistoryBytesMax; ++at) {
    Event const& event = history[at];
    bool const is_below = given.children && (event.original == document || event.parent == document);
    if (!document.is_none() && event.document != document && !is_below) continue;
    bytes += describe(at, decision.answer);
    ++shown;
  }
  decision.work_units += static_cast<std::uint32_t>((at - from) / 16);
  if (shown == 0) decision.answer.message("NOTHING").add("table", std::string_view{shared_.table()});
  if (at < history.end()) decision.answer.add("after", at - 1);
  return Verdict::done;
}

std::size_t HistoryReads::describe(std::uint64_t number, Answer& answer) const {
  Event const& event = shared_.documents.history()[number];
  bool const is_state = event.what == Event::What::state;
  bool const is_failure = is_state && (event.state == State::error || is_failed(event.state));
  bool const is_dropped = is_state && event.state == State::dropped;
  answer.message("EVENT").add("table", std::string_view{shared_.table()}).add("event", number);
  if (event.at > 0) answer.add("date", event.at);
  answer.add("what",
             Value::of_text(is_state ? name_of(event.state) : kWhatNames[static_cast<std::size_t>(event.what)]));
  describe_place(event, answer);
  if (is_failure) {
    answer.add("failures", std::uint64_t{event.attempts});
    if (!event.first().empty()) answer.add("class", event.first());
    if (!event.second().empty()) answer.add("error", event.second());
  } else if (event.what == Event::What::mode) {
    answer.add("mode", event.first());
    if (!event.second().empty()) answer.add("reason", event.second());
  } else if (event.what == Event::What::drains) {
    answer.add("by", event.first());
    if (!event.second().empty()) answer.add("reason", event.second());
  } else if (event.what == Event::What::children_done) {
    answer.add("children", event.count);
  } else if (event.what == Event::What::routed) {
    answer.add("router", event.first()).add("chosen", event.second());
  } else if (is_dropped) {
    if (!event.second().empty()) answer.add("reason", event.second());
  } else if (event.what != Event::What::forgotten && !event.first().empty()) {
    answer.add("worker", event.first());
  }
  return 300 + event.texts.size();
}

// The document may be gone, and its plan too.
void HistoryReads::describe_place(Event const& event, Answer& answer) const {
  Documents const& documents = shared_.documents;
  if (!event.document.is_none()) {
    answer.add("document", event.document.value);
    std::uint32_t const document = shared_.store().find(event.document);
    if (document != kNone) answer.add("uri", shared_.store().name_of(document));
    if (event.what == Event::What::forgotten && !event.first().empty()) answer.add("uri", event.first());
    if (event.hash() == kGoneHash)
      answer.add("operation", std::string_view{"delete"});
    else if (!event.hash().empty())
      answer.add("hash", event.hash());
    if (event.generation > 0) answer.add("generation", std::uint64_t{event.generation});
    if (!event.parent.is_none()) answer.add("parent", event.parent.value).add("original", event.original.value);
  }
  if (event.destination == kNoDestination) return;
  if (std::optional<std::uint8_t> const plan = documents.plans().find_version(event.version))
    answer.add("destination", std::string_view{documents.plans()[*plan].destination(event.destination).name});
}

}  // namespace fastjournal::pipeline
