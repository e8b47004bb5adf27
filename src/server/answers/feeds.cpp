#include "server/answers/feeds.h"

#include <algorithm>
#include <vector>

namespace fastjournal::server {
namespace {

// The longest delay of a record that is only written (a lease) until it is sent to followers.
constexpr std::int64_t kSyncAfterUs = 10'000;

}  // namespace

Result<Feeds::Outlets> Feeds::open(engine::Declarations const& tables) {
  Outlets next;
  std::vector<ConnectionId> opened;
  for (engine::Declaration const& table : tables) {
    if (!table->feed) continue;
    FeedDeclaration const& feed = *table->feed;
    Outlet& outlet = next[table->name];
    outlet.declared = feed;
    auto const now = outlets_.find(table->name);
    if (now != outlets_.end() && now->second.declared.address == feed.address &&
        now->second.declared.interface == feed.interface && now->second.declared.ttl == feed.ttl) {
      outlet.socket = now->second.socket;
      outlet.quiet_since_us = now->second.quiet_since_us;
      continue;
    }
    Result<ConnectionId> const socket = network_.open_datagrams_to({{feed.address}, feed.interface, feed.ttl});
    if (!socket.ok()) {
      for (ConnectionId const id : opened) network_.close_datagrams(id);
      return Status{socket.status().code(), table->at("feed") + ": <feed>: " + socket.status().message()};
    }
    opened.push_back(outlet.socket = socket.value());
  }
  return next;
}

void Feeds::use(Outlets outlets, std::int64_t now_us) {
  for (auto const& [table, before] : outlets_) {
    auto const after = outlets.find(table);
    if (after == outlets.end() || after->second.socket != before.socket) network_.close_datagrams(before.socket);
  }
  outlets_ = std::move(outlets);
  heartbeats_.clear();
  for (auto const& [table, outlet] : outlets_) heartbeats_.insert({now_us, table});
}

bool Feeds::wants_sync(std::int64_t now_us) {
  if (now_us < sync_at_us_) return false;
  sync_at_us_ = INT64_MAX;
  return true;
}

void Feeds::send(std::int64_t now_us) {
  bool waits = false;
  for (auto const& log : engine_.logs()) {
    if (log->unsent_feeds.empty()) continue;
    for (engine::HostedTable* const table : log->unsent_feeds) send_durable(*log, *table, now_us);
    std::erase_if(log->unsent_feeds, [](engine::HostedTable const* table) { return !table->feed->has_unsent(); });
    waits = waits || !log->unsent_feeds.empty();
  }
  if (!waits) sync_at_us_ = INT64_MAX;
  if (waits && sync_at_us_ == INT64_MAX) sync_at_us_ = now_us + kSyncAfterUs;
  send_heartbeats(now_us);
}

void Feeds::send_durable(engine::HostedLog const& log, engine::HostedTable& table, std::int64_t now_us) {
  Lsn const durable = log.log->durable_lsn();
  feed::Feed& feed = *table.feed;
  auto const outlet = outlets_.find(table.name);
  // After an interrupted reload: followers fetch what is not sent.
  while (outlet == outlets_.end() && feed.has_unsent()) feed.sent_one();
  bool open = false;
  while (feed.has_unsent() && feed.unsent()->lsn < durable) {
    feed::Feed::Entry const& entry = *feed.unsent();
    if (!open) writer_.begin({log.log->store_id(), table.id, entry.previous, table.name});
    open = true;
    if (!writer_.add(entry.view())) {
      leave(outlet->second, writer_.finish());
      open = false;
      continue;
    }
    ++counters_.records;
    feed.sent_one();
  }
  if (!open) return;
  leave(outlet->second, writer_.finish());
  outlet->second.quiet_since_us = now_us;
}

void Feeds::send_heartbeats(std::int64_t now_us) {
  while (!heartbeats_.empty() && heartbeats_.begin()->first <= now_us) {
    std::string const name = heartbeats_.begin()->second;
    heartbeats_.erase(heartbeats_.begin());
    Outlet& outlet = outlets_.find(name)->second;
    std::int64_t const every_us = outlet.declared.heartbeat_ms * 1000;
    engine::HostedTable const* const table = engine_.find_table(name);
    if (outlet.quiet_since_us + every_us <= now_us && table != nullptr && table->feed != nullptr && table->serves()) {
      writer_.begin({table->log->log->store_id(), table->id, table->feed->sent_to(), table->name});
      leave(outlet, writer_.finish());
      ++counters_.heartbeats;
      outlet.quiet_since_us = now_us;
    }
    heartbeats_.insert({std::max(outlet.quiet_since_us, now_us - every_us + 1) + every_us, name});
  }
}

void Feeds::leave(Outlet const& outlet, std::string_view datagram) {
  if (network_.send_datagram(outlet.socket, datagram))
    ++counters_.datagrams;
  else
    ++counters_.dropped;
}

std::int64_t Feeds::next_us() const {
  return heartbeats_.empty() ? sync_at_us_ : std::min(sync_at_us_, heartbeats_.begin()->first);
}

}  // namespace fastjournal::server
