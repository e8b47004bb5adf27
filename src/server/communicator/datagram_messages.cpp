#include "server/communicator/datagram_messages.h"

#include "wire/text.h"

namespace fastjournal::communicator {

Message* DatagramMessages::read(ConnectionId socket, std::string_view bytes, std::int64_t now_us) {
  auto const source = sources_.find(socket);
  if (source == sources_.end()) return nullptr;
  ++counters_.messages;
  bool const fits = bytes.size() <= kDatagramMessageBytesMax && source->second.has_room(now_us);
  if (!fits || !protocol::parse_line(bytes.substr(0, bytes.find('\n')), message_).ok()) {
    ++counters_.dropped;
    return nullptr;
  }
  if (source->second.admits(message_)) return &message_;
  ++counters_.wrong_secret;
  return nullptr;
}

}  // namespace fastjournal::communicator
