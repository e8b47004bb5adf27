// What a queue table must answer, written down once more as plainly as possible: a list of messages, each on one queue.
// It knows no log, and what several queues share is copied.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/unit/queue/harness.h"

namespace fastjournal::queue::test {

class Reference {
 public:
  static constexpr std::int64_t kMaxDeliveries = 5;  // of queues that say nothing
  static constexpr int kDroppedMax = 1'000;          // messages that one SEND drops

  static constexpr std::int64_t kLease = 3'600'000;  // of a table that says nothing
  static constexpr std::int64_t kDeduplication = 300'000;

  std::int64_t now{0};
  bool by_number{false};  // order="number"
  bool counts{false};     // message-counts

  // The name of the answer or of the error, and what matters of it.
  std::string run(std::string const& command, Texts const& with, std::uint64_t connection) {
    if (command == "SEND") return send(with);
    if (command == "ACQUIRE") return acquire(with, connection);
    if (command == "ACCEPT" || command == "RELEASE" || command == "REJECT" || command == "PARK")
      return end(command, with);
    if (command == "KICK") return with.contains("queue") ? kick_queue(with) : kick(with);
    if (command == "DELETE") return remove_message(with);
    if (command == "PAUSE" || command == "RESUME") return pause(command, with);
    if (command == "DECLARE") return declare(with, connection);
    if (command == "REMOVE") return remove(with, connection);
    if (command == "BIND" || command == "UNBIND") return bind(command, with, connection);
    return command == "PURGE" ? purge(with) : move(with);
  }

  // Of the message that the table gave this number and epoch.
  void name(std::uint64_t serial, std::string const& message, std::string const& epoch) {
    for (Message& one : messages_)
      if (one.serial == serial) one.id = message, one.epoch = epoch;
  }
  // Of the last message that was sent.
  [[nodiscard]] std::uint64_t last_sent() const { return serial_; }
  // Of those that the last ACQUIRE handed out.
  [[nodiscard]] std::vector<std::uint64_t> const& handed_out() const { return handed_out_; }

  void pass(std::int64_t until) {
    while (true) {
      std::int64_t next = until + 1;
      for (Message const& one : messages_) {
        if (one.is_leased()) next = std::min(next, one.lease_end);
        if (!one.is_leased() && one.expires != 0) next = std::min(next, one.expires);
      }
      if (next > until) break;
      now = std::max(now, next);
      settle();
    }
    now = until;
    settle();
  }
  void close(std::uint64_t connection) {
    for (Message& one : messages_)
      if (one.connection == connection) one.lease_end = std::min(one.lease_end, now), one.connection = kNobody;
    end_temporary([&](Queue const& queue) { return queue.connection == connection; });
    settle();
  }
  // The clock was ahead: it is `to`, and was `from`.
  void lower_clock(std::int64_t from, std::int64_t to) {
    now = to;
    for (Message& one : messages_) {
      if (one.arrival > to && one.date > to && one.date <= from) one.date = to;
      one.arrival = std::min(one.arrival, to);
      one.parked_at = std::min(one.parked_at, to);
    }
    for (auto& [name, queue] : queues_) {
      queue.made = std::min(queue.made, to);
      queue.changed = std::min(queue.changed, to);
      if (queue.paused_until > to && queue.paused_until <= from) queue.paused_until = to;
    }
    std::erase_if(first_, [&](auto const& one) { return one.second.first + kDeduplication <= from; });
    for (auto& [name, one] : first_) one.first = std::min(one.first, to);
  }
  void restart() {
    end_temporary([](Queue const& queue) { return queue.connection != 0; });
    for (Message& one : messages_) {
      if (!one.is_leased()) continue;
      one.connection = 0;
      one.redelivered = true;
    }
    settle();
  }

