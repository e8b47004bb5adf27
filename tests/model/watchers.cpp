#include "tests/model/watchers.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace fastjournal::reference {
namespace {

// Orders that are tried, of rows that do not tell theirs.
constexpr int kTriesMax = 2000;

// The states of the turn in which an answer without a row can have been decided: after the rows that its client got
// before it, and before those that came after it. `before_each` has the state before each row, `last` is behind them.
std::vector<Reference const*> states_of(Heard const& answer, std::vector<Heard const*> const& rows,
                                        std::span<Reference const> before_each, Reference const& last) {
  std::size_t from = 0;
  std::size_t to = rows.size();
  std::size_t place = 0;
  for (Heard const* const row : rows) {
    ++place;
    if (row->client != answer.client) continue;
    if (row < &answer)
      from = place;
    else
      to = std::min(to, place - 1);
  }
  std::vector<Reference const*> out;
  for (std::size_t given = from; given <= to; ++given)
    out.push_back(given < before_each.size() ? &before_each[given] : &last);
  return out;
}

}  // namespace

std::string Watchers::hear(Reference const& table, std::string const& client, Texts const& command,
                           Texts const& answer) {
  std::string const domain = text(command, "domain");
  bool const refused = table.options().domain.empty() && !domain.empty();
  if (text(command, "") == "UNLISTEN") {
    auto const found = listeners_.find(client);
    bool const known = found != listeners_.end() && found->second.domain == domain;
    if (known) listeners_.erase(found);
    return text(answer, "") == (known ? "UNLISTENED" : "ERROR") ? "" : "UNLISTEN of what is not there, or the reverse";
  }
  if (refused) return text(answer, "code") == "not_supported" ? "" : "expected ERROR not_supported";
  if (text(answer, "") != "LISTENING") return "expected LISTENING";
  Listener next;
  next.mode = text(command, "mode");
  next.domain = domain;
  next.worker = text(command, "worker");
  next.credit = static_cast<std::uint64_t>(number(command, "credit"));
  Listener const& before = listeners_[client];
  if (next.mode == "deliver" && before.mode == "deliver" && before.domain == domain) next.delivered = before.delivered;
  if (next.mode == "row")
    for (Row const& row : table.rows())
      if (table.is_due(row) && (domain.empty() || table.domain_of(row) == domain)) next.to_tell.insert(row.id);
  listeners_[client] = std::move(next);
  return {};
}

void Watchers::keep_domain(std::string const& client, Texts& command) const {
  auto const found = listeners_.find(client);
  if (found == listeners_.end() || !text(command, "").ends_with("LISTEN")) return;
  command.erase("domain");
  if (!found->second.domain.empty()) command["domain"] = found->second.domain;
}

void Watchers::wait(Reference const& table, std::string const& client, Texts const& command) {
  waiters_[text(command, "request")] = {client, command, table.now() + number(command, "wait")};
}

// Called in the order in which rows were handed out.
std::string Watchers::hand_out(Reference& table, Heard const& heard) const {
  Texts const& row = heard.message;
  if (auto const waiter = waiters_.find(text(row, "request")); waiter != waiters_.end()) {
    Texts const& command = waiter->second.command;
    return table.hand_out(heard.client, text(command, "worker"), text(command, "domain"),
                          number(command, "lease", table.options().processing_timeout), row,
                          text(command, "done") == "1");
  }
  auto const found = listeners_.find(heard.client);
  if (found == listeners_.end() || found->second.mode != "deliver") return "nobody asked for " + shown(row);
  return table.hand_out(heard.client, found->second.worker, found->second.domain, table.options().processing_timeout,
                        row);
}

// Called in the order in which the client got its messages.
std::string Watchers::hear_row(Reference const& table, Heard const& heard) {
  Texts const& row = heard.message;
  if (auto const waiter = waiters_.find(text(row, "request")); waiter != waiters_.end()) {
    ++count_[text(waiter->second.command, "done") == "1" ? "NEXT wait, row that is done" : "NEXT wait, row"];
    if (number(row, "left") == 0) waiters_.erase(waiter);
    took(table, heard.client, false);
    return {};
  }
  ++count_["LISTEN deliver, row"];
  Listener& listener = listeners_.at(heard.client);
  listener.delivered.insert(static_cast<std::uint64_t>(number(row, "row")));
  return listener.delivered.size() > listener.credit ? "more rows than credit: " + shown(row) : "";
}

