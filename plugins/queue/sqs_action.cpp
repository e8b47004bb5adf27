#include "plugins/queue/sqs_action.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::queue::sqs {
namespace {

bool is_batch_id(std::string_view id) {
  constexpr std::size_t kMax = 80;
  auto const fits = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !id.empty() && id.size() <= kMax && std::ranges::all_of(id, fits);
}

}  // namespace

Shared::Task* Shared::find(std::uint64_t number) {
  auto const found = std::ranges::find(tasks, number, &Task::number);
  return found == tasks.end() ? nullptr : &*found;
}

std::string Action::queue_of_url() {
  std::optional<Error> wrong;
  std::optional<std::string> const url = text_of(given(), "QueueUrl", wrong);
  if (wrong || !url) {
    fail(wrong ? std::move(*wrong) : missing("QueueUrl"));
    return {};
  }
  std::string_view const name = name_in_url(*url);
  if (is_queue_name(name)) return std::string{name};
  fail({Fault::invalid_address,
        fmt::format("The address {} is not valid for this endpoint: it ends with no name of a "
                    "queue.",
                    Json(url->substr(0, 128)).dump(-1, ' ', true, Json::error_handler_t::replace))});
  return {};
}

EntriesAction::EntriesAction(Request request, Context const& context, bool is_batch)
    : Action(std::move(request), context), queue_(queue_of_url()), is_batch_(is_batch) {
  if (is_batch && !error_)
    read_batch();
  else
    entries_.push_back({.given = &given()});
}

void EntriesAction::read_batch() {
  Json const* const list = member(given(), "Entries");
  if (list == nullptr || !list->is_array() || list->empty())
    return fail({Fault::empty_batch, "There should be at least one entry in the request: Entries."});
  if (list->size() > kEntriesMax)
    return fail({Fault::too_many_entries, fmt::format("Maximum number of entries per request are {}. You have sent {}.",
                                                      kEntriesMax, list->size())});
  std::set<std::string> ids;
  for (Json const& given : *list) {
    std::optional<Error> wrong;
    std::string const id = text_of(given, "Id", wrong).value_or("");
    if (wrong || !is_batch_id(id))
      return fail({Fault::invalid_batch_id,
                   "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at "
                   "most 80 letters long."});
    if (!ids.insert(id).second) return fail({Fault::batch_ids_not_distinct, fmt::format("Id {} repeated.", id)});
    entries_.push_back({.id = id, .given = &given});
  }
}

void EntriesAction::begin() {
  if (error_) return;
  for (Entry& entry : entries_) prepare(entry);
  if (!error_) skip();
}

void EntriesAction::skip() {
  while (at_ < entries_.size() && entries_[at_].error) ++at_;
  if (at_ == entries_.size()) finish();
}

void EntriesAction::take(Outgoing const& answer) {
  if (!answer.is_last && !is_refusal(answer)) return;
  if (!take_entry(entries_[at_], answer) || error_) return;
  ++at_;
  skip();
}

void EntriesAction::finish() {
  if (!is_batch_) {
    Entry& only = entries_.front();
    if (only.error) return fail(std::move(*only.error));
    result_ = std::move(only.result);
    return end();
  }
  result_ = {{"Successful", Json::array()}, {"Failed", Json::array()}};
  for (Entry& entry : entries_) {
    Json& out = entry.result;
    if (entry.error)
      out = {{"Code", row_of(entry.error->fault).code},
             {"Message", entry.error->message},
             {"SenderFault", row_of(entry.error->fault).status < 500}};
    out["Id"] = entry.id;
    result_[entry.error ? "Failed" : "Successful"].push_back(std::move(out));
  }
  end();
}

std::unique_ptr<Action> make_action(Request request, Context const& context) {
  if (std::unique_ptr<Action> out = make_message_action(request, context); out != nullptr) return out;
  return make_queue_action(request, context);
}

}  // namespace fastjournal::queue::sqs
