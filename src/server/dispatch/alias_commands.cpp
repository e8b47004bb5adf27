#include "server/dispatch/alias_commands.h"

#include <optional>
#include <string>

namespace fastjournal::server {

engine::Outcome AliasCommands::run(Session& session, Speaker const& speaker, Alias const& alias,
                                   Message const& theirs) {
  engine::Outcome outcome = run_unanswered(speaker, alias, theirs);
  if (is_numbered(alias, theirs))
    replies_.reply(session, theirs, answer_, outcome);
  else if (outcome.ok())
    reply(session, alias, theirs, true, outcome.basis);
  else
    refuse(session, alias, theirs, outcome);
  return outcome;
}

engine::Outcome AliasCommands::run_unanswered(Speaker const& speaker, Alias const& alias, Message const& theirs) {
  answer_.clear();
  if (Status status = translate(alias, theirs, translated_); !status.ok()) return status;
  return commands_.run(speaker, translated_, answer_);
}

void AliasCommands::reply(Session& session, Alias const& alias, Message const& theirs, bool accepted,
                          engine::Basis const& basis) {
  answer_.clear();
  acknowledge(alias, theirs, accepted, answer_);
  replies_.reply(session, theirs, answer_, {{}, basis});
}

void AliasCommands::refuse(Session& session, Alias const& alias, Message const& theirs,
                           engine::Outcome const& refusal) {
  if (is_numbered(alias, theirs)) {
    answer_.clear();
    return replies_.reply(session, theirs, answer_, refusal);
  }
  std::string const peer = theirs.from_service.empty() ? session.peer : session.worker;
  bool const is_kept =
      refused_.keep({.alias = alias, .message = theirs, .connection = session.id, .peer = peer, .why = refusal.status},
                    clock_.monotonic_us(), clock_.now());
  sessions_.memory().set_shared(refused_.memory_bytes());
  if (!is_kept) reply(session, alias, theirs, false, refusal.basis);
}

void AliasCommands::refused_kept(std::uint64_t ticket, Status const& status) {
  std::optional<communicator::RefusedAliases::Kept> const kept = refused_.take(ticket);
  if (!kept) return;
  sessions_.memory().set_shared(refused_.memory_bytes());
  Alias const* const alias = aliases_.find(kept->message.command);
  if (alias == nullptr) return;  // a reload took it away
  if (!status.ok()) refused_.tell_lost(*alias, status);
  Session* const session = sessions_.find(kept->connection);
  if (session == nullptr) return;
  engine::HostedTable const* const table = engine_.find_table(alias->table->name);
  reply(*session, *alias, kept->message, status.ok(), engine::basis_of(table == nullptr ? nullptr : table->log));
}

}  // namespace fastjournal::server
