#include "engine/waiting/watchers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fastjournal::work {
namespace {

// Of one watch with its places in the index and the lists, and of one key of a prefix that changed.
constexpr std::int64_t kWatchCost = 384;
constexpr std::int64_t kKeyCost = 96;

Watchers::Listener listener_of(Value const* request) {
  Watchers::Listener out;
  if (request == nullptr) return out;
  std::optional<std::uint64_t> const number =
      request->kind == Value::Kind::text ? std::nullopt : request->as_unsigned();
  out.kind = number ? Watchers::Listener::Kind::number : Watchers::Listener::Kind::text;
  out.number = number.value_or(0);
  if (!number) out.text = request->bytes;
  return out;
}

std::int64_t cost_of(WatchRequest const& what, Watchers::Listener const& listener) {
  return kWatchCost + static_cast<std::int64_t>(2 * what.key.size() + listener.text.size());
}
std::int64_t cost_of(std::set<std::string> const& keys) {
  std::int64_t cost = 0;
  for (std::string const& key : keys) cost += kKeyCost + static_cast<std::int64_t>(key.size());
  return cost;
}

}  // namespace

void Watchers::keep(ConnectionId connection, Client& client, std::int64_t bytes) {
  client.kept += bytes;
  if (keeper_ != nullptr && bytes != 0) keeper_->keeps(connection, bytes);
}

// ---------------------------------------------------------------------------
// Watches begin and end

void Watchers::watch(ConnectionId connection, WatchRequest const& request, Value const* listener) {
  Client& client = clients_[connection];
  drop(connection, client, request);
  client.watches.push_back({.connection = connection, .what = request, .listener = listener_of(listener)});
  Watches::iterator const fresh = std::prev(client.watches.end());
  index_of(request)[request.key].emplace(connection, fresh);
  ++size_;
  if (request.is_prefix) ++prefixes_size_;
  keep(connection, client, cost_of(fresh->what, fresh->listener));
  keep_to_limits(client);
}

// A connection that watches more than its share loses its oldest watches; where the table has no more places, that
// may be what it has just asked for.
void Watchers::keep_to_limits(Client& client) {
  while (client.watches.size() > kOfConnectionMax || (size_ > kMax && !client.watches.empty()))
    give_up(client, client.watches.begin());
  if (prefixes_size_ <= kPrefixesMax) return;
  auto const oldest = std::find_if(client.watches.begin(), client.watches.end(),
                                   [](Watch const& watch) { return watch.what.is_prefix; });
  if (oldest != client.watches.end()) give_up(client, oldest);
}

void Watchers::give_up(Client& client, Watches::iterator watch) {
  ConnectionId const connection = watch->connection;
  leave(client, watch);
  client.given_up.splice(client.given_up.end(), client.watches, watch);
  stand_in_line(connection, client);
}

void Watchers::leave(Client& client, Watches::iterator watch) {
  Index& index = index_of(watch->what);
  auto const place = index.find(watch->what.key);
  place->second.erase(watch->connection);
  if (place->second.empty()) index.erase(place);
  --size_;
  if (watch->what.is_prefix) --prefixes_size_;
  if (watch->is_changed) client.changed.remove(watch);
  keep(watch->connection, client, -cost_of(watch->keys));
  watch->keys.clear();
}

bool Watchers::unwatch(ConnectionId connection, WatchRequest const& request) {
  auto const client = clients_.find(connection);
  if (client == clients_.end() || !drop(connection, client->second, request)) return false;
  if (client->second.watches.empty() && client->second.given_up.empty()) closed(connection);
  return true;
}

bool Watchers::drop(ConnectionId connection, Client& client, WatchRequest const& request) {
  Index& index = index_of(request);
  auto const place = index.find(request.key);
  if (place == index.end()) return false;
  auto const mine = place->second.find(connection);
  if (mine == place->second.end()) return false;
  Watches::iterator const watch = mine->second;
  leave(client, watch);
  keep(connection, client, -cost_of(watch->what, watch->listener));
  client.watches.erase(watch);
  return true;
}

void Watchers::closed(ConnectionId connection) {
  auto const client = clients_.find(connection);
  if (client == clients_.end()) return;
  while (!client->second.watches.empty()) {
    leave(client->second, client->second.watches.begin());
    client->second.watches.pop_front();
  }
  if (client->second.is_in_line) line_.remove(connection);
  keep(connection, client->second, -client->second.kept);
  clients_.erase(client);
}

