#include "server/dispatch/alias_commands.h"

#include <optional>
#include <string>

namespace fastjournal::server {

Status AliasCommands::run(Session& session, Speaker const& speaker, Alias const& alias, Message const& theirs) {
  admin::Basis basis;
  Status status = translate_and_run(speaker, alias, theirs, basis);
  if (is_numbered(alias, theirs))
    replies_.reply(session, theirs, answer_, status, basis);
  else if (status.ok())
    reply(session, alias, theirs, true, basis);
  else
    refuse(session, alias, theirs, status, basis);
  return status;
}

Status AliasCommands::run_unanswered(Speaker const& speaker, Alias const& alias, Message const& theirs) {
  admin::Basis basis;
  return translate_and_run(speaker, alias, theirs, basis);
}

Status AliasCommands::translate_and_run(Speaker const& speaker, Alias const& alias, Message const& theirs,
                                        admin::Basis& basis) {
  answer_.clear();
  Status status = translate(alias, theirs, translated_);
  if (status.ok()) static_cast<void>(commands_.run(speaker, translated_, answer_, status, basis));
  return status;
}

void AliasCommands::reply(Session& session, Alias const& alias, Message const& theirs, bool accepted,
                          admin::Basis const& basis) {
  answer_.clear();
  acknowledge(alias, theirs, accepted, answer_);
  replies_.reply(session, theirs, answer_, {}, basis);
}

void AliasCommands::refuse(Session& session, Alias const& alias, Message const& theirs, Status const& why,
                           admin::Basis const& basis) {
  if (is_numbered(alias, theirs)) {
    answer_.clear();
    return replies_.reply(session, theirs, answer_, why, basis);
  }
  std::string const peer = theirs.from_service.empty() ? session.peer : session.worker;
  bool const is_kept =
      refused_.keep({.alias = alias, .message = theirs, .connection = session.id, .peer = peer, .why = why},
                    clock_.monotonic_us(), clock_.now());
  memory_.set_shared(refused_.memory_bytes());
  if (!is_kept) reply(session, alias, theirs, false, basis);
}

void AliasCommands::refused_kept(std::uint64_t ticket, Status const& status) {
  std::optional<communicator::RefusedAliases::Kept> const kept = refused_.take(ticket);
  if (!kept) return;
  memory_.set_shared(refused_.memory_bytes());
  Alias const* const alias = aliases_.find(kept->message.command);
  if (alias == nullptr) return;  // a reload took it away
  if (!status.ok()) refused_.tell_lost(*alias, status);
  Session* const session = sessions_.find(kept->connection);
  if (session == nullptr) return;
  admin::Basis basis;
  if (engine::HostedTable const* const table = engine_.find_table(alias->table->name)) basis.log = table->log->log;
  reply(*session, *alias, kept->message, status.ok(), basis);
}

}  // namespace fastjournal::server
