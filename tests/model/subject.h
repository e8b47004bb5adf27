// The subject that is compared with the reference: the whole server in the simulator, or a table alone. Commands are
// its input; all answers and pushes are its output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/model/reference.h"

namespace fastjournal::reference {

struct Heard {
  std::string client;
  Texts message;
};

// How it is ended.
enum class Blow : std::uint8_t {
  stop,       // a clean stop
  kill,       // kill -9
  power_cut,  // unsynced writes may be lost
};

// What happens to its clocks.
enum class Trouble : std::uint8_t {
  sleep,    // the computer sleeps for that time
  forward,  // the wall clock is set ahead of the subject's time
  back,     // the wall clock is set behind it
};

// How it starts again.
struct Start {
  std::int64_t down_ms{0};  // time between end and start
  // How far the wall clock was set ahead of the right time meanwhile; negative: behind.
  std::int64_t ahead_ms{0};
  bool accept_clock{false};
  // Output: the log's last date, if the clock was accepted; 0 if there was nothing to accept.
  std::int64_t accepted_from{0};
};

class Subject {
 public:
  virtual ~Subject() = default;
  // Only a server has listeners, waits, and blows during a write.
  [[nodiscard]] virtual bool is_server() const = 0;
  [[nodiscard]] virtual std::int64_t now() = 0;
  // Commands of one turn; each has a `request`.
  virtual std::vector<Heard> say(std::string const& client, std::vector<Texts> const& commands) = 0;
  virtual std::vector<Heard> pass(std::int64_t ms) = 0;
  virtual std::vector<Heard> close(std::string const& client) = 0;
  // The configuration from now on; returns why it was refused.
  virtual std::string reload(Options const& options, std::vector<Column> const& columns) = 0;
  virtual std::vector<Heard> disturb(Trouble trouble, std::int64_t ms) = 0;
  // `client` sends `unheard` first and gets no answer, as a write or sync fails.
  virtual std::string strike(Blow blow, std::string const& client, std::vector<Texts> const& unheard, Start& start) = 0;
  // Checks that only the subject can make: for example, that the log replays to the same state.
  virtual std::string check() = 0;
};

}  // namespace fastjournal::reference
