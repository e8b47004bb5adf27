// Connections that are closed while their peers still send, as a client does that is told early that its request is
// refused. TCP answers unread bytes with a reset, which overtakes what was sent before: the client would see a
// broken connection, not the reason. So the end of our output is told, and what still comes is read and dropped until
// the peer ends it, too, or a limit is reached (ReactorOptions). The handler has never heard of any of it.
#pragma once

#include <list>
#include <memory>

#include "platform/reactor/loop.h"

namespace fastjournal::reactor {

// Reads and drops what has arrived, up to a limit.
void discard_input(int fd);

class Lingering {
 public:
  explicit Lingering(Loop& loop) : loop_(loop) {}

  // A connection that the handler knows no more.
  void add(UniqueFd fd);
  // Ends the oldest. False: there is none.
  [[nodiscard]] bool make_room();
  [[nodiscard]] std::size_t size() const { return peers_.size(); }

 private:
  struct Peer {
    Lingering* owner{nullptr};
    UniqueFd fd;
    Event readable;
    std::uint64_t bytes{0};
    std::int64_t since_us{0};
    std::int64_t heard_us{0};
  };

  void on_readable(Peer& one);
  void end_late();
  void arm();

  Loop& loop_;
  std::list<std::unique_ptr<Peer>> peers_;  // the oldest first
  Event timer_;                             // looks at them
};

}  // namespace fastjournal::reactor
