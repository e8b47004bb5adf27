// Lives of a key/value table in the daemon, through kills and power cuts with commands under way: what was acknowledged
// as synced is there, what was acknowledged at all survives a kill, and nothing is there that no client wrote.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "tests/world/daemon_life.h"
#include "tests/world/lives.h"

namespace fastjournal::sim {
namespace {

using lives::Counts;
using lives::expect;
using lives::parsed;

// What a key may hold. Empty: nothing.
struct KnownValue {
  std::vector<std::string> states{""};  // from the one that is sure on
  std::size_t acknowledged{1};          // of these
  bool is_persistent{false};            // the last one, if it is a value

  void is_sure() {
    states.erase(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(acknowledged - 1));
    acknowledged = 1;
  }
};

class KeyValueLife final : private lives::DaemonLife {
 public:
  KeyValueLife(std::uint64_t seed, Counts& counts) : DaemonLife(seed, counts, {"transcripts/values"}) { start(); }

  void step(std::uint64_t) {
    std::uint64_t const dice = draw(100);
    if (dice < 90) {
      write(dice < 75);
    } else if (dice < 94) {
      world_.advance(DurationMs{static_cast<std::int64_t>(draw(500))});
    } else {
      end_daemon(dice < 97);
    }
  }
  void end() { end_daemon(false); }

 private:
  // `settles`: the answer is read; otherwise the command may be under way when the daemon ends.
  void write(bool settles) {
    std::string const key = "k" + std::to_string(draw(12));
    KnownValue& known = known_[key];
    bool const deletes = draw(5) == 0;
    bool const persists = draw(2) == 0;
    std::string const value =
        deletes ? "" : "v" + std::to_string(++counts_["values written"]) + std::string(draw(200), 'x');
    std::string const line =
        deletes ? "DELETE table=values;key=" + key
                : "SET table=values;key=" + key + ";value=" + value + ";persist=" + (persists ? "1" : "0");
    // A change of a persistent value is synced as well.
    bool const is_synced = known.is_persistent || (!deletes && persists);
    known.states.push_back(value);
    known.is_persistent = !deletes && persists;
    world_.send("main", line);
    if (!settles) return;
    world_.settle();
    std::optional<std::string> last;
    while (std::optional<std::string> answer = world_.take_line("main")) last = answer;
    expect(last.has_value() && !last->starts_with("ERROR"), line + ": " + last.value_or("no answer"));
    acknowledge(is_synced);
  }

  // All that was sent before has its answer too, as answers come in order; and one sync is for all before it.
  void acknowledge(bool is_synced) {
    for (auto& [key, known] : known_) {
      known.acknowledged = known.states.size();
      if (is_synced) known.is_sure();
    }
  }

  void end_daemon(bool cuts_power) {
    // What was acknowledged is in the kernel's hands.
    if (!cuts_power)
      for (auto& [key, known] : known_) known.is_sure();
    start_again(cuts_power);
    for (auto& [key, known] : known_) check(key, known);
  }

  void check(std::string const& key, KnownValue& known) {
    world_.send("main", "GET table=values;key=" + key + ";facts=1");
    world_.settle();
    Message const message = parsed(world_.take_line("main").value_or(""));
    std::string const value{message.text("value")};
    std::vector<std::string>& states = known.states;
    bool const is_known = std::find(states.begin(), states.end(), value) != states.end();
    expect(is_known, key + " holds \"" + value.substr(0, 20) + "\", and should hold \"" + states.front().substr(0, 20) +
                         "\" or one of " + std::to_string(states.size() - 1) + " behind it");
    states = {value};
    known.acknowledged = 1;
    known.is_persistent = message.integer("persist").value_or(0) == 1;
  }

  std::map<std::string, KnownValue> known_;
};

}  // namespace

test::LifeResult live_with_values(std::uint64_t seed, std::uint64_t steps) {
  return test::live<KeyValueLife>(seed, steps);
}

}  // namespace fastjournal::sim
