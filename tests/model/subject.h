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
  // `unheard` is said by `client` before, and its answer is lost, as a write or sync of it fails. Starts again after `down_ms`.
  virtual std::string strike(Blow blow, std::string const& client, std::vector<Texts> const& unheard,
                             std::int64_t down_ms) = 0;
  // What only it knows to check: that the log replays to the same, for example.
  virtual std::string check() = 0;
};

}  // namespace fastjournal::reference
