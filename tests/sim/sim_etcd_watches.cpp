// Watches at their members (EtcdCluster in sim_etcd.h). One that is up to date is told of each revision when its member
// applies it. One that is behind, since it began with an old revision or was slow, is told later of all that it missed,
// or that a compaction was faster.
#include <algorithm>
#include <utility>

#include "tests/sim/sim_etcd.h"

namespace fastjournal::sim {

void EtcdCluster::create_watch(Route const& route, etcd::WatchId watch, etcd::WatchWish const& wish) {
  // It came over an old connection: nobody would hear of it.
  EtcdSession const* const owner = session(route);
  if (owner == nullptr) return;
  EtcdView const view = nodes_.view(route.node);
  WatcherKey const key{route.session, watch};
  Watcher& watcher = watchers_[key];
  watcher = {route, wish, wish.revision == 0 ? view.revision + 1 : wish.revision, false, false, 0};
  if (owner->is_forbidden_) {
    tell(watcher, {watch, etcd::WatchNews::Kind::refused, 0, {}, "etcdserver: permission denied"});
    watchers_.erase(key);
    return;
  }
  watcher.is_behind = watcher.next <= view.revision;
  tell(watcher, [watch, next = watcher.next](EtcdSession& to) {
    auto const found = to.watches_.find(watch);
    if (found != to.watches_.end() && found->second.next == 0) found->second.next = next;
  });
  if (watcher.is_behind) plan_scan(key, watcher);
}

void EtcdCluster::tell(Watcher& watcher, Inbound what) {
  // One after the other, as bytes of one connection.
  watcher.arrival_us = std::max(watcher.arrival_us, now_us() + chance_.in(options_.client));
  agenda_.at(watcher.arrival_us, [this, route = watcher.route, what = std::move(what)] { inbound(route, what); });
}

void EtcdCluster::tell(Watcher& watcher, etcd::WatchNews news) {
  tell(watcher, [news = std::move(news)](EtcdSession& to) { to.take(news); });
}

void EtcdCluster::tell_watchers(std::size_t node) {
  std::int64_t const revision = nodes_.view(node).revision;
  if (told_revisions_[node] == revision) return;
  told_revisions_[node] = revision;
  for (auto& [key, watcher] : watchers_) {
    if (watcher.route.node != node || watcher.is_behind || watcher.next > revision) continue;
    std::vector<etcd::WatchNews::Event> events = store().events_of(watcher.wish, revision);
    if (events.empty()) {
      watcher.next = revision + 1;
      if (watcher.is_blocked || !chance_.thousandths(faults_.watch_progress)) continue;
      note(EtcdFault::watch_progress);
      tell(watcher, {key.second, etcd::WatchNews::Kind::progress, revision, {}, {}});
    } else if (watcher.is_blocked || chance_.thousandths(faults_.watch_slow)) {
      note(EtcdFault::watch_slow);
      watcher.is_behind = true;
      if (!watcher.is_blocked) plan_scan(key, watcher);
    } else {
      watcher.next = revision + 1;
      tell(watcher, {key.second, etcd::WatchNews::Kind::events, revision, std::move(events), {}});
    }
  }
}

void EtcdCluster::plan_scan(WatcherKey key, Watcher const& watcher) {
  agenda_.after(chance_.in(options_.watch_scan),
                [this, key, connection = watcher.route.connection] { scan(key, connection); });
}

void EtcdCluster::scan(WatcherKey key, std::uint64_t connection) {
  auto const found = watchers_.find(key);
  if (found == watchers_.end() || found->second.route.connection != connection) return;
  Watcher& watcher = found->second;
  if (watcher.is_blocked || !watcher.is_behind) return;
  EtcdView const view = nodes_.view(watcher.route.node);
  if (watcher.next < view.compacted) {
    note(EtcdFault::watch_compacted);
    tell(watcher, {key.second,
                   etcd::WatchNews::Kind::compacted,
                   view.compacted,
                   {},
                   "mvcc: required revision has been compacted"});
    watchers_.erase(found);
    return;
  }
  std::int64_t next = 0;
  std::vector<etcd::WatchNews::Event> events =
      store().events(watcher.wish, watcher.next, view, options_.watch_revisions_max, next);
  watcher.next = next;
  if (!events.empty()) {
    std::int64_t const last = events.back().pair.mod_revision;
    if (events.front().pair.mod_revision != last) note(EtcdFault::watch_several_revisions);
    tell(watcher, {key.second, etcd::WatchNews::Kind::events, last, std::move(events), {}});
  }
  watcher.is_behind = next <= view.revision;
  if (watcher.is_behind) plan_scan(key, watcher);
}

void EtcdCluster::block_watches(SessionId id, bool are_blocked) {
  for (auto& [key, watcher] : watchers_) {
    if (key.first != id) continue;
    watcher.is_blocked = are_blocked;
    if (!are_blocked && watcher.is_behind) plan_scan(key, watcher);
  }
}

void EtcdCluster::drop_watches(SessionId id) {
  std::erase_if(watchers_, [&](auto const& entry) { return entry.first.first == id; });
}

}  // namespace fastjournal::sim
