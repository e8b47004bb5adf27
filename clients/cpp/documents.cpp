#include "clients/cpp/documents.h"

#include "clients/cpp/answers.h"

namespace fastjournal::client {

Document Documents::in_hands(Document document) const {
  document.connects = connection_.connects();
  return document;
}

Result<Document> Documents::found(std::string_view source, std::string_view uri, std::string_view hash,
                                  FoundOptions const& options) {
  return then(DocumentCalls::found(source, uri, hash, options),
              [&](Document& one) -> Result<Document> { return in_hands(std::move(one)); });
}

Result<std::vector<Document>> Documents::next(NextDocuments const& options) {
  Result<std::vector<Document>> out = DocumentCalls::next(options);
  if (out.ok())
    for (Document& one : out.value()) one = in_hands(std::move(one));
  return out;
}

Result<Sending> Documents::begin(Document const& document, std::string_view destination, bool batched) {
  Message command = command_about(document, "document", document.document, table_, "SENDING");
  command.set("destination", destination);
  set_flag(command, "batched", batched);
  return then(connection_.call(command), [](Message const& answer) -> Result<Sending> {
    if (answer.command == "RUN")
      return Sending{.attempt = number(answer, "attempt"),
                     .key = std::string(answer.text("key")),
                     .deadline = date(answer, "deadline"),
                     .at_most_once = answer.text("guarantee") == "at-most-once"};
    if (answer.command == "SKIP")
      return Sending{.verdict = Sending::Verdict::skip, .why = std::string(answer.text("status"))};
    if (answer.command == "CANCELLED")
      return Sending{.verdict = Sending::Verdict::cancelled, .why = std::string(answer.text("reason"))};
    return unexpected(answer, "RUN, SKIP or CANCELLED");
  });
}

Result<Child> Documents::begin_child(Document const& parent, std::string_view child, std::string_view step) {
  Message command = command_about(parent, "document", parent.document, table_, "CHILD");
  command.set("child", child);
  set_if_any(command, "step", step);
  return then(connection_.call(command), [&](Message const& answer) -> Result<Child> {
    if (answer.command == "SKIP")
      return Child{.document = {.document = number(answer, "document")},
                   .is_subtree_done = number(answer, "subtree") != 0};
    return then(document_of(answer), [&](Document& one) -> Result<Child> { return Child{in_hands(std::move(one))}; });
  });
}

Result<bool> Documents::heartbeat(Document const& document) {
  Message const command = command_about(document, "document", document.document, table_, "HEARTBEAT");
  return then(connection_.call(command),
              [](Message const& answer) -> Result<bool> { return answer.command == "RECORDED"; });
}

// SENDING is said over the connection that there is, and adopts its own destination.
std::uint64_t Documents::adopt(Document const& document, std::uint64_t since) {
  bool const has_more = document.destinations.size() > 1 || document.children;
  // If it is too late, what is said next is refused.
  if (has_more && since != 0 && since != connection_.connects()) static_cast<void>(heartbeat(document));
  return connection_.connects();
}

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
