#include "plugins/blob/datagrams.h"

#include "plugins/blob/answers.h"
#include "wire/bcdb/packet.h"

namespace fastjournal::blob {

std::size_t DatagramProtocol::whole_bytes(std::string_view) const { return bcdb::kAskBytes; }

Protocol::Piece DatagramProtocol::read(std::string_view unread, Message& message, std::string&) {
  Piece out{.kind = Kind::nothing, .consumed = unread.size(), .bytes = unread.size()};
  if (unread.size() != bcdb::kAskBytes) return out;
  bcdb::Ask const ask = bcdb::read_ask(unread);
  echo_ = ask.echo;
  is_answering_ = true;
  begin_query(ask.key, message);
  out.kind = Kind::message;
  return out;
}

void DatagramProtocol::write(Outgoing const& message, std::string& out) {
  if (message.is_push || !message.is_last || !is_answering_) return;
  is_answering_ = false;
  if (Told const told{message}; told.command == "BLOB") bcdb::write(response_of(told, echo_), has_flags(told), out);
}

std::unique_ptr<Protocol> make_datagram_protocol() { return std::make_unique<DatagramProtocol>(); }

void DatagramProtocol::refuse(Status const&, std::string&) { is_answering_ = false; }

}  // namespace fastjournal::blob
