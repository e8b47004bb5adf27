#include "server/dispatch/dispatch.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "fastjournal/limits.h"
#include "wire/names.h"

namespace fastjournal::server {
namespace {

// Of a name that a client made up: the longest that a table can have.
constexpr std::size_t kTableNameShown = 64;
// In units of the turn's budget, of an answer that is written and sent.
constexpr std::uint64_t kAnswerBytesPerLook = 16;

}  // namespace

void Dispatch::handle(Session& session, Message& message) {
  ++counters_.messages;
  guard_.look_at_reserve();
  if (protocol::has_names_to_check(message) && refuse_names(session, message)) return;
  if (session.is_link() && !prepare_from_link(session, message)) return;
  answer_.clear();
  std::uint32_t const known = registry_.find(message.command);
  name_bound_table(session, known, message);
  if (known == admin::Registry::kOfTables) {
    Speaker const speaker = speaker_of(session, sender_of(session, message), message);
    engine::Outcome const outcome = commands_.run(speaker, message, answer_);
    if (session.who.user != nullptr && commands_.right_of(message) == Right::manage)
      audit_.command(session, session.who.user.get(), message, message.text("table"), outcome.status);
    if (outcome.is_later)
      ++session.life.waiting;
    else
      reply(session, message, outcome);
  } else if (known != admin::Registry::kUnknown) {
    run_own(session, known, message);
  } else if (AliasCommands::Alias const* const alias = aliases_.find(message);
             alias != nullptr && engine_.transactions().has(session.id)) {
    // Its answer says that it was done.
    refuse(session, message,
           {Code::not_supported, alias->declared->command + " of another system is not part of transactions"});
  } else if (alias != nullptr) {
    engine::Outcome const outcome = aliases_.run(session, speaker_of(session, session.id, message), *alias, message);
    std::string const& table = alias->table->name;
    if (session.who.user != nullptr && commands_.right_of(table, alias->declared->means) == Right::manage)
      audit_.command(session, session.who.user.get(), message, table, outcome.status);
  } else {
    ++counters_.unknown;
    note_refused(session, {Code::unknown_command, "there is no command " + std::string{message.command.substr(0, 64)}});
    answer_.message("UNKNOWN").add("command", message.command);
    reply(session, message, {});
  }
}

void Dispatch::name_bound_table(Session const& session, std::uint32_t known, Message& message) const {
  std::string const& bound = listeners_.of(session.listener).table;
  if (!bound.empty()) name_table(bound, known, message);
}

void Dispatch::name_table(std::string_view bound, std::uint32_t known, Message& message) const {
  bool const takes_table = known == admin::Registry::kOfTables ||
                           (known != admin::Registry::kUnknown && registry_.declaration(known).takes_table());
  if (takes_table && !message.has("table")) message.add("table", Value::of_text(bound));
}

void Dispatch::run_own(Session& session, std::uint32_t number, Message const& message) {
  access::UserPtr const user = session.who.user;  // a RELOAD may remove him
  admin::Caller const caller{.connection = session.id,
                             .peer = session.peer,
                             .worker = session.worker,
                             .origin = session.owner(),
                             .stands_alone = session.speaks == Spoken::http,
                             .communicator = session.is_communicator(),
                             .permit = {session.who.rights, user.get(), listeners_.of(session.listener).table}};
  std::optional<Right> const right = registry_.right_for(number, caller, message);
  admin::OwnCommand const& declared = registry_.declaration(number);
  engine::Outcome outcome;
  if (right)
    outcome.status = check(speaker_of(session, session.id, message), *right, declared, message);
  else if (declared.for_changes && !caller.permit.has(Right::admin))
    outcome.status = listeners_.check_for_changes(speaker_of(session, session.id, message), declared.name());
  else if (declared.takes_table() && !caller.permit.bound.empty())
    outcome.status = listeners_.check_reach(speaker_of(session, session.id, message), declared.name(),
                                            message.text("table").substr(0, kTableNameShown));
  bool is_begun = false;
  if (outcome.ok()) {
    outcome = registry_.run(number, {.caller = caller, .message = message, .now = clock_.now(), .answer = answer_});
    is_begun = outcome.long_answer != nullptr && begin_long(session, message, outcome);
    note_answer();
    session.life.may_be_silent = session.life.may_be_silent || (declared.may_be_silent && outcome.ok());
    if (outcome.is_later) {
      ++session.life.waiting;
      // Else values of a TRANSACTION are stored first.
      if (!session.life.is_storing()) session.life.waits_for = WaitsFor::committing;
    }
  }
  if (right == Right::admin || (right == Right::manage && user != nullptr))
    audit_.command(session, user.get(), message, message.text("table"), outcome.status);
  // A protocol that waits for the end of the answer gets one to a notice among services, too.
  bool const is_notice = declared.kind == admin::OwnCommand::Kind::silent;
  if (session.life.waits_for != WaitsFor::nothing || is_begun) return;
  if (is_notice && session.protocol->is_answering() && answer_.empty() && outcome.ok())
    answer_.message("UNKNOWN").add("command", message.command);
  if (!answer_.empty() || !outcome.ok()) reply(session, message, outcome);
}

bool Dispatch::begin_long(Session& session, Message const& message, engine::Outcome& outcome) {
  std::uint64_t const left = outcome.long_answer->tell(clock_.now(), answer_);
  if (left == 0) return false;
  replies_.reply_part(session, message, answer_, left, outcome.basis);
  long_answers_.take(session, message, std::move(outcome.long_answer), outcome.basis);
  return true;
}

// The bytes of the daemon's own answers are work: some have many, in few parameters.
void Dispatch::note_answer() {
  std::uint64_t bytes = 0;
  for (Param const& param : answer_.params())
    bytes += param.value.outside ? param.value.stored->extent.size() : param.value.bytes.size();
  turn_.budget().spend(bytes / kAnswerBytesPerLook);
}

Status Dispatch::check(Speaker const& speaker, Right right, admin::OwnCommand const& command,
                       Message const& message) const {
  using Scope = admin::OwnCommand::Scope;
  if (speaker.has_everywhere(right)) return {};
  Value const* const table = command.scope == Scope::daemon ? nullptr : message.find("table");
  if (table != nullptr)
    return listeners_.check_on(speaker, right, command.name(), table->bytes.substr(0, kTableNameShown));
  if (command.scope == Scope::tables) return listeners_.check_anywhere(speaker, right, command.name());
  return listeners_.check(speaker, right, command.name());
}

Result<TableCommands::Content> Dispatch::accept_content(Session& session, Message& message, std::uint64_t bytes) {
  ++counters_.messages;
  guard_.look_at_reserve();
  if (Status status = protocol::check_head_names(message); !status.ok()) return status;
  std::uint32_t const known = registry_.find(message.command);
  name_bound_table(session, known, message);
  if (known != admin::Registry::kOfTables)
    return Status{Code::not_supported, "values in pieces are for commands of tables"};
  return commands_.accept_content(speaker_of(session, session.id, message), message, bytes);
}

void Dispatch::refuse(Session& session, Message& message, Status const& why) {
  answer_.clear();
  if (!refuse_names(session, message)) reply(session, message, why);
}

// Names that every message of an answer repeats are checked before anything is done.
bool Dispatch::refuse_names(Session& session, Message& message) {
  if (Status const status = protocol::check_head_names(message); !status.ok()) {
    note_refused(session, status);
    replies_.invalid(session, status);
    return true;
  }
  Value const* const request = message.find("request");
  if (request == nullptr) return false;
  Status const status = protocol::check_echo("request", *request, kRequestBytesMax);
  if (status.ok()) return false;
  message.erase("request");
  answer_.clear();
  if (AliasCommands::Alias const* const alias = aliases_.find(message))
    aliases_.refuse(session, *alias, message, status);
  else
    reply(session, message, status);
  return true;
}

// Many services share the connection: the sender is the default worker, and pushes have no receiver. False: the message
// was refused, or cannot be answered.
bool Dispatch::prepare_from_link(Session& session, Message& message) {
  if (session.is_communicator()) {
    AliasCommands::Alias const* const alias = aliases_.find(message);
    engine::HostedTable const* const table = alias == nullptr ? engine_.find_table(message.text("table")) : nullptr;
    communicator::drop_transport_parameters(message, alias, table == nullptr ? nullptr : &table->columns);
    if (message.from_service.empty() && registry_.find(message.command) == admin::Registry::kOfTables &&
        !commands_.adds(message)) {
      // A row would be leased to no client.
      ++counters_.without_sender;
      return false;
    }
  }
  static constexpr std::array<std::string_view, 11> kOfOwnConnections{
      "LISTEN",   "UNLISTEN",    "WATCH",    "UNWATCH", "BEGIN",     "COMMIT",
      "ROLLBACK", "TRANSACTION", "XA_START", "XA_END",  "XA_TIMEOUT"};
  if (std::ranges::find(kOfOwnConnections, message.command) != kOfOwnConnections.end()) {
    refuse(session, message,
           {Code::not_supported, std::string{message.command} + " needs a connection to the daemon of its own"});
    return false;
  }
  if (!message.from_service.empty())
    session.worker = std::string{message.from_server} + ":" + std::string{message.from_service};
  return true;
}

Speaker Dispatch::speaker_of(Session const& session, ConnectionId connection, Message const& message) {
  if (!session.is_link()) {
    Listener const& listener = listeners_.of(session.listener);
    return {.connection = connection,
            .worker = session.worker,
            .origin = session.owner(),
            .rights = session.who.rights,
            .door = listener.address,
            .user = session.who.user.get(),
            .bound = listener.table,
            .holds = session.holds_leases,
            .may_store = true};
  }
  // Senders behind a communicatord are distinguished by their service.
  bool const is_service = session.is_communicator() && !message.from_service.empty();
  return {.connection = connection,
          .worker = session.worker,
          .origin = is_service ? service_.origin_of(message) : std::string_view{session.origin},
          .rights = session.who.rights,
          .door = session.is_communicator() ? "the communicatord" : "a connection that the daemon made"};
}

ConnectionId Dispatch::sender_of(Session const& session, Message const& message) {
  if (!session.is_communicator() || message.from_service.empty()) return session.id;
  std::optional<ConnectionId> left;
  ConnectionId const id = service_.sender_of(message, left);
  if (left) engine_.connection_closed(*left, clock_.now());
  return id;
}

void Dispatch::handle_unanswered(Message& message, std::string_view bound, communicator::DatagramMessages& source) {
  Speaker const speaker{.worker = "udp", .origin = "udp", .rights = {Right::add}, .door = "UDP", .bound = bound};
  if (!bound.empty()) name_table(bound, registry_.find(message.command), message);
  engine::Outcome outcome;
  if (AliasCommands::Alias const* const alias = aliases_.find(message)) {
    outcome = aliases_.run_unanswered(speaker, *alias, message);
  } else if (commands_.adds(message)) {
    answer_.clear();
    outcome = commands_.run(speaker, message, answer_);
  } else {
    source.count_ignored();
  }
  if (!outcome.ok()) source.count_refused();
}

}  // namespace fastjournal::server
