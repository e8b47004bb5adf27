// What transactions must answer and leave, written down once more as plainly as possible: local ones and branches of
// distributed ones, over a journal, key/value pairs and two queues. Leases never end by time here, so a row, a message
// and a pair are each in few states. It knows no log, no record and no hold but "who has it".
//
// An answer is a word: the name of the message, with what decides (`result`, `value`); of an error its code and, of
// branches, `xa`. COMMITTED is followed by the words of its commands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fastjournal::sim {

class TransactionsReference {
 public:
  using With = std::map<std::string, std::string>;
  struct Asked {
    std::string command;
    With with{};
  };
  // Of the transactions and connections of one `client`; `origin`: of branches, to whom they belong.
  struct Client {
    std::string name;
    std::string origin;
    bool is_operator{false};
  };
  static constexpr std::int64_t kTimeout = 60'000;

  std::int64_t now{0};

  std::string run(Client const& client, Asked const& asked) {
    std::string const& command = asked.command;
    std::string answer;
    if (command == "BEGIN") {
      answer = begin(client, asked.with);
    } else if (command == "COMMIT" || command == "ROLLBACK") {
      answer = end(client, command == "COMMIT");
    } else if (command.starts_with("XA_")) {
      answer = branch_command(client, asked);
    } else if (Transaction* const one = of(client); one != nullptr && !runs_at_once(command)) {
      answer = one->over.empty() ? promise(*one, asked) : "ERROR rolled_back";
    } else {
      answer = try_now(asked, 0);
      if (!answer.starts_with("ERROR")) answer = carry_out(asked);
    }
    if (answer.starts_with("ERROR")) refused(client, answer);
    return answer;
  }

  // TRANSACTION.
  std::string run_whole(Client const& client, std::vector<Asked> const& commands) {
    if (std::string const begun = begin(client, {}); begun.starts_with("ERROR")) {
      refused(client, begun);
      return begun;
    }
    // Only what is promised is part of it, which is looked at first.
    bool const is_promised = std::ranges::none_of(commands, [](Asked const& one) { return runs_at_once(one.command); });
    if (!is_promised) forget(current_.at(client.name));
    if (!is_promised) return "ERROR not_supported";
    for (Asked const& one : commands)
      if (std::string const answer = run(client, one); answer.starts_with("ERROR")) {
        forget(current_.at(client.name));
        return answer;
      }
    return run(client, {"COMMIT"});
  }

  void close(std::string const& client) {
    auto const found = current_.find(client);
    if (found == current_.end()) return;
    std::uint64_t const number = found->second;
    current_.erase(found);
    Transaction& one = all_.at(number);
    if (one.over.empty()) give_up(one, "closed");
    if (one.xid.empty())
      all_.erase(number);
    else
      one.associated.erase(client);
  }
  // The daemon ended, and started again: what was not prepared is gone.
  void restart() {
    current_.clear();
    std::erase_if(all_, [](auto const& one) { return !one.second.is_prepared && one.second.decided.empty(); });
  }
  void pass(std::int64_t ms) {
    now += ms;
    for (auto& [number, one] : all_)
      if (one.over.empty() && !one.is_prepared && one.decided.empty() && one.ends <= now) give_up(one, "timed_out");
  }

  // -- rows and messages that the daemon handed out ------------------------------------
  struct Lease {
    std::string id;
    std::string epoch;
  };
  struct Row {
    bool waits{false};
    std::optional<Lease> lease{};
  };
  struct Letter {
    std::string queue;
    bool is_parked{false};
    std::optional<Lease> lease{};
  };
  [[nodiscard]] bool may_take_row() const {
    return std::ranges::any_of(rows, [](auto const& one) { return one.second.waits && !one.second.lease; });
  }
  [[nodiscard]] bool may_take_message(std::string const& queue) const {
    return std::ranges::any_of(letters,
                               [&](auto const& one) { return is_due(one.second) && one.second.queue == queue; });
  }
  // False: it could not be handed out.
  [[nodiscard]] bool took_row(std::string const& name, Lease const& lease) {
    auto const found = rows.find(name);
    if (found == rows.end() || !found->second.waits || found->second.lease) return false;
    found->second = {.waits = false, .lease = lease};
    return true;
  }
  [[nodiscard]] bool took_message(std::string const& body, std::string const& queue, Lease const& lease) {
    auto const found = letters.find(body);
    if (found == letters.end() || !is_due(found->second) || found->second.queue != queue) return false;
    found->second.lease = lease;
    return true;
  }
  // A power cut may undo a lease that no prepared branch has.
  [[nodiscard]] bool lost_row(std::string const& name) {
    Row& row = rows.at(name);
    if (!row.lease || holder_of("row " + row.lease->id) != 0) return false;
    row = {.waits = true};
    return true;
  }
  [[nodiscard]] bool lost_message(std::string const& body) {
    Letter& letter = letters.at(body);
    if (!letter.lease || holder_of("message " + letter.lease->id) != 0) return false;
    letter.lease.reset();
    return true;
  }

