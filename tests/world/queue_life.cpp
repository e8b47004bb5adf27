// Lives of a queue table in the daemon: consumers move messages around a ring of queues in transactions, some of them
// distributed, through kills and power cuts. No message is lost and none is there twice; what was acknowledged is there.
// Of the messages of a group on a queue one at most is due or with a consumer.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tests/world/daemon_life.h"
#include "tests/world/lives.h"

namespace fastjournal::sim {
namespace {

using lives::Counts;
using lives::expect;
using lives::parsed;

constexpr std::array<std::string_view, 3> kAgents{"a0", "a1", "a2"};
constexpr std::size_t kMovesMax = 20;  // of one transaction

class QueueLife final : private lives::DaemonLife {
 public:
  QueueLife(std::uint64_t seed, Counts& counts) : DaemonLife(seed, counts, {"transcripts/post", "transcripts/values"}) {
    start();
    queues_ = 2 + draw(14);
    messages_ = 4 + draw(40);
    expect_answer("DECLARE table=post;exchange=ring;kind=direct", "DECLARED");
    for (std::size_t i = 0; i < queues_; ++i) {
      // Messages that are handed out too often come back by another way: none is to be lost by that either.
      expect_answer("DECLARE table=post;queue=" + queue(i) + ";max_deliveries=250", "DECLARED");
      expect_answer("BIND table=post;exchange=ring;queue=" + queue(i) + ";routing_key=to" + std::to_string(i), "BOUND");
    }
    for (std::size_t i = 0; i < messages_; ++i)
      expect_answer("SEND table=post;queue=" + queue(draw(queues_)) + ";body=" + body(i) + in_group(body(i)), "SENT");
  }

