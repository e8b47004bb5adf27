// Measures against too much memory of clients (client_memory.h). Connections over their share are not read. Those that
// were stopped within a message may finish it, one after the other. If that is not enough, the largest connection is
// closed. The others notice nothing.
#include <algorithm>

#include "base/may_fail.h"
#include "server/server.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::server {
namespace {

// A connection that may finish its message must do so within this time, or is closed.
constexpr std::int64_t kPatienceUs = 10'000'000;
// If none of the waiting connections had room for so long, the largest is closed.
constexpr std::int64_t kStuckUs = 1'000'000;
// How often they are checked at most.
constexpr std::int64_t kLookEveryUs = 10'000;
// Beyond the rest of a message: an answer, and the growth of the buffer.
constexpr std::uint64_t kSlackBytes = 256U << 10U;
// The most connections closed in one turn.
constexpr int kClosedPerTurn = 64;
constexpr std::uint8_t kPriority = 60;
// Messages from this size on are begun only if there is memory to read, decide, log, apply and answer them.
constexpr std::size_t kLargeBytes = 256U << 10U;
constexpr std::size_t kCopies = 4;
// A buffer of this size may not use the memory reserve; no connection is closed for less.
constexpr std::size_t kBufferMayFail = 1U << 20U;
constexpr std::uint64_t kWorthBytes = 32U << 20U;
constexpr std::uint8_t kEndedPriority = 90;
constexpr std::string_view kEndedText =
    "the process could get no more memory: what adds is refused, and large messages are not read, until it has some "
    "again. Finish and delete rows, give it more, or lower <limits memory-bytes> and client-memory";
// Refusals are over when there was none for so long.
constexpr std::int64_t kOverUs = 10'000'000;

}  // namespace

bool Server::is_stopped(Session const& session) const {
  if (session.lost || (memory_ended_ && session.account.large)) return true;
  if (!memory_.is_short()) return false;
  if (memory_.is_over()) return true;
  return session.let_on_until_us == 0 && memory_.is_greedy(session.account);
}

// It is checked again if it may not.
bool Server::may_go_on(Session& session) {
  if (session.unsent() > limits_.output_bytes / 2) return false;
  if (!is_stopped(session)) return true;
  stop(session);
  return false;
}

void Server::count(Session& session) { memory_.set(session.account, session.memory_bytes()); }

// Its buffer grows to the end of the message that has begun, and no further.
bool Server::take_in(Session& session, std::string_view bytes) try {
  std::size_t const size = session.in.size() + bytes.size();
  MayFail const may_fail{size > kBufferMayFail};
  if (size > session.in.capacity()) {
    // Not reserve, which may double the size. If little memory is left, the buffer grows in small steps.
    std::size_t const ahead = session.in.capacity() >> (memory_.is_tight() ? 3U : 0U);
    std::string larger;
    larger.reserve(std::max(size, std::min(session.in.capacity() + ahead, session.framer.whole_bytes(session.in))));
    larger.append(session.in);
    session.in.swap(larger);
  }
  session.in.append(bytes);
  return true;
} catch (std::bad_alloc const&) {
  return false;
}

// A connection without memory for its answer is closed: its client asks again.
void Server::append(Session& session, wire::Outgoing const& message) {
  std::size_t const before = session.out.size();
  try {
    MayFail const may_fail{before > kBufferMayFail};
    if (session.binary)
      wire::append_frame(message, session.out);
    else
      append_text(session, message);
  } catch (std::bad_alloc const&) {
    session.out.resize(before);
    if (session.lost) return;
    session.lost = true;
    lost_.push_back(session.id);
  }
}

bool Server::refuse_large(Session& session, std::size_t bytes) {
  if (bytes <= kLargeBytes || is_memory_there(kCopies * bytes)) return false;
  Status const status{Code::no_space, "the daemon's process has no memory for a message of " + std::to_string(bytes) +
                                          " bytes: try later, or give it more"};
  answer_.clear();
  if (!refuse_names(session)) reply(session, message_, answer_, status);
  return true;
}

