// Made by ./mk generate from plugins/pipeline/pipeline.xml and clients/calls/pipeline.toml: do not edit.
// clang-format off
// The calls of made_documents.h.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/answers.h"
#include "clients/cpp/documents.h"
#include "clients/cpp/error_text.h"
#include "clients/cpp/made_documents_messages.h"

namespace fastjournal::client {

Result<Document> document_of(Message const& message) {
  std::optional<DocumentChange> const change = word_in<DocumentChange>(kDocumentChangeWords, message.text("change"));
  if (message.command != "DOCUMENT" || !change) return unexpected(message, "DOCUMENT with a known change");
  Document out;
  out.document = number(message, "document");
  out.token = number(message, "token");
  out.source = message.text("source");
  out.uri = message.text("uri");
  out.hash = message.text("hash");
  out.change = *change;
  out.destinations = words_in(message, "destinations");
  out.children = number(message, "children") != 0;
  out.newer = number(message, "newer");
  out.is_gone = message.text("operation") == "delete";
  out.check = number(message, "check") != 0;
  out.lease_end = date(message, "lease_end");
  out.parent = number(message, "parent");
  out.original = number(message, "original");
  out.child = message.text("child");
  out.states = words_in(message, "states");
  out.done = number(message, "done") != 0;
  out.orphan = number(message, "orphan") != 0;
  out.children_known = number(message, "children_known");
  out.children_not_done = number(message, "children_not_done");
  out.missing_below = number(message, "missing_below");
  out.in_hands_below = number(message, "in_hands_below");
  out.failed_below = number(message, "failed_below");
  return out;
}

Result<KickedDocument> kicked_document_of(Message const& message) {
  if (message.command != "KICKED") return unexpected(message, "KICKED");
  KickedDocument out;
  out.document = number(message, "document");
  out.count = number(message, "count");
  out.in_doubt = number(message, "in_doubt");
  return out;
}

Result<Destination> destination_of(Message const& message) {
  if (message.command != "DESTINATION") return unexpected(message, "DESTINATION");
  Destination out;
  out.destination = message.text("destination");
  out.guarantee = message.text("guarantee");
  out.mode = message.text("mode");
  out.reason = message.text("reason");
  out.processing = number(message, "processing");
  out.restart = number(message, "restart");
  out.dirty = number(message, "dirty");
  out.force = number(message, "force");
  out.error = number(message, "error");
  out.batched = number(message, "batched");
  out.sending = number(message, "sending");
  out.sent = number(message, "sent");
  out.dropped = number(message, "dropped");
  out.dead = number(message, "dead");
  out.error_doc = number(message, "error_doc");
  out.in_doubt = number(message, "in_doubt");
  out.with_workers = number(message, "with_workers");
  out.step = message.text("step");
  out.branches = words_in(message, "branches");
  return out;
}

Result<Step> step_of(Message const& message) {
  if (message.command != "STEP") return unexpected(message, "STEP");
  Step out;
  out.plan = message.text("plan");
  out.version = number(message, "version");
  out.step = message.text("step");
  out.kind = message.text("kind");
  out.effect = message.text("effect");
  out.behind = words_in(message, "behind");
  out.router = message.text("router");
  out.copies_max = number(message, "copies_max");
  out.guarantee = message.text("guarantee");
  out.any_path = number(message, "any_path") != 0;
  return out;
}

Result<DocumentReason> document_reason_of(Message const& message) {
  if (message.command != "REASON") return unexpected(message, "REASON");
  DocumentReason out;
  out.document = number(message, "document");
  out.states = words_in(message, "states");
  out.done = number(message, "done") != 0;
  out.newer = number(message, "newer");
  out.children_known = number(message, "children_known");
  out.children_not_done = number(message, "children_not_done");
  out.missing_below = number(message, "missing_below");
  out.in_hands_below = number(message, "in_hands_below");
  out.failed_below = number(message, "failed_below");
  out.text = message.text("text");
  out.error_trace = message.text("error_trace");
  return out;
}

Result<Event> event_of(Message const& message) {
  if (message.command != "EVENT") return unexpected(message, "EVENT");
  Event out;
  out.event = number(message, "event");
  out.date = date(message, "date");
  out.what = message.text("what");
  out.document = number(message, "document");
  out.uri = message.text("uri");
  out.hash = message.text("hash");
  out.operation = message.text("operation");
  out.generation = number(message, "generation");
  out.parent = number(message, "parent");
  out.original = number(message, "original");
  out.destination = message.text("destination");
  out.worker = message.text("worker");
  out.failures = number(message, "failures");
  out.kind = message.text("class");
  out.error = message.text("error");
  out.reason = message.text("reason");
  out.router = message.text("router");
  out.chosen = words_in(message, "chosen");
  out.mode = message.text("mode");
  out.children = number(message, "children");
  out.by = message.text("by");
  return out;
}

Result<Plan> plan_of(Message const& message) {
  if (message.command != "PLAN") return unexpected(message, "PLAN");
  Plan out;
  out.plan = message.text("plan");
  out.version = number(message, "version");
  out.documents = number(message, "documents");
  out.newest = number(message, "newest") != 0;
  out.text = message.text("text");
  out.xml = message.text("xml");
  return out;
}

Result<Document> DocumentCalls::found(std::string_view source, std::string_view uri, std::string_view hash,
                                      FoundOptions const& options) {
  Message command = command_on(table_, "FOUND");
  command.set("source", source);
  command.set("uri", uri);
  set_if_any(command, "hash", hash);
  set_options(command, options);
  return then(connection_.call(command), document_of);
}

Result<std::vector<Document>> DocumentCalls::next(NextDocuments const& options) {
  Message command = command_on(table_, "NEXT");
  set_options(command, options);
  return then(connection_.call(command), [](Reply const& all) { return list_of(all, document_of); });
}

Result<std::string> DocumentCalls::sent(Document const& document, std::string_view destination) {
  Message command = command_about(document, "document", document.document, table_, "SENT");
  command.set("destination", destination);
  return then(connection_.call(command), [](Message const& answer) -> Result<std::string> {
    return std::string{answer.text("status")};
  });
}

Result<std::string> DocumentCalls::failed(Document const& document, std::string_view destination,
                                          std::string_view kind, FailedOptions const& options) {
  Message command = command_about(document, "document", document.document, table_, "FAILED");
  command.set("destination", destination);
  set_error(command, "class", kind, 64);
  set_options(command, options);
  return then(report(connection_, command), [](Message const& answer) -> Result<std::string> {
    return std::string{answer.text("status")};
  });
}

Status DocumentCalls::dropped(Document const& document, std::string_view destination, std::string_view reason) {
  Message command = command_about(document, "document", document.document, table_, "DROPPED");
  set_if_any(command, "destination", destination);
  set_error(command, "reason", reason, 1024);
  return connection_.call(command).status();
}

Result<std::vector<std::string>> DocumentCalls::routed(Document const& document, std::string_view router,
                                                       std::vector<std::string> const& chosen) {
  Message command = command_about(document, "document", document.document, table_, "ROUTED");
  command.set("router", router);
  set_words(command, "chosen", chosen);
  return then(connection_.call(command), [](Message const& answer) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{words_in(answer, "dropped_at")};
  });
}

