// Connections made and lost, waiting, and the ways of commands between home and the other nodes: the other half of
// Connection::Body.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "clients/cpp/connection_body.h"

namespace fastjournal::client {

namespace {

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    std::size_t const end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

// What names a lease: `epoch`, or the token of a document.
bool is_leased(Message const& message) { return message.has("epoch") || message.has("token"); }

// Before what was sent away in vain goes again: 20, 40, 80, then 100 ms.
Milliseconds pause_of(unsigned& pauses) {
  constexpr unsigned kDoublings = 3;
  return std::min(Milliseconds{20U << std::min(pauses++, kDoublings)}, Milliseconds{100});
}

// So often in a row a node is asked that says `retry`; then another one is, if there are several.
constexpr unsigned kRetriesHere = 4;

// A node that was given up is doubted for so long; then it may take no longer than this to connect.
constexpr Milliseconds kDoubted{5'000};
constexpr Milliseconds kDoubtedLimit{200};

// After an attempt to connect that failed: at least as long as it took, as nothing else is served meanwhile.
Moment after_attempt(Moment begun, unsigned& pauses) {
  Moment const end = moment_now();
  return std::max(moment_after(pause_of(pauses)), end + (end - begun));
}

}  // namespace

// ---- connections

Status Connection::Body::open() {
  for (std::string const& server : servers_)
    if (Status checked = Socket::check(server); !checked.ok()) return checked;
  std::string reasons;
  Code code = Code::unavailable;
  Status::Facts facts;
  for (server_ = 0; server_ < servers_.size(); ++server_) {
    Status made = connect_home(-1, Moment::max());
    if (made.ok() || servers_.size() == 1) return made;
    reasons.append(reasons.empty() ? "" : "; ").append(made.message());
    if (made.code() == Code::not_allowed) code = made.code();
    facts.insert(facts.end(), made.facts().begin(), made.facts().end());
  }
  Status out{code, std::move(reasons)};
  for (auto& [name, value] : facts) out = std::move(out).with(std::move(name), std::move(value));
  return out;
}

// Where there are other nodes, one that is gone does not delay their use for long: others may name it for a while.
Milliseconds Connection::Body::limit_of_connect(std::string const& address) const {
  if (!gives_up_silent()) return options.connect_limit;
  Milliseconds const limit = std::min(options.connect_limit, options.silence_limit);
  auto const doubted = doubted_.find(address);
  bool const is_doubted = doubted != doubted_.end() && moment_now() < doubted->second + kDoubted;
  return is_doubted ? std::min(limit, kDoubtedLimit) : limit;
}

// Its time is not prolonged, so that it has its full limit once in a while.
void Connection::Body::doubt(std::string const& address) {
  std::erase_if(doubted_, [now = moment_now()](auto const& one) { return now >= one.second + kDoubted; });
  doubted_.try_emplace(address, moment_now());
}

Status Connection::Body::connect(Link& link, std::string const& address, int wake_fd, Moment until) {
  Milliseconds const limit = limit_of_connect(address);
  Moment const latest = moment_after(limit);
  if (Status made = link.connect(address, wake_fd, std::min(until, latest)); !made.ok()) {
    if (moment_now() >= latest) doubt(address);
    return made;
  }
  Status const status = options.token.empty() ? Status{} : log_in(link, wake_fd, std::min(until, moment_after(limit)));
  if (status.ok()) {
    doubted_.erase(address);
    return {};
  }
  link.close();
  // Before anything was sent for a caller.
  std::erase_if(in_flight_, [&](auto const& entry) {
    return !entry.second.finished && entry.second.role != InFlight::Role::caller && entry.second.link == &link;
  });
  return status;
}

// Alone: what follows must have the rights of the user.
Status Connection::Body::log_in(Link& link, int wake_fd, Moment until) {
  Message auth{"AUTH"};
  auth.set("token", options.token);
  login_.reset();
  if (Status status = encode(auth, ++last_nr_, link.out()); !status.ok()) return status;
  InFlight one;
  one.command = "AUTH";
  one.role = InFlight::Role::login;
  one.link = &link;
  in_flight_.emplace_hint(in_flight_.end(), last_nr_, std::move(one));
  while (!login_ && moment_now() < until && !is_woken(wake_fd)) {
    if (link.unsent() > 0)
      if (Status sent = link.send_some(); !sent.ok()) return {Code::unavailable, sent.message()};
    bool const wants_write = link.socket().wants_write();
    Ready const ready = link.socket().has_unread()
                            ? Ready{.readable = true}
                            : wait_for(link.socket().fd(), link.unsent() > 0 || wants_write, wake_fd, until);
    if (!ready.readable && !(ready.writable && wants_write)) continue;
    Result<std::size_t> const got = link.receive();
    if (!got.ok()) {
      Status const& why = got.status();
      return {why.code() == Code::not_allowed ? why.code() : Code::unavailable,
              "the connection to " + link.address() + " was lost: " + why.message()};
    }
    take_messages(link);
  }
  if (login_ && login_->ok()) return {};
  if (login_) return {login_->code(), link.address() + " refuses the token: " + login_->message()};
  return {Code::unavailable, "no answer to the token from " + link.address()};
}

Status Connection::Body::connect_home(int wake_fd, Moment until) {
  Status made = connect(home_, servers_[server_], wake_fd, until);
  if (made.ok()) ++home_connects_;
  return made;
}

// One attempt. Not ok: no other will follow by itself.
Status Connection::Body::reconnect(int wake_fd, Moment until) {
  Status const made = connect_home(wake_fd, until);
  if (made.ok()) {
    refusal_ = {};
    if (options.on_connection) options.on_connection({});
    look_again();
    static_cast<void>(send_waiting(wake_fd, until));
    return {};
  }
  last_error_ = made;
  if (made.code() == Code::not_allowed) {
    refusal_ = made;
    last_error_ = {Code::unavailable, made.message()};
  }
  plan_retry();
  // The next attempts would end in the same way.
  bool const is_round_over = attempts_ % servers_.size() == 0;
  if (is_round_over && !refusal_.ok()) return last_error_ = std::exchange(refusal_, Status{});
  return {};
}

// Goes on to the next address. A pause is made once each of them was tried, and with one address before each attempt.
void Connection::Body::plan_retry() {
  if (options.back_off.empty()) return;
  std::size_t const rounds = ++attempts_ / servers_.size();
  server_ = (server_ + 1) % servers_.size();
  if (attempts_ % servers_.size() != 0) {
    retry_at_ = {};
    return;
  }
  Milliseconds const pause = options.back_off[std::min(rounds, options.back_off.size()) - 1];
  std::uniform_real_distribution<double> spread(0.75, 1.25);
  retry_at_ = moment_after(std::chrono::duration_cast<Milliseconds>(pause * spread(chance_)));
}

// The open connection to where the table is, made if there is none. Null: it cannot be made, and `why` says why, or home
// is away, or (`why` is ok) there was no time for it.
Link* Connection::Body::reach(Route& route, int wake_fd, Moment until, Status& why) {
  if (route.link == &home_ && route.is_shared && !home_.is_open())
    for (std::unique_ptr<Link> const& node : nodes_)
      if (node->is_open()) return node.get();
  if (route.link != nullptr) return route.link;
  if (home_.is_open() && home_.address() == route.address) return route.link = &home_;
  for (std::unique_ptr<Link> const& node : nodes_)
    if (node->is_open() && node->address() == route.address) return route.link = node.get();
  drop_idle();
  auto node = std::make_unique<Link>(options);
  if (moment_now() >= until) return nullptr;
  std::string const address = route.address;
  Moment const limit = moment_after(limit_of_connect(address));
  Status made = connect(*node, address, wake_fd, until);
  if (made.ok()) {
    nodes_.push_back(std::move(node));
    if (options.on_connection) options.on_connection({Code::ok, "connected to " + address});
    return route.link = nodes_.back().get();
  }
  bool const is_cut_short = is_woken(wake_fd) || (moment_now() >= until && until < limit);
  if (is_cut_short) return nullptr;
  routes_.forget(address);
  why = std::move(made);
  return nullptr;
}

void Connection::Body::lose(Link& link, Status const& why) {
  bool const is_home = &link == &home_;
  link.close();
  // The daemon has refused our certificate: the next attempt would end in the same way.
  bool const for_good = options.back_off.empty() || why.code() == Code::not_allowed;
  Status const error(for_good && why.code() == Code::not_allowed ? Code::not_allowed : Code::closed,
                     "the connection to " + link.address() + " was lost: " + why.message());
  if (is_home) {
    last_error_ = error;
    routes_.forget_home();
  } else {
    ++losses_;
    routes_.forget(link.address());
  }
  if (options.on_connection) options.on_connection(error);
  if (is_home) plan_retry();
  subscriptions_.lose(link);
  lose_commands(link, for_good, error);
  look_again();
  if (!options.back_off.empty()) {
    if (!is_home && home_.is_open() && options.on_connection)
      options.on_connection({Code::ok, "looking for its tables through " + home_.address()});
    return;
  }
  // Nothing is connected again: who listens there must learn that it is over.
  if (home_.is_open()) lose(home_, why);
  for (std::unique_ptr<Link> const& node : nodes_)
    if (node->is_open()) lose(*node, why);
}

void Connection::Body::lose_commands(Link& link, bool for_good, Status const& how) {
  for (auto at = in_flight_.begin(); at != in_flight_.end();) {
    InFlight& one = at->second;
    // What waits for home waits for ever then.
    bool const is_stranded = for_good && one.link == nullptr && &link == &home_;
    if (one.finished || (one.link != &link && !is_stranded)) {
      ++at;
      continue;
    }
    if (one.role != InFlight::Role::caller) {
      at = in_flight_.erase(at);
      continue;
    }
    if (for_good) {
      one.finish(how);
    } else if (!one.may_resend) {
      one.finish({Code::closed, how.message() + "; whether " + one.command + " was carried out is not known"});
    } else {
      one.resent = true;
      one.reply.resent = true;
      one.hold({}, {});
      if (Route* const route = one.table.empty() ? nullptr : routes_.find(one.table)) route->unsettled = true;
    }
    ++at;
  }
}

void Connection::Body::drop_closed() {
  std::erase_if(nodes_, [](std::unique_ptr<Link> const& node) { return !node->is_open(); });
}

// Nodes that have nothing of ours any more: each fail-over may leave one.
void Connection::Body::drop_idle() {
  std::erase_if(nodes_, [&](std::unique_ptr<Link> const& node) {
    return !routes_.has_route_to(*node) && !subscriptions_.any_on(*node) && node->unsent() == 0 &&
           std::ranges::none_of(in_flight_, [&](auto const& entry) {
             return !entry.second.finished && entry.second.link == node.get();
           });
  });
}

// ---- waiting

// One wait and its consequences. Not ok: there is no connection, and there will be none.
Status Connection::Body::step(Moment until, int wake_fd) {
  if (!nodes_.empty()) drop_closed();
  bool const has_home = home_.is_open();
  if (!has_home && options.back_off.empty()) return last_error_;
  Moment next = std::min(until, send_waiting(wake_fd, until));
  if (!has_home) next = std::min(next, retry_at_);
  bool has_sent_all = false;
  auto const write = [&](Link& link) {
    if (link.unsent() == 0) return;
    write_some(link);
    has_sent_all = has_sent_all || link.unsent() == 0;
  };
  write(home_);
  for (std::unique_ptr<Link> const& node : nodes_) write(*node);
  // Who waited for room has it, and an answer may have come before all of its command was sent: no other one comes.
  if (has_sent_all) return {};
  next = std::min(next, give_up_silent());
  if (has_home != home_.is_open()) return {};
  bool const is_woken = wait(next, wake_fd);
  if (!has_home && !is_woken && moment_now() >= retry_at_) return reconnect(wake_fd, until);
  return {};
}

bool Connection::Body::gives_up_silent() const {
  return (servers_.size() > 1 || routes_.any()) && options.silence_limit != kForever;
}

// Of several nodes, one that owes an answer may have no power, or be stopped, without a sign. Returns when to look
// again.
Moment Connection::Body::give_up_silent() {
  if (!gives_up_silent()) return Moment::max();
  Moment next = Moment::max();
  if (home_.is_open()) next = give_up_if_silent(home_);
  // What is lost meanwhile stays there until the next step.
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i]->is_open()) next = std::min(next, give_up_if_silent(*nodes_[i]));
  return next;
}

