#include "tests/world/keyvalue_life.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim {
namespace {

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

class KeyValueLife {
 public:
  explicit KeyValueLife(std::uint64_t seed) : random_(seed), world_(seed) {
    expect(world_.add_table(FJ_SOURCE_DIR "/tests/transcripts/values.xml").ok(), "the table was refused");
    expect(world_.start().ok(), "the first start was refused");
  }

  void live(std::uint64_t steps) {
    for (step_ = 0; step_ < steps; ++step_) {
      std::uint64_t const dice = draw(100);
      if (dice < 90) {
        write(dice < 75);
      } else if (dice < 94) {
        world_.advance(DurationMs{static_cast<std::int64_t>(draw(500))});
      } else {
        end(dice < 97);
      }
    }
    end(false);
  }
  [[nodiscard]] std::uint64_t step() const { return step_; }
  [[nodiscard]] std::uint64_t writes() const { return writes_; }
  [[nodiscard]] std::uint64_t ends() const { return ends_; }

 private:
  static void expect(bool holds, std::string const& otherwise) {
    if (!holds) throw std::runtime_error(otherwise);
  }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  // `settles`: the answer is read; otherwise the command may be under way when the daemon ends.
  void write(bool settles) {
    std::string const key = "k" + std::to_string(draw(12));
    KnownValue& known = known_[key];
    bool const deletes = draw(5) == 0;
    bool const persists = draw(2) == 0;
    std::string const value = deletes ? "" : "v" + std::to_string(++writes_) + std::string(draw(200), 'x');
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

  void end(bool cuts_power) {
    ++ends_;
    // What was acknowledged is in the kernel's hands.
    if (!cuts_power)
      for (auto& [key, known] : known_) known.is_sure();
    if (cuts_power)
      world_.power_cut();
    else
      world_.kill();
    expect(world_.start().ok(), "a start was refused");
    while (world_.take_line("main")) {
    }
    for (auto& [key, known] : known_) check(key, known);
  }

  void check(std::string const& key, KnownValue& known) {
    world_.send("main", "GET table=values;key=" + key + ";facts=1");
    world_.settle();
    std::string const line = world_.take_line("main").value_or("");
    Message message;
    expect(protocol::parse_line(line, message).ok(), "a GET was answered " + line);
    std::string const value{message.text("value")};
    std::vector<std::string>& states = known.states;
    bool const is_known = std::find(states.begin(), states.end(), value) != states.end();
    expect(is_known, key + " holds \"" + value.substr(0, 20) + "\", and should hold \"" + states.front().substr(0, 20) +
                         "\" or one of " + std::to_string(states.size() - 1) + " behind it");
    states = {value};
    known.acknowledged = 1;
    known.is_persistent = message.integer("persist").value_or(0) == 1;
  }

  std::mt19937_64 random_;
  World world_;
  std::map<std::string, KnownValue> known_;
  std::uint64_t step_{0};
  std::uint64_t writes_{0};
  std::uint64_t ends_{0};
};

}  // namespace

KeyValueLifeResult live_with_values(std::uint64_t seed, std::uint64_t steps) {
  KeyValueLifeResult out;
  KeyValueLife life{seed};
  try {
    life.live(steps);
  } catch (std::exception const& error) {
    out.wrong = "step " + std::to_string(life.step()) + ": " + error.what();
  }
  out.steps = life.step();
  out.writes = life.writes();
  out.crashes = life.ends();
  return out;
}

}  // namespace fastjournal::sim