Status DocumentCalls::children_done(Document const& document, std::uint64_t count) {
  Message command = command_about(document, "document", document.document, table_, "CHILDREN_DONE");
  command.set("count", Value::of_unsigned(count));
  return connection_.call(command).status();
}

Status DocumentCalls::release(Document const& document) {
  Message command = command_about(document, "document", document.document, table_, "RELEASE");
  return connection_.call(command).status();
}

Result<std::vector<Document>> DocumentCalls::documents(ShownDocuments const& options) {
  Message command = command_on(table_, "DOCUMENTS");
  set_options(command, options);
  return all_pages(connection_, command, document_of, options.count);
}

Result<std::vector<Destination>> DocumentCalls::destinations(ShownDestinations const& options) {
  Message command = command_on(table_, "DESTINATIONS");
  set_options(command, options);
  return all_pages(connection_, command, destination_of);
}

Result<DocumentReason> DocumentCalls::why(std::uint64_t document) {
  Message command = command_on(table_, "WHY");
  command.set("document", Value::of_unsigned(document));
  return then(connection_.call(command), document_reason_of);
}

Result<std::vector<Event>> DocumentCalls::history(ShownEvents const& options) {
  Message command = command_on(table_, "HISTORY");
  set_options(command, options);
  return all_pages(connection_, command, event_of, options.count);
}

Result<std::vector<Plan>> DocumentCalls::plans() {
  Message command = command_on(table_, "PLANS");
  return all_pages(connection_, command, plan_of);
}

Result<std::vector<Step>> DocumentCalls::steps(std::optional<std::uint64_t> version) {
  Message command = command_on(table_, "STEPS");
  set_number(command, "version", version);
  return all_pages(connection_, command, step_of, UINT64_MAX);
}

Result<std::uint64_t> DocumentCalls::retry(DocumentFilter const& options, bool if_changed) {
  Message command = command_on(table_, "RETRY");
  set_options(command, options);
  set_flag(command, "if_changed", if_changed);
  return sum_of_pages(connection_, command, "count", options.count);
}

Result<std::uint64_t> DocumentCalls::force(DocumentFilter const& options) {
  Message command = command_on(table_, "FORCE");
  set_options(command, options);
  return sum_of_pages(connection_, command, "count", options.count);
}

Result<std::uint64_t> DocumentCalls::drop(DocumentFilter const& options) {
  Message command = command_on(table_, "DROP");
  set_options(command, options);
  return sum_of_pages(connection_, command, "count", options.count);
}

Result<std::uint64_t> DocumentCalls::resolve(std::string_view outcome, DocumentFilter const& options) {
  Message command = command_on(table_, "RESOLVE");
  command.set("outcome", outcome);
  set_options(command, options);
  return sum_of_pages(connection_, command, "count", options.count);
}

Status DocumentCalls::pause(std::string_view destination, std::string_view reason) {
  Message command = command_on(table_, "PAUSE");
  command.set("destination", destination);
  set_error(command, "reason", reason, 1024);
  return connection_.call(command).status();
}

Status DocumentCalls::resume(std::string_view destination) {
  Message command = command_on(table_, "RESUME");
  command.set("destination", destination);
  return connection_.call(command).status();
}

Result<KickedDocument> DocumentCalls::kick(std::uint64_t document, std::string_view destination) {
  Message command = command_on(table_, "KICK");
  command.set("document", Value::of_unsigned(document));
  set_if_any(command, "destination", destination);
  return then(connection_.call(command), kicked_document_of);
}

}  // namespace fastjournal::client
