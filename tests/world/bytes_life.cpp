#include "tests/world/bytes_life.h"

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

// What a key may hold, from the one that is sure on. Empty: nothing.
using KnownBytes = std::vector<std::string>;

class BytesLife {
 public:
  explicit BytesLife(std::uint64_t seed) : random_(seed), world_(seed) {
    for (std::string const table : {"transcripts/blobs.xml", "world/tables/spilling.xml"})
      expect(world_.add_table(FJ_SOURCE_DIR "/tests/" + table).ok(), "a table was refused");
    expect(world_.start().ok(), "the first start was refused");
  }

  void live(std::uint64_t steps) {
    for (step_ = 0; step_ < steps; ++step_) {
      std::uint64_t const dice = draw(200);
      if (dice < 165)
        write(dice < 120);
      else if (dice < 170)
        maintain();
      else if (dice < 180)
        read();
      else if (dice < 192)
        world_.advance(DurationMs{static_cast<std::int64_t>(draw(10) == 0 ? 61'000 : draw(800))});
      else
        end(dice < 197);
    }
    end(false);
  }
  [[nodiscard]] std::uint64_t step() const { return step_; }
  [[nodiscard]] std::uint64_t writes() const { return writes_; }
  [[nodiscard]] std::uint64_t ends() const { return ends_; }
  [[nodiscard]] std::uint64_t exchanges() const { return exchanges_; }

 private:
  static void expect(bool holds, std::string const& otherwise) {
    if (!holds) throw std::runtime_error(otherwise);
  }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  // Of a blob, base64 of any bytes; letters in the other table.
  std::string value() {
    static constexpr std::uint64_t kSizes[] = {40, 3'000, 12'000, 60'000, 90'000, 140'000};
    std::string out = "v" + std::to_string(++writes_) + "x";
    std::size_t const bytes = (out.size() + draw(kSizes[draw(std::size(kSizes))])) / 4 * 4 + 4;
    while (out.size() < bytes) out.push_back(static_cast<char>('a' + draw(26)));
    return out;
  }

  // `settles`: the answer is read; otherwise the command may be under way when the daemon ends.
  void write(bool settles) {
    bool const is_blob = draw(2) == 0;
    std::string const key = (is_blob ? "b" : "j") + std::to_string(draw(is_blob ? 4 : 8));
    bool const deletes = !is_blob && draw(4) == 0;
    std::string const bytes = deletes ? "" : value();
    std::string line = "PUT table=blobs;key=" + key + ";data=" + bytes;
    if (!is_blob) line = "INSERT table=spilling;name=" + key + ";payload=" + bytes;
    if (deletes) line = "DELETE table=spilling;name=" + key;
    known_.try_emplace(key, 1).first->second.push_back(bytes);
    world_.send("main", line);
    if (settles) settle(line.substr(0, 40));
  }

  // All that was sent before has its answer too, as answers come in order.
  void settle(std::string const& asked) {
    world_.settle();
    std::optional<std::string> last;
    while (std::optional<std::string> answer = world_.take_line("main")) {
      last = answer;
      bool const is_nothing = answer->find("code=unknown_row") != std::string::npos;
      expect(is_nothing || !answer->starts_with("ERROR"), asked + ": " + answer->substr(0, 300));
    }
    expect(last.has_value(), asked + ": no answer");
    for (auto& [key, known] : known_) known.erase(known.begin(), known.end() - 1);
  }

  void maintain() {
    if (draw(3) == 0)
      world_.send("other", "MAINTAIN table=blobs;cancel=1");
    else
      world_.send("other", "MAINTAIN table=blobs");
    world_.settle();
    while (std::optional<std::string> const answer = world_.take_line("other"))
      if (answer->find("result=begun") != std::string::npos) ++exchanges_;
    // Until the files are exchanged, if it goes on for so long.
    if (draw(2) == 0) world_.advance(DurationMs{61'000});
  }

  void read() {
    if (known_.empty()) return;
    settle_all();
    auto one = known_.begin();
    std::advance(one, static_cast<std::ptrdiff_t>(draw(known_.size())));
    check(one->first, one->second);
  }
  void settle_all() {
    world_.send("main", "STATS table=blobs");
    settle("STATS");
  }

  void end(bool cuts_power) {
    ++ends_;
    if (cuts_power)
      world_.power_cut();
    else
      world_.kill();
    Status const status = world_.start();
    expect(status.ok(), "a start was refused: " + status.text());
    while (world_.take_line("main")) {
    }
    for (auto& [key, known] : known_) check(key, known);
  }

  void check(std::string const& key, KnownBytes& known) {
    bool const is_blob = key.starts_with("b");
    world_.send("main", is_blob ? "GET table=blobs;key=" + key + ";data=1" : "PEEK table=spilling;name=" + key);
    world_.settle();
    std::string const line = world_.take_line("main").value_or("");
    Message message;
    expect(protocol::parse_line(line, message).ok(), "a read was answered " + line.substr(0, 300));
    bool const is_none = message.text("result") == "absent" || message.text("code") == "unknown_row";
    expect(is_none || !line.starts_with("ERROR"), key + ": " + line.substr(0, 300));
    std::string const got{is_none ? std::string_view{} : message.text(is_blob ? "data" : "payload")};
    bool const is_known = std::find(known.begin(), known.end(), got) != known.end();
    expect(is_known, key + " holds \"" + got.substr(0, 20) + "\" and " + std::to_string(got.size()) +
                         " bytes, and should hold \"" + known.front().substr(0, 20) + "\" of " +
                         std::to_string(known.front().size()) + " or one of " + std::to_string(known.size() - 1) +
                         " behind it");
    known = {got};
  }

  std::mt19937_64 random_;
  World world_;
  std::map<std::string, KnownBytes> known_;
  std::uint64_t step_{0};
  std::uint64_t writes_{0};
  std::uint64_t ends_{0};
  std::uint64_t exchanges_{0};
};

}  // namespace

BytesLifeResult live_with_bytes(std::uint64_t seed, std::uint64_t steps) {
  BytesLifeResult out;
  BytesLife life{seed};
  try {
    life.live(steps);
  } catch (std::exception const& error) {
    out.wrong = "step " + std::to_string(life.step()) + ": " + error.what();
  }
  out.steps = life.step();
  out.writes = life.writes();
  out.crashes = life.ends();
  out.exchanges = life.exchanges();
  return out;
}

}  // namespace fastjournal::sim