Moment Connection::Body::give_up_if_silent(Link& link) {
  Moment const now = moment_now();
  if (now < link.quiet_since() + options.silence_limit) return link.quiet_since() + options.silence_limit;
  // Between calls nothing was read.
  if (read_some(link) || !link.is_open()) return now;
  bool is_asked = false;
  for (auto const& [nr, one] : in_flight_) {
    if (one.link != &link || one.finished) continue;
    is_asked = true;
    // It was to be answered after its `wait`.
    if (one.wait != Milliseconds{0} && now < one.sent_at + one.wait + options.silence_limit) continue;
    doubt(link.address());
    lose(link, {Code::unavailable, "it has said nothing for " + std::to_string(options.silence_limit.count()) + " ms"});
    return now;
  }
  if (!is_asked && subscriptions_.any_on(link)) {
    InFlight question;
    question.command = "ALIVE";
    question.role = InFlight::Role::nobody;
    question.link = &link;
    static_cast<void>(encode(Message{"ALIVE"}, ++last_nr_, link.out()));
    in_flight_.emplace_hint(in_flight_.end(), last_nr_, std::move(question));
  }
  link.rest();
  return now + options.silence_limit;
}

// True: `wake_fd` is readable.
bool Connection::Body::wait(Moment until, int wake_fd) {
  auto const polled = [](Link const& link) {
    return polled_of(link.socket().fd(), link.is_open() && (link.unsent() > 0 || link.socket().wants_write()));
  };
  polled_.clear();
  polled_.push_back(polled(home_));
  for (std::unique_ptr<Link> const& node : nodes_) polled_.push_back(polled(*node));
  polled_.push_back(polled_of(wake_fd, false));
  // What TLS has decrypted is not seen by poll.
  bool any_unread = home_.socket().has_unread();
  for (std::unique_ptr<Link> const& node : nodes_) any_unread = any_unread || node->socket().has_unread();
  bool const is_alone = nodes_.empty();
  if (!(any_unread && is_alone)) static_cast<void>(wait_for_any(polled_, any_unread ? Moment{} : until));
  serve(home_, ready_of(polled_.front()));
  // Serving adds no nodes.
  for (std::size_t i = 0; i < nodes_.size(); ++i) serve(*nodes_[i], ready_of(polled_[i + 1]));
  return polled_.back().revents != 0;
}

