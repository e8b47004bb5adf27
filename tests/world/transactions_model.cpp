// Random commands of four clients, alone, in local transactions and in branches of distributed ones, against the whole
// core and against a reference (transactions_reference.h): every answer is the one that was expected, and so is what is
// there afterwards, over kills and power cuts. The tables are in one log, two or three.
#include <array>
#include <memory>

#include "tests/world/daemon_life.h"
#include "tests/world/lives.h"
#include "tests/world/transactions_reference.h"

namespace fastjournal::sim {
namespace {

using lives::Counts;
using lives::expect;
using Reference = TransactionsReference;

constexpr std::array<std::string_view, 3> kModelTables{"jobs", "values", "post"};
constexpr std::array<std::string_view, 2> kQueues{"first", "second"};

struct Client {
  Reference::Client who;
  std::string connection;  // in the world
};

// What is compared of an answer.
std::string word_of(Message const& answer) {
  std::string out{answer.command};
  if (answer.command == "ERROR") {
    std::string const code{answer.text("code")};
    bool const is_late = code == "unknown_row" || code == "not_leased" || code == "stale_epoch";
    out += is_late && answer.text("command") != "PEEK" ? " late" : " " + code;
    if (answer.has("xa")) out += " " + std::string{answer.text("xa")};
  }
  if (answer.command == "INSERTED" || answer.command == "SENT" || answer.command == "DELETED")
    out += " " + std::string{answer.text("result")};
  if (answer.command == "STORED") out += " " + std::string{answer.text(answer.has("value") ? "value" : "result")};
  return out;
}
std::string words_of(std::vector<Message> const& answers) {
  std::string out;
  for (Message const& one : answers) out += (out.empty() ? "" : ", ") + word_of(one);
  return out;
}

class Model final : private lives::DaemonLife {
 public:
  Model(std::uint64_t seed, Counts& counts) : DaemonLife(seed, counts, {}) {
    constexpr std::array<std::array<std::string_view, 3>, 3> kLogs{
        {{"shared", "shared", "shared"}, {"shared", "alone", "alone"}, {"alone", "shared", "third"}}};
    for (std::size_t i = 0; i < kModelTables.size(); ++i) {
      std::string const name{kModelTables[i]};
      Status const added = world_.add_table(FJ_SOURCE_DIR "/tests/world/tables/lasting/" + name + ".xml");
      expect(added.ok(), added.text());
      auto table = std::make_shared<TableDeclaration>(*world_.declaration(name));
      table->log = kLogs[seed % 3][i];
      world_.remove_table(name);
      world_.add_table(table);
    }
    if (seed % 4 == 0) world_.log_options.sync_place = log::SyncPlace::on_thread;
    start();
    expect_answer("DECLARE table=post;queue=first;dead_letters=second", "DECLARED");
  }

  void step(std::uint64_t) {
    command();
    if (draw(16) == 0) compare();
  }
  void end() {
    compare();
    restart();
  }

 private:
  using DaemonLife::ask;
  template <typename All>
  auto const& any_of(All const& all) {
    return all[draw(all.size())];
  }
  void command() {
    Client const& client = clients_[draw(clients_.size())];
    std::uint64_t const dice = draw(100);
    if (dice < 3) {
      std::int64_t const ms = 1 + static_cast<std::int64_t>(draw(draw(4) == 0 ? 70'000 : 9'000));
      world_.advance(DurationMs{ms});
      reference_.pass(ms);
    } else if (dice < 5) {
      world_.close(client.connection);
      world_.settle();
      reference_.close(client.who.name);
    } else if (dice < 7) {
      restart();
    } else if (dice < 12) {
      ask(client, draw(2) == 0 ? of_branch()
                               : Reference::Asked{any_of(std::array<std::string, 3>{"BEGIN", "COMMIT", "ROLLBACK"})});
    } else if (reference_.is_in_one(client.who.name)) {
      step_within(client, dice);
    } else if (dice < 32) {
      take(client);
    } else if (dice < 50) {
      ask(client, of_table());
    } else if (dice < 60) {
      ask_whole(client);
    } else if (dice < 75) {
      ask(client, {"BEGIN", timeout()});
    } else {
      std::vector<Reference::Asked> const forward = reference_.next_of(client.who);
      ask(client, forward.empty() || draw(4) == 0 ? new_branch() : any_of(forward));
    }
  }
  void step_within(Client const& client, std::uint64_t dice) {
    if (dice < 75) {
      ask(client, of_table());
      return;
    }
    std::string const xid = reference_.xid_of(client.who.name);
    if (!xid.empty() && draw(3) == 0)
      ask(client, {"XA_END", {{"xid", xid}, {"how", "suspend"}}});
    else if (!xid.empty())
      ask(client, {"XA_END", {{"xid", xid}}});
    else
      ask(client, {draw(5) == 0 ? "ROLLBACK" : "COMMIT"});
  }

