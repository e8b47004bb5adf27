// Connections of the client: made, looked at, used, watched over, and ended.
#include <algorithm>

#include "base/check.h"
#include "log/etcd/client/client.h"

namespace fastjournal::etcd {

Client::Link* Client::find(ConnectionId id) {
  if (id == ConnectionId::none) return nullptr;
  for (std::unique_ptr<Link>* const link : {&link_, &drain_})
    if (*link != nullptr && (*link)->id == id) return link->get();
  return nullptr;
}

std::string_view Client::endpoint() const {
  return link_ != nullptr && link_->phase == Phase::ready ? std::string_view{link_->endpoint} : std::string_view{};
}

// ---------------------------------------------------------------------------
// From the network

bool Client::opened(ConnectionId id) {
  Link* const link = find(id);
  if (link == nullptr) return false;
  link->phase = Phase::looking;
  wire::Encoded const look = wire::encode(Look{});
  Result<CallId> const call = link->channel.start(wire::path_of(look.kind), {}, look.message);
  if (call.ok())
    link->setup = call.value();
  else
    fail(*link, call.status().code(), call.status().message());
  settle(*link);
  return true;
}

bool Client::received(ConnectionId id, std::string_view bytes) {
  Link* const link = find(id);
  if (link == nullptr) return false;
  link->has_heard = true;
  Status const status = link->channel.receive(bytes);
  if (!status.ok()) fail(*link, status.code(), status.message());
  take_events(*link);
  settle(*link);
  hold_back();
  return true;
}

bool Client::writable(ConnectionId id) {
  Link* const link = find(id);
  if (link == nullptr) return false;
  link->is_full = false;
  flush(*link);
  return true;
}

bool Client::ended(ConnectionId id) {
  Link* const link = find(id);
  if (link == nullptr) return false;
  fail(*link, Code::closed, "it closed the connection");
  settle(*link);
  return true;
}

bool Client::closed(ConnectionId id, std::string_view reason) {
  Link* const link = find(id);
  if (link == nullptr) return false;
  link->is_gone = true;
  fail(*link, Code::closed, reason.empty() ? "it closed the connection" : reason);
  settle(*link);
  return true;
}

// ---------------------------------------------------------------------------
// Setup

void Client::connect() {
  std::string const& endpoint = options_.endpoints[next_endpoint_];
  next_endpoint_ = (next_endpoint_ + 1) % options_.endpoints.size();
  attempt_us_ = kNotSet;
  Result<ConnectionId> const made = network_.connect({endpoint}, {.tls = options_.tls,
                                                                  .certificates = options_.certificates,
                                                                  .name = options_.server_name,
                                                                  .protocol = options_.tls ? "h2" : ""});
  if (!made.ok()) {
    ++counters_.failed;
    state_ = {Code::unavailable, "etcd at " + endpoint + ": " + made.status().message()};
    wait_us(std::clamp(2 * wait_us_, kWaitMinUs, kWaitMaxUs));
    attempt_us_ = now_us_ + wait_us_;
    return;
  }
  link_ = std::make_unique<Link>(
      made.value(), endpoint,
      ChannelOptions{.authority = endpoint.starts_with("unix:") || endpoint.starts_with("/") ? "localhost" : endpoint,
                     .tls = options_.tls,
                     .message_bytes_max = options_.message_bytes_max,
                     .partial_bytes_max = 2 * options_.message_bytes_max});
  link_->begun_us = now_us_;
  is_reading_paused_ = false;
}

void Client::take_setup_answer(Link& link, CallEnd const& end) {
  CallId const call = std::exchange(link.setup, CallId::none);
  if (link.phase == Phase::draining) return;
  if (link.phase == Phase::ready) return take_leader(link, call, end);
  if (link.phase == Phase::authenticating) return take_token(link, end);
  if (end.status != grpc::kOk)
    fail(link, Code::unavailable, "it does not tell its status: " + end.text);
  else
    take_member(link);
}

void Client::take_member(Link& link) {
  std::optional<wire::Member> const member = wire::decode_member(link.setup_answer);
  if (!member) return fail(link, Code::unavailable, "its status cannot be read");
  if (Status const version = wire::check_version(member->version); !version.ok())
    return fail(link, version.code(), version.message());
  if (!went_back_.empty()) return fail(link, Code::bad_configuration, went_back_);
  if (cluster_ != 0 && member->cluster != cluster_)
    return fail(link, Code::bad_configuration,
                "it is of the cluster " + std::to_string(member->cluster) + ", the others of " +
                    std::to_string(cluster_) +
                    "; all endpoints have to be of one. If that was restored from a snapshot, start this daemon anew");
  if (member->is_learner) return fail(link, Code::unavailable, "it is a learner, which takes no requests");
  if (member->leader == 0) {
    link.has_no_leader = true;
    return fail(link, Code::unavailable, "it knows of no leader");
  }
  link.term = member->term;
  cluster_ = member->cluster;
  version_ = member->version;
  if (has_credentials() && (token_.empty() || is_token_over_))
    authenticate(link);
  else
    use(link);
}

void Client::authenticate(Link& link) {
  is_token_over_ = false;
  token_.clear();
  link.phase = Phase::authenticating;
  link.begun_us = now_us_;
  link.setup_answer.clear();
  Result<CallId> const call = link.channel.start(wire::path_of(wire::Kind::authenticate), {},
                                                 wire::encode_authenticate(options_.user, options_.password));
  if (call.ok())
    link.setup = call.value();
  else
    fail(link, call.status().code(), call.status().message());
}

void Client::take_token(Link& link, CallEnd const& end) {
  std::string const who = "user \"" + options_.user + "\": ";
  if (end.status == grpc::kOk) {
    std::optional<std::string> token = wire::decode_token(link.setup_answer);
    if (!token || token->empty()) return fail(link, Code::unavailable, who + "the token cannot be read");
    token_ = std::move(*token);
    ++token_number_;
    return use(link);
  }
  if (end.status > 0 && wire::says_authentication_is_off(end.text)) return use(link);
  wire::Verdict const verdict = wire::judge(wire::Kind::authenticate, false, end.status, end.text);
  if (verdict.refusal != Refusal::not_allowed) return fail(link, Code::unavailable, who + end.text);
  fail(link, Code::not_allowed, who + end.text);
  // Waiting longer would not help them.
  while (!waiting_.empty()) answer(*waiting_.begin(), Outcome::refused, Refusal::not_allowed, link.failure.message());
}

void Client::ask_for_leader(Link& link) {
  link.asked_us = now_us_;
  link.setup_answer.clear();
  wire::Encoded const look = wire::encode(Look{});
  if (Result<CallId> const call = link.channel.start(wire::path_of(look.kind), {}, look.message); call.ok())
    link.setup = call.value();
}

void Client::take_leader(Link& link, CallId asked, CallEnd const& end) {
  std::optional<wire::Member> const member = wire::decode_member(link.setup_answer);
  if (end.status != grpc::kOk || !member) return;
  if (member->leader == 0) {
    link.has_no_leader = true;
    return fail(link, Code::unavailable, "it knows of no leader");
  }
  if (member->term <= link.term) return;
  link.term = member->term;
  // In the order of their calls; those that were sent after the question have the new leader.
  while (!link.requests.empty() && link.requests.begin()->first < asked)
    give_up(link.requests.begin()->second, "the leader changed while it was under way");
}

void Client::use(Link& link) {
  // Not the first time if only the token was renewed.
  if (link.ready_us == kNotSet) {
    link.ready_us = now_us_;
    ++counters_.connected;
  }
  link.phase = Phase::ready;
  state_ = {};
  for (RequestId const id : std::exchange(waiting_, {})) {
    Pending& pending = requests_.at(id);
    waiting_bytes_ -= pending.request.message.size();
    static_cast<void>(give(id, pending));
  }
  begin_watches();
}

// ---------------------------------------------------------------------------
// Calls

void Client::take_events(Link& link) {
  for (CallEvent& event : link.channel.take_events()) {
    if (event.call == link.setup) {
      if (event.has_ended)
        take_setup_answer(link, event.end);
      else
        link.setup_answer = std::move(event.message);
    } else if (auto const request = link.requests.find(event.call); request != link.requests.end()) {
      RequestId const id = request->second;
      link.has_answered = true;
      if (event.has_ended) {
        link.requests.erase(request);
        take_request_end(link, id, event.end);
      } else if (Pending& pending = requests_.at(id); ++pending.answers == 1) {
        pending.answer = std::move(event.message);
      }
    } else if (auto const watch = link.watches.find(event.call); watch != link.watches.end()) {
      WatchId const id = watch->second;
      if (event.has_ended) {
        link.watches.erase(watch);
        take_watch_end(link, id, event.end);
      } else {
        take_watch_message(link, id, event.message);
      }
    }
  }
  if (&link != link_.get() || link.phase != Phase::ready || !link.failure.ok()) return;
  if (is_token_over_)
    authenticate(link);
  else if (!waiting_.empty())
    use(link);  // they were sent with an older token
}

// ---------------------------------------------------------------------------
// The end of a connection

void Client::fail(Link& link, Code code, std::string_view why) const {
  if (link.failure.ok()) link.failure = {code, "etcd at " + link.endpoint + ": " + std::string{why}};
}

void Client::settle(Link& link) {
  bool const is_old = &link == drain_.get();
  if (!link.failure.ok()) return end(is_old ? drain_ : link_);
  if (is_old) {
    if (link.requests.empty()) end(drain_);
  } else if (!link.channel.takes_calls()) {
    if (link.phase == Phase::ready) return drain();
    fail(link, Code::closed, "it takes no calls");
    end(link_);
  }
}

// The member is shut down, and has said so.
void Client::drain() {
  if (drain_ != nullptr) {
    fail(*drain_, Code::closed, "another connection ends");
    end(drain_);
  }
  drain_ = std::move(link_);
  Link& link = *drain_;
  link.phase = Phase::draining;
  link.begun_us = now_us_;
  for (auto const& [call, id] : link.watches) {
    static_cast<void>(link.channel.cancel(call));
    Watching& watching = watches_.at(id);
    watching.call = CallId::none;
    watching.due_us = now_us_;
  }
  link.watches.clear();
  state_ = {Code::unavailable, "etcd at " + link.endpoint + ": it takes no more calls"};
  wait_us(0);
  if (link.requests.empty()) end(drain_);
}

void Client::end(std::unique_ptr<Link>& slot) {
  std::unique_ptr<Link> const link = std::move(slot);
  bool const is_current = &slot == &link_;
  // So that requests that go back to wait are not given to it again.
  link->phase = Phase::draining;
  bool const was_used = link->ready_us != kNotSet;
  if (was_used)
    ++counters_.lost;
  else
    ++counters_.failed;
  if (is_current) {
    state_ = link->failure;
    std::int64_t us = std::clamp(2 * wait_us_, kWaitMinUs, kWaitMaxUs);
    if (was_used && now_us_ - link->ready_us >= kHealthyUs) us = 0;
    if (link->has_no_leader) us = kWaitMinUs;
    if (link->failure.code() == Code::not_allowed) us = kWaitMaxUs;
    wait_us(us);
  }
  link->channel.lose(link->failure.ok() ? "it is not needed any more" : link->failure.message());
  take_events(*link);
  if (!link->is_gone) network_.close(link->id);
}

void Client::wait_us(std::int64_t us) {
  wait_us_ = us;
  attempt_us_ = kNotSet;
}

// ---------------------------------------------------------------------------
// Time, and bytes

void Client::watch_over(Link& link) {
  if (link.phase == Phase::draining) {
    if (now_us_ - link.begun_us >= kDrainLimitUs) fail(link, Code::closed, "it was shut down, and calls did not end");
  } else if (link.phase != Phase::ready) {
    if (now_us_ - link.begun_us >= kSetupLimitUs)
      fail(link, Code::timed_out, "no connection within " + std::to_string(kSetupLimitUs / 1000) + " ms");
  } else if (link.channel.calls() == 0 || is_reading_paused_) {
    // Without calls etcd takes a ping for an attack; and what is not read cannot be heard.
    link.is_ping_out = false;
  } else if (link.is_ping_out) {
    if (now_us_ - link.pinged_us >= kPingLimitUs)
      fail(link, Code::timed_out, "no answer to a ping within " + std::to_string(kPingLimitUs / 1000) + " ms");
  } else if (ping_us(link) <= now_us_) {
    link.channel.ping();
    link.is_ping_out = true;
    link.pinged_us = now_us_;
  }
  if (link.phase == Phase::ready && link.failure.ok() && ask_us(link) <= now_us_) ask_for_leader(link);
  if (link.phase == Phase::ready && silence_us(link) <= now_us_)
    fail(link, Code::timed_out, "it has said nothing for " + std::to_string(kSilenceUs / 1000) + " ms");
  settle(link);
}

// When the member is asked for its leader.
std::int64_t Client::ask_us(Link const& link) const {
  if (link.requests.empty() || link.setup != CallId::none || is_reading_paused_) return INT64_MAX;
  std::int64_t const quiet_us = link.quiet_us == kNotSet ? now_us_ : link.quiet_us;
  return std::max(quiet_us, link.asked_us) + kQuietUs;
}

// When a member that was asked for its leader is left.
std::int64_t Client::silence_us(Link const& link) const {
  if (link.setup == CallId::none || is_reading_paused_) return INT64_MAX;
  return std::max(link.asked_us, link.heard_us) + kSilenceUs;
}

std::int64_t Client::next_us(Link const& link) const {
  switch (link.phase) {
    case Phase::draining: return link.begun_us + kDrainLimitUs;
    case Phase::connecting:
    case Phase::looking:
    case Phase::authenticating: return link.begun_us + kSetupLimitUs;
    case Phase::ready: break;
  }
  return std::min({ping_us(link), ask_us(link), silence_us(link)});
}

// When the next ping is due, or the answer to the last.
std::int64_t Client::ping_us(Link const& link) const {
  if (link.channel.calls() == 0 || is_reading_paused_) return INT64_MAX;
  if (link.is_ping_out) return link.pinged_us + kPingLimitUs;
  std::int64_t const gap_us = link.pinged_us == kNotSet ? now_us_ : link.pinged_us + kPingGapUs;
  std::int64_t const heard_us = link.heard_us == kNotSet ? link.ready_us : link.heard_us;
  return std::max(gap_us, heard_us + kPingGapUs);
}

void Client::flush(Link& link) {
  if (link.phase == Phase::connecting) return;
  while (!link.is_full && !link.is_gone) {
    std::string_view const bytes = link.channel.output();
    if (bytes.empty()) return;
    std::size_t const taken = network_.send(link.id, bytes);
    link.is_full = taken < bytes.size();
    link.channel.sent(taken);
  }
}

// Reading stops while too much of what came was not taken.
void Client::hold_back() {
  bool const pause = answer_bytes_ + news_bytes_ > options_.untaken_bytes_max;
  if (link_ == nullptr || pause == is_reading_paused_) return;
  is_reading_paused_ = pause;
  network_.pause_reading(link_->id, pause);
}

}  // namespace fastjournal::etcd