void Server::close_lost() {
  for (ConnectionId const id : std::exchange(lost_, {}))
    if (auto const found = sessions_.find(id); found != sessions_.end())
      close_for_memory(*found->second, "the process has no memory for its answer");
}

void Server::begin_memory_end() {
  memory_ended_ = true;
  engine_.set_memory_ended(true);
}

// The memory reserve can be refilled once large connections are closed.
void Server::look_after_memory() {
  close_lost();
  if (host_.has_memory_ended() && !memory_ended_) begin_memory_end();
  if (!memory_ended_) return;
  memory_ended_us_ = time_.monotonic_us();
  if (!memory_end_told_) {
    memory_end_told_ = true;
    for (auto const& [id, session] : sessions_) give_back_buffers(*session);
    raise_alert(kMemoryEnded, kEndedPriority, kEndedText, "memory");
  }
  if (!host_.restore_memory()) return;
  memory_ended_ = memory_end_told_ = false;
  engine_.set_memory_ended(false);
  network_.turn_again();
}

// It is checked again in relieve_memory.
void Server::stop(Session& session) {
  if (session.stopped) return;
  session.stopped = true;
  stopped_.push_back(session.id);
  network_.turn_again();
}

void Server::keeps(ConnectionId connection, std::int64_t bytes) {
  Session* const session = session_of(connection);
  if (session == nullptr) return;
  session->kept += static_cast<std::uint64_t>(bytes);
  count(*session);
}

// At the end of a turn, after output was sent.
void Server::relieve_memory() {
  std::int64_t const now_us = time_.monotonic_us();
  if (memory_.is_short() != was_short_) {
    was_short_ = !was_short_;
    // Memory kept for reuse is freed first.
    if (was_short_)
      for (auto const& [id, session] : sessions_) give_back_buffers(*session);
  }
  for (int closed = 0; memory_.is_over() && closed < kClosedPerTurn; ++closed)
    if (!close_greediest()) break;
  std::vector<ConnectionId> waiting;
  waiting.swap(stopped_);
  for (ConnectionId const id : waiting) {
    auto const found = sessions_.find(id);
    if (found == sessions_.end() || !found->second->stopped) continue;
    if (is_stopped(*found->second))
      stopped_.push_back(id);
    else
      go_on(*found->second);
  }
  bool const waits = !stopped_.empty() || !let_on_.empty() || memory_ended_;
  if (waits && now_us >= let_on_at_us_) let_on(now_us);
}

void Server::go_on(Session& session) {
  session.stopped = false;
  network_.turn_again();
  flush(session);
}

void Server::give_back_buffers(Session& session) {
  if (session.in.empty()) session.in.shrink_to_fit();
  if (session.out.empty()) session.out.shrink_to_fit();
  if (session.pushed.empty()) session.pushed.shrink_to_fit();
  count(session);
}

