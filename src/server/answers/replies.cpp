#include "server/answers/replies.h"

#include <algorithm>
#include <new>
#include <span>

#include "base/may_fail.h"
#include "server/admin/declarations.h"

namespace fastjournal::server {

Replies::Replies(engine::TableTypes const& types, Sessions& sessions, CommitPipeline& pipeline, MemoryGuard& guard,
                 Output const& output, BytesLater& later)
    : sessions_(sessions), pipeline_(pipeline), guard_(guard), output_(output), later_(later) {
  for (auto const& [name, type] : types)
    for (AnswerDeclaration const& answer : type->declaration()->answers)
      if (answer.is_counted) counted_.add(answer.name, 1);
  for (admin::OwnAnswer const& answer : admin::own_answers())
    if (answer.declared.is_counted) counted_.add(answer.name(), 1);
}

void Replies::tell(Session& session, Message const& command, Answer& answer, Status const& status,
                   std::uint64_t following) {
  if (!status.ok()) {
    answer.message("ERROR").add("command", command.command).add("code", row_of(status.code()).wire_name);
    answer.add("message", std::string_view{status.message()});
    for (auto const& [name, value] : status.facts()) answer.add(name, std::string_view{value});
  }
  Outgoing out{.server = command.from_service.empty() ? std::string_view{} : command.from_server,
               .service = command.from_service};
  bool const unheard = session.is_communicator() && command.from_service.empty();
  Value const* const request = command.find("request");
  std::size_t const here = answer.heads().size();
  std::uint64_t const count = here + following;
  for (std::size_t i = 0; i < here; ++i) {
    Answer::Head const& head = answer.heads()[i];
    // Without a receiver it would go to the communicatord itself, which knows only these answers.
    if (unheard && head.command != "COMMANDS" && head.command != "ABSOLUTELY") continue;
    out.command = head.command;
    out.is_last = i + 1 == count;
    out.params = std::span<Param const>{answer.params()}.subspan(head.first, answer.params_end(i) - head.first);
    bool const counted = count > 1 || counted_.has(head.command);
    if (request != nullptr || counted) {
      params_.resize(out.params.size() + (request != nullptr ? 1 : 0) + (counted ? 1 : 0));
      Param* at = std::ranges::copy(out.params, params_.data()).out;
      if (request != nullptr) *at++ = {"request", *request};
      if (counted) *at = {"left", Value::of_unsigned(count - 1 - i)};
      out.params = params_;
    }
    write(session, out);
  }
}

void Replies::push_whole(Session& session, Answer const& messages, engine::Basis const& basis) {
  sessions_.mark_dirty(session);
  pipeline_.rest_on(session, basis);
  std::span<Param const> const params{messages.params()};
  for (std::size_t i = 0; i < messages.heads().size(); ++i) {
    Answer::Head const& head = messages.heads()[i];
    write(session, {.command = head.command,
                    .params = params.subspan(head.first, messages.params_end(i) - head.first),
                    .is_push = true});
  }
}

void Replies::invalid(Session& session, Status const& status) {
  ++invalid_messages_;
  append(session, [&] { session.protocol->refuse(status, session.out.bytes); });
}

bool Replies::send(ConnectionId link, Outgoing const& message, log::Log const* after) {
  Session* const session = sessions_.find(link);
  if (session == nullptr || output_.is_over(*session)) return false;
  if (after != nullptr) CommitPipeline::rest_on(*session, *after);
  write(*session, message);
  return true;
}

void Replies::rest_on_all(ConnectionId link) {
  Session* const session = sessions_.find(link);
  if (session == nullptr) return;
  sessions_.mark_dirty(*session);
  pipeline_.rest_on_all(*session);
}

void Replies::write(Session& session, Outgoing const& message) {
  append(session,
         [&] { session.protocol->write(message, session.life.is_in_parts() ? session.out.aside : session.out.bytes); });
  if (session.protocol->ends()) sessions_.end_after_answers(session);
}

template <typename Append>
void Replies::append(Session& session, Append&& append) {
  sessions_.mark_dirty(session);
  std::size_t const before = session.out.bytes.size();
  try {
    MayFail const may_fail{before > MemoryGuard::kBufferMayFail};
    append();
  } catch (std::bad_alloc const&) {
    session.out.bytes.resize(before);
    guard_.lose(session);
  }
}

}  // namespace fastjournal::server
