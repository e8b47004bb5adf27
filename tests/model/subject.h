// What is held against the reference: the whole server in the simulator, or a
// table alone. Commands go in, everything that anybody hears comes out.
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

// What is done to it besides commands.
enum class Blow : std::uint8_t {
  stop,       // ended cleanly
  kill,       // kill -9
  power_cut,  // what is not synced may be lost
};

// What becomes of its clocks.
enum class Trouble : std::uint8_t {
  sleep,    // the computer sleeps so long
  forward,  // the clock of the wall is set so far beyond the subject's time
  back,     // so far behind it
};

// How it starts again.
struct Start {
  std::int64_t down_ms{0};  // after so long
  // Meanwhile the clock of the wall was set so far ahead of where it should be, or behind.
  std::int64_t ahead_ms{0};
  bool accept_clock{false};
  // It did accept it: this was the log's last date. 0: there was nothing to accept.
  std::int64_t accepted_from{0};
};

class Subject {
 public:
  virtual ~Subject() = default;
  // Listeners, waits and blows inside of a write are the server's.
  [[nodiscard]] virtual bool is_server() const = 0;
  [[nodiscard]] virtual std::int64_t now() = 0;
  // All of one turn. Each command has a `request`.
  virtual std::vector<Heard> say(std::string const& client, std::vector<Texts> const& commands) = 0;
  virtual std::vector<Heard> pass(std::int64_t ms) = 0;
  virtual std::vector<Heard> close(std::string const& client) = 0;
  // The configuration as it is from now on; the text says why it was not taken.
  virtual std::string reload(Options const& options, std::vector<Column> const& columns) = 0;
  virtual std::vector<Heard> disturb(Trouble trouble, std::int64_t ms) = 0;
  // `unheard` is said by `client` before, and its answer is lost, as a write or sync of it fails.
  virtual std::string strike(Blow blow, std::string const& client, std::vector<Texts> const& unheard, Start& start) = 0;
  // What only it knows to check: that the log replays to the same, for example.
  virtual std::string check() = 0;
};

}  // namespace fastjournal::reference