  // -- commands ----------------------------------------------------------------------
  Reference::With timeout() {
    if (draw(2) == 0) return {};
    return {{"timeout", std::to_string(1000 + draw(59'000))}};
  }
  std::string number() { return std::to_string(draw(4)); }

  Reference::Asked of_table() {
    if (draw(60) == 0) return {"PEEK", {{"row", "1"}}};
    switch (draw(12)) {
      case 0: return {"SET", {{"key", "k" + number()}, {"value", number()}}};
      case 1: return {"SET", {{"key", "k" + number()}, {"value", number()}, {"if_value", number()}}};
      case 2: return {"ADD", {{"key", "k" + number()}, {"by", number()}}};
      case 3: return {"DELETE", {{"key", "k" + number()}}};
      case 4: return {"SEND", {{"queue", std::string{any_of(kQueues)}}, {"body", "b" + std::to_string(++bodies_)}}};
      case 5:
      case 6: return {"INSERT", {{"name", "n" + number()}}};
      default: return of_lease();
    }
  }
  // Mostly of one that somebody has.
  Reference::Asked of_lease() {
    std::vector<Reference::Asked> all;
    auto const add = [&all](std::string const& command, std::string const& id, Reference::Lease const& lease) {
      all.push_back({command, {{id, lease.id}, {"epoch", lease.epoch}}});
    };
    for (auto const& [name, row] : reference_.rows)
      if (row.lease)
        for (char const* const command : {"DONE", "DONE", "RELEASE", "TOUCH"}) add(command, "row", *row.lease);
    for (auto const& [body, letter] : reference_.letters)
      if (letter.lease)
        for (char const* const command : {"ACCEPT", "ACCEPT", "RELEASE", "REJECT", "TOUCH"})
          add(command, "message", *letter.lease);
    if (draw(8) == 0)
      for (auto const& [id, lease] : former_) add(id == "row" ? "DONE" : "ACCEPT", id, lease);
    if (all.empty()) return {"ADD", {{"key", "k0"}, {"by", "1"}}};
    return any_of(all);
  }

  Reference::Asked new_branch() {
    Reference::With with = timeout();
    with["xid"] = "7:0" + number() + ":";
    return {"XA_START", with};
  }
  // Mostly out of order.
  Reference::Asked of_branch() {
    std::vector<std::string> const known = reference_.xids();
    std::string const xid = known.empty() || draw(4) == 0 ? "7:0" + number() + ":" : known[draw(known.size())];
    switch (draw(16)) {
      case 0:
      case 1: return new_branch();
      case 2: return {"XA_START", {{"xid", xid}, {"how", "join"}}};
      case 3: return {"XA_START", {{"xid", xid}, {"how", "resume"}}};
      case 4:
      case 5:
      case 6: return {"XA_END", {{"xid", xid}}};
      case 7: return {"XA_END", {{"xid", xid}, {"how", "suspend"}}};
      case 8: return {"XA_END", {{"xid", xid}, {"how", draw(3) == 0 ? "fail" : "success"}}};
      case 9:
      case 10: return {"XA_PREPARE", {{"xid", xid}}};
      case 11:
      case 12: return {"XA_COMMIT", {{"xid", xid}}};
      case 13: return {"XA_COMMIT", {{"xid", xid}, {"one_phase", "1"}}};
      case 14: return {"XA_ROLLBACK", {{"xid", xid}}};
      default: break;
    }
    if (draw(3) == 0) return {"XA_DECIDE", {{"xid", xid}, {"outcome", draw(2) == 0 ? "commit" : "rollback"}}};
    return {"XA_FORGET", {{"xid", xid}}};
  }

  static std::string line_of(Reference::Asked const& asked) {
    std::string const& command = asked.command;
    std::string out = command;
    char separator = ' ';
    auto const add = [&](std::string const& name, std::string const& value) {
      out += separator + name + "=" + value;
      separator = ';';
    };
    bool const has_table =
        !command.starts_with("XA_") && command != "BEGIN" && command != "COMMIT" && command != "ROLLBACK";
    if (has_table) {
      bool const is_pair = asked.with.contains("key");
      bool const is_message = asked.with.contains("message") || asked.with.contains("body");
      add("table", is_pair ? "values" : is_message || command == "ACQUIRE" ? "post" : "jobs");
    }
    for (auto const& [name, value] : asked.with) add(name, value);
    if (command == "SET") add("type", "integer");
    return out;
  }

  void ask(Client const& client, Reference::Asked const& asked) {
    // An operator decides, and not by every connection.
    bool const is_decision = asked.command == "XA_DECIDE";
    Client const& by = is_decision ? clients_.back() : client;
    remember(asked);
    check(by, line_of(asked), reference_.run(by.who, asked));
  }
  void ask_whole(Client const& client) {
    std::vector<Reference::Asked> all;
    std::vector<std::string> lines;
    for (std::uint64_t left = 1 + draw(5); left > 0; --left) {
      all.push_back(of_table());
      lines.push_back(line_of(all.back()));
      remember(all.back());
    }
    check(client, lives::whole_transaction(lines), reference_.run_whole(client.who, all));
  }
  void check(Client const& client, std::string const& line, std::string const& expected) {
    said_ = client.who.name + "> " + line;
    std::string const answer = words_of(lives::ask(world_, client.connection, line));
    expect(answer == expected, said_ + ": answered " + answer + ", and expected was " + expected);
    if (answer.starts_with("COMMITTED")) ++counts_["transactions committed"];
    if (answer.starts_with("ERROR")) ++counts_["answers that were errors"];
  }
  // Whoever had it asks once more, later.
  void remember(Reference::Asked const& asked) {
    if (!asked.with.contains("epoch") || asked.command == "TOUCH") return;
    std::string const id = asked.with.contains("row") ? "row" : "message";
    if (draw(3) == 0) former_.assign(1, {id, {asked.with.at(id), asked.with.at("epoch")}});
  }

  // What is handed out is not foreseen, but that it could be.
  void take(Client const& client) {
    bool const is_row = draw(2) == 0;
    std::string const queue{any_of(kQueues)};
    std::string const line = is_row ? "NEXT table=jobs" : "ACQUIRE table=post;queue=" + queue;
    Message const answer = std::move(lives::ask(world_, client.connection, line).front());
    bool const may = is_row ? reference_.may_take_row() : reference_.may_take_message(queue);
    if (answer.command == "NOTHING") {
      expect(!may, line + ": nothing was handed out, and there is something");
      return;
    }
    Reference::Lease const lease{std::string{answer.text(is_row ? "row" : "message")},
                                 std::string{answer.text("epoch")}};
    std::string const name{answer.text(is_row ? "name" : "body")};
    expect(is_row ? reference_.took_row(name, lease) : reference_.took_message(name, queue, lease),
           line + ": handed out was " + name + ", which could not be");
  }

  // -- ends and states -----------------------------------------------------------------
  void restart() {
    bool const is_cut = draw(2) == 0;
    start_again(is_cut);
    reference_.restart();
    said_ = is_cut ? "a power cut" : "a kill";
    compare(is_cut);
  }

  void compare(bool after_cut = false) {
    compare_rows(after_cut);
    compare_messages(after_cut);
    std::map<std::string, std::int64_t> pairs;
    for (Message const& pair : ask("GET table=values;prefix=k"))
      if (pair.command == "PAIR") pairs[std::string{pair.text("key")}] = pair.integer("value").value_or(-1);
    expect(pairs == reference_.pairs, "after " + said_ + ": the pairs are not those that were expected");
    std::set<std::string> prepared;
    for (Message const& branch : lives::ask(world_, "admin", "XA_RECOVER count=1000"))
      if (branch.command == "BRANCH") prepared.emplace(branch.text("xid"));
    expect(prepared == reference_.prepared(), "after " + said_ + ": other branches are in doubt than was expected");
  }
  void compare_rows(bool after_cut) {
    std::map<std::string, std::string> states;
    for (Message const& row : ask("LIST table=jobs;count=1000"))
      if (row.command == "ROW") states[std::string{row.text("name")}] += std::string{row.text("status")} + " ";
    std::map<std::string, std::string> expected;
    for (auto const& [name, row] : reference_.rows) {
      if (after_cut && !states[name].starts_with("processing")) static_cast<void>(reference_.lost_row(name));
      std::string& state = expected[name];
      if (row.lease) state += "processing ";
      if (row.waits) state += row.lease ? "behind " : "due ";
    }
    for (auto const& [name, state] : expected)
      expect(states[name] == state,
             "after " + said_ + ": row " + name + " is " + states[name] + "and should be " + state);
    expect(states.size() == expected.size(), "after " + said_ + ": there are rows that were not expected");
  }
  void compare_messages(bool after_cut) {
    std::map<std::string, std::string> states;
    for (Message const& one : ask("BROWSE table=post;body=1;count=1000"))
      if (one.command == "MESSAGE")
        states[std::string{one.text("body")}] = std::string{one.text("queue")} + " " + std::string{one.text("status")};
    std::map<std::string, std::string> expected;
    for (auto const& [body, letter] : reference_.letters) {
      if (after_cut && !states[body].ends_with("acquired")) static_cast<void>(reference_.lost_message(body));
      expected[body] = letter.queue + (letter.is_parked ? " parked" : letter.lease ? " acquired" : " due");
    }
    for (auto const& [body, state] : expected)
      expect(states[body] == state,
             "after " + said_ + ": message " + body + " is " + states[body] + ", and should be " + state);
    expect(states.size() == expected.size(), "after " + said_ + ": there are messages that were not expected");
  }

  Reference reference_;
  // Two of one origin, one of another, and the administrator.
  std::vector<Client> clients_{{{"c0", "here"}, "c0"},
                               {{"c1", "here"}, "c1"},
                               {{"c2", "there"}, "c2@192.0.2.7"},
                               {{"admin", "admin", true}, "admin"}};
  std::vector<std::pair<std::string, Reference::Lease>> former_;
  std::uint64_t bodies_{0};
  std::string said_{"the start"};
};

}  // namespace

test::LifeResult model_transactions(std::uint64_t seed, std::uint64_t steps) { return test::live<Model>(seed, steps); }

}  // namespace fastjournal::sim
