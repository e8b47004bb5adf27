// Lives of what lies outside the log, in the daemon: a blob table and a journal that spills, through maintenance, kills
// and power cuts with commands under way. What was acknowledged is there, byte for byte, and nothing is there that no
// client wrote.
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

// What a key may hold, from the one that is sure on. Empty: nothing.
using KnownBytes = std::vector<std::string>;

class BytesLife final : private lives::DaemonLife {
 public:
  BytesLife(std::uint64_t seed, Counts& counts)
      : DaemonLife(seed, counts, {"transcripts/blobs", "world/tables/spilling"}) {
    start();
  }

  void step(std::uint64_t) {
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
      end_daemon(dice < 197);
  }
  void end() { end_daemon(false); }

 private:
  // Of a blob, base64 of any bytes; letters in the other table.
  std::string value() {
    static constexpr std::uint64_t kSizes[] = {40, 3'000, 12'000, 60'000, 90'000, 140'000};
    std::string out = "v" + std::to_string(++counts_["values written"]) + "x";
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
      if (answer->find("result=begun") != std::string::npos) ++counts_["maintenances begun"];
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

  void end_daemon(bool cuts_power) {
    start_again(cuts_power);
    for (auto& [key, known] : known_) check(key, known);
  }

  void check(std::string const& key, KnownBytes& known) {
    bool const is_blob = key.starts_with("b");
    world_.send("main", is_blob ? "GET table=blobs;key=" + key + ";data=1" : "PEEK table=spilling;name=" + key);
    world_.settle();
    std::string const line = world_.take_line("main").value_or("");
    Message const message = parsed(line);
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

  std::map<std::string, KnownBytes> known_;
};

}  // namespace

test::LifeResult live_with_bytes(std::uint64_t seed, std::uint64_t steps) { return test::live<BytesLife>(seed, steps); }

}  // namespace fastjournal::sim