void Connection::Body::serve(Link& link, Ready ready) {
  if (!link.is_open()) return;
  bool const wants_write = link.socket().wants_write();
  if (ready.writable && link.unsent() > 0) write_some(link);
  if (!link.is_open()) return;
  if (ready.readable || link.socket().has_unread() || (ready.writable && wants_write)) read_some(link);
}

void Connection::Body::write_some(Link& link) {
  Status const sent = link.send_some();
  if (sent.ok()) return;
  // Read the answers that arrived before the end.
  while (link.is_open() && read_some(link)) continue;
  if (link.is_open()) lose(link, sent);
}

// False: nothing was received.
bool Connection::Body::read_some(Link& link) {
  Result<std::size_t> const got = link.receive();
  if (!got.ok()) {
    lose(link, got.status());
    return false;
  }
  bytes_read_ += got.value();
  if (got.value() > 0) take_messages(link);
  return got.value() > 0;
}

void Connection::Body::take_messages(Link& link) {
  while (true) {
    Message message;
    if (!spare_messages_.empty()) {
      message = std::move(spare_messages_.back());
      spare_messages_.pop_back();
    }
    Status why;
    Link::Took const took = link.take(message, why);
    if (took == Link::Took::message) {
      take_message(link, std::move(message));
      continue;
    }
    spare_messages_.push_back(std::move(message));
    if (took == Link::Took::nothing) return;
    settle_oldest(link, why);
  }
}

