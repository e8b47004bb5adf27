#include "clients/cpp/subscriptions.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "fastjournal/status.h"

namespace fastjournal::client {

namespace {

// By these a subscription is known.
constexpr std::array<std::string_view, 6> kOfSubscriptions{"table", "domain", "queue", "key", "key_binary", "prefix"};
constexpr std::array<std::string_view, 3> kOfKeys{"key", "key_binary", "prefix"};

bool is_watch(Message const& message) { return message.command == "WATCH"; }

bool is_same(Message const& a, Message const& b) {
  // One WATCH a connection, whatever it is about; LISTEN and UNLISTEN are of a table, and a domain, a queue, a key or a
  // prefix.
  if (is_watch(a) != is_watch(b)) return false;
  return is_watch(a) ||
         std::ranges::all_of(kOfSubscriptions, [&](std::string_view name) { return a.text(name) == b.text(name); });
}

Message copy_of(Message const& message) {
  Message out(message.command);
  for (Param const& param : message.params()) out.set(param.name, param.value);
  out.own();
  return out;
}

}  // namespace

std::optional<Subscription> Subscriptions::put(Message const& message, Link* link) {
  std::optional<Subscription> before;
  if (auto const found =
          std::ranges::find_if(all_, [&](Subscription const& one) { return is_same(one.message, message); });
      found != all_.end()) {
    before = std::move(*found);
    all_.erase(found);
  }
  all_.push_back({.message = copy_of(message), .table = std::string(message.text("table")), .link = link});
  return before;
}

void Subscriptions::erase(Message const& message) {
  std::erase_if(all_, [&](Subscription const& one) { return is_same(one.message, message); });
}

Subscription* Subscriptions::find(std::uint64_t nr) {
  auto const found = std::ranges::find(all_, nr, &Subscription::nr);
  return found == all_.end() ? nullptr : &*found;
}

Link* Subscriptions::link_of_watch() const {
  auto const found = std::ranges::find_if(all_, [](Subscription const& one) { return is_watch(one.message); });
  return found == all_.end() ? nullptr : found->link;
}

bool Subscriptions::any_waits() const { return std::ranges::any_of(all_, &Subscription::waits); }

bool Subscriptions::any_on(Link const& link) const {
  return std::ranges::find(all_, &link, &Subscription::link) != all_.end();
}

void Subscriptions::lose(Link const& link) {
  for (Subscription& one : all_)
    if (one.link == &link) one.wait_until({});
}

bool is_followed(Message const& push) {
  if (push.command != "UNLISTENED" && push.command != "UNWATCHED") return false;
  std::string_view const code = push.text("code");
  return code == row_of(Code::moved).wire_name || code == row_of(Code::unavailable).wire_name;
}

bool is_ended_by(Subscription const& subscription, Message const& push) {
  if (push.command == "UNWATCHED" && !is_watch(subscription.message)) return false;
  return std::ranges::all_of(kOfSubscriptions, [&](std::string_view name) {
    return name == "table" ? subscription.table == push.text(name)
                           : !push.has(name) || push.text(name) == subscription.message.text(name);
  });
}

std::optional<Message> missed_of(Message const& answer) {
  if (answer.command != "LISTENING") return std::nullopt;
  Message out("CHANGED");
  for (std::string_view const name : kOfKeys)
    if (Value const* const value = answer.find(name)) out.set(name, *value);
  if (out.params().empty()) return std::nullopt;
  out.set("table", answer.text("table"));
  out.set_integer("missed", 1);
  out.own();
  return out;
}

}  // namespace fastjournal::client
