#include "plugins/rows/claims.h"

#include <utility>

#include <fmt/format.h>

#include "fastjournal/limits.h"

namespace fastjournal::rows {
namespace {

// Over HTTP a client has any number of connections.
DedupWindows::Newcomer newcomer_of(Command const& command) {
  return {command.origin, command.holds ? command.connection : ConnectionId::none, command.may_manage};
}

Status claim_name(DedupWindows const& windows, DedupWindows::Client const* client, std::string_view table,
                  Command const& command, std::size_t clients_max, std::int64_t now, Claim& claim) {
  std::string_view const origin = command.origin;
  if (client != nullptr && !client->owner_id.is_none()) {
    if (client->origin->name == origin) return {};
    return Status{Code::not_allowed,
                  fmt::format("client \"{}\" of table {} belongs to another peer than {}, which used "
                              "this name first: choose another name, best 128 random bits",
                              claim.sender.client, table, origin)}
        .with("parameter", "client");
  }
  // From a test, or the daemon itself: without an origin there is no owner.
  claim.owner = origin;
  if (client != nullptr) return {};
  DedupWindows::Room const room = windows.room_for(newcomer_of(command), clients_max, now);
  if (room.evicted != nullptr) claim.evicted = room.evicted->name;
  if (room.there) {
    claim.brought_by = &command;
    claim.windows = &windows;
    return {};
  }
  if (room.brought > 0)
    return Status{
        Code::over_limit,
        fmt::format("table {} remembers {} new clients of this connection, brought within an hour, which is the "
                    "most of one while {} has {}: use one client name for a producer's life, or raise "
                    "clients-max",
                    table, room.brought, origin, windows.size_of(origin))}
        .with("parameter", "client");
  return Status{
      Code::over_limit,
      fmt::format("table {} remembers {} clients, of {} {}, and none of those that could make room was silent "
                  "for an hour: use one client name for a producer's life, or raise clients-max",
                  table, windows.size(), origin, windows.size_of(origin))}
      .with("parameter", "client");
}

}  // namespace

Sender sender_of(model::Text client, std::optional<std::uint64_t> sequence, Status& why) {
  if (client.is_given != sequence.has_value() || (client.is_given && client.empty()))
    why = model::refused(
        Code::missing_parameter, client.is_given ? "sequence" : "client",
        "client and sequence go together: the client's name for this start of it, and a number that grows");
  return {client, sequence.value_or(0)};
}

Sender read_sender(model::Parameters& parameters) {
  model::Text const client{parameters.text("client", kClientBytesMax), parameters.has("client")};
  std::optional<std::uint64_t> sequence;
  if (parameters.has("sequence")) sequence = parameters.unsigned_integer("sequence", 0);
  Status why;
  Sender const out = sender_of(client, sequence, why);
  parameters.refuse(std::move(why));
  return out;
}

Before look_up(DedupWindows const& windows, std::string_view table, Command const& command, std::size_t clients_max,
               std::int64_t now, Claim& claim, ObjectId& object, Decision& decision) {
  DedupWindows::Client const* const client = windows.find(claim.sender.client);
  Status status = claim_name(windows, client, table, command, clients_max, now, claim);
  DedupWindows::Found const found = DedupWindows::look(client, claim.sender.sequence);
  if (status.ok() && found.answer == DedupWindows::Answer::below_window)
    status = {Code::stale_sequence,
              fmt::format("sequence {} of client \"{}\" is older than the {} that are remembered: it was done, or will "
                          "never be",
                          claim.sender.sequence, claim.sender.client, kSequenceWindow)};
  if (!status.ok() && decision.phase == Phase::keep) {
    // Its number was good when it was promised, and its client has gone far beyond it since.
    claim = {};
    return Before::no;
  }
  if (decision.refuses(std::move(status))) return Before::over;
  if (found.answer == DedupWindows::Answer::fresh) return Before::no;
  if (decision.phase == Phase::promise) return Before::over;
  append_claim(claim, now, decision.records);
  object = found.row;
  return Before::done;
}

void append_claim(Claim const& claim, std::int64_t now, Records& records) {
  if (claim.brought_by != nullptr) claim.windows->note_newcomer(newcomer_of(*claim.brought_by), now);
  if (!claim.evicted.empty()) model::append_record(records, {}, ClientDroppedBody{claim.evicted});
  if (!claim.owner.empty() && claim.is_numbered())
    model::append_record(records, ObjectId{}, ClientOwnerBody{claim.sender.client, claim.owner, now});
}

}  // namespace fastjournal::rows