void Connection::Body::take_message(Link& link, Message message) {
  if (&link == &home_) attempts_ = 0;
  Value const* const request = message.find("request");
  if (request == nullptr) {
    Status const refusal = refusal_of(message);
    // The daemon cannot echo the request of an unreadable line.
    return refusal.ok() ? take_push(link, std::move(message)) : settle_oldest(link, refusal);
  }
  std::uint64_t const nr = request->as_unsigned().value_or(0);
  auto const at = in_flight_.find(nr);
  if (at == in_flight_.end() || at->second.finished || at->second.link != &link) return;
  InFlight& one = at->second;
  if (one.role == InFlight::Role::caller) return take_answer(link, one, std::move(message));
  bool const last = message.integer("left").value_or(0) <= 0;
  bool const refused = !refusal_of(message).ok();
  if (one.role == InFlight::Role::login) {
    login_ = refusal_of(message);
  } else if (one.role == InFlight::Role::subscription) {
    take_subscribed(link, nr, std::move(message), refused);
  } else {
    give_back(link, one.rule, message);
  }
  if (last || refused) in_flight_.erase(at);
}

void Connection::Body::take_answer(Link& link, InFlight& one, Message message) {
  if (message.command == "ERROR" && hold_refused(link, one, message)) return;
  one.add(std::move(message));
  // Others may have waited for it, as it was on its way to where the table was.
  if (one.finished && routes_.any() && routes_.target_of(one.table) != &link) look_again();
}