std::string Watchers::hear_notice(Reference const& table, Heard const& heard) {
  auto const found = listeners_.find(heard.client);
  if (found == listeners_.end()) return "it does not listen";
  Listener& listener = found->second;
  if (text(heard.message, "domain") != listener.domain) return "of another domain: " + shown(heard.message);
  if (heard.message.contains("row")) {
    ++count_["LISTEN row, notice"];
    if (listener.mode != "row") return "told of a row without asking";
    auto const id = static_cast<std::uint64_t>(number(heard.message, "row"));
    Row const* const row = table.find(id);
    std::string const key = row != nullptr && table.options().has_key ? row->k : "";
    if (row != nullptr && key != text(heard.message, "k")) return "told of a row with another key";
    listener.told.insert(id);
    return {};
  }
  ++count_["LISTEN wake, notice"];
  bool const passed_over = listener.woken && listener.woken_at + table.options().wake_timeout <= table.now();
  if (listener.mode != "wake" || !(listener.idle || passed_over)) return "woken while it was not idle";
  if (number(heard.message, "ready") < 1) return "woken for nothing";
  listener.idle = false;
  listener.woken = true;
  listener.woken_at = table.now();
  return {};
}

// A wait ended without a row, in one of these states of the turn.
std::string Watchers::hear_waiter(Reference const& table, std::vector<Reference const*> const& states,
                                  Heard const& heard) {
  auto const found = waiters_.find(text(heard.message, "request"));
  if (found == waiters_.end()) return "nobody asked for " + shown(heard.message);
  ++count_["NEXT wait, " + (text(heard.message, "") == "ERROR" ? "paused" : std::string{"nothing"})];
  Waiter const waiter = found->second;
  waiters_.erase(found);
  // A reload removed the domains: this says nothing about work, and comes before the deadline.
  if (text(heard.message, "code") == "not_supported")
    return table.check_nothing(text(waiter.command, "domain"), heard.message);
  took(table, heard.client, true);
  if (waiter.deadline > table.now()) return "a wait ends early: " + shown(heard.message);
  std::string wrong;
  for (Reference const* state : states)
    if (wrong = state->check_nothing(text(waiter.command, "domain"), heard.message); wrong.empty()) return {};
  return wrong + ", heard " + shown(heard.message);
}

// Rows with epochs were handed out in the order of these. Of those that were done at once it is only known that a client
// heard its messages in their order, and that those of one command came together: an order is looked for in which each
// row was the right one. What follows from their end may have happened before any of the next.
bool Watchers::find_order(Reference& table, Oracle& oracle, Given& given, std::string& wrong) const {
  std::vector<Heard const*> next;
  if (!given.by_epoch.empty()) next.push_back(given.by_epoch.back());
  for (auto const& [client, rows] : given.at_once)
    if (!rows.empty()) next.push_back(rows.back());
  if (next.empty()) return true;
  Heard const* const last = given.order.empty() ? nullptr : given.order.back();
  bool const goes_on = last != nullptr && number(last->message, "left") > 0 && !text(last->message, "request").empty();
  std::vector<Heard const*> const all = next;
  std::erase_if(next, [&](Heard const* one) {
    bool const is_of_last = last != nullptr && one->client == last->client &&
                            text(one->message, "request") == text(last->message, "request");
    return (goes_on && !is_of_last) || std::any_of(all.begin(), all.end(), [&](Heard const* other) {
             return other->client == one->client && other < one;
           });
  });
  for (Heard const* const one : next) {
    std::vector<Heard const*>& from = one->message.contains("epoch") ? given.by_epoch : given.at_once.at(one->client);
    for (bool const settles : {false, true}) {
      if (++given.tries > kTriesMax) return false;
      Reference trial = table;
      if (settles && (given.at_once.empty() || !trial.settle(oracle))) continue;
      given.before_each.push_back(trial);
      std::string what = hand_out(trial, *one);
      if (what.empty()) {
        from.pop_back();
        given.order.push_back(one);
        if (find_order(trial, oracle, given, wrong)) {
          table = std::move(trial);
          return true;
        }
        given.order.pop_back();
        from.push_back(one);
      } else if (wrong.empty()) {
        wrong = one->client + ": " + what;
      }
      given.before_each.pop_back();
    }
  }
  return false;
}

