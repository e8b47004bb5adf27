// Sends what the sessions hold, as far as a commit covers it (UnsentOutput::committed), and goes on with sessions whose
// output is out: they are read again, told of what they missed, or closed. Owned by the server.
#pragma once

#include <array>
#include <cstdint>

#include "base/env/network.h"
#include "engine/engine.h"
#include "fastjournal/histogram.h"
#include "server/communicator/service.h"
#include "server/session/input_line.h"
#include "server/session/memory_guard.h"
#include "server/session/sessions.h"
#include "server/time_keeper.h"

namespace fastjournal::server {

class Output final : public Resume {
 public:
  // `bytes_max`: unsent answers of one connection, with what follows them from files; above it the connection is not
  // read, and it gets no pushes.
  Output(env::Network& network, Sessions& sessions, MemoryGuard& guard, InputLine& line, engine::Engine& engine,
         communicator::Service& service, TimeKeeper& time, std::size_t bytes_max)
      : network_(network),
        sessions_(sessions),
        guard_(guard),
        line_(line),
        engine_(engine),
        service_(service),
        time_(time),
        bytes_max_(bytes_max) {}

  [[nodiscard]] bool is_over(Session const& session) const { return session.out.unsent() > bytes_max_; }
  // The session may be gone afterwards.
  void flush(Session& session);
  void resume(Session& session) override { flush(session); }

  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }
  // By ListenMode: from the date at which a push was due until the kernel had it.
  [[nodiscard]] std::array<Histogram, 3> const& lateness_us() const { return lateness_us_; }

 private:
  // If it was paused for something that is over.
  void go_on_reading(Session& session);
  // False: bytes of a file cannot be read, so what was announced cannot become whole.
  [[nodiscard]] bool send(Session& session);
  // Sends the output, up to `end` of it. False: not all of it is taken now.
  [[nodiscard]] bool send_written(Session& session, std::size_t end);
  [[nodiscard]] std::size_t send_attached(Session& session, std::string_view bytes);
  // Of the first file. False: not all of it is taken now.
  [[nodiscard]] Result<bool> send_file(Session& session);
  // Of a text that many are sent. False: not all of it is taken now.
  [[nodiscard]] bool send_text(Session& session, FileBytes& next);
  void measure_pushes(Session& session);
  // It is checked again if it may not.
  [[nodiscard]] bool may_go_on(Session& session) {
    return session.out.unsent() <= bytes_max_ / 2 && !guard_.stops(session);
  }

  env::Network& network_;
  Sessions& sessions_;
  MemoryGuard& guard_;
  InputLine& line_;
  engine::Engine& engine_;
  communicator::Service& service_;
  TimeKeeper& time_;
  std::size_t bytes_max_;
  std::uint64_t bytes_sent_{0};
  std::array<Histogram, 3> lateness_us_;
};

}  // namespace fastjournal::server