// The answer to a LISTEN or WATCH that was sent again.
void Connection::Body::take_subscribed(Link& link, std::uint64_t nr, Message message, bool refused) {
  Subscription* const subscription = subscriptions_.find(nr);
  if (subscription != nullptr && refused && (is_moved(message) || retry_of(message))) {
    subscription->wait_until(due_after(link, subscription->table, message, subscription->pauses));
    return look_at(subscription->due);
  }
  if (refused) return push(std::move(message));
  if (subscription != nullptr) subscription->pauses = 0;
  if (std::optional<Message> missed = missed_of(message)) push(*std::move(missed));
}

void Connection::Body::take_push(Link& link, Message message) {
  if (!follow_push(link, message)) push(std::move(message));
}

void Connection::Body::push(Message message) {
  bool const leased = is_leased(message);
  if (pushes_.size() >= options.pushes_max && !leased) {
    ++pushes_dropped;
    return;
  }
  pushes_.push_back(std::move(message));
}

// If the message leases something, that would not be worked on until the lease ends. Without an error, as nothing
// failed.
void Connection::Body::give_back(Link& link, CommandRule const& rule, Message const& message) {
  if (!has_word(rule.leases, message.command) || !is_leased(message)) return;
  Message release{rule.give_back};
  for (std::string_view const name : {"table", "row", "message", "epoch", "document", "token"})
    if (Value const* const value = message.find(name); value != nullptr) release.set(name, *value);
  // The answer is dropped. If the daemon's own message cannot be repeated, there is nothing to release.
  static_cast<void>(encode(release, ++last_nr_, link.out()));
}

// What is there of an answer that its caller never gets. What a lost connection had is returned by the daemon.
void Connection::Body::give_back_all(InFlight& one) {
  bool const is_there = one.link == &home_ || std::ranges::any_of(nodes_, [&](std::unique_ptr<Link> const& node) {
                          return node.get() == one.link;
                        });
  if (!is_there || !one.link->is_open()) return;
  for (Message const& message : one.reply.messages) give_back(*one.link, one.rule, message);
  one.reply.messages.clear();
}

// For a refusal without a request: answers come in order, so it belongs to the oldest command that cannot be overtaken.
void Connection::Body::settle_oldest(Link& link, Status const& how) {
  auto const oldest = std::find_if(in_flight_.begin(), in_flight_.end(), [&](auto const& entry) {
    return entry.second.link == &link && !entry.second.finished && entry.second.wait == Milliseconds{0};
  });
  if (oldest == in_flight_.end()) return;
  look_again();
  if (oldest->second.role == InFlight::Role::caller) return oldest->second.finish(how);
  if (oldest->second.role == InFlight::Role::login) login_ = how;
  in_flight_.erase(oldest);
}

// ---- what waits to be sent

// A node that knows no owner may be cut off from the others.
void Connection::Body::ask_elsewhere(Link const& link, std::string_view table) {
  if (servers_.size() == 1 || table.empty()) return;
  auto const here = std::ranges::find(servers_, link.address());
  Route& route = routes_.of(table);
  route.address = here == servers_.end() || here + 1 == servers_.end() ? servers_.front() : *(here + 1);
  route.link = nullptr;
  route.is_shared = route.unsettled = true;
}

// Learns from a `moved`, or an `unavailable`, when to send again.
Moment Connection::Body::due_after(Link& link, std::string_view table, Message const& told, unsigned& pauses) {
  if (std::optional<Milliseconds> const retry = retry_of(told)) {
    if (++pauses % kRetriesHere == 0) ask_elsewhere(link, table);
    return moment_after(*retry);
  }
  if (!is_moved(told) || table.empty()) return moment_after(pause_of(pauses));
  Route& route = routes_.of(table);
  route.unsettled = true;
  std::string const before = route.address;
  bool const is_new = routes_.follow(route, moved_of(told, link.address()), link);
  if (route.address != before) ++losses_;
  return is_new ? Moment{} : moment_after(pause_of(pauses));
}

