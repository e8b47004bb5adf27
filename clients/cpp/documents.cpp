#include "clients/cpp/documents.h"

#include <array>

#include "clients/cpp/answers.h"
#include "clients/cpp/error_text.h"

namespace fastjournal::client {
namespace {

// As the daemon's.
constexpr std::size_t kFailureClassBytesMax = 64;

// Indexed by Document::Change.
constexpr std::array<std::string_view, 6> kChanges{"", "new", "changed", "resume", "processing", "unchanged"};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(' '), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

Result<std::string> state_of(Message const& answer) { return std::string{answer.text("status")}; }

}  // namespace

Message Documents::about(std::string_view command, Document const& document) const {
  Message out = command_on(table_, command);
  out.set("document", Value::of_unsigned(document.document));
  out.set("token", Value::of_unsigned(document.token));
  return out;
}

Result<Document> Documents::document_of(Message const& message) const {
  if (message.command != "DOCUMENT") return unexpected(message, "DOCUMENT");
  Document out;
  out.document = number(message, "document");
  out.token = number(message, "token");
  out.source = message.text("source");
  out.uri = message.text("uri");
  out.hash = message.text("hash");
  std::optional<Document::Change> const change = word_in<Document::Change>(kChanges, message.text("change"));
  if (!change) return unexpected(message, "DOCUMENT with a known change");
  out.change = *change;
  out.destinations = words(message.text("destinations"));
  out.children = number(message, "children") != 0;
  out.newer = number(message, "newer");
  out.is_gone = message.text("operation") == "delete";
  out.check = number(message, "check") != 0;
  out.lease_end = date(message, "lease_end");
  out.connects = connection_.connects();
  out.parent = number(message, "parent");
  out.original = number(message, "original");
  out.child = message.text("child");
  return out;
}

Result<Document> Documents::found(std::string_view source, std::string_view uri, std::string_view hash,
                                  FoundOptions const& options) {
  Message command = command_on(table_, "FOUND");
  command.set("source", source);
  command.set("uri", uri);
  set_if_any(command, "hash", hash);
  if (!options.hand_out) command.set_integer("hand_out", 0);
  if (options.dry_run) command.set_integer("dry_run", 1);
  if (options.gone) command.set_integer("gone", 1);
  set_span(command, "lease", options.lease);
  set_if_any(command, "worker", options.worker);
  return then_first(connection_.call(command), [&](Message const& answer) { return document_of(answer); });
}

Result<std::vector<Document>> Documents::next(NextDocuments const& options) {
  Message command = command_on(table_, "NEXT");
  set_if_any(command, "source", options.source);
  set_if_any(command, "destination", options.destination);
  command.set_integer("count", options.count);
  set_span(command, "lease", options.lease);
  set_span(command, "wait", options.wait);
  set_if_any(command, "worker", options.worker);
  return then(connection_.call(command), [&](Reply const& reply) {
    return list_of(reply, [&](Message const& message) { return document_of(message); });
  });
}

Result<Sending> Documents::begin(Document const& document, std::string_view destination, bool batched) {
  Message command = about("SENDING", document);
  command.set("destination", destination);
  set_flag(command, "batched", batched);
  Result<Reply> const reply = connection_.call(command);
  if (!reply.ok()) return reply.status();
  Message const& answer = reply->first();
  Sending out;
  if (answer.command == "RUN") {
    out.attempt = number(answer, "attempt");
    out.key = answer.text("key");
    out.deadline = date(answer, "deadline");
    out.at_most_once = answer.text("guarantee") == "at-most-once";
    return out;
  }
  if (answer.command != "SKIP" && answer.command != "CANCELLED") return unexpected(answer, "RUN, SKIP or CANCELLED");
  bool const is_skip = answer.command == "SKIP";
  out.verdict = is_skip ? Sending::Verdict::skip : Sending::Verdict::cancelled;
  out.why = answer.text(is_skip ? "status" : "reason");
  return out;
}

Result<std::string> Documents::sent(Document const& document, std::string_view destination) {
  Message command = about("SENT", document);
  command.set("destination", destination);
  return then_first(connection_.call(command), state_of);
}

Result<std::string> Documents::failed(Document const& document, std::string_view destination, std::string_view kind,
                                      FailedOptions const& options) {
  Message command = about("FAILED", document);
  command.set("destination", destination);
  set_error(command, "class", kind, kFailureClassBytesMax);
  set_failure(command, options.error, options.error_trace);
  set_flag(command, "permanent", options.permanent);
  return then_first(report(connection_, command), state_of);
}

Status Documents::dropped(Document const& document, std::string_view destination, std::string_view reason) {
  Message command = about("DROPPED", document);
  set_if_any(command, "destination", destination);
  set_error(command, "reason", reason);
  return connection_.call(command).status();
}

Result<std::vector<std::string>> Documents::routed(Document const& document, std::string_view router,
                                                   std::vector<std::string> const& chosen) {
  std::string all;
  for (std::string const& one : chosen) all.append(all.empty() ? "" : " ").append(one);
  Message command = about("ROUTED", document);
  command.set("router", router);
  command.set("chosen", std::string_view{all});
  Result<Reply> const reply = connection_.call(command);
  if (!reply.ok()) return reply.status();
  return words(reply->first().text("dropped_at"));
}

Result<Child> Documents::begin_child(Document const& parent, std::string_view child, std::string_view step) {
  Message command = about("CHILD", parent);
  command.set("child", child);
  set_if_any(command, "step", step);
  Result<Reply> const reply = connection_.call(command);
  if (!reply.ok()) return reply.status();
  Child out;
  if (reply->first().command == "SKIP") {
    out.document.document = number(reply->first(), "document");
    out.is_subtree_done = number(reply->first(), "subtree") != 0;
    return out;
  }
  Result<Document> document = document_of(reply->first());
  if (!document.ok()) return document.status();
  out.document = std::move(document).value();
  return out;
}

Status Documents::children_done(Document const& parent, std::uint64_t count) {
  Message command = about("CHILDREN_DONE", parent);
  command.set("count", Value::of_unsigned(count));
  return connection_.call(command).status();
}

Result<bool> Documents::heartbeat(Document const& document) {
  Result<Reply> const reply = connection_.call(about("HEARTBEAT", document));
  if (!reply.ok()) return reply.status();
  return reply->first().command == "RECORDED";
}

// SENDING is said over the connection that there is, and adopts its own destination.
std::uint64_t Documents::adopt(Document const& document, std::uint64_t since) {
  bool const has_more = document.destinations.size() > 1 || document.children;
  // If it is too late, what is said next is refused.
  if (has_more && since != 0 && since != connection_.connects()) static_cast<void>(heartbeat(document));
  return connection_.connects();
}

Status Documents::release(Document const& document) { return connection_.call(about("RELEASE", document)).status(); }

Result<Delivery> Documents::deliver(Document const& document, std::string_view destination,
                                    std::function<std::optional<NotSent>(Sending const&)> const& send) {
  Result<Sending> const sending = begin(document, destination);
  if (!sending.ok()) return sending.status();
  Delivery out{.verdict = sending->verdict, .state = sending->why};
  if (sending->verdict != Sending::Verdict::run) return out;
  std::uint64_t const connects = adopt(document, document.connects);
  std::optional<NotSent> const wrong = send(sending.value());
  if (wrong && wrong->may_have_arrived && sending->at_most_once) {
    out.state = "sending";
    return out;
  }
  if (wrong && wrong->drop) {
    if (Status said = dropped(document, destination, wrong->error); !said.ok()) return said;
    out.state = "dropped";
    adopt(document, connects);
    return out;
  }
  Result<std::string> const state =
      wrong ? failed(document, destination, wrong->kind,
                     {.error = wrong->error, .permanent = wrong->permanent, .error_trace = wrong->error_trace})
            : sent(document, destination);
  if (!state.ok()) return state.status();
  out.state = state.value();
  adopt(document, connects);
  return out;
}

}  // namespace fastjournal::client
