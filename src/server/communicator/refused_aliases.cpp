#include "server/communicator/refused_aliases.h"

#include <utility>
#include <vector>

#include "server/communicator/datagram_messages.h"
#include "wire/json.h"
#include "wire/text.h"

namespace fastjournal::communicator {
namespace {

constexpr std::uint8_t kPriority = 65;

// Refusals that end by themselves, or by the administrator, who reads the missing right in the log.
bool passes(Code code) {
  return code == Code::no_space || code == Code::over_limit || code == Code::paused || code == Code::unavailable ||
         code == Code::moved || code == Code::not_allowed;
}

// The message as received, to be corrected and sent again; before it a comment with sender, date and reason.
std::string kept_text(Message const& theirs, std::string_view peer, TimeMs now, Status const& why) {
  std::string reason = why.message();
  for (char& c : reason)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  std::string out = "# " + std::to_string(now.value) + " " + std::string{peer} + ": " + reason + "\n";
  std::vector<Param> params;
  for (Param const& param : theirs.params())
    if (param.name != kSecretParameter) params.push_back(param);
  Outgoing const message{.command = theirs.command, .params = params};
  if (!protocol::append_line(message, out).ok()) protocol::append_json(message, out);
  return out;
}

// What an answer to it needs.
Message copy_of(Message const& theirs) {
  Message out;
  out.command = theirs.command;
  out.from_server = theirs.from_server;
  out.from_service = theirs.from_service;
  for (Param const& param : theirs.params())
    if (param.name != kSecretParameter) out.set(param.name, param.value);
  out.own();
  return out;
}

}  // namespace

bool RefusedAliases::keep(Refusal const& refusal, std::int64_t monotonic_us, TimeMs now) {
  auto const& [alias, message, connection, peer, why] = refusal;
  if (monotonic_us >= note_at_us_) {
    note_at_us_ = monotonic_us + kNoteEveryUs;
    notes_.note(alias.declared->command + " from " + std::string{peer} + " refused: " + why.message());
  }
  bool const passing = passes(why.code());
  bool const no_room = lines_.size() >= kLinesMax || bytes_ >= kBytesMax;
  if (passing || !alias.declared->keep_refused || no_room) {
    if (!passing) tell(alias, peer, why.message(), "it was answered with " + alias.declared->refusal);
    return false;
  }
  tell(alias, peer, why.message(), "its line is kept in a file of the data folder (doc/alerts.md)");
  std::string text = kept_text(message, peer, now, why);
  std::uint64_t const ticket = ++last_ticket_;
  lines_.emplace(ticket, Kept{connection, copy_of(message), text.size()});
  bytes_ += text.size();
  files_.keep_refused(alias.table->name, std::move(text), ticket);
  return true;
}

std::optional<RefusedAliases::Kept> RefusedAliases::take(std::uint64_t ticket) {
  auto const found = lines_.find(ticket);
  if (found == lines_.end()) return std::nullopt;
  Kept kept = std::move(found->second);
  lines_.erase(found);
  bytes_ -= kept.bytes;
  return kept;
}

// Logged by the end of the turn that follows the message, or the file's answer.
void RefusedAliases::tell(Aliases::Alias const& alias, std::string_view peer, std::string_view why,
                          std::string_view kept) {
  std::string const text = alias.declared->command + " of table " + alias.table->name + " from " + std::string{peer} +
                           " cannot be taken: " + std::string{why} + "; " + std::string{kept};
  engine_.alerting().raise(nullptr, kAliasRefused, kPriority, text, "alias,manual");
}

}  // namespace fastjournal::communicator