  // -- what there is --------------------------------------------------------------------
  std::map<std::string, Row> rows;  // by name
  std::map<std::string, std::int64_t> pairs;
  std::map<std::string, Letter> letters;  // by body

  [[nodiscard]] std::set<std::string> prepared() const {
    std::set<std::string> out;
    for (auto const& [number, one] : all_)
      if (one.is_prepared) out.insert(one.xid);
    return out;
  }
  [[nodiscard]] bool is_in_one(std::string const& client) const { return current_.contains(client); }
  // Of the branch that it works on; empty: none.
  [[nodiscard]] std::string xid_of(std::string const& client) const {
    auto const found = current_.find(client);
    return found == current_.end() ? std::string{} : all_.at(found->second).xid;
  }
  // What brings the branches of this client forward.
  [[nodiscard]] std::vector<Asked> next_of(Client const& client) const {
    std::vector<Asked> out;
    for (auto const& [number, one] : all_) {
      if (one.xid.empty() || one.origin != client.origin) continue;
      With const with{{"xid", one.xid}};
      if (one.associated.contains(client.name)) {
        out.push_back({"XA_END", with});
        out.push_back({"XA_END", {{"xid", one.xid}, {"how", "suspend"}}});
      } else if (one.is_suspended) {
        out.push_back({"XA_START", {{"xid", one.xid}, {"how", "resume"}}});
      } else if (!one.decided.empty()) {
        out.push_back({"XA_FORGET", with});
      } else if (one.is_prepared) {
        out.push_back({"XA_COMMIT", with});
        out.push_back({"XA_ROLLBACK", with});
      } else {
        if (one.associated.empty()) out.push_back({"XA_PREPARE", with});
        if (one.associated.empty()) out.push_back({"XA_COMMIT", {{"xid", one.xid}, {"one_phase", "1"}}});
        out.push_back({"XA_START", {{"xid", one.xid}, {"how", "join"}}});
      }
    }
    return out;
  }
  // Of any state, also decided ones.
  [[nodiscard]] std::vector<std::string> xids() const {
    std::vector<std::string> out;
    for (auto const& [number, one] : all_)
      if (!one.xid.empty()) out.push_back(one.xid);
    return out;
  }

 private:
  struct Transaction {
    std::uint64_t number{0};
    std::int64_t ends{0};
    std::vector<Asked> ops{};
    std::string over{};  // not empty: it was given up, and why
    // Of a branch.
    std::string xid{};
    std::string origin{};
    std::set<std::string> associated{};
    bool is_suspended{false};
    bool is_prepared{false};
    std::string decided{};
  };

  static bool is_due(Letter const& letter) { return !letter.is_parked && !letter.lease; }
  static bool runs_at_once(std::string const& command) { return command == "TOUCH" || command == "PEEK"; }

  // ------------------------------------------------------------------------------------
  // Commands of tables

  // What it changes, and so holds in a transaction; empty: nothing that is there.
  static std::string object_of(Asked const& asked) {
    std::string const& command = asked.command;
    if (command == "DONE" || (command == "RELEASE" && asked.with.contains("row"))) return "row " + asked.with.at("row");
    if (command == "ACCEPT" || command == "REJECT" || command == "RELEASE")
      return "message " + asked.with.at("message");
    if (command == "SET" || command == "ADD" || command == "DELETE") return "pair " + asked.with.at("key");
    return {};
  }
  // The number of the transaction that holds it; 0: none.
  [[nodiscard]] std::uint64_t holder_of(std::string const& object) const {
    if (object.empty()) return 0;
    for (auto const& [number, one] : all_)
      for (Asked const& op : one.ops)
        if (object_of(op) == object) return number;
    return 0;
  }
  template <typename Things>
  [[nodiscard]] static auto with_lease(Things& things, std::string const& id) {
    return std::ranges::find_if(things,
                                [&](auto const& one) { return one.second.lease && one.second.lease->id == id; });
  }