// True: nothing was done, so it will be sent again. In a transaction, and if it is of no table, its sender decides.
bool Connection::Body::hold_refused(Link& link, InFlight& one, Message const& answer) {
  bool const is_followed = is_moved(answer) && !one.table.empty();
  bool const is_untouched = one.reply.messages.empty() && one.status.ok();
  if (!(is_followed || retry_of(answer)) || !is_untouched || one.in_transaction) return false;
  one.hold(refusal_of(answer), due_after(link, one.table, answer, one.pauses));
  if (!one.table.empty()) routes_.of(one.table).unsettled = true;
  look_at(one.due);
  return true;
}

// True: it ended what the library puts in force again by itself.
bool Connection::Body::follow_push(Link& link, Message const& push) {
  if (!is_followed(push)) return false;
  unsigned pauses = 0;
  Moment const due = due_after(link, push.text("table"), push, pauses);
  bool is_known = false;
  for (Subscription& one : subscriptions_.all()) {
    if (!is_ended_by(one, push)) continue;
    is_known = true;
    // Of several pushes about it, the first one counts.
    if (one.link == &link) one.wait_until(due);
  }
  look_at(due);
  return is_known;
}

// Sends what waits and may go now. Returns when to look again, whatever is received until then.
Moment Connection::Body::send_waiting(int wake_fd, Moment until) {
  if (look_at_ == Moment::max() || moment_now() < look_at_) return look_at_;
  look_at_ = Moment::max();
  // Subscriptions first, so that no wake-up is missed.
  send_subscriptions(wake_fd, until);
  routes_.unblock();
  for (auto& [nr, one] : in_flight_) {
    if (one.finished || one.role != InFlight::Role::caller) continue;
    Route* const route = one.table.empty() ? nullptr : routes_.find(one.table);
    if (one.link == nullptr) {
      send_held(one, route, wake_fd, until);
    } else if (route != nullptr && one.link != route->link && one.wait == Milliseconds{0} && moment_now() < one.until) {
      // Not through yet where the table was.
      route->unsettled = route->blocked = true;
    }
  }
  return look_at_;
}

void Connection::Body::send_held(InFlight& one, Route* route, int wake_fd, Moment until) {
  auto const wait_more = [&] {
    if (route == nullptr) return;
    route->unsettled = true;
    // Commands that the daemon may answer out of turn delay no others.
    route->blocked = route->blocked || one.wait == Milliseconds{0};
  };
  Moment const begun = moment_now();
  if (begun >= one.until && !one.status.ok()) {
    // Others need not wait for it any more, nor its caller.
    look_again();
    return one.finish(std::move(one.status));
  }
  if (route != nullptr && route->blocked) return wait_more();
  if (one.due > begun) {
    look_at(std::min(one.due, one.until));
    return wait_more();
  }
  Status why;
  Link* const link = route == nullptr ? &home_ : reach(*route, wake_fd, until, why);
  if (link != nullptr && link->is_open()) {
    link->out().append(one.bytes);
    one.link = link;
    one.sent_at = moment_now();
    one.status = {};
    return;
  }
  if (why.code() == Code::not_allowed) {
    look_again();
    return one.finish(why);
  }
  if (!why.ok()) {
    one.hold(std::move(why), after_attempt(begun, one.pauses));
    look_at(one.due);
  } else if (link == nullptr) {
    // No time was left for the connection: the next call tries it.
    look_again();
  }
  wait_more();
}

void Connection::Body::send_subscriptions(int wake_fd, Moment until) {
  for (Subscription& one : subscriptions_.all()) {
    if (!one.waits()) continue;
    Moment const begun = moment_now();
    if (one.due > begun) {
      look_at(one.due);
      continue;
    }
    Status why;
    Route* const route = routes_.find(one.table);
    Link* const link = route == nullptr ? &home_ : reach(*route, wake_fd, until, why);
    if (!why.ok()) one.wait_until(after_attempt(begun, one.pauses));
    if (link == nullptr) look_at(one.due);
    if (link == nullptr || !link->is_open()) continue;
    InFlight again;
    again.command = std::string{one.message.command};
    again.role = InFlight::Role::subscription;
    again.link = link;
    one.nr = ++last_nr_;
    one.link = link;
    // It was encoded before without an error.
    FJ_CHECK(encode(one.message, one.nr, link->out()).ok(), "a subscription can be sent twice");
    in_flight_.emplace_hint(in_flight_.end(), one.nr, std::move(again));
  }
}

}  // namespace fastjournal::client
