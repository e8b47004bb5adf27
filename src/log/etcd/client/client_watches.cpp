// Watches of the client: a stream for each, begun again wherever it ends.
#include <algorithm>

#include "log/etcd/client/client.h"

namespace fastjournal::etcd {

WatchId Client::watch(WatchWish wish) {
  WatchId const id = ++last_watch_;
  WatchReader reader{id, std::move(wish)};
  if (watches_.size() >= options_.watches_max)
    tell(reader.refused(std::to_string(watches_.size()) + " watches are open; at most " +
                        std::to_string(options_.watches_max)));
  else
    watches_.emplace(id, std::move(reader));
  return id;
}

void Client::unwatch(WatchId id) {
  std::erase_if(news_, [id](WatchNews const& news) { return news.id == id; });
  auto const found = watches_.find(id);
  if (found == watches_.end()) return;
  if (found->second.call != CallId::none) {
    static_cast<void>(link_->channel.cancel(found->second.call));
    link_->watches.erase(found->second.call);
  }
  watches_.erase(found);
}

void Client::begin_watches() {
  if (link_ == nullptr || link_->phase != Phase::ready || !link_->channel.takes_calls()) return;
  for (auto& [id, watching] : watches_)
    if (watching.call == CallId::none && watching.due_us <= now_us_) begin_watch(id, watching);
}

void Client::begin_watch(WatchId id, Watching& watching) {
  std::vector<Metadata> metadata{{"hasleader", "true"}};
  if (!token_.empty()) metadata.push_back({"token", token_});
  Result<CallId> const call =
      link_->channel.start(wire::path_of(wire::Kind::watch), metadata, watching.reader.begin(), true);
  if (!call.ok()) return begin_again(watching);
  watching.call = call.value();
  link_->watches.emplace(call.value(), id);
}

void Client::begin_again(Watching& watching) {
  watching.call = CallId::none;
  watching.due_us = now_us_ + watching.wait_us;
  watching.wait_us = std::clamp(2 * watching.wait_us, kWaitMinUs, kWaitMaxUs);
}

void Client::take_watch_message(Link& link, WatchId id, std::string_view message) {
  auto const found = watches_.find(id);
  Watching& watching = found->second;
  WatchReader::Step step = watching.reader.read(message);
  for (WatchNews& news : step.news) tell(std::move(news));
  if (step.then == WatchReader::Then::goes_on) {
    watching.wait_us = 0;
    watching.tokens_tried = 0;
    return;
  }
  static_cast<void>(link.channel.cancel(watching.call));
  link.watches.erase(watching.call);
  watching.call = CallId::none;
  switch (step.then) {
    case WatchReader::Then::goes_on: return;
    case WatchReader::Then::is_over: watches_.erase(found); return;
    case WatchReader::Then::begins_again: begin_again(watching); return;
    case WatchReader::Then::needs_token: need_token(link, id, std::move(step.why)); return;
  }
}

void Client::take_watch_end(Link& link, WatchId id, CallEnd const& end) {
  Watching& watching = watches_.at(id);
  watching.call = CallId::none;
  wire::Verdict const verdict = wire::judge(wire::Kind::watch, false, end.status, end.text);
  if (verdict.has_no_leader) {
    link.has_no_leader = true;
    fail(link, Code::unavailable, "it knows of no leader");
  }
  if (verdict.is_token_invalid || verdict.refusal == Refusal::not_allowed) {
    need_token(link, id, end.text);
  } else if (verdict.outcome == Outcome::refused) {
    tell(watching.reader.refused("watch at " + link.endpoint + ": " + end.text));
    watches_.erase(id);
  } else if (!link.failure.ok()) {
    // With the connection: it goes on with the next one.
    watching.due_us = now_us_;
  } else {
    begin_again(watching);
  }
}

void Client::need_token(Link& link, WatchId id, std::string why) {
  Watching& watching = watches_.at(id);
  if (!has_credentials() || watching.tokens_tried >= kTokensMax) {
    tell(watching.reader.refused("watch at " + link.endpoint + ": " + std::move(why)));
    watches_.erase(id);
    return;
  }
  ++watching.tokens_tried;
  // take_events asks for another.
  is_token_over_ = true;
  watching.due_us = now_us_;
}

void Client::tell(WatchNews news) {
  if (news.kind == WatchNews::Kind::events || news.kind == WatchNews::Kind::progress)
    revision_ = std::max(revision_, news.revision);
  news_bytes_ += sizeof news + news.why.size();
  for (WatchNews::Event const& event : news.events)
    news_bytes_ += sizeof event + event.pair.key.size() + event.pair.value.size();
  news_.push_back(std::move(news));
}

}  // namespace fastjournal::etcd
