#include "plugins/rows/claims.h"

#include <string>

#include "fastjournal/limits.h"

namespace fastjournal::rows {
namespace {

// Over HTTP anybody has as many connections as he likes.
DedupWindows::Newcomer newcomer_of(Command const& command) {
  return {command.origin, command.holds ? command.connection : ConnectionId::none, command.may_manage};
}

Status claim_name(DedupWindows const& windows, DedupWindows::Client const* client, std::string_view table,
                  Command const& command, std::size_t clients_max, std::int64_t now, Claim& claim) {
  std::string_view const origin = command.origin;
  if (client != nullptr && !client->owner_id.is_none()) {
    if (client->origin->name == origin) return {};
    return Status{Code::not_allowed, "client \"" + std::string{claim.sender.client} + "\" of table " +
                                         std::string{table} + " belongs to another peer than " + std::string{origin} +
                                         ", which used this name first: choose another name, best 128 random bits"}
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
    return Status{Code::over_limit, "table " + std::string{table} + " remembers " + std::to_string(room.brought) +
                                        " new clients of this connection, brought within an hour, which is the most "
                                        "of one while " +
                                        std::string{origin} + " has " + std::to_string(windows.size_of(origin)) +
                                        ": use one client name for a producer's life, or raise clients-max"}
        .with("parameter", "client");
  return Status{Code::over_limit,
                "table " + std::string{table} + " remembers " + std::to_string(windows.size()) + " clients, of " +
                    std::string{origin} + " " + std::to_string(windows.size_of(origin)) +
                    ", and none of those that could make room was silent for an hour: use one client name for a "
                    "producer's life, or raise clients-max"}
      .with("parameter", "client");
}

}  // namespace

Sender read_sender(model::Parameters& parameters) {
  Sender out{parameters.text("client", kClientBytesMax), parameters.unsigned_integer("sequence", 0)};
  bool const has_client = parameters.has("client");
  if (has_client != parameters.has("sequence") || (has_client && out.client.empty()))
    parameters.refuse(
        Code::missing_parameter, has_client ? "sequence" : "client",
        "client and sequence go together: the client's name for this start of it, and a number that grows");
  return out;
}

Status look_up(DedupWindows const& windows, std::string_view table, Command const& command, std::size_t clients_max,
               std::int64_t now, Claim& claim, DedupWindows::Found& found) {
  DedupWindows::Client const* const client = windows.find(claim.sender.client);
  if (Status status = claim_name(windows, client, table, command, clients_max, now, claim); !status.ok()) return status;
  found = DedupWindows::look(client, claim.sender.sequence);
  if (found.answer != DedupWindows::Answer::below_window) return {};
  return Status{Code::stale_sequence, "sequence " + std::to_string(claim.sender.sequence) + " of client \"" +
                                          std::string{claim.sender.client} + "\" is older than the " +
                                          std::to_string(kSequenceWindow) +
                                          " that are remembered: it was done, or will never be"};
}

void append_claim(Claim const& claim, std::int64_t now, Records& records) {
  if (claim.brought_by != nullptr) claim.windows->note_newcomer(newcomer_of(*claim.brought_by), now);
  if (!claim.evicted.empty()) append_client_dropped(records, claim.evicted);
  if (!claim.owner.empty() && claim.is_numbered())
    append_client_owner(records, ObjectId{}, {claim.sender.client, claim.owner, now});
}

}  // namespace fastjournal::rows
