// What those who wait for rows are told (LISTEN, NEXT with wait): how many are
// there, which, and what a message about one says. They wait in the engine.
#include "model/key_codec.h"
#include "plugins/journal/journal.h"

namespace fastjournal::journal {

std::uint64_t Journal::available(std::string_view topic) const {
  return topic.empty() && !is_paused() ? state_.order().size() : 0;
}

Status Journal::check_topic(std::string_view) const {
  return Status{Code::not_supported, "table " + declaration_->name + " has no domains: leave the parameter domain out"}
      .with("parameter", "domain");
}

ObjectId Journal::find_available(std::string_view topic, ObjectId after, std::uint32_t looks,
                                 std::vector<ObjectId>& found) const {
  if (!topic.empty()) return {};
  for (std::uint32_t row = state_.ids().next(after); row != kNoRow; row = state_.ids().next(after)) {
    if (looks-- == 0) return after;
    after = state_.row(row).id();
    if (is_due(state_.row(row).place()) && is_visible(row, state_.now())) found.push_back(after);
  }
  return {};
}

bool Journal::announce(ObjectId object, Answer& answer) const {
  std::uint32_t const row = state_.find(object);
  if (row == kNoRow) return false;
  PayloadView const view = state_.view(row);
  answer.add("row", object.value);
  model::add_key(*state_.schema(view.facts.schema), view.key, answer);
  answer.add("process_date", state_.row(row).date());
  return true;
}

}  // namespace fastjournal::journal