  // What is on a queue, message by message in the order in which they would be handed out.
  [[nodiscard]] std::string state_of(std::string const& queue) const {
    std::vector<Message const*> all;
    for (Message const& one : messages_)
      if (one.queue == queue) all.push_back(&one);
    std::ranges::sort(all, [](Message const* a, Message const* b) { return a->serial < b->serial; });
    std::string out;
    for (Message const* const one : all)
      out += one->body + (one->parked ? "!" : one->is_leased() ? "*" : is_behind(*one) ? "~" : "") + one->facts() + " ";
    return out;
  }
  // What DECLARE has said of it, as QUEUES shows some of it.
  [[nodiscard]] std::string options_of(std::string const& name) const {
    Queue const& queue = queues_.at(name);
    auto const shown = [](auto value) { return value == 0 ? std::string{"-"} : std::to_string(value); };
    return shown(queue.delay) + "/" + shown(queue.max_message_bytes) + "/" +
           (queue.properties.empty() ? "-" : queue.properties) + "/" + shown(queue.made) + "/" + shown(queue.changed);
  }
  [[nodiscard]] std::vector<std::string> queues() const {
    std::vector<std::string> out;
    for (auto const& [name, queue] : queues_) out.push_back(name);
    return out;
  }

 private:
  static constexpr std::uint64_t kNobody = UINT64_MAX;

  struct Message {
    std::uint64_t serial{0};
    std::string queue{};
    std::string body{};
    std::string dead_of{};
    std::string group{};  // empty: none
    std::uint32_t priority{100};
    std::int64_t arrival{0};
    std::int64_t date{0};
    std::int64_t expires{0};
    std::uint64_t connection{0};  // 0: not leased
    std::int64_t lease_end{0};
    int deliveries{0};  // that failed or timed out
    bool redelivered{false};
    bool parked{false};
    std::int64_t parked_at{0};
    std::int64_t lease{0};  // its own; 0: none
    // Only counted if it is.
    bool is_counted{false};
    int leases{0};
    int returns{0};
    int parkings{0};
    int kicks{0};
    int timeouts{0};
    std::string id{};
    std::string epoch{};
    [[nodiscard]] bool is_leased() const { return connection != 0; }
    // What a table need not have: priority, lease and counts.
    [[nodiscard]] std::string facts() const {
      std::string out = "/" + std::to_string(priority) + "/" + (lease == 0 ? "-" : std::to_string(lease));
      for (int const count : {leases, returns, parkings, kicks, timeouts})
        out += "/" + (is_counted ? std::to_string(std::min(count, 255)) : "-");
      return out;
    }
  };
  using Messages = std::list<Message>;

  struct Queue {
    std::uint64_t connection{0};
    std::string dead{};
    std::int64_t max_deliveries{0};
    std::uint64_t max_messages{0};
    std::uint64_t max_bytes{0};
    bool drops{false};
    std::int64_t expires{0};
    std::int64_t lease{0};
    std::int64_t delay{0};
    std::uint64_t max_message_bytes{0};
    std::string properties{};
    std::int64_t made{0};
    std::int64_t changed{0};
    std::uint64_t number{0};  // one that is made again has another
    std::int64_t paused_until{0};

    // What DECLARE says.
    [[nodiscard]] auto options() const {
      return std::tie(dead, max_deliveries, max_messages, max_bytes, drops, expires, lease, delay, max_message_bytes,
                      properties);
    }
  };
  struct Binding {
    std::string exchange{};
    std::string queue{};
    std::string key{};
    bool operator==(Binding const&) const = default;
  };

  void settle() {
    for (auto one = messages_.begin(); one != messages_.end();) {
      auto const at = one++;
      if (at->is_leased() && at->lease_end <= now) {
        at->redelivered = true;
        ++at->deliveries;
        if (at->connection != kNobody) ++at->timeouts;
        fail(at, false);
      }
    }
    std::erase_if(messages_,
                  [&](Message const& one) { return !one.is_leased() && one.expires != 0 && one.expires <= now; });
  }

