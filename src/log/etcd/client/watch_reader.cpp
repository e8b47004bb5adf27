#include "log/etcd/client/watch_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fastjournal::etcd {
namespace {

std::size_t bytes_of(WatchNews::Event const& event) {
  return sizeof event + event.pair.key.size() + event.pair.value.size();
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

std::string WatchReader::begin() {
  kept_.clear();
  kept_bytes_ = 0;
  last_ = 0;
  // 0 would mean "from now on", and nothing has revision 1: it is the store when it was made.
  return wire::encode_watch(wish_, next_ == 0 ? 0 : std::max<std::int64_t>(next_ - 1, 1));
}

WatchNews WatchReader::refused(std::string why) const {
  return {.id = id_, .kind = WatchNews::Kind::refused, .revision = next_ == 0 ? 0 : next_ - 1, .why = std::move(why)};
}

WatchReader::Step WatchReader::ended(wire::WatchMessage const& message) const {
  std::string const& why = message.cancel_reason;
  if (message.compact_revision != 0 || contains(why, "required revision has been compacted"))
    return {.then = Then::is_over,
            .news = {{.id = id_,
                      .kind = WatchNews::Kind::compacted,
                      .revision = message.compact_revision != 0 ? message.compact_revision : message.revision,
                      .why = "revision " + std::to_string(next_) + " was compacted"}}};
  if (contains(why, "no leader")) return {.then = Then::begins_again, .why = why};
  // 3.4 says "permission denied" of a token that is over, too.
  if (contains(why, "permission denied") || contains(why, "invalid auth token") || contains(why, "auth store is old") ||
      contains(why, "user name is empty"))
    return {.then = Then::needs_token, .why = why};
  return {.then = Then::is_over, .news = {refused(why.empty() ? "the server canceled it without a reason" : why)}};
}

WatchReader::Step WatchReader::read(std::string_view bytes) {
  std::optional<wire::WatchMessage> message = wire::decode_watch(bytes);
  if (!message) return {.then = Then::begins_again, .why = "a message that is no WatchResponse"};
  if (message->is_canceled) return ended(*message);

  Step step;
  if (message->is_created) {
    // From now on: this is now. Whatever was before is left out, so that it is one moment over all streams.
    if (next_ == 0) {
      next_ = message->revision + 1;
      step.news.push_back({.id = id_, .kind = WatchNews::Kind::progress, .revision = message->revision});
    }
    return step;
  }
  if (next_ == 0) return {.then = Then::begins_again, .why = "events before the watch was created"};
  if (message->events.empty()) {
    // Progress. During a revision that has come in part there is none.
    if (kept_.empty() && !message->is_part && message->revision >= next_) {
      next_ = message->revision + 1;
      step.news.push_back({.id = id_, .kind = WatchNews::Kind::progress, .revision = message->revision});
    }
    return step;
  }

  std::vector<WatchNews::Event>& events = message->events;
  for (WatchNews::Event const& event : events) {
    std::int64_t const revision = event.pair.mod_revision;
    if (revision < last_) return {.then = Then::begins_again, .why = "an event of an earlier revision than the last"};
    last_ = revision;
  }
  auto const is_last = [this](WatchNews::Event const& event) { return event.pair.mod_revision == last_; };
  auto const part = message->is_part ? std::find_if(events.begin(), events.end(), is_last) : events.end();
  std::vector<WatchNews::Event> rest{std::make_move_iterator(part), std::make_move_iterator(events.end())};
  events.erase(part, events.end());
  if (!events.empty() || !message->is_part) {
    kept_.insert(kept_.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
    tell(std::exchange(kept_, {}), step.news);
    kept_bytes_ = 0;
  }
  for (WatchNews::Event const& event : rest) kept_bytes_ += bytes_of(event);
  kept_.insert(kept_.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
  if (kept_bytes_ > kKeptBytesMax) {
    step.then = Then::is_over;
    step.news.push_back(refused("revision " + std::to_string(last_) + " has more than " +
                                std::to_string(kKeptBytesMax) + " bytes of events"));
  }
  return step;
}

void WatchReader::tell(std::vector<WatchNews::Event> events, std::vector<WatchNews>& news) {
  std::erase_if(events, [this](WatchNews::Event const& event) { return event.pair.mod_revision < next_; });
  if (events.empty()) return;
  std::int64_t const revision = events.back().pair.mod_revision;
  next_ = revision + 1;
  news.push_back({.id = id_, .kind = WatchNews::Kind::events, .revision = revision, .events = std::move(events)});
}

}  // namespace fastjournal::etcd
