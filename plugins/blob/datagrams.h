// The protocol of a port for transient queries: a datagram is one query of version 1, and its answer another one, to its
// sender. Nothing of version 2 applies, so any key may be asked for. What is no query is dropped, and so is what cannot
// be answered: the sender waits for no longer than it likes, and asks again.
//
// One object may be used for many datagrams, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fastjournal/protocol.h"

namespace fastjournal::blob {

class DatagramProtocol final : public Protocol {
 public:
  // `unread` is a datagram, whole: all of it is consumed. `nothing`: it was dropped.
  [[nodiscard]] Piece read(std::string_view unread, Message& message, std::string& out) override;
  [[nodiscard]] std::size_t whole_bytes(std::string_view unread) const override;
  // Appends the datagram to be sent, or nothing.
  void write(Outgoing const& message, std::string& out) override;
  void refuse(Status const& why, std::string& out) override;
  [[nodiscard]] bool holds_leases() const override { return false; }
  [[nodiscard]] bool is_answering() const override { return is_answering_; }

 private:
  std::uint32_t echo_{0};
  bool is_answering_{false};
};

// For PluginProtocol::make_for_datagram.
[[nodiscard]] std::unique_ptr<Protocol> make_datagram_protocol();

}  // namespace fastjournal::blob