  // Its lease is over. Returns the name of the answer.
  std::string fail(Messages::iterator at, bool at_once) {
    at->connection = 0;
    if (at->expires != 0 && at->expires <= now) {
      messages_.erase(at);
      return "DELETED";
    }
    Queue const& queue = queues_.at(at->queue);
    std::int64_t const most = queue.max_deliveries == 0 ? kMaxDeliveries : queue.max_deliveries;
    if (!at_once && at->deliveries < most) return "RELEASED";
    return kill(at);
  }
  std::string kill(Messages::iterator at) {
    Queue const& queue = queues_.at(at->queue);
    if (queue.dead.empty() || !queues_.contains(queue.dead)) return park(at);
    at->dead_of = at->queue;
    at->queue = queue.dead;
    at->deliveries = 0;
    at->date = now;
    at->expires = 0;
    return "DEAD";
  }

  std::string park(Messages::iterator at) {
    at->parked = true;
    at->parked_at = now;
    ++at->parkings;
    return "PARKED";
  }

  // Another one of its group is with a consumer, or waits and has a smaller number.
  [[nodiscard]] bool is_behind(Message const& one) const {
    if (one.group.empty() || one.is_leased() || one.parked) return false;
    return std::ranges::any_of(messages_, [&](Message const& other) {
      return other.serial != one.serial && other.queue == one.queue && other.group == one.group && !other.parked &&
             (other.is_leased() || other.serial < one.serial);
    });
  }

  // The place of a message that waits among others.
  [[nodiscard]] std::tuple<bool, std::uint32_t, std::int64_t, std::uint64_t> order(Message const& one) const {
    if (one.date > now) return {true, 0, one.date, one.serial};
    return {false, one.priority, by_number ? 0 : one.date, one.serial};
  }
  // The message that is handed out next.
  Messages::iterator first(std::string const& queue, bool also_future = false) {
    auto best = messages_.end();
    for (auto one = messages_.begin(); one != messages_.end(); ++one) {
      if (one->queue != queue || one->is_leased() || one->parked || (!also_future && one->date > now)) continue;
      if (is_behind(*one)) continue;
      if (best == messages_.end() || order(*one) < order(*best)) best = one;
    }
    return best;
  }

  // What waits for others of its group.
  Messages::iterator first_behind(std::string const& queue) {
    auto best = messages_.end();
    for (auto one = messages_.begin(); one != messages_.end(); ++one)
      if (one->queue == queue && is_behind(*one) &&
          (best == messages_.end() || std::pair{one->date, one->serial} < std::pair{best->date, best->serial}))
        best = one;
    return best;
  }
  Messages::iterator first_parked(std::string const& queue) {
    auto best = messages_.end();
    for (auto one = messages_.begin(); one != messages_.end(); ++one)
      if (one->queue == queue && one->parked &&
          (best == messages_.end() ||
           std::pair{one->parked_at, one->serial} < std::pair{best->parked_at, best->serial}))
        best = one;
    return best;
  }
  Messages::iterator first_future(std::string const& queue) {
    auto best = messages_.end();
    for (auto one = messages_.begin(); one != messages_.end(); ++one)
      if (one->queue == queue && !one->is_leased() && !one->parked && one->date > now && !is_behind(*one) &&
          (best == messages_.end() || order(*one) < order(*best)))
        best = one;
    return best;
  }
  void drop(Messages::iterator at) {
    Queue const& queue = queues_.at(at->queue);
    if (queue.dead.empty() || !queues_.contains(queue.dead)) {
      messages_.erase(at);
      return;
    }
    at->parked = false;
    kill(at);
  }

  // Words between dots.
  static std::pair<std::string, std::string> split(std::string const& text) {
    std::size_t const end = text.find('.');
    return {text.substr(0, end), end == std::string::npos ? "" : text.substr(end + 1)};
  }
  static bool is_like(std::string const& pattern, std::string const& key) {
    if (pattern.empty()) return key.empty();
    auto const [word, more] = split(pattern);
    if (word == "#" && is_like(more, key)) return true;
    if (key.empty()) return false;
    auto const [first, rest] = split(key);
    return word == "#" ? is_like(pattern, rest) : (word == "*" || word == first) && is_like(more, rest);
  }

