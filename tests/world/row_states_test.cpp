// doc/row-states.dot, the drawing of a row's states, against what rows do. Random commands by seed on a few keys, with
// the status of every row before and after each command. The transitions seen must be the arrows drawn, with the same
// labels; and the picture must be made from the drawing.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim::row_states_test {
namespace {

// (from, to) -> the words for what caused it.
using Arrows = std::map<std::pair<std::string, std::string>, std::set<std::string>>;
struct Seen {
  std::string state;
  std::string key;
  std::string group;
};
using States = std::map<std::uint64_t, Seen>;

std::string text_of(std::string const& path) {
  std::ifstream file{std::string{FJ_SOURCE_DIR "/"} + path};
  BOOST_REQUIRE_MESSAGE(file.good(), path << " cannot be read");
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::set<std::string> words_of(std::string const& text) {
  static std::regex const word{"[A-Za-z]+"};
  return {std::sregex_token_iterator{text.begin(), text.end(), word}, {}};
}

Arrows drawn() {
  std::string const text = text_of("doc/row-states.dot");
  static std::regex const arrow{"(\\w+) -> (\\w+) \\[label=\"([^\"]*)\"\\]"};
  Arrows out;
  for (std::sregex_iterator at{text.begin(), text.end(), arrow}, end; at != end; ++at) {
    std::string label = (*at)[3];
    for (std::size_t line = label.find("\\n"); line != std::string::npos; line = label.find("\\n"))
      label[line + 1] = ' ';
    out[{(*at)[1], (*at)[2]}] = words_of(label);
  }
  return out;
}

// A few keys and groups of jobs, with everything that clients and time can do to their rows.
class Life {
 public:
  explicit Life(std::uint64_t seed) : world_(seed), chance_(seed) {
    BOOST_REQUIRE(world_.add_table(FJ_SOURCE_DIR "/tests/world/tables/poison.xml").ok());
    BOOST_REQUIRE(world_.start().ok());
  }

  void step(Arrows& seen) {
    named_ = 0;
    cancelled_.clear();
    std::string cause = act();
    States const after = states();
    for (auto const& [row, was] : before_)
      if (std::string const now = after.contains(row) ? after.at(row).state : "gone"; now != was.state)
        seen[{was.state, now}].insert(word_of(cause, row, was, now));
    for (auto const& [row, is] : after)
      if (!before_.contains(row)) seen[{"new", is.state}].insert(is.state == "parked" ? "end" : cause);
    before_ = after;
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return chance_() % below; }

  std::string word_of(std::string const& cause, std::uint64_t row, Seen const& was, std::string const& now) {
    if (now == "gone" && comes_back(cause) && has_twin(row)) return "merge";
    // It comes to wait for what has failed already, or cannot come.
    if (cause == "INSERT" && (now == "parked" || now == "gone")) return "end";
    if (was.state != "blocked" || row == named_) return cause;
    if (cause == "CANCEL" && was.group == cancelled_) return cause;
    bool const expires = cause == "time" && now == "gone" && has_expired(row);
    return expires ? cause : "end";
  }
  bool has_expired(std::uint64_t row) {
    auto const found = expires_.find(row);
    return found != expires_.end() && found->second <= world_.now().value;
  }

  // A row that is given back merges with the waiting row of its key.
  static bool comes_back(std::string const& cause) { return cause == "RELEASE" || cause == "KICK" || cause == "time"; }
  bool has_twin(std::uint64_t row) const {
    if (before_.at(row).state != "processing" && before_.at(row).state != "parked") return false;
    return std::any_of(before_.begin(), before_.end(), [&](auto const& other) {
      std::string const& state = other.second.state;
      std::string const& key = other.second.key;
      return key == before_.at(row).key &&
             (state == "waiting" || state == "due" || state == "behind" || state == "blocked");
    });
  }

  std::string ask(std::string const& line) {
    world_.send("main", line);
    world_.settle();
    std::string out;
    while (auto got = world_.take_line("main")) {
      Message message;
      BOOST_REQUIRE_MESSAGE(protocol::parse_line(*got, message).ok(), *got);
      if (message.command == "ROW" && message.has("epoch"))
        epochs_[static_cast<std::uint64_t>(*message.integer("row"))] = std::string{message.text("epoch")};
      out += *got + "\n";
    }
    return out;
  }

  States states() {
    States out;
    world_.send("look", "LIST table=poison;count=1000");
    world_.settle();
    while (auto got = world_.take_line("look")) {
      Message message;
      BOOST_REQUIRE(protocol::parse_line(*got, message).ok());
      if (message.command != "ROW") continue;
      auto const row = static_cast<std::uint64_t>(*message.integer("row"));
      out[row] = {std::string{message.text("status")}, std::string{message.text("name")},
                  std::string{message.text("group")}};
      expires_.erase(row);
      if (message.has("expiration_date")) expires_[row] = *message.integer("expiration_date");
    }
    return out;
  }

  // The parameters row and epoch of some row in this state; empty if there is none.
  std::string some(std::string_view state) {
    std::vector<std::uint64_t> rows;
    for (auto const& [row, is] : before_)
      if (is.state == state) rows.push_back(row);
    if (rows.empty()) return {};
    std::uint64_t const row = named_ = rows[draw(rows.size())];
    std::string out = "table=poison;row=" + std::to_string(row);
    if (state == "processing") out += ";epoch=" + epochs_[row];
    return out;
  }

  std::string act() {
    static constexpr std::array<std::string_view, 6> kStates{"waiting", "due",        "behind",
                                                             "blocked", "processing", "parked"};
    std::string const key = "INSERT table=poison;name=k" + std::to_string(draw(4)) + others();
    switch (draw(16)) {
      case 0: ask(key); return "INSERT";
      case 1: ask(key + ";process_date=+" + std::to_string(1 + draw(8000))); return "INSERT";
      case 2: ask(key + ";expiration_date=+" + std::to_string(1 + draw(20'000))); return "INSERT";
      case 3:
      case 4: ask("NEXT table=poison;count=2;lease=" + std::to_string(1 + draw(9000))); return "NEXT";
      case 5: return on("processing", draw(2) == 0 ? "DONE" : "FAIL", "");
      case 6:
        return on("processing", "RELEASE",
                  draw(3) == 0 ? ";error=e" : ";process_date=+" + std::to_string(draw(3) * 1000));
      case 7: return on("parked", "KICK", "");
      case 8: return on("waiting", "KICK", "");
      case 9: return draw(3) == 0 ? on(kStates[draw(kStates.size())], "DELETE", "") : "nothing";
      case 10:
        return draw(3) == 0 ? on("blocked", "KICK", "") : draw(3) == 0 ? on("processing", "KICK", "") : "nothing";
      case 11: ask("NEXT table=poison;done=1"); return "NEXT";
      case 12: return of_group();
      case 13:
      case 14: world_.advance(DurationMs{static_cast<std::int64_t>(1 + draw(300))}); return "time";
      default: world_.advance(DurationMs{static_cast<std::int64_t>(1 + draw(9000))}); return "time";
    }
  }

  // What an insert says of rows and groups that it waits for, or is of.
  std::string others() {
    static constexpr std::array<std::string_view, 3> kPolicies{"wait", "fail", "go-on"};
    static constexpr std::array<std::string_view, 3> kIs{"ended", "done", "failed"};
    std::string out;
    if (draw(3) == 0) out += ";group=g" + std::to_string(draw(2));
    std::string after;
    if (draw(3) == 0) after += ";after_keys=k" + std::to_string(draw(4));
    if (draw(6) == 0)
      after += ";after_group=g" + std::to_string(draw(2)) + ";after_group_is=" + std::string{kIs[draw(3)]};
    if (!after.empty() && draw(3) != 0) after += ";when_failed=" + std::string{kPolicies[draw(3)]};
    return out + after;
  }

  std::string of_group() {
    std::string const group = "g" + std::to_string(draw(2));
    if (draw(4) == 0) {
      cancelled_ = group;
      ask("CANCEL table=poison;group=" + group + (draw(2) == 0 ? ";how=fail" : ""));
      return "CANCEL";
    }
    ask("GROUP table=poison;group=" + group + (draw(2) == 0 ? ";state=closed" : ""));
    return "GROUP";
  }

  std::string on(std::string_view state, std::string const& command, std::string const& more) {
    std::string row = some(state);
    if (row.empty()) return "nothing";
    if (std::size_t const epoch = row.find(";epoch=");
        (command == "DELETE" || command == "KICK") && epoch != std::string::npos)
      row.erase(epoch);
    ask(command + " " + row + more);
    return command;
  }

  World world_;
  std::mt19937_64 chance_;
  States before_;
  std::map<std::uint64_t, std::int64_t> expires_;
  std::uint64_t named_{0};  // the row that the command names
  std::string cancelled_;   // the group that was cancelled
  std::map<std::uint64_t, std::string> epochs_;
};

std::string listed(std::set<std::string> const& words) {
  std::string out;
  for (std::string const& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(row_states)

BOOST_AUTO_TEST_CASE(the_arrows_that_are_drawn_are_those_that_rows_take) {
  Arrows seen;
  constexpr std::uint64_t kSteps = 5000;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Life life{seed};
    for (std::uint64_t step = 0; step < kSteps; ++step) life.step(seen);
  }
  Arrows const shown = drawn();
  BOOST_TEST(shown.size() > 10U);
  for (auto const& [arrow, causes] : seen) {
    auto const at = shown.find(arrow);
    std::set<std::string> const words = at == shown.end() ? std::set<std::string>{} : at->second;
    BOOST_TEST((words == causes), arrow.first << " -> " << arrow.second << " is taken by [" << listed(causes)
                                              << "], drawn with [" << listed(words) << "]");
  }
  for (auto const& [arrow, words] : shown)
    BOOST_TEST(seen.contains(arrow),
               arrow.first << " -> " << arrow.second << " [" << listed(words) << "] is drawn, and no row took it");
}

BOOST_AUTO_TEST_CASE(the_picture_is_made_of_the_drawing) {
  std::string const picture = text_of("doc/row-states.svg");
  std::size_t arrows = 0;
  static constexpr char kEdge[] = "class=\"edge\"";
  for (std::size_t at = picture.find(kEdge); at != std::string::npos; at = picture.find(kEdge, at + 1)) ++arrows;
  Arrows const shown = drawn();
  BOOST_TEST(arrows == shown.size());
  for (auto const& [arrow, words] : shown) {
    std::size_t const at = picture.find("<title>" + arrow.first + "&#45;&gt;" + arrow.second + "</title>");
    BOOST_TEST_INFO(arrow.first << " -> " << arrow.second << ": ./mk drawings");
    BOOST_REQUIRE(at != std::string::npos);
    std::string const part = picture.substr(at, picture.find("</g>", at) - at);
    for (std::string const& word : words) BOOST_TEST((part.find(word) != std::string::npos), word);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::row_states_test
