#include "tests/world/client_oracle.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "wire/text.h"

namespace fastjournal::sim {
namespace {

// Twice the wake-timeout: if somebody was told and took a row, another one may be waited for.
constexpr std::int64_t kTellAgainMs = 10'000;
// As declared for the tables: leases of a lost connection end after that at the latest.
constexpr std::int64_t kGraceMs = 10'000;

// Messages that are not the answer to a command: LISTEN, and delivered rows (rows of a NEXT have `left`).
bool is_push(Message const& message) {
  return message.command == "LISTEN" || (message.command == "ROW" && !message.has("left"));
}

}  // namespace

// ---------------------------------------------------------------------------
// Commands and their answers

void ClientOracle::exchange(std::string const& client, std::string const& line) {
  world_.send(client, line);
  world_.settle();
  asker_ = client;
  bool answered = false;
  std::vector<Push> pushes;
  while (std::optional<std::string> const answer = world_.take_line(client)) {
    Message message;
    if (!protocol::parse_line(*answer, message).ok()) return wrong("an answer cannot be read: " + *answer);
    if (is_push(message)) {
      pushes.push_back({client, *answer});
    } else {
      if (!pushes.empty()) return wrong("a push before the end of the answer to " + line + ": " + pushes[0].line);
      answered = true;
      note(line, message);
    }
  }
  if (world_.fatal_error().ok() && !world_.log().why().ok())
    return wrong("the daemon goes on though its log failed: " + world_.log().why().text());
  if (!world_.fatal_error().ok()) return note_end(line);
  if (!answered) wrong("no answer to " + line);
  hear(std::move(pushes));
  if (life_.is_right()) check_told();
}

// The daemon ended while it handled this line: only the log knows whether it was done.
void ClientOracle::note_end(std::string const& line) {
  new_row_.clear();
  std::size_t const row = line.find("row=");
  if (row == std::string::npos) return;
  Known& known = rows_[line.substr(row + 4, line.find(';', row) - row - 4)];
  known.may_be_gone = true;
  known.leased_until = 0;
}

void ClientOracle::note(std::string const& line, Message const& message) {
  std::string const row{message.text("row")};
  ++life_.result.counts["answers"];
  if (message.command == "INSERTED") {
    note_insert(line, row, message);
  } else if (message.command == "ROW" && line.starts_with("NEXT")) {
    if (standing_ == "PAUSED") wrong("row " + row + " is handed out while the table is paused");
    note_lease(row, message);
    note_take(false);
  } else if (message.command == "NOTHING" && line.starts_with("NEXT")) {
    note_take(true);
  } else if (message.command == "UNLISTENED") {
    listening_.erase(asker_);
  } else if (message.command == "TOUCHED") {
    note_touch(row, *message.integer("lease_end"));
  } else if (message.command == "COMPLETED" || message.command == "DELETED") {
    if (rows_[row].gone) wrong("row " + row + " was ended and is ended again: " + line);
    rows_[row].gone = true;
    held_.erase(row);
    end_delivery(row);
  } else if (message.command == "RELEASED" || message.command == "PARKED" || message.command == "KICKED") {
    if (rows_[row].gone) wrong("row " + row + " was ended and is given back: " + line);
    rows_[row].leased_until = 0;
    end_delivery(row);
    // Waiting again, it may fold into its twin, or its twin into it.
    rows_[row].may_be_gone = true;
  } else if (message.command == "PAUSED" || message.command == "DRAINING" || message.command == "RESUMED") {
    standing_ = message.command;
    stirred_ = world_.now().value;
  } else if (message.command == "ERROR") {
    note_refusal(line, message);
  }
}

void ClientOracle::note_insert(std::string const& line, std::string const& row, Message const& message) {
  Known& known = rows_[row];
  if (known.gone) return wrong("row " + row + " was ended and is back: " + line);
  if (!merges_ && (known.told || message.text("result") != "inserted"))
    return wrong("without keys " + line + " is answered result=" + std::string{message.text("result")} + " about row " +
                 row);
  known.told = true;
  known.key = line;
  // Its expiry date may end it silently.
  known.may_be_gone = known.may_be_gone || line.find("expiration_date") != std::string::npos;
  if (standing_ == "DRAINING" && message.text("result") != "duplicate") wrong("an insert while the table drains");
  if (message.text("result") == "inserted" && message.integer("process_date") <= world_.now().value) new_row_ = row;
}

// A NEXT of the asking client: if it is a wake listener, it works now, or is idle again.
void ClientOracle::note_take(bool nothing) {
  auto const found = listening_.find(asker_);
  if (found == listening_.end()) return;
  found->second.idle = nothing;
  found->second.woken = found->second.passed_over = false;
}

void ClientOracle::note_touch(std::string const& row, std::int64_t lease_end) {
  rows_[row].leased_until = held_[row].end = lease_end;
  for (auto& [name, listening] : listening_) {
    if (!listening.delivered.contains(row)) continue;
    listening.delivered[row] = lease_end;
    if (name != asker_) listening.delivered.erase(row);  // adopted
  }
}

void ClientOracle::note_refusal(std::string const& line, Message const& message) {
  std::string_view const code = message.text("code");
  std::string_view const refused = standing_ == "PAUSED" ? "NEXT" : standing_ == "DRAINING" ? "INSERT" : "nothing";
  // The client asked and got nothing, so RESUME wakes it.
  if (code == "paused" && line.starts_with("NEXT")) note_take(true);
  if (code == "paused" && line.starts_with(refused)) return;
  if (code != "unknown_row" && code != "stale_epoch" && code != "not_leased" && code != "expired" &&
      code != "wrong_state" && !(code == "no_space" && may_lack_space(line)))
    wrong("refused for no reason: " + line + ": " + std::string{code} + " " + std::string{message.text("message")});
}

// A table that is not kept on disk needs no space.
bool ClientOracle::may_lack_space(std::string const& line) const {
  if (!is_kept_) return false;
  return life_.is_failing || (life_.is_full && !line.starts_with("DONE") && !line.starts_with("DELETE"));
}

void ClientOracle::note_lease(std::string const& row, Message const& message) {
  stirred_ = world_.now().value;
  Known& known = rows_[row];
  std::uint64_t const epoch = static_cast<std::uint64_t>(message.integer("epoch").value_or(0));
  if (known.gone) wrong("row " + row + " was ended and is handed out again");
  if (epoch <= known.highest_epoch)
    wrong("row " + row + ": lease epoch " + std::to_string(epoch) + " after " + std::to_string(known.highest_epoch));
  if (known.leased_until > world_.now().value)
    wrong("row " + row + " is handed out while it is leased until " + std::to_string(known.leased_until));
  end_delivery(row);
  known.highest_epoch = epoch;
  known.leased_until = *message.integer("lease_end");
  held_[row] = {std::string{message.text("epoch")}, known.leased_until};
}

// ---------------------------------------------------------------------------
// Listeners

// A lower credit does not take back deliveries.
void ClientOracle::listens(std::string const& client, std::string const& mode, std::uint64_t credit) {
  Listening next{.mode = mode, .credit = credit, .delivered = {}, .told = {}};
  if (mode == "deliver" && listening_[client].mode == "deliver") next.delivered = listening_[client].delivered;
  listening_[client] = next;
}

void ClientOracle::hear(std::vector<Push> pushes) {
  for (std::uint64_t i = 0; i < kClients; ++i) {
    std::string const name = client_name(i);
    while (std::optional<std::string> line = world_.take_line(name)) pushes.push_back({name, *std::move(line)});
  }
  std::map<std::int64_t, Push> rows;
  for (Push& push : pushes) {
    Message message;
    if (!protocol::parse_line(push.line, message).ok()) return wrong("a push cannot be read: " + push.line);
    if (!is_push(message)) return wrong("nobody asked for " + push.line);
    if (!listening_.contains(push.client)) return wrong(push.client + " does not listen and got " + push.line);
    Listening& listening = listening_[push.client];
    if (message.command == "ROW") {
      rows[message.integer("epoch").value_or(0)] = std::move(push);
    } else if (message.has("row")) {
      listening.told.insert(std::string{message.text("row")});
    } else {
      note_wake(listening, push.client);
    }
  }
  for (auto const& [epoch, push] : rows) note_delivery(push);
}

void ClientOracle::note_wake(Listening& listening, std::string const& client) {
  if (listening.mode != "wake" || !(listening.idle || listening.passed_over))
    wrong(client + " was woken while it was not idle");
  listening.idle = false;
  listening.woken = true;
  listening.passed_over = time_passes_;
}

void ClientOracle::note_delivery(Push const& push) {
  Message message;
  static_cast<void>(protocol::parse_line(push.line, message));
  std::string const row{message.text("row")};
  Listening& listening = listening_[push.client];
  if (standing_ == "PAUSED") wrong("row " + row + " is delivered while the table is paused");
  if (listening.mode != "deliver") wrong("row " + row + " is delivered to " + push.client + ", which did not ask");
  note_lease(row, message);
  listening.delivered[row] = rows_[row].leased_until;
  if (live(listening) > listening.credit) wrong(push.client + " got more rows than its credit");
}

void ClientOracle::end_delivery(std::string const& row) {
  for (auto& [name, listening] : listening_) listening.delivered.erase(row);
}

std::uint64_t ClientOracle::live(Listening const& listening) {
  return static_cast<std::uint64_t>(std::count_if(listening.delivered.begin(), listening.delivered.end(),
                                                  [&](auto const& one) { return one.second > world_.now().value; }));
}

// A new row that is due was announced to every listener of mode row.
void ClientOracle::check_told() {
  std::string const row = std::exchange(new_row_, {});
  if (row.empty()) return;
  for (auto const& [name, listening] : listening_)
    if (listening.mode == "row" && !listening.told.contains(row)) wrong(name + " was not told of row " + row);
}

void ClientOracle::nobody_waits_in_vain() {
  // In a log on disk, a lease needs room.
  if (standing_ == "PAUSED" || (is_kept_ && life_.is_full)) return;
  bool credit = false;
  bool idle = false;
  bool woken = false;
  for (auto const& [name, listening] : listening_) {
    if (listening.mode == "deliver") credit = credit || live(listening) < listening.credit;
    if (listening.mode != "wake") continue;
    idle = idle || listening.idle;
    woken = woken || listening.woken;
  }
  std::string const line = ask_judge(command("STATS"));
  Message stats;
  if (!protocol::parse_line(line, stats).ok()) return wrong("STATS cannot be read");
  if (stats.integer("rows_due").value_or(0) == 0) return;
  if (is_kept_ && life_.tells_wakes && world_.now().value - stirred_ > kTellAgainMs)
    wrong("a row is due, nobody took any, and no message told of it");
  if (credit) wrong("a row is due and a listener has credit");
  if (idle && !woken) wrong("a row is due, a listener is idle and nobody was woken");
}

// ---------------------------------------------------------------------------
// Time, lost connections, starts

void ClientOracle::time_begins() {
  for (auto& [name, listening] : listening_) listening.passed_over = listening.woken;
  time_passes_ = true;
}

void ClientOracle::time_is_lost(std::int64_t ms) {
  for (auto& [row, known] : rows_)
    if (known.leased_until != 0) known.leased_until += ms;
  for (auto& [row, held] : held_) held.end += ms;
  for (auto& [name, listening] : listening_)
    for (auto& [row, end] : listening.delivered) end += ms;
  stirred_ = world_.now().value;
}

// A row that timed out may have folded into its twin or expired.
void ClientOracle::time_ends() {
  hear({});
  time_passes_ = false;
  for (auto& [row, known] : rows_)
    if (known.highest_epoch != 0 && known.leased_until <= world_.now().value) known.may_be_gone = true;
}

void ClientOracle::closed(std::string const& client) {
  listening_.erase(client);
  end_with_the_grace();
  hear({});
}

void ClientOracle::begin_again(bool leases_may_be_lost) {
  listening_.clear();
  stirred_ = world_.now().value;
  if (!is_kept_) return forget_all();
  for (auto& [row, known] : rows_) {
    if (leases_may_be_lost) known.leased_until = 0;
    if (!known.gone) known.may_be_gone = known.may_be_gone || known.highest_epoch != 0;
  }
  // Their holders have no connection to this start.
  end_with_the_grace();
  note_unheard_leases();
}

// Leases whose holder does not come back within the grace: they end with it, and not before.
void ClientOracle::end_with_the_grace() {
  for (auto& [row, known] : rows_) known.leased_until = std::min(known.leased_until, world_.now().value + kGraceMs);
}

// The table is empty, and row numbers do not repeat: holders of earlier rows can end no other row by mistake.
void ClientOracle::forget_all() {
  std::erase_if(held_, [&](auto const& one) { return rows_[one.first].gone; });
  for (auto& [row, known] : rows_) known = {.key = known.key, .highest_epoch = known.highest_epoch, .gone = true};
  standing_ = "RESUMED";
  std::string const first = ask_judge(command("LIST", ";count=1"));
  if (!first.starts_with("NOTHING ")) wrong("a table that is not kept begins with " + first);
}

void ClientOracle::note_unheard_leases() {
  if (!is_kept_) return;
  world_.send("judge", command("LIST", ";status=processing;count=1000"));
  world_.settle();
  while (std::optional<std::string> const line = world_.take_line("judge")) {
    Message message;
    life_.wrong_if(protocol::parse_line(*line, message));
    if (message.command == "ROW") rows_[std::string{message.text("row")}].may_be_gone = true;
  }
}

void ClientOracle::compare_rows() {
  for (auto const& [row, known] : rows_) {
    if (!known.gone && (known.may_be_gone || !known.told)) continue;
    std::string const answer = ask_judge(command("PEEK", ";row=" + row));
    bool const there = answer.starts_with("ROW ");
    if (known.gone && there) return wrong("row " + row + " was ended and is there again");
    if (!known.gone && !there)
      return wrong("row " + row + " was acknowledged (" + known.key.substr(0, 80) + ") and is lost: " + answer);
  }
}

// Returns the first line of the answer.
std::string ClientOracle::ask_judge(std::string const& line) {
  world_.send("judge", line);
  world_.settle();
  return world_.take_line("judge").value_or("(no answer)");
}

}  // namespace fastjournal::sim
