// Messages of other systems that a table refuses. Their answer has no room for the reason, which is put into the
// daemon's log and an alert. A sender that waits for a confirmation would repeat the line for ever: with refused="keep"
// a message that can never be accepted is written to a file and then confirmed. It is not parked as a row, as it may
// violate the rules of the table. The file is bounded, and nobody reads it back.
#include "server/server.h"
#include "wire/json.h"
#include "wire/text.h"

namespace fastjournal::server {
namespace {

// Reasons are logged at most this often.
constexpr std::int64_t kAliasNoteEveryUs = 1'000'000;
// The most lines that are being written to files; further ones are refused, and will be repeated.
constexpr std::size_t kRefusalsMax = 1024;
constexpr std::size_t kRefusalBytesMax = 16U << 20U;
// The message, and the line that is being written.
constexpr std::size_t kRefusalCopies = 2;
constexpr std::uint8_t kPriority = 65;

// Refusals that end by themselves, or by the administrator, who reads the missing right in the log.
bool passes(Code code) {
  return code == Code::no_space || code == Code::over_limit || code == Code::paused || code == Code::unavailable ||
         code == Code::not_allowed;
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
  wire::Outgoing const message{.command = theirs.command, .params = params};
  if (!wire::append_line(message, out).ok()) wire::append_json(message, out);
  return out;
}

}  // namespace

void Server::refuse_alias(Session& session, Aliases::Alias const& alias, Status const& status) {
  std::string peer = session.peer;
  if (!message_.from_service.empty()) peer = session.worker;
  std::int64_t const now_us = time_.monotonic_us();
  if (now_us >= alias_note_at_us_) {
    alias_note_at_us_ = now_us + kAliasNoteEveryUs;
    host_.note(alias.declared->command + " from " + peer + " refused: " + status.message());
  }
  bool const passing = passes(status.code());
  bool const no_room = refusals_.size() >= kRefusalsMax || refusal_bytes_ >= kRefusalBytesMax;
  if (passing || !alias.declared->keep_refused || no_room) {
    if (!passing) tell_refused(alias, peer, status.message(), "it was answered with " + alias.declared->refusal);
    answer_alias(session, alias, message_, false);
    return;
  }
  tell_refused(alias, peer, status.message(), "its line is kept in a file of the data folder (doc/alerts.md)");
  std::uint64_t const ticket = ++last_ticket_;
  KeptRefusal& kept = refusals_[ticket];
  kept.connection = session.id;
  kept.message.command = message_.command;
  kept.message.from_server = message_.from_server;
  kept.message.from_service = message_.from_service;
  for (Param const& param : message_.params())
    if (param.name != kSecretParameter) kept.message.set(param.name, param.value);
  kept.message.own();
  std::string text = kept_text(message_, peer, turn_now(), status);
  kept.bytes = text.size();
  refusal_bytes_ += kept.bytes;
  memory_.add_shared(static_cast<std::int64_t>(kRefusalCopies * kept.bytes));
  host_.keep_refused(alias.table->name, std::move(text), ticket);
}

void Server::refused_kept(std::uint64_t ticket, Status const& status) {
  auto const found = refusals_.find(ticket);
  if (found == refusals_.end() || dead_) return;
  KeptRefusal const kept = std::move(found->second);
  refusals_.erase(found);
  refusal_bytes_ -= kept.bytes;
  memory_.add_shared(-static_cast<std::int64_t>(kRefusalCopies * kept.bytes));
  Aliases::Alias const* const alias = aliases_.find(kept.message.command);
  if (alias == nullptr) return;  // a reload took it away
  if (!status.ok()) tell_refused(*alias, "a sender", status.message(), "its line could not be kept");
  auto const session = sessions_.find(kept.connection);
  touched_ = nullptr;
  touches_all_ = false;
  if (core::HostedTable const* const table = engine_.find_table(alias->table->name)) touch(*table);
  if (session != sessions_.end()) answer_alias(*session->second, *alias, kept.message, status.ok());
  network_.turn_again();
}

void Server::tell_refused(Aliases::Alias const& alias, std::string_view peer, std::string_view why,
                          std::string_view kept) {
  std::string const text = alias.declared->command + " of table " + alias.table->name + " from " + std::string{peer} +
                           " cannot be taken: " + std::string{why} + "; " + std::string{kept};
  raise_alert(kAliasRefused, kPriority, text, "alias,manual");
}

}  // namespace fastjournal::server
