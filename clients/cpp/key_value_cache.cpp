// A GET and the notice of a later change come in this order, but the library hands out answers and notices apart. So
// get() puts what was answered into memory first and takes the notices that have arrived then: one of a change behind
// the answer drops it again, and so does one of a change before it, which costs a read and nothing else. Timestamps
// cannot tell the two apart, as writers may give two changes the same one.
#include "clients/cpp/key_value_cache.h"

#include <algorithm>
#include <utility>

namespace fastjournal::client {

namespace {

constexpr std::size_t kPairBytes = 256;
// As the daemon, which moves the end of a value with `ttl` for a read after a tenth of it.
constexpr std::int64_t kTtlParts = 10;

TimeMs now() {
  using std::chrono::system_clock;
  return TimeMs{std::chrono::duration_cast<std::chrono::milliseconds>(system_clock::now().time_since_epoch()).count()};
}

std::size_t bytes_of(TypedValue const& value) {
  if (auto const* const text = std::get_if<std::string>(&value)) return text->size();
  if (auto const* const buffer = std::get_if<Buffer>(&value)) return buffer->bytes.size();
  return 0;
}

}  // namespace

KeyValueCache::KeyValueCache(std::unique_ptr<Connection> connection, std::string table, CacheOptions options)
    : connection_(std::move(connection)), values_(*connection_, std::move(table)), options_(std::move(options)) {
  if (!options_.date) options_.date = now;
  connects_ = connection_->connects();
  pushes_dropped_ = connection_->pushes_dropped();
}

Result<std::shared_ptr<CachedValue const>> KeyValueCache::get(std::string_view key) {
  take_notices();
  if (Entry const* const entry = fresh(key)) {
    ++hits_;
    return entry->value;
  }
  ++misses_;
  if (!watching_) {
    if (Status status = values_.watch_prefix(options_.prefix); !status.ok()) return status;
    watching_ = true;
  }
  Moment const asked = std::chrono::steady_clock::now();
  Result<std::optional<Pair>> found = values_.get(key, {.facts = true});
  if (!found.ok()) return found.status();
  lived_until_ = asked;
  std::shared_ptr<CachedValue const> value;
  TimeMs ask_at = TimeMs::max();
  if (std::optional<Pair>& pair = found.value()) {
    if (pair->expires) ask_at = *pair->expires;
    if (pair->ttl) ask_at = std::min(ask_at, options_.date() + DurationMs{pair->ttl->value / kTtlParts});
    value = std::make_shared<CachedValue>(CachedValue{std::move(pair->value), pair->timestamp, pair->expires});
  }
  keep(key, value, ask_at);
  take_notices();
  return value;
}

Result<Stored> KeyValueCache::set(std::string_view key, TypedValue const& value, SetOptions const& options) {
  forget(key);
  return values_.set(key, value, options);
}

Result<EraseResult> KeyValueCache::erase(std::string_view key, EraseOptions const& options) {
  forget(key);
  return values_.erase(key, options);
}

void KeyValueCache::forget(std::string_view key) {
  if (auto const place = places_.find(key); place != places_.end()) drop(place->second);
}

void KeyValueCache::clear() {
  places_.clear();
  entries_.clear();
  bytes_ = 0;
}

CacheFigures KeyValueCache::figures() const {
  return {.hits = hits_, .misses = misses_, .pairs = entries_.size(), .bytes = bytes_};
}

// Null: the daemon must be asked.
KeyValueCache::Entry const* KeyValueCache::fresh(std::string_view key) {
  auto const place = places_.find(key);
  if (place == places_.end() || options_.date() >= place->second->ask_at) return nullptr;
  if (!lived_until_) return nullptr;
  // In whole milliseconds: kForever is no number of nanoseconds.
  auto const silence = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - *lived_until_);
  if (silence >= options_.silence_max) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return &entries_.front();
}

void KeyValueCache::keep(std::string_view key, std::shared_ptr<CachedValue const> value, TimeMs ask_at) {
  forget(key);
  if (!key.starts_with(options_.prefix)) return;
  std::size_t const bytes = kPairBytes + key.size() + (value == nullptr ? 0 : bytes_of(value->value));
  if (bytes > options_.bytes_max || options_.pairs_max == 0) return;
  while (entries_.size() >= options_.pairs_max || bytes_ > options_.bytes_max - bytes) drop(std::prev(entries_.end()));
  entries_.push_front({std::string(key), std::move(value), bytes, ask_at});
  places_.emplace(entries_.front().key, entries_.begin());
  bytes_ += bytes;
}

void KeyValueCache::drop(Entries::iterator entry) {
  bytes_ -= entry->bytes;
  places_.erase(entry->key);
  entries_.erase(entry);
}

void KeyValueCache::take_notices() {
  // Without a connection wait_push would try to connect, with no time for it.
  while (connection_->is_connected()) {
    Result<Message> const push = connection_->wait_push(Milliseconds{0});
    if (!push.ok()) break;
    take(push.value());
  }
  bool const is_whole = connection_->is_connected() && connection_->connects() == connects_ &&
                        connection_->pushes_dropped() == pushes_dropped_;
  if (is_whole) return;
  clear();
  connects_ = connection_->connects();
  pushes_dropped_ = connection_->pushes_dropped();
}

void KeyValueCache::take(Message const& push) {
  Result<Change> const change = change_of(push);
  bool const is_of_key = change.ok() && !change->is_prefix;
  if (is_of_key) return forget(change->key);
  clear();
  // After a refusal (of the watch, on a new connection) the next get() tries again, and says what is wrong.
  if (!change.ok() || change->kind == Change::Kind::unwatched) watching_ = false;
}

}  // namespace fastjournal::client