  // Why it is refused, or "". `number`: of the transaction that it is promised in; 0: it is carried out now.
  [[nodiscard]] std::string try_now(Asked const& asked, std::uint64_t number) const {
    std::string const& command = asked.command;
    With const& with = asked.with;
    if (command == "PEEK") return "ERROR unknown_row";  // asked for a row that is never there
    std::string const object = object_of(asked);
    std::uint64_t const holder = command == "TOUCH" ? 0 : holder_of(object);
    // Of a lease it is looked at first whether it is the one.
    if (with.contains("epoch")) {
      bool const is_row = with.contains("row");
      std::string const& id = with.at(is_row ? "row" : "message");
      std::string epoch;
      if (is_row) {
        if (auto const found = with_lease(rows, id); found != rows.end()) epoch = found->second.lease->epoch;
      } else if (auto const found = with_lease(letters, id); found != letters.end()) {
        epoch = found->second.lease->epoch;
      }
      if (epoch != with.at("epoch")) return "ERROR late";
    }
    if (holder != 0) return holder == number ? "ERROR wrong_state" : "ERROR in_transaction";
    if (command == "SET" && with.contains("if_value") && number != 0) {
      auto const found = pairs.find(with.at("key"));
      if (found == pairs.end() || std::to_string(found->second) != with.at("if_value")) return "ERROR wrong_state";
    }
    return {};
  }

  // Its word, and what it does.
  std::string carry_out(Asked const& asked) {
    std::string const& command = asked.command;
    With const& with = asked.with;
    if (command == "INSERT") {
      Row& row = rows[with.at("name")];
      std::string const result = row.lease ? "behind" : row.waits ? "merged" : "inserted";
      row.waits = true;
      return "INSERTED " + result;
    }
    if (command == "SEND") {
      letters[with.at("body")] = {.queue = with.at("queue")};
      return "SENT sent";
    }
    if (command == "SET") {
      auto const found = pairs.find(with.at("key"));
      bool const is_expected =
          !with.contains("if_value") || (found != pairs.end() && std::to_string(found->second) == with.at("if_value"));
      if (!is_expected) return "STORED mismatch";
      pairs[with.at("key")] = std::stoll(with.at("value"));
      return "STORED stored";
    }
    if (command == "ADD") return "STORED " + std::to_string(pairs[with.at("key")] += std::stoll(with.at("by")));
    if (command == "DELETE") return pairs.erase(with.at("key")) != 0 ? "DELETED deleted" : "DELETED absent";
    if (command == "TOUCH") return "TOUCHED";
    if (with.contains("row")) {
      auto const row = with_lease(rows, with.at("row"));
      row->second.lease.reset();
      if (command == "DONE") {
        if (!row->second.waits) rows.erase(row);
        return "COMPLETED";
      }
      row->second.waits = true;
      return "RELEASED";
    }
    auto const letter = with_lease(letters, with.at("message"));
    letter->second.lease.reset();
    if (command == "RELEASE") return "RELEASED";
    if (command == "ACCEPT") {
      letters.erase(letter);
      return "ACCEPTED";
    }
    // REJECT: the dead letters of `first` are `second`, which has none.
    if (letter->second.queue == "first") {
      letter->second.queue = "second";
      return "DEAD";
    }
    letter->second.is_parked = true;
    return "PARKED";
  }

  // ------------------------------------------------------------------------------------
  // Local transactions

  [[nodiscard]] Transaction* of(Client const& client) {
    auto const found = current_.find(client.name);
    return found == current_.end() ? nullptr : &all_.at(found->second);
  }
  Transaction& make(With const& with) {
    Transaction& one = all_[++last_];
    one.number = last_;
    one.ends = now + (with.contains("timeout") ? std::stoll(with.at("timeout")) : kTimeout);
    return one;
  }
  std::string begin(Client const& client, With const& with) {
    if (current_.contains(client.name)) return "ERROR wrong_state";
    current_[client.name] = make(with).number;
    return "BEGUN";
  }
  std::string promise(Transaction& one, Asked const& asked) {
    if (asked.command == "NEXT" || asked.command == "ACQUIRE") return "ERROR not_supported";
    if (std::string const why = try_now(asked, one.number); !why.empty()) return why;
    one.ops.push_back(asked);
    return "PROMISED";
  }
  std::string keep(Transaction& one) {
    std::string out = "COMMITTED";
    for (Asked const& op : std::exchange(one.ops, {})) out += ", " + carry_out(op);
    return out;
  }
  std::string end(Client const& client, bool commits) {
    Transaction* const one = of(client);
    if (one == nullptr || !one->xid.empty()) return "ERROR wrong_state";
    std::string answer = "ROLLED_BACK";
    if (commits) answer = one->over.empty() ? keep(*one) : "ERROR rolled_back";
    forget(one->number);
    return answer;
  }
  void give_up(Transaction& one, std::string const& why) {
    one.over = why;
    one.ops.clear();
  }
  void forget(std::uint64_t number) {
    std::erase_if(current_, [number](auto const& one) { return one.second == number; });
    all_.erase(number);
  }
  // Whatever is refused ends the transaction of its connection.
  void refused(Client const& client, std::string const& answer) {
    if (Transaction* const one = of(client); one != nullptr && one->over.empty()) give_up(*one, answer);
  }

