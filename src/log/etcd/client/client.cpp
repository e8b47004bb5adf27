#include "log/etcd/client/client.h"

#include <algorithm>

#include "base/check.h"

namespace fastjournal::etcd {
namespace {

std::string milliseconds(std::int64_t us) { return std::to_string(us / 1000) + " ms"; }

}  // namespace

Client::Client(env::Network& network, ClientOptions options) : network_(network), options_(std::move(options)) {
  FJ_CHECK(!options_.endpoints.empty(), "a client of etcd needs an endpoint");
}

Client::~Client() {
  for (std::unique_ptr<Link>* const link : {&link_, &drain_})
    if (*link != nullptr) network_.close((*link)->id);
}

// ---------------------------------------------------------------------------
// Requests

RequestId Client::send(Request request, std::int64_t timeout_us) {
  RequestId const id = ++last_request_;
  if (requests_.size() >= options_.requests_max) {
    answer_untold(id, Outcome::unavailable, Refusal::none,
                  std::to_string(requests_.size()) + " requests are without an answer; at most " +
                      std::to_string(options_.requests_max));
    return id;
  }
  wire::Encoded encoded = wire::encode(request);
  if (encoded.message.size() > options_.request_bytes_max) {
    answer_untold(id, Outcome::refused, Refusal::too_large,
                  std::string{wire::name_of(encoded.kind)} + " has " + std::to_string(encoded.message.size()) +
                      " bytes; at most " + std::to_string(options_.request_bytes_max));
    return id;
  }
  Pending& pending = requests_[id];
  pending.request = std::move(encoded);
  pending.timeout_us = std::max<std::int64_t>(timeout_us, 0);
  not_stamped_.push_back(id);
  bool const is_usable = link_ != nullptr && link_->phase == Phase::ready && link_->channel.takes_calls();
  if (is_usable)
    static_cast<void>(give(id, pending));
  else
    let_wait(id, pending);
  return id;
}

void Client::stamp() {
  if (!has_ticked_) return;
  for (RequestId const id : not_stamped_) {
    auto const found = requests_.find(id);
    if (found == requests_.end()) continue;
    Pending& pending = found->second;
    pending.deadline_us = pending.timeout_us > INT64_MAX - now_us_ ? INT64_MAX : now_us_ + pending.timeout_us;
    deadlines_.emplace(pending.deadline_us, id);
  }
  not_stamped_.clear();
}

bool Client::give(RequestId id, Pending& pending) {
  std::vector<Metadata> metadata;
  if (!token_.empty()) metadata.push_back({"token", token_});
  if (pending.request.needs_leader) metadata.push_back({"hasleader", "true"});
  Result<CallId> const call =
      link_->channel.start(wire::path_of(pending.request.kind), metadata, pending.request.message);
  if (!call.ok()) {
    answer(id, Outcome::unavailable, Refusal::none, call.status().message());
    return false;
  }
  pending.link = link_.get();
  pending.call = call.value();
  pending.token = token_number_;
  pending.revision = revision_;
  if (!has_credentials()) pending.request.message = {};
  link_->requests.emplace(pending.call, id);
  ++counters_.sent;
  return true;
}

void Client::let_wait(RequestId id, Pending& pending) {
  std::size_t const bytes = pending.request.message.size();
  if (bytes > options_.waiting_bytes_max - waiting_bytes_) {
    answer(id, Outcome::unavailable, Refusal::none,
           "requests of " + std::to_string(waiting_bytes_) + " bytes wait for a connection; at most " +
               std::to_string(options_.waiting_bytes_max) + " (" + state_.message() + ")");
    return;
  }
  pending.link = nullptr;
  pending.call = CallId::none;
  waiting_.insert(id);
  waiting_bytes_ += bytes;
}

void Client::take_request_end(Link& link, RequestId id, CallEnd const& end) {
  Pending& pending = requests_.at(id);
  std::string const where = std::string{wire::name_of(pending.request.kind)} + " at " + link.endpoint + ": ";
  if (end.status < 0) {
    answer(id, end.may_be_done ? Outcome::unknown : Outcome::unavailable, Refusal::none, where + end.text);
    return;
  }
  if (end.status == grpc::kOk) {
    Answer done{.id = id};
    bool const is_read = pending.answers == 1 && wire::decode(pending.request.kind, pending.answer, done);
    if (is_read && !note_revision(link, pending, done.header)) {
      answer(id, Outcome::unknown, Refusal::none, where + went_back_);
    } else if (is_read) {
      answer_bytes_ += pending.answer.size();
      link.term = std::max(link.term, done.header.term);
      answer(id, std::move(done));
    } else {
      answer(id, Outcome::unknown, Refusal::none,
             where + "one answer that can be read was expected, there came " + std::to_string(pending.answers) +
                 ", the first of " + std::to_string(pending.answer.size()) + " bytes");
    }
    return;
  }
  wire::Verdict const verdict = wire::judge(pending.request.kind, pending.request.takes_space, end.status, end.text);
  if (verdict.has_no_leader) {
    link.has_no_leader = true;
    fail(link, Code::unavailable, "it knows of no leader");
  }
  if (verdict.is_token_invalid && has_credentials() && pending.tokens_tried < kTokensMax) {
    ++pending.tokens_tried;
    if (pending.token == token_number_) is_token_over_ = true;
    let_wait(id, pending);
    return;
  }
  answer(id, verdict.outcome, verdict.refusal, where + end.text + " (status " + std::to_string(end.status) + ")");
}

bool Client::note_revision(Link& link, Pending const& pending, Header const& header) {
  using wire::Kind;
  Kind const kind = pending.request.kind;
  // What a member says alone may be old.
  bool const is_of_all = pending.request.needs_leader &&
                         (kind == Kind::range || kind == Kind::put || kind == Kind::erase || kind == Kind::transaction);
  if (is_of_all && header.revision < pending.revision) {
    went_back_ = "the cluster is at revision " + std::to_string(header.revision) + ", and was at " +
                 std::to_string(pending.revision) +
                 " before: it was restored from a snapshot, or lost data; start this daemon anew";
    fail(link, Code::bad_configuration, went_back_);
    return false;
  }
  revision_ = std::max(revision_, header.revision);
  return true;
}

void Client::expire(RequestId id) {
  Pending& pending = requests_.at(id);
  std::string const what = std::string{wire::name_of(pending.request.kind)} + " ";
  if (pending.link == nullptr) {
    answer(id, Outcome::unavailable, Refusal::none,
           what + "waited " + milliseconds(pending.timeout_us) + " for a connection (" + state_.message() + ")");
    return;
  }
  give_up(id, "no answer within " + milliseconds(pending.timeout_us));
}

// A request that was given to a connection.
void Client::give_up(RequestId id, std::string const& why) {
  Pending& pending = requests_.at(id);
  Link& link = *pending.link;
  link.requests.erase(pending.call);
  bool const may_be_done = link.channel.cancel(pending.call);
  answer(id, may_be_done ? Outcome::unknown : Outcome::unavailable, Refusal::none,
         std::string{wire::name_of(pending.request.kind)} + " at " + link.endpoint + ": " + why);
}

// ---------------------------------------------------------------------------
// Answers

void Client::answer(RequestId id, Outcome outcome, Refusal refusal, std::string why) {
  answer(id, {.id = id, .outcome = outcome, .refusal = refusal, .why = std::move(why)});
}

void Client::answer(RequestId id, Answer answer) {
  auto const found = requests_.find(id);
  FJ_CHECK(found != requests_.end(), "a request is answered once");
  if (found->second.deadline_us != kNotSet) deadlines_.erase({found->second.deadline_us, id});
  if (waiting_.erase(id) != 0) waiting_bytes_ -= found->second.request.message.size();
  requests_.erase(found);
  count(answer.outcome);
  answer_bytes_ += sizeof answer + answer.why.size();
  answers_.push_back(std::move(answer));
}

// Of a request that was not kept.
void Client::answer_untold(RequestId id, Outcome outcome, Refusal refusal, std::string why) {
  count(outcome);
  answer_bytes_ += sizeof(Answer) + why.size();
  answers_.push_back({.id = id, .outcome = outcome, .refusal = refusal, .why = std::move(why)});
}

void Client::count(Outcome outcome) {
  switch (outcome) {
    case Outcome::done: ++counters_.done; return;
    case Outcome::refused: ++counters_.refused; return;
    case Outcome::unavailable: ++counters_.unavailable; return;
    case Outcome::unknown: ++counters_.unknown; return;
  }
}

std::vector<Answer> Client::take_answers() {
  answer_bytes_ = 0;
  hold_back();
  return std::exchange(answers_, {});
}

std::vector<WatchNews> Client::take_news() {
  news_bytes_ = 0;
  hold_back();
  return std::exchange(news_, {});
}

// ---------------------------------------------------------------------------
// Time

void Client::tick(std::int64_t now_us) {
  now_us_ = now_us;
  has_ticked_ = true;
  stamp();
  for (Link* const link : {link_.get(), drain_.get()})
    if (link != nullptr && std::exchange(link->has_heard, false)) {
      link->heard_us = now_us;
      link->is_ping_out = false;
    }
  if (link_ != nullptr && (std::exchange(link_->has_answered, false) || link_->requests.empty()))
    link_->quiet_us = now_us;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now_us) expire(deadlines_.begin()->second);
  for (std::unique_ptr<Link>* const link : {&link_, &drain_})
    if (*link != nullptr) watch_over(**link);
  if (link_ == nullptr) {
    if (attempt_us_ == kNotSet) attempt_us_ = now_us + wait_us_;
    if (attempt_us_ <= now_us) connect();
  }
  begin_watches();
}

std::int64_t Client::next_us() const {
  std::int64_t next = deadlines_.empty() ? INT64_MAX : deadlines_.begin()->first;
  if (!not_stamped_.empty()) next = now_us_;
  if (link_ == nullptr) next = std::min(next, attempt_us_ == kNotSet ? now_us_ : attempt_us_);
  for (Link const* const link : {link_.get(), drain_.get()})
    if (link != nullptr) next = std::min(next, next_us(*link));
  if (link_ != nullptr && link_->phase == Phase::ready)
    for (auto const& [id, watching] : watches_)
      if (watching.call == CallId::none) next = std::min(next, watching.due_us);
  return next;
}

void Client::end_turn() {
  stamp();
  begin_watches();
  for (std::unique_ptr<Link>* const link : {&link_, &drain_})
    if (*link != nullptr) flush(**link);
}

}  // namespace fastjournal::etcd