// Connections that were stopped within a message may continue, the smallest first, as far as there is room for the
// rest.
void Server::let_on(std::int64_t now_us) {
  let_on_at_us_ = now_us + kLookEveryUs;
  if (!memory_.is_short() && !memory_ended_) {
    for (ConnectionId const id : std::exchange(let_on_, {}))
      if (auto const found = sessions_.find(id); found != sessions_.end()) found->second->let_on_until_us = 0;
    stuck_since_us_ = 0;
    return;
  }
  std::uint64_t room = memory_ended_ ? 0 : memory_.room();
  std::vector<Session*> within;
  std::vector<Session*> late;
  bool is_one_on = false;
  for (ConnectionId const id : stopped_) {
    auto const found = sessions_.find(id);
    if (found != sessions_.end() && !found->second->in.empty()) within.push_back(found->second.get());
  }
  for (ConnectionId const id : std::exchange(let_on_, {})) {
    auto const found = sessions_.find(id);
    if (found == sessions_.end() || found->second->let_on_until_us == 0) continue;
    Session& session = *found->second;
    if (now_us >= session.let_on_until_us) {
      late.push_back(&session);
      continue;
    }
    is_one_on = true;
    let_on_.push_back(id);
    room -= std::min(room, missing_bytes(session));
  }
  std::sort(within.begin(), within.end(), [](Session const* a, Session const* b) {
    if (ClientMemory::has_more(a->account, b->account) == ClientMemory::has_more(b->account, a->account))
      return a->id < b->id;
    return ClientMemory::has_more(b->account, a->account);
  });
  std::vector<ConnectionId> on;
  for (Session* const session : within) {
    if (session->let_on_until_us != 0) continue;
    std::uint64_t const missing = missing_bytes(*session);
    if (memory_.is_over() || missing > room) break;
    room -= missing;
    is_one_on = true;
    session->let_on_until_us = now_us + kPatienceUs;
    let_on_.push_back(session->id);
    on.push_back(session->id);
  }
  std::erase_if(stopped_, [&](ConnectionId id) { return std::find(on.begin(), on.end(), id) != on.end(); });
  for (Session* const session : late) close_for_memory(*session, "it did not end its message in time");
  for (ConnectionId const id : on) {
    auto const found = sessions_.find(id);
    if (found != sessions_.end() && found->second->stopped) go_on(*found->second);
  }
  // If clients did not cause the shortage, closing them frees nothing.
  bool const worth = memory_.is_short() ? !within.empty() : memory_ended_ && memory_.total() > kWorthBytes;
  if (is_one_on || !worth) {
    stuck_since_us_ = 0;
  } else if (stuck_since_us_ == 0) {
    stuck_since_us_ = now_us;
  } else if (now_us - stuck_since_us_ >= kStuckUs) {
    stuck_since_us_ = now_us;
    static_cast<void>(close_greediest());
  }
}

std::uint64_t Server::missing_bytes(Session const& session) {
  std::uint64_t const whole = session.framer.whole_bytes(session.in);
  return kSlackBytes + whole - std::min<std::uint64_t>(whole, session.in.size());
}

// False: there is no large connection.
bool Server::close_greediest() {
  Session* most = nullptr;
  for (auto const& [id, session] : sessions_) {
    if (!session->account.large) continue;
    bool const more = most == nullptr || ClientMemory::has_more(session->account, most->account);
    bool const equal = most != nullptr && !more && !ClientMemory::has_more(most->account, session->account);
    if (more || (equal && session->id < most->id)) most = session.get();
  }
  if (most == nullptr) return false;
  close_for_memory(*most, "it had the most");
  return true;
}

void Server::close_for_memory(Session& session, std::string_view why) {
  ++counters_.clients_refused;
  refused_for_memory_us_ = time_.monotonic_us();
  std::string const text = "this connection, for which " + std::to_string(session.account.bytes) +
                           " bytes of memory are taken, is closed, as " + std::string{why} +
                           "; for all clients it is " + std::to_string(memory_.total()) + " bytes, and the limit " +
                           std::to_string(memory_.limit()) +
                           ": send less at once and read what comes, or raise <limits client-memory=\"...\">";
  raise_alert(kClientMemoryShort, kPriority, session.peer + ": " + text, "clients,memory");
  // With unsent output the peer does not read, and the output may end within a line.
  if (session.unsent() == 0) static_cast<void>(network_.send(session.id, refusal_line(text)));
  close(session);
}

// True: it must be checked again.
bool Server::check_client_memory() {
  std::int64_t const now_us = time_.monotonic_us();
  bool const crowded = engine_.alert_is_up(kClientMemoryShort);
  bool const ended = engine_.alert_is_up(kMemoryEnded);
  if (crowded && !memory_.is_short() && now_us - refused_for_memory_us_ >= kOverUs) lower_alert(kClientMemoryShort);
  if (ended && !memory_ended_ && now_us - memory_ended_us_ >= kOverUs) lower_alert(kMemoryEnded);
  return crowded || ended;
}

std::int64_t Server::next_memory_us() const {
  return stopped_.empty() && let_on_.empty() && !memory_ended_ ? INT64_MAX : let_on_at_us_;
}

void Server::add_memory_stats(Answer& answer) const {
  answer.add("client_memory", memory_.total()).add("client_memory_peak", memory_.peak());
  answer.add("client_memory_limit", memory_.limit());
  answer.add("clients_held", static_cast<std::uint64_t>(stopped_.size()));
  answer.add("clients_refused", counters_.clients_refused);
}

}  // namespace fastjournal::server