  // ------------------------------------------------------------------------------------
  // Branches

  [[nodiscard]] Transaction* branch_of(std::string const& xid) {
    for (auto& [number, one] : all_)
      if (one.xid == xid) return &one;
    return nullptr;
  }
  static std::string rolled_back(Transaction const& one) {
    return std::string{"ERROR rolled_back "} + (one.over == "timed_out" ? "XA_RBTIMEOUT"
                                                : one.over == "closed"  ? "XA_RBCOMMFAIL"
                                                                        : "XA_RBROLLBACK");
  }

  std::string branch_command(Client const& client, Asked const& asked) {
    std::string const& command = asked.command;
    With const& with = asked.with;
    std::string const& xid = with.at("xid");
    std::string const how = with.contains("how") ? with.at("how") : "";
    Transaction* const one = branch_of(xid);
    constexpr char const* kOrder = "ERROR wrong_state XAER_PROTO";
    if (command == "XA_START") {
      if (current_.contains(client.name)) return kOrder;
      if (how.empty()) {
        if (one != nullptr) return "ERROR in_use XAER_DUPID";
        Transaction& branch = make(with);
        branch.xid = xid;
        branch.origin = client.origin;
        branch.associated.insert(client.name);
        current_[client.name] = branch.number;
        return "STARTED";
      }
    }
    if (one == nullptr) return "ERROR not_found XAER_NOTA";
    if (command == "XA_DECIDE") return decide(*one, with.at("outcome"));
    if (one->origin != client.origin && !client.is_operator) return "ERROR not_allowed XAER_NOTA";
    if (command == "XA_START") {
      if (one->is_prepared || !one->decided.empty() || one->is_suspended != (how == "resume")) return kOrder;
      one->is_suspended = false;
      one->associated.insert(client.name);
      current_[client.name] = one->number;
      return "STARTED";
    }
    if (command == "XA_END") {
      if (!one->associated.contains(client.name)) return kOrder;
      one->associated.erase(client.name);
      current_.erase(client.name);
      one->is_suspended = one->is_suspended || how == "suspend";
      if (!one->over.empty()) return how == "fail" ? "ENDED" : rolled_back(*one);
      if (how == "fail") give_up(*one, "fail");
      return "ENDED";
    }
    if (command == "XA_FORGET") {
      if (one->decided.empty()) return kOrder;
      forget(one->number);
      return "FORGOTTEN";
    }
    // It ends, or is prepared to.
    if (!one->associated.empty() || one->is_suspended) return kOrder;
    if (!one->decided.empty())
      return std::string{"ERROR wrong_state "} + (one->decided == "commit" ? "XA_HEURCOM" : "XA_HEURRB");
    if (command == "XA_ROLLBACK") {
      std::string answer = one->over == "timed_out" ? rolled_back(*one) : "ROLLED_BACK";
      forget(one->number);
      return answer;
    }
    bool const one_phase = with.contains("one_phase");
    if (one->is_prepared == (command == "XA_PREPARE" || one_phase)) return kOrder;
    if (!one->over.empty()) {
      std::string answer = rolled_back(*one);
      forget(one->number);
      return answer;
    }
    if (command == "XA_PREPARE") {
      one->is_prepared = true;
      return "PREPARED";
    }
    std::string answer = keep(*one);
    forget(one->number);
    return answer;
  }
  std::string decide(Transaction& one, std::string const& outcome) {
    if (!one.is_prepared) return "ERROR wrong_state XAER_PROTO";
    one.is_prepared = false;
    one.decided = outcome;
    if (outcome == "commit") static_cast<void>(keep(one));
    one.ops.clear();
    return "DECIDED";
  }

  std::map<std::uint64_t, Transaction> all_;
  std::map<std::string, std::uint64_t> current_;  // by client
  std::uint64_t last_{0};
};

}  // namespace fastjournal::sim
