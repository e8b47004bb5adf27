#include "server/answers/watches.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "server/admin/figures.h"

namespace fastjournal::server {
namespace {

// When a round that could not be sent is tried again.
constexpr std::int64_t kTryAgainUs = 100'000;
constexpr std::int64_t kWatcherBytes = 256;

// Of the figures in a message; never 0.
std::uint64_t hash_of(Answer const& answer) {
  std::uint64_t hash = 1;
  for (Param const& param : answer.params()) {
    std::uint64_t number = 0;
    std::memcpy(&number, &param.value.integer, sizeof number);
    hash = hash64({reinterpret_cast<char const*>(&number), sizeof number}, hash);
  }
  return hash == 0 ? 1 : hash;
}

}  // namespace

// So many that no origin keeps others out: neither one all the others, nor all of them an administrator.
Status Watches::check_place(std::string const& origin) const {
  std::string const remedy = ": end one of them, or ask with STATS";
  std::size_t const places = origin.empty() ? kWatchersMax : kWatchersMax - kKeptForAdministrators;
  if (watchers_.size() >= places)
    return {Code::over_limit, std::to_string(watchers_.size()) + " connections watch the figures, which is the most" +
                                  (origin.empty() ? "" : " for who has no right admin") + remedy};
  auto const of_origin = static_cast<std::size_t>(std::ranges::count(watchers_, origin, &Watcher::origin));
  if (!origin.empty() && of_origin >= kOfOriginMax)
    return {Code::over_limit, std::to_string(of_origin) + " connections of " + origin +
                                  " watch the figures, which is the most of one origin" + remedy};
  return {};
}

Status Watches::watch(ConnectionId connection, engine::HostedTable const* table, DurationMs every) {
  Session const* const session = connections_.sessions.find(connection);
  auto found = std::ranges::find(watchers_, connection, &Watcher::connection);
  if (found == watchers_.end()) {
    bool const is_administrators = session == nullptr || session->who.rights.has(Right::admin);
    std::string origin = is_administrators ? std::string{} : session->owner();
    if (Status status = check_place(origin); !status.ok()) return status;
    found = watchers_.insert(found, {.connection = connection, .origin = std::move(origin)});
    keep(connections_.sessions.find(connection), kWatcherBytes);
  }
  bool const has_token =
      session != nullptr && session->token_user != nullptr && session->token_user == session->who.user;
  found->user = has_token ? session->who.user : nullptr;
  found->rights = has_token ? session->who.rights : Rights{};
  found->table = table == nullptr ? std::string{} : table->name;
  found->every_us = every.value * 1000;
  found->due_us = time_.monotonic_us();
  found->rounds = 0;
  found->is_under_way = false;
  plan();
  return {};
}

Status Watches::unwatch(ConnectionId connection) {
  auto const found = std::ranges::find(watchers_, connection, &Watcher::connection);
  if (found == watchers_.end()) return {Code::wrong_state, "this connection watches no figures: WATCH begins that"};
  forget(static_cast<std::size_t>(found - watchers_.begin()));
  return {};
}

void Watches::ended(ConnectionId connection) {
  auto const found = std::ranges::find(watchers_, connection, &Watcher::connection);
  if (found != watchers_.end()) forget(static_cast<std::size_t>(found - watchers_.begin()));
}

bool Watches::send_due(TimeMs now) {
  std::int64_t const now_us = next_us_ == INT64_MAX ? 0 : time_.monotonic_us();
  if (now_us < next_us_) return false;
  auto const first = std::ranges::min_element(watchers_, {}, &Watcher::next_us);
  Watcher& watcher = *first;
  Session* const session = connections_.sessions.find(watcher.connection);
  engine::HostedTable const* const table = watcher.table.empty() ? nullptr : engine_.find_table(watcher.table);
  if (session == nullptr || !may_send(watcher, *session)) {
    (watcher.is_under_way ? watcher.go_on_us : watcher.due_us) = now_us + kTryAgainUs;
    plan();
    return false;
  }
  access::Permit const permit = permit_of(watcher, *session);
  bool const may_read = watcher.table.empty() ? permit.has_anywhere(Right::read)
                                              : table != nullptr && permit.has_on(Right::read, watcher.table);
  if (!may_read) {
    end(static_cast<std::size_t>(first - watchers_.begin()), *session);
    return false;
  }
  if (!watcher.is_under_way) begin_round(watcher, table, now_us);
  send_part(watcher, *session, table, now);
  plan();
  return true;
}

// One that was begun before others goes on first.
void Watches::begin_round(Watcher& watcher, engine::HostedTable const* table, std::int64_t now_us) {
  watcher.is_whole = watcher.rounds++ % kWholeEvery == 0;
  watcher.at = table == nullptr ? 0 : table->number;
  watcher.tables = watcher.unchanged = 0;
  watcher.go_on_us = watcher.due_us;
  // Its beat is kept, unless it is late already.
  watcher.due_us += watcher.every_us;
  if (watcher.due_us <= now_us) watcher.due_us = now_us + watcher.every_us;
}

access::Permit Watches::permit_of(Watcher const& watcher, Session const& session) {
  if (watcher.user != nullptr) return {watcher.rights, watcher.user.get()};
  return {session.who.rights, session.who.user.get()};
}

bool Watches::may_send(Watcher const& watcher, Session const& session) const {
  bool const is_taken = watcher.is_under_way || watcher.end <= session.out.taken();
  return is_taken && !session.life.is_ending() && !session.life.is_in_parts() &&
         !connections_.output.is_over(session) && !connections_.guard.is_stopped(session);
}

void Watches::send_part(Watcher& watcher, Session& session, engine::HostedTable const* table, TimeMs now) {
  connections_.sessions.mark_dirty(session);
  // As an answer to STATS.
  bool const is_served = table != nullptr && table->serves();
  connections_.pipeline.rest_on(session, {.log = is_served ? table->log->log : nullptr, .all = table == nullptr});
  access::Permit const permit = permit_of(watcher, session);
  if (!std::exchange(watcher.is_under_way, true) && table == nullptr && permit.has(Right::read)) {
    round_.clear();
    admin::tell_daemon(own_, now, round_);
    connections_.replies.push_whole(session, round_, {});
  }
  if (!send_tables(watcher, session, table, now)) return;
  watcher.is_under_way = false;
  std::uint64_t alerts = 0;
  admin::for_alerts(engine_, permit, table, [&](log::Alert const&) { ++alerts; });
  round_.clear();
  round_.message("FIGURES");
  if (table != nullptr) round_.add("table", std::string_view{table->name});
  round_.add("now", now.value).add("tables", watcher.tables).add("unchanged", watcher.unchanged).add("alerts", alerts);
  connections_.replies.push_whole(session, round_, {});
  watcher.end = session.out.written();
}

bool Watches::send_tables(Watcher& watcher, Session& session, engine::HostedTable const* table, TimeMs now) {
  access::Permit const permit = permit_of(watcher, session);
  std::uint64_t const tables_before = watcher.tables;
  std::size_t const room_before = watcher.told.capacity();
  std::size_t const end = table == nullptr ? engine_.tables().size() : table->number + 1;
  for (std::size_t cost = 0; watcher.at < end && cost < kTablesPerTurn * kPassedOverPerTable; ++watcher.at) {
    engine::HostedTable& one = *engine_.tables()[watcher.at];
    if (watcher.told.size() <= one.number) watcher.told.resize(one.number + 1);
    std::uint64_t& told = watcher.told[one.number];
    bool const is_told = admin::has_figures(one, permit);
    cost += is_told ? kPassedOverPerTable : 1;
    if (!is_told) {
      told = 0;
      continue;
    }
    ++watcher.tables;
    round_.clear();
    admin::tell_table(one, now, round_);
    std::uint64_t const before = std::exchange(told, hash_of(round_));
    if (!watcher.is_whole && before == told)
      ++watcher.unchanged;
    else
      connections_.replies.push_whole(session, round_, {});
  }
  keep(&session, static_cast<std::int64_t>((watcher.told.capacity() - room_before) * sizeof(std::uint64_t)));
  spent_us_ = std::max(spent_us_, time_.monotonic_us()) +
              static_cast<std::int64_t>(watcher.tables - tables_before) * kUsPerTable;
  return watcher.at >= end;
}

void Watches::end(std::size_t index, Session& session) {
  round_.clear();
  round_.message("UNWATCHED");
  if (!watchers_[index].table.empty()) round_.add("table", std::string_view{watchers_[index].table});
  connections_.replies.push_whole(session, round_, {});
  forget(index);
}

void Watches::forget(std::size_t index) {
  Watcher const& watcher = watchers_[index];
  keep(connections_.sessions.find(watcher.connection),
       -kWatcherBytes - static_cast<std::int64_t>(watcher.told.capacity() * sizeof(std::uint64_t)));
  watchers_.erase(watchers_.begin() + static_cast<std::ptrdiff_t>(index));
  plan();
}

void Watches::keep(Session* session, std::int64_t bytes) {
  if (session == nullptr || bytes == 0) return;
  session->account.kept += static_cast<std::uint64_t>(bytes);
  connections_.sessions.count(*session);
}

void Watches::plan() {
  next_us_ = INT64_MAX;
  for (Watcher const& watcher : watchers_) next_us_ = std::min(next_us_, watcher.next_us());
  if (next_us_ != INT64_MAX) next_us_ = std::max(next_us_, spent_us_ - kAheadUs);
}

}  // namespace fastjournal::server