std::string Watchers::hear_pushes(Reference& table, Oracle& oracle, std::vector<Heard> const& pushes,
                                  std::vector<Reference>& after_each, bool& at_once) {
  std::size_t const first = after_each.size();
  Given given;
  // The last one first.
  for (auto heard = pushes.rbegin(); heard != pushes.rend(); ++heard)
    if (text(heard->message, "") == "ROW")
      (heard->message.contains("epoch") ? given.by_epoch : given.at_once[heard->client]).push_back(&*heard);
  std::ranges::sort(given.by_epoch, [](Heard const* a, Heard const* b) {
    return number(a->message, "epoch") > number(b->message, "epoch");
  });
  at_once = !given.at_once.empty();
  if (std::string wrong; !find_order(table, oracle, given, wrong))
    return wrong + (at_once ? " (in each order of the rows that were done at once)" : "");
  std::vector<Heard const*> const& rows = given.order;
  std::ranges::move(given.before_each, std::back_inserter(after_each));
  std::span<Reference const> const before_each = std::span{after_each}.subspan(first);
  for (Heard const& heard : pushes) {
    std::string const name = text(heard.message, "");
    std::string const wrong = name == "ROW" ? hear_row(table, heard)
                              : name == "LISTEN"
                                  ? hear_notice(table, heard)
                                  : hear_waiter(table, states_of(heard, rows, before_each, table), heard);
    if (!wrong.empty()) return heard.client + ": " + wrong;
  }
  return {};
}

std::string Watchers::check(Reference& table) {
  std::set<std::uint64_t> const due = table.take_became_due();
  bool idle = false;
  std::string who;
  bool woken = false;
  for (auto& [client, listener] : listeners_) {
    bool const work = table.available(listener.domain) > 0;
    if (listener.mode == "deliver" && work && listener.delivered.size() < listener.credit)
      return client + " has credit (" + std::to_string(listener.credit) + ", holds " +
             std::to_string(listener.delivered.size()) + "; domain \"" + listener.domain + "\"), and there is work";
    if (listener.mode == "wake" && listener.idle && !listener.by_the_way && work) {
      idle = true;
      who = client + " (domain \"" + listener.domain + "\")";
    }
    woken = woken || (listener.mode == "wake" && (listener.woken || listener.by_the_way));
    if (listener.mode != "row") continue;
    listener.to_tell.insert(due.begin(), due.end());
    for (std::uint64_t const id : listener.to_tell) {
      Row const* const row = table.find(id);
      if (row != nullptr && table.is_due(*row) && !listener.told.contains(id) &&
          (listener.domain.empty() || table.domain_of(*row) == listener.domain))
        return client + " was not told of row " + std::to_string(id);
    }
    listener.to_tell.clear();
    listener.told.clear();
  }
  if (idle && !woken) return "there is work, " + who + " is idle and nobody was woken";
  for (auto const& [request, waiter] : waiters_) {
    if (table.available(text(waiter.command, "domain")) > 0)
      return waiter.client + " waits, and there is work: " + shown(waiter.command);
    if (waiter.deadline <= table.now()) return waiter.client + " waits too long";
  }
  return {};
}

void Watchers::took(Reference const& table, std::string const& client, bool nothing) {
  auto const found = listeners_.find(client);
  if (found == listeners_.end()) return;
  found->second.idle = nothing;
  found->second.by_the_way = nothing && table.available(found->second.domain) > 0;
  found->second.woken = false;
}

void Watchers::forget_row(std::uint64_t row, std::string const& but) {
  for (auto& [client, listener] : listeners_)
    if (client != but) listener.delivered.erase(row);
}

void Watchers::forget_ended(Reference const& table) {
  for (auto& [client, listener] : listeners_)
    std::erase_if(listener.delivered, [&, who = client](std::uint64_t id) {
      Row const* const row = table.find(id);
      return row == nullptr || row->state != State::processing || row->holder != who;
    });
}

void Watchers::close(std::string const& client) {
  listeners_.erase(client);
  std::erase_if(waiters_, [&](auto const& entry) { return entry.second.client == client; });
}

void Watchers::clear() {
  listeners_.clear();
  waiters_.clear();
}

std::int64_t Watchers::next_deadline(Reference const& table) const {
  std::int64_t next = INT64_MAX;
  for (auto const& [client, listener] : listeners_)
    if (std::int64_t const over = listener.woken_at + table.options().wake_timeout;
        listener.woken && over > table.now())
      next = std::min(next, over);
  for (auto const& [request, waiter] : waiters_) next = std::min(next, waiter.deadline);
  return next;
}

bool Watchers::takes() const {
  return !waiters_.empty() || std::any_of(listeners_.begin(), listeners_.end(),
                                          [](auto const& entry) { return entry.second.mode == "deliver"; });
}

}  // namespace fastjournal::reference
