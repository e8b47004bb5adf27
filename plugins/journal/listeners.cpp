// The journal's part of LISTEN and waiting NEXTs: how many rows are available, which ones, and the contents of a
// notice. Clients wait in the engine.
#include <algorithm>

#include "model/key_codec.h"
#include "plugins/journal/journal.h"

namespace fastjournal::journal {

std::uint64_t Journal::available(std::string_view topic) const {
  if (is_paused()) return 0;
  return topic.empty() ? state_.order().available() : state_.order().available(topic);
}

Status Journal::check_topic(std::string_view topic) const {
  DomainSource const& source = state_.order().rules().domain;
  Status refused;
  if (source.is_none()) {
    refused =
        Status{Code::not_supported, "table " + declaration_->name + " has no domains: leave the parameter domain out"};
  } else if (topic.size() > kDomainBytesMax) {
    refused =
        Status{Code::too_large, "domain has " + std::to_string(topic.size()) + " bytes: the names of domains have " +
                                    std::to_string(kDomainBytesMax) + " at most"};
  } else if (source.is_of_uri() &&
             std::any_of(topic.begin(), topic.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
    refused = Status{Code::bad_parameter,
                     "domain is \"" + std::string{topic} + "\": hosts and sites are known in lower case"};
  }
  return refused.ok() ? std::move(refused) : std::move(refused).with("parameter", "domain");
}

ObjectId Journal::find_available(std::string_view topic, ObjectId after, std::uint32_t looks,
                                 std::vector<ObjectId>& found) const {
  // Due rows are announced, also while a limit delays them.
  for (std::uint32_t row = state_.ids().next(after); row != kNoRow; row = state_.ids().next(after)) {
    if (looks-- == 0) return after;
    after = state_.row(row).id();
    bool const fits = topic.empty() || state_.order().domain_of(row) == topic;
    if (fits && is_due(state_.row(row).place()) && is_visible(row, state_.now())) found.push_back(after);
  }
  return {};
}

std::string_view Journal::topic_of(ObjectId object) const {
  std::uint32_t const row = state_.find(object);
  return row == kNoRow ? std::string_view{} : state_.order().domain_of(row);
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