  std::string send(Texts const& with) {
    std::vector<std::string> to;
    if (with.contains("exchange")) {
      auto const exchange = exchanges_.find(with.at("exchange"));
      if (exchange == exchanges_.end()) return "not_found";
      std::string const key = with.contains("routing_key") ? with.at("routing_key") : "";
      for (Binding const& binding : bindings_) {
        bool const fits = exchange->second == "fanout" || (exchange->second == "direct" && binding.key == key) ||
                          (exchange->second == "topic" && is_like(binding.key, key));
        if (binding.exchange == exchange->first && fits && std::ranges::find(to, binding.queue) == to.end())
          to.push_back(binding.queue);
      }
      if (to.empty() && exchange->second == "direct") return "not_found";
    } else {
      if (!queues_.contains(with.at("queue"))) return "not_found";
      to.push_back(with.at("queue"));
    }
    std::string const& body = with.at("body");
    if (with.contains("deduplication")) {
      std::erase_if(first_, [&](auto const& one) { return one.second.first + kDeduplication <= now; });
      std::pair const name{queues_.at(to.front()).number, with.at("deduplication")};
      if (auto const known = first_.find(name); known != first_.end())
        return "SENT duplicate of " + std::to_string(known->second.second);
    }
    auto const is_full = [&](std::string const& name) {
      Queue const& queue = queues_.at(name);
      std::uint64_t messages = 1;
      std::uint64_t bytes = body.size();
      for (Message const& one : messages_)
        if (one.queue == name) ++messages, bytes += one.body.size();
      return (queue.max_messages != 0 && messages > queue.max_messages) ||
             (queue.max_bytes != 0 && bytes > queue.max_bytes);
    };
    for (std::string const& name : to) {
      Queue const& queue = queues_.at(name);
      if (queue.max_message_bytes != 0 && body.size() > queue.max_message_bytes) return "too_large";
      if (queue.max_bytes != 0 && body.size() > queue.max_bytes) return "over_limit";
      if (!queue.drops && is_full(name)) return "over_limit";
    }
    // One may be the dead letters of another.
    int dropped = 0;
    while (dropped < kDroppedMax && std::ranges::any_of(to, [&](std::string const& name) {
             if (!queues_.at(name).drops || !is_full(name)) return false;
             auto at = first(name, true);
             if (at == messages_.end()) at = first_behind(name);
             if (at == messages_.end()) at = first_parked(name);
             if (at == messages_.end()) return false;
             drop(at);
             return true;
           }))
      ++dropped;
    for (std::string const& name : to) {
      Message one;
      one.serial = ++serial_;
      one.queue = name;
      one.body = body;
      if (with.contains("group")) one.group = with.at("group");
      if (with.contains("priority")) one.priority = static_cast<std::uint32_t>(std::stoul(with.at("priority")));
      if (with.contains("lease")) one.lease = std::stoll(with.at("lease"));
      one.is_counted = counts;
      one.arrival = now;
      one.date = now + (with.contains("process_date") ? std::stoll(with.at("process_date").substr(1))
                                                      : queues_.at(name).delay);
      std::int64_t const of_queue = queues_.at(name).expires;
      one.expires = of_queue == 0 ? 0 : one.date + of_queue;
      messages_.push_back(one);
      if (with.contains("deduplication"))
        first_[{queues_.at(name).number, with.at("deduplication")}] = {now, one.serial};
    }
    return "SENT " + std::to_string(to.size());
  }

