// A part of the program that opens connections of its own on a network which another part handles. That one passes on
// what concerns them, and drives it: tick() once a turn after all input, end_turn() after everything that may send.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/types.h"

namespace fastjournal::env {

class Dialer {
 public:
  // As those of NetworkHandler; true: the connection is one of its.
  virtual bool opened(ConnectionId id) = 0;
  virtual bool received(ConnectionId id, std::string_view bytes) = 0;
  virtual bool writable(ConnectionId id) = 0;
  virtual bool ended(ConnectionId id) = 0;
  virtual bool closed(ConnectionId id, std::string_view reason) = 0;

  virtual void tick(std::int64_t now_us) = 0;
  // The next date at which tick() has work; INT64_MAX: none.
  [[nodiscard]] virtual std::int64_t next_us() const = 0;
  // Sends what is pending.
  virtual void end_turn() = 0;

 protected:
  ~Dialer() = default;
};

}  // namespace fastjournal::env