  void step(std::uint64_t) {
    std::uint64_t const dice = draw(100);
    Agent& agent = agents_[draw(agents_.size())];
    if (dice < 35) {
      take(agent);
    } else if (dice < 70) {
      move(agent);
    } else if (dice < 78) {
      move_in_a_branch(agent);
    } else if (dice < 84) {
      resolve(agent);
    } else if (dice < 87) {
      give_back(agent);
    } else if (dice < 89) {
      take_back(agent);
    } else if (dice < 91) {
      world_.advance(DurationMs{static_cast<std::int64_t>(draw(draw(8) == 0 ? 4'000'000 : 8'000))});
      read_all();
    } else if (dice < 93) {
      read_all();
      world_.close(agent.name);
      agent.forget();
      world_.settle();
    } else if (dice < 95) {
      world_.settle();
      read_all();
      check();
    } else {
      end_daemon(dice);
    }
  }
  void end() { end_daemon(99); }

 private:
  struct Held {
    std::string body;
    std::string message;
    std::string epoch;
  };
  struct Agent {
    std::string name;
    std::vector<Held> held{};
    std::vector<std::int64_t> under_way{};  // moves of each COMMIT that was not answered

    void forget() {
      held.clear();
      under_way.clear();
    }
  };

  static std::string queue(std::size_t number) { return "q" + std::to_string(number); }
  // Sizes on both sides of what lies in a file.
  static std::string body(std::size_t number) {
    std::string out = "m" + std::to_string(number) + "-";
    return out + std::string(number % 7 == 0 ? 16'380 + number : number % 5 * 40, 'x');
  }

  // Some messages have one of a few groups, wherever they go.
  static std::string in_group(std::string_view body) {
    int const kind = (body[1] - '0' + body[2]) % 6;
    return kind > 3 ? "" : ";group=g" + std::to_string(kind % 3);
  }

  void settle_some(Agent& agent) {
    if (draw(3) == 0) return;  // under way
    world_.settle();
    read(agent);
  }

  void take(Agent& agent) {
    // Somebody looks after what was parked.
    if (draw(4) == 0) world_.send(agent.name, "KICK table=post;queue=" + queue(draw(queues_)));
    std::string const from = draw(3) == 0 ? ";queues=" + queue(draw(queues_)) + " " + queue(draw(queues_))
                                          : ";queue=" + queue(draw(queues_));
    world_.send(agent.name, "ACQUIRE table=post" + from + ";count=" + std::to_string(1 + draw(8)));
    world_.settle();
    read(agent);
  }

  void give_back(Agent& agent) {
    if (agent.held.empty()) return;
    Held const one = agent.held.back();
    agent.held.pop_back();
    world_.send(agent.name, std::string{draw(4) == 0 ? "PARK" : "RELEASE"} + " table=post;message=" + one.message +
                                ";epoch=" + one.epoch + (draw(2) == 0 ? ";error=no" : ""));
    settle_some(agent);
  }

  // An administrator takes a lease back; its holder does not know, and what it does with it is refused.
  void take_back(Agent const& agent) {
    if (agent.held.empty()) return;
    Held const& one = agent.held[draw(agent.held.size())];
    if (ask("KICK table=post;message=" + one.message).front().command != "KICKED") return;
    expect_answer("ACCEPT table=post;message=" + one.message + ";epoch=" + one.epoch, "ERROR");
    ++counts_["leases taken back"];
  }

  // ACCEPT here, SEND there; by the exchange, or not.
  std::vector<std::string> moves_of(Agent& agent, std::size_t most, std::string const& counter, std::int64_t& moves) {
    std::vector<std::string> out;
    moves = 0;
    for (; !agent.held.empty() && static_cast<std::size_t>(moves) < most; ++moves) {
      Held const one = agent.held.back();
      agent.held.pop_back();
      std::size_t const to = draw(queues_);
      out.push_back("ACCEPT table=post;message=" + one.message + ";epoch=" + one.epoch);
      out.push_back("SEND table=post;body=" + one.body + in_group(one.body) +
                    (draw(2) == 0 ? ";queue=" + queue(to) : ";exchange=ring;routing_key=to" + std::to_string(to)));
    }
    out.push_back("ADD table=values;key=" + counter + ";by=" + std::to_string(moves));
    return out;
  }

  void move(Agent& agent) {
    if (agent.held.empty()) return;
    std::int64_t moves = 0;
    std::vector<std::string> const commands = moves_of(agent, 1 + draw(kMovesMax), "moves-" + agent.name, moves);
    world_.send(agent.name, "BEGIN");
    for (std::string const& command : commands) world_.send(agent.name, command);
    bool const commits = draw(6) != 0;
    if (commits) agent.under_way.push_back(moves);
    world_.send(agent.name, commits ? "COMMIT" : "ROLLBACK");
    settle_some(agent);
  }

  void move_in_a_branch(Agent& agent) {
    if (agent.held.empty()) return;
    std::string const number = std::to_string(++branches_);
    std::string const xid = "7:" + (number.size() % 2 == 0 ? number : "0" + number) + ":";
    std::int64_t moves = 0;
    std::vector<std::string> const commands = moves_of(agent, 1 + draw(4), "moves-x" + number, moves);
    moves_of_branch_[xid] = moves;
    world_.send(agent.name, "XA_START xid=" + xid);
    for (std::string const& command : commands) world_.send(agent.name, command);
    world_.send(agent.name, "XA_END xid=" + xid);
    world_.send(agent.name, "XA_PREPARE xid=" + xid);
    settle_some(agent);
  }

  void resolve(Agent& agent) {
    if (prepared_.empty()) return;
    auto const one = std::next(prepared_.begin(), static_cast<std::ptrdiff_t>(draw(prepared_.size())));
    world_.send(agent.name, (draw(3) == 0 ? "XA_ROLLBACK xid=" : "XA_COMMIT xid=") + *one);
    prepared_.erase(one);
    settle_some(agent);
  }

  void read_all() {
    for (Agent& agent : agents_) read(agent);
  }
  void read(Agent& agent) {
    while (std::optional<std::string> line = world_.take_line(agent.name)) {
      Message const answer = parsed(*line);
      if (answer.command == "MESSAGE") {
        agent.held.push_back(
            {std::string{answer.text("body")}, std::string{answer.text("message")}, std::string{answer.text("epoch")}});
      } else if (answer.command == "PREPARED") {
        prepared_.emplace(answer.text("xid"));
      } else if (answer.has("xid")) {
        if (answer.command == "COMMITTED") acknowledged_ += moves_of_branch_.at(std::string{answer.text("xid")});
      } else if (answer.command == "COMMITTED") {
        expect(!agent.under_way.empty(), "COMMITTED of nothing");
        acknowledged_ += agent.under_way.front();
        agent.under_way.erase(agent.under_way.begin());
      } else if (answer.command == "ERROR" && answer.text("command") == "COMMIT") {
        expect(!agent.under_way.empty(), "a refusal of nothing");
        agent.under_way.erase(agent.under_way.begin());
      }
    }
  }

  // A message with a deduplication, sent before the end and again behind it: known if the first one was acknowledged,
  // also if a consumer has accepted it by then; there once in any case.
  struct Once {
    std::string command{};
    std::string message{};  // none: it is under way
    bool is_there{true};
  };
  Once send_once() {
    Once out;
    out.command =
        "SEND table=post;queue=" + queue(draw(queues_)) + ";body=m-once;deduplication=k" + std::to_string(++onces_);
    if (draw(3) == 0) {
      world_.send("once", out.command);
      return out;
    }
    std::vector<Message> const answer = ask(out.command);
    Message const& sent = answer.front();
    expect(sent.command == "SENT" && sent.text("result") == "sent", "a new deduplication is known");
    out.message = sent.text("message");
    out.is_there = draw(2) == 0;
    if (!out.is_there) expect_answer("ACQUIRE table=post;message=" + out.message + ";accept=1", "MESSAGE");
    return out;
  }
  void send_again(Once const& once) {
    std::vector<Message> const answer = ask(once.command);
    Message const& again = answer.front();
    expect(again.command == "SENT", "a deduplication is refused");
    expect(once.message.empty() || (again.text("result") == "duplicate" && again.text("message") == once.message),
           "a message that was acknowledged is not known any more");
    std::string const message{again.text("message")};
    expect(ask(once.command).front().text("message") == message, "a repetition has another message");
    if (once.is_there) expect_answer("ACQUIRE table=post;message=" + message + ";accept=1", "MESSAGE");
    ++counts_["deduplications over an end"];
  }

  void end_daemon(std::uint64_t dice) {
    read_all();
    Once const once = send_once();
    if (dice < 97) {
      // The power goes at one of the next writes; what is acknowledged before counts.
      world_.disk().stop_after(draw(8));
      for (Agent& agent : agents_) move(agent);
      world_.settle();
      read_all();
    }
    start_again(dice < 99, agents_);
    send_again(once);
    check();
    check_prepared();
  }

  void check() {
    std::map<std::string, int> found;
    std::map<std::string, int> handed_out;  // or to be: of each group on each queue
    std::string after;
    do {
      std::vector<Message> const page =
          ask("BROWSE table=post;body=1;count=1000" + (after.empty() ? "" : ";after=" + after));
      for (Message const& one : page)
        if (one.command == "MESSAGE") {
          ++found[std::string{one.text("body")}];
          bool const is_out = one.text("status") == "acquired" || one.text("status") == "due";
          if (is_out && one.has("group")) ++handed_out[std::string{one.text("queue")} + std::string{one.text("group")}];
          expect(one.has("group") == !in_group(one.text("body")).empty(), "a message has lost its group");
        }
      after = page.back().text("after");
    } while (!after.empty());
    for (auto const& [group, times] : handed_out)
      expect(times == 1, std::to_string(times) + " messages of one group, " + group + ", are due or with consumers");
    for (auto const& [text, times] : found)
      expect(times == 1, "message " + text.substr(0, 8) + " is there " + std::to_string(times) + " times");
    expect(found.size() == messages_,
           std::to_string(found.size()) + " messages are there, and should be " + std::to_string(messages_));
    for (std::size_t i = 0; i < messages_; ++i)
      expect(found.contains(body(i)), "message " + std::to_string(i) + " is not what was sent");
    std::int64_t moves = 0;
    for (Message const& counter : ask("GET table=values;prefix=moves;count=1000"))
      moves += counter.integer("value").value_or(0);
    expect(moves >= acknowledged_,
           std::to_string(acknowledged_) + " moves were acknowledged, and " + std::to_string(moves) + " are there");
    acknowledged_ = moves;
    counts_["moves"] = static_cast<std::uint64_t>(moves);
  }

  // What was acknowledged as prepared is in doubt, and nobody else's is; each is resolved, or stays.
  void check_prepared() {
    std::set<std::string> listed;
    for (Message const& branch : ask("XA_RECOVER count=1000"))
      if (branch.command == "BRANCH") listed.emplace(branch.text("xid"));
    for (std::string const& xid : prepared_)
      expect(listed.contains(xid), "branch " + xid + " was prepared, and is not in doubt");
    prepared_ = listed;
  }

  std::size_t queues_{0};
  std::size_t messages_{0};
  std::array<Agent, kAgents.size()> agents_{
      {{std::string{kAgents[0]}}, {std::string{kAgents[1]}}, {std::string{kAgents[2]}}}};
  std::int64_t acknowledged_{0};
  std::uint64_t branches_{0};
  std::uint64_t onces_{0};
  std::map<std::string, std::int64_t> moves_of_branch_;
  std::set<std::string> prepared_;
};

}  // namespace

test::LifeResult live_with_queues(std::uint64_t seed, std::uint64_t steps) {
  return test::live<QueueLife>(seed, steps);
}

}  // namespace fastjournal::sim