  std::string acquire(Texts const& with, std::uint64_t connection) {
    handed_out_.clear();
    std::vector<std::string> queues;
    if (with.contains("queue")) queues.push_back(with.at("queue"));
    if (with.contains("queues")) queues = {with.at("queues").substr(0, 1), with.at("queues").substr(2)};
    for (std::string const& queue : queues)
      if (!queues_.contains(queue)) return "not_found";
    std::string out;
    bool const accepts = with.contains("accept");
    for (std::size_t left = std::stoul(with.at("count")); left > 0; --left) {
      auto at = messages_.end();
      for (std::string const& queue : queues) {
        if (queues_.at(queue).paused_until > now) continue;
        auto const its = first(queue);
        if (its != messages_.end() && (at == messages_.end() || order(*its) < order(*at))) at = its;
      }
      if (with.contains("message")) {
        at = std::ranges::find_if(messages_, [&](Message const& one) { return one.id == with.at("message"); });
        if (at == messages_.end()) return "unknown_row";
        Message unparked = *at;
        unparked.parked = false;
        if (at->is_leased() || is_behind(unparked)) return "wrong_state";
        if (at->parked) at->deliveries = 0;
        at->parked = false;
        at->date = std::min(at->date, now);
        left = 1;
      }
      if (at == messages_.end()) break;
      out += "MESSAGE " + at->body + " " + std::to_string(at->deliveries) + (at->redelivered ? " again " : " ") +
             at->dead_of + ",";
      if (accepts) {
        messages_.erase(at);
        continue;
      }
      at->connection = connection;
      std::int64_t const of_queue = queues_.at(at->queue).lease;
      at->lease_end = now + (with.contains("lease") ? std::stoll(with.at("lease"))
                             : at->lease != 0       ? at->lease
                             : of_queue != 0        ? of_queue
                                                    : kLease);
      ++at->leases;
      handed_out_.push_back(at->serial);
    }
    return out.empty() ? "NOTHING" : out;
  }

  std::string end(std::string const& command, Texts const& with) {
    auto const at = std::ranges::find_if(messages_, [&](Message const& one) { return one.id == with.at("message"); });
    if (at == messages_.end()) return "unknown_row";
    if (!at->is_leased()) return "not_leased";
    if (at->epoch != with.at("epoch")) return "stale_epoch";
    if (command == "ACCEPT") {
      messages_.erase(at);
      return "ACCEPTED";
    }
    at->redelivered = true;
    if (with.contains("priority")) at->priority = static_cast<std::uint32_t>(std::stoul(with.at("priority")));
    if (command == "PARK") {
      std::string const name = give_back(at);
      return name == "DELETED" ? name : park(at);
    }
    if (command == "RELEASE") ++at->returns;
    bool const failed = command == "REJECT" || with.contains("error") ||
                        (with.contains("error_trace") && !with.at("error_trace").empty());
    if (failed) ++at->deliveries;
    if (command == "REJECT") return fail(at, true);
    if (with.contains("process_date")) {
      std::int64_t const date = now + std::stoll(with.at("process_date").substr(1));
      std::string const name = failed ? fail(at, false) : give_back(at);
      if (name == "RELEASED") at->date = date;
      return name;
    }
    return failed ? fail(at, false) : give_back(at);
  }
  std::string kick(Texts const& with) {
    auto const at = std::ranges::find_if(messages_, [&](Message const& one) { return one.id == with.at("message"); });
    if (at == messages_.end()) return "unknown_row";
    std::string const state = at->is_leased()  ? "acquired"
                              : at->parked     ? "parked"
                              : is_behind(*at) ? "behind"
                              : at->date > now ? "waiting"
                                               : "due";
    if (state == "behind" && at->date <= now) return "wrong_state";
    if (state == "due" || (with.contains("status") && with.at("status") != state)) return "wrong_state";
    if (state != "acquired") {
      back_to_work(at);
      return "KICKED";
    }
    at->redelivered = true;
    std::string const name = give_back(at);
    return name == "RELEASED" ? "KICKED" : name;
  }
  void back_to_work(Messages::iterator at) {
    ++at->kicks;
    if (at->parked) at->deliveries = 0;
    at->parked = false;
    at->date = std::min(at->date, now);
  }
  std::string kick_queue(Texts const& with) {
    std::string const& name = with.at("queue");
    if (!queues_.contains(name)) return "not_found";
    bool const parked = first_parked(name) != messages_.end();
    std::uint64_t kicked = 0;
    for (; kicked < std::stoull(with.at("count")); ++kicked) {
      auto const at = parked ? first_parked(name) : first_future(name);
      if (at == messages_.end()) break;
      back_to_work(at);
    }
    return "KICKED " + std::to_string(kicked);
  }
  std::string remove_message(Texts const& with) {
    auto const at = std::ranges::find_if(messages_, [&](Message const& one) { return one.id == with.at("message"); });
    if (at == messages_.end()) return "unknown_row";
    if (at->is_leased()) return "wrong_state";
    messages_.erase(at);
    return "DELETED";
  }
  std::string pause(std::string const& command, Texts const& with) {
    auto const found = queues_.find(with.at("queue"));
    if (found == queues_.end()) return "not_found";
    std::int64_t const until = command == "RESUME"       ? 0
                               : !with.contains("until") ? INT64_MAX
                                                         : now + std::stoll(with.at("until").substr(1));
    bool const is_same = found->second.paused_until == until;
    found->second.paused_until = until;
    return command + "D " + (is_same ? "unchanged" : "changed");
  }
  std::string give_back(Messages::iterator at) {
    at->connection = 0;
    if (at->expires == 0 || at->expires > now) return "RELEASED";
    messages_.erase(at);
    return "DELETED";
  }