std::vector<std::pair<ConnectionId, WatchRequest>> Watchers::end() {
  std::vector<std::pair<ConnectionId, WatchRequest>> out;
  for (auto const& [connection, client] : clients_)
    for (Watch const& watch : client.watches) out.emplace_back(connection, watch.what);
  while (!clients_.empty()) closed(clients_.begin()->first);
  return out;
}

void Watchers::stall(ConnectionId connection) {
  auto const client = clients_.find(connection);
  if (client == clients_.end()) return;
  client->second.is_stalled = true;
  if (std::exchange(client->second.is_in_line, false)) line_.remove(connection);
}

void Watchers::go_on(ConnectionId connection) {
  auto const client = clients_.find(connection);
  if (client == clients_.end() || !std::exchange(client->second.is_stalled, false)) return;
  if (!client->second.changed.empty() || !client->second.given_up.empty()) stand_in_line(connection, client->second);
}

// ---------------------------------------------------------------------------
// What changes

void Watchers::stand_in_line(ConnectionId connection, Client& client) {
  if (client.is_stalled || std::exchange(client.is_in_line, true)) return;
  line_.push_back(connection);
}

bool Watchers::changed(std::string_view key) {
  bool is_watched = false;
  auto const note_all = [&](std::map<ConnectionId, Watches::iterator> const& watches) {
    is_watched = true;
    for (auto const& [connection, watch] : watches) note(watch, key);
  };
  if (auto const found = keys_.find(key); found != keys_.end()) note_all(found->second);
  // Of the names that are not behind `bound` only those that it begins with can be prefixes of the key.
  std::string_view bound = key;
  while (!prefixes_.empty()) {
    auto place = prefixes_.upper_bound(bound);
    if (place == prefixes_.begin()) break;
    --place;
    std::string_view const name = place->first;
    auto const common = static_cast<std::size_t>(
        std::mismatch(name.begin(), name.end(), bound.begin(), bound.end()).first - name.begin());
    bound = bound.substr(0, common);
    if (common < name.size()) continue;
    note_all(place->second);
    if (bound.empty()) break;
    bound.remove_suffix(1);
  }
  return is_watched;
}

void Watchers::note(Watches::iterator watch, std::string_view key) {
  Client& client = clients_.find(watch->connection)->second;
  if (watch->what.is_prefix && !watch->is_all) {
    if (watch->keys.size() < kKeysMax) {
      if (watch->keys.emplace(key).second)
        keep(watch->connection, client, kKeyCost + static_cast<std::int64_t>(key.size()));
    } else if (!watch->keys.contains(std::string{key})) {
      watch->is_all = true;
      keep(watch->connection, client, -cost_of(watch->keys));
      watch->keys.clear();
    }
  }
  if (!std::exchange(watch->is_changed, true)) client.changed.push_back(watch);
  stand_in_line(watch->connection, client);
}

Watchers::Notice Watchers::take() {
  ConnectionId const connection = line_.front();
  line_.pop_front();
  Client& client = clients_.find(connection)->second;
  client.is_in_line = false;
  Notice out;
  if (!client.given_up.empty()) {
    Watch const& watch = client.given_up.front();
    out = {.kind = Notice::Kind::given_up, .what = watch.what, .listener = watch.listener};
    keep(connection, client, -cost_of(watch.what, watch.listener));
    client.given_up.pop_front();
  } else {
    Watches::iterator const watch = client.changed.front();
    client.changed.pop_front();
    watch->is_changed = false;
    out = {.what = watch->what, .key = watch->what.key, .listener = watch->listener};
    if (std::exchange(watch->is_all, false)) {
      out.kind = Notice::Kind::all;
    } else if (watch->what.is_prefix) {
      out.key = std::move(watch->keys.extract(watch->keys.begin()).value());
      keep(connection, client, -kKeyCost - static_cast<std::int64_t>(out.key.size()));
      if (!watch->keys.empty()) {
        watch->is_changed = true;
        client.changed.push_back(watch);
      }
    }
  }
  if (!client.changed.empty() || !client.given_up.empty())
    stand_in_line(connection, client);
  else if (client.watches.empty())
    closed(connection);
  return out;
}

}  // namespace fastjournal::work
