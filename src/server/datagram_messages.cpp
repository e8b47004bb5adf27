#include "server/datagram_messages.h"

#include "server/server.h"
#include "wire/text.h"

namespace fastjournal::server {

void Server::take_messages(ConnectionId socket, DatagramOptions options) {
  datagram_sources_.emplace(socket, DatagramSource{std::move(options)});
}

void Server::on_datagram(ConnectionId socket, std::string_view bytes) {
  auto const source = datagram_sources_.find(socket);
  if (source == datagram_sources_.end() || dead_) return;
  ++counters_.udp_messages;
  bool const fits = bytes.size() <= kDatagramMessageBytesMax && source->second.has_room(time_.monotonic_us());
  if (!fits || !wire::parse_line(bytes.substr(0, bytes.find('\n')), message_).ok()) {
    ++counters_.udp_dropped;
    return;
  }
  if (!source->second.admits(message_)) {
    ++counters_.udp_wrong_secret;
    return;
  }
  answer_.clear();
  Status status;
  Speaker const speaker{.worker = "udp", .origin = "udp", .rights = {Right::add}, .door = "UDP"};
  if (Aliases::Alias const* const alias = aliases_.find(message_.command)) {
    status = translate(*alias, message_, translated_);
    if (status.ok()) static_cast<void>(run_table_command(speaker, translated_, answer_, status));
  } else if (adds(message_)) {
    static_cast<void>(run_table_command(speaker, message_, answer_, status));
  } else {
    ++counters_.udp_ignored;
  }
  if (!status.ok()) ++counters_.udp_refused;
}

// All other commands need an answer.
bool Server::adds(Message const& message) {
  core::HostedTable const* const table = engine_.find_table(message.text("table"));
  if (table == nullptr) return false;
  std::uint32_t const index = table->type->find_command(message.command);
  if (index == NameTable::kAbsent) return false;
  core::CommandType const& command = table->type->commands()[index];
  return command.kind == CommandKind::add && command.right == Right::add;
}

}  // namespace fastjournal::server