  std::string declare(Texts const& with, std::uint64_t connection) {
    if (with.contains("exchange")) {
      auto const [at, is_new] = exchanges_.emplace(with.at("exchange"), with.at("kind"));
      if (at->second != with.at("kind")) return "wrong_state";
      return is_new ? "DECLARED made" : "DECLARED unchanged";
    }
    std::string const& name = with.at("queue");
    auto const found = queues_.find(name);
    bool const is_new = found == queues_.end();
    bool const temporary = with.contains("temporary");
    if (!is_new && temporary && found->second.connection == 0) return "wrong_state";
    Queue next = is_new ? Queue{} : found->second;
    if (is_new && temporary) next.connection = connection;
    if (with.contains("dead_letters")) next.dead = with.at("dead_letters");
    if (with.contains("max_deliveries")) next.max_deliveries = std::stoll(with.at("max_deliveries"));
    if (with.contains("max_messages")) next.max_messages = std::stoull(with.at("max_messages"));
    if (with.contains("max_bytes")) next.max_bytes = std::stoull(with.at("max_bytes"));
    if (with.contains("when_full")) next.drops = with.at("when_full") == "drop";
    if (with.contains("expires")) next.expires = std::stoll(with.at("expires"));
    if (with.contains("lease")) next.lease = std::stoll(with.at("lease"));
    if (with.contains("delay")) next.delay = std::stoll(with.at("delay"));
    if (with.contains("max_message_bytes")) next.max_message_bytes = std::stoull(with.at("max_message_bytes"));
    if (with.contains("properties")) next.properties = with.at("properties");
    if (!next.dead.empty() && next.dead == name) return "bad_parameter";
    if (!next.dead.empty() && !queues_.contains(next.dead)) return "not_found";
    if (!is_new && next.connection != 0 && next.connection != connection) return "in_use";
    bool const is_same = !is_new && next.options() == found->second.options();
    if (is_new) next.made = now, next.number = ++numbers_;
    if (!is_same) next.changed = now;
    queues_[name] = next;
    return is_new ? "DECLARED made" : is_same ? "DECLARED unchanged" : "DECLARED changed";
  }

  void drop_queue(std::string const& name) {
    queues_.erase(name);
    std::erase_if(bindings_, [&](Binding const& binding) { return binding.queue == name; });
    std::erase_if(messages_, [&](Message const& one) { return one.queue == name; });
  }
  template <typename Ends>
  void end_temporary(Ends const& ends) {
    std::vector<std::string> over;
    for (auto const& [name, queue] : queues_)
      if (ends(queue)) over.push_back(name);
    for (std::string const& name : over) drop_queue(name);
  }

  std::string remove(Texts const& with, std::uint64_t connection) {
    if (with.contains("exchange")) {
      if (exchanges_.erase(with.at("exchange")) == 0) return "not_found";
      std::erase_if(bindings_, [&](Binding const& binding) { return binding.exchange == with.at("exchange"); });
      return "REMOVED";
    }
    auto const found = queues_.find(with.at("queue"));
    if (found == queues_.end()) return "not_found";
    if (found->second.connection != 0 && found->second.connection != connection) return "in_use";
    drop_queue(with.at("queue"));
    return "REMOVED";
  }

  std::string bind(std::string const& command, Texts const& with, std::uint64_t connection) {
    Binding const binding{with.at("exchange"), with.at("queue"), with.at("routing_key")};
    if (!exchanges_.contains(binding.exchange)) return "not_found";
    auto const found = std::ranges::find(bindings_, binding);
    if (command == "UNBIND") {
      if (found == bindings_.end()) return "not_found";
      bindings_.erase(found);
      return "UNBOUND";
    }
    if (!queues_.contains(binding.queue)) {
      if (!with.contains("declare") && !with.contains("temporary")) return "not_found";
      Queue& made = queues_[binding.queue];
      made.connection = with.contains("temporary") ? connection : 0;
      made.made = made.changed = now;
      made.number = ++numbers_;
    } else if (Queue const& queue = queues_.at(binding.queue);
               queue.connection != 0 && queue.connection != connection) {
      return "in_use";
    } else if (with.contains("temporary") && queue.connection == 0) {
      return "wrong_state";
    }
    if (found != bindings_.end()) return "BOUND unchanged";
    bindings_.push_back(binding);
    return "BOUND made";
  }

  std::string purge(Texts const& with) {
    std::string const& name = with.at("queue");
    if (!queues_.contains(name)) return "not_found";
    return "PURGED " + std::to_string(std::erase_if(
                           messages_, [&](Message const& one) { return one.queue == name && !one.is_leased(); }));
  }

  std::string move(Texts const& with) {
    std::string const& from = with.at("queue");
    if (!with.contains("to")) return move_back(from);
    std::string const& to = with.at("to");
    if (!queues_.contains(from) || !queues_.contains(to)) return "not_found";
    std::uint64_t moved = 0;
    for (Message& one : messages_) {
      if (one.queue != from || one.is_leased() || (from == to && !one.parked)) continue;
      ++moved;
      if (one.parked) ++one.kicks;
      one.parked = false;
      one.deliveries = 0;
      if (from == to) continue;
      one.queue = to;
      one.dead_of.clear();
      one.expires = 0;
    }
    return "MOVED " + std::to_string(moved);
  }
  std::string move_back(std::string const& from) {
    if (!queues_.contains(from)) return "not_found";
    std::uint64_t moved = 0;
    for (Message& one : messages_) {
      if (one.queue != from || one.is_leased() || !queues_.contains(one.dead_of)) continue;
      ++moved;
      if (one.parked) ++one.kicks;
      one.parked = false;
      one.deliveries = 0;
      one.queue = std::exchange(one.dead_of, "");
      one.expires = 0;
    }
    return "MOVED " + std::to_string(moved);
  }

  Messages messages_;
  std::map<std::string, Queue> queues_;
  std::map<std::string, std::string> exchanges_;  // name, kind
  std::vector<Binding> bindings_;
  std::vector<std::uint64_t> handed_out_;
  std::uint64_t serial_{0};
  std::uint64_t numbers_{0};  // of queues
  // By queue and text: when, and which message.
  std::map<std::pair<std::uint64_t, std::string>, std::pair<std::int64_t, std::uint64_t>> first_;
};

}  // namespace fastjournal::queue::test
