#include "server/session/memory_guard.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

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
// What a message may have to come, with its slack, to be read when the process's memory has ended, if there is so much:
// the longest line by default, whose length is unknown before its end.
constexpr std::uint64_t kEndedRoom = 2U << 20U;
// The most connections closed in one turn.
constexpr int kClosedPerTurn = 64;
constexpr std::uint8_t kPriority = 60;
constexpr std::uint64_t kWorthBytes = 32U << 20U;
constexpr std::uint8_t kEndedPriority = 90;
constexpr std::string_view kEndedText =
    "the process could get no more memory: what adds is refused, and large messages are not read, until it has some "
    "again. Finish and delete rows, give it more, or lower <limits memory-bytes> and client-memory";
// Refusals are over when there was none for so long.
constexpr std::int64_t kOverUs = 10'000'000;

std::uint64_t missing_bytes(Session const& session) {
  std::uint64_t const whole = session.protocol->whole_bytes(session.in.bytes);
  return kSlackBytes + whole - std::min<std::uint64_t>(whole, session.in.bytes.size());
}

// The smallest first.
bool has_less(Session const* a, Session const* b) {
  if (ClientMemory::has_more(a->account, b->account) == ClientMemory::has_more(b->account, a->account))
    return a->id < b->id;
  return ClientMemory::has_more(b->account, a->account);
}

}  // namespace

// ---------------------------------------------------------------------------
// Buffers

// Its buffer grows to the end of the message that has begun, and no further.
bool MemoryGuard::take_in(Session& session, std::string_view bytes) try {
  std::size_t const size = session.in.bytes.size() + bytes.size();
  MayFail const may_fail{size > kBufferMayFail};
  if (size > session.in.bytes.capacity()) {
    // Not to twice the size. If little memory is left, the buffer grows in small steps.
    std::size_t const ahead = session.in.bytes.capacity() >> (memory_.is_tight() ? 3U : 0U);
    session.in.bytes.reserve(
        std::max(size, std::min(session.in.bytes.capacity() + ahead, session.protocol->whole_bytes(session.in.bytes))));
  }
  session.in.bytes.append(bytes);
  return true;
} catch (std::bad_alloc const&) {
  return false;
}

void MemoryGuard::lose(Session& session) {
  if (session.account.lost) return;
  session.account.lost = true;
  lost_.push_back(session.id);
}

void MemoryGuard::give_back_all_buffers() {
  sessions_.for_each([this](Session& session) {
    if (session.in.bytes.empty()) session.in.bytes.shrink_to_fit();
    if (session.out.bytes.empty()) session.out.bytes.shrink_to_fit();
    if (session.out.pushed.empty()) session.out.pushed.shrink_to_fit();
    sessions_.count(session);
  });
}

// ---------------------------------------------------------------------------
// The end of the process's memory

void MemoryGuard::begin_end() {
  memory_ended_ = true;
  engine_.memory().set_ended(true);
}

// The memory reserve can be refilled once large connections are closed.
void MemoryGuard::look_after_end() {
  for (ConnectionId const id : std::exchange(lost_, {}))
    if (Session* const session = sessions_.find(id))
      close_for_memory(*session, "the process has no memory for its answer");
  look_at_reserve();
  if (!memory_ended_) return;
  memory_ended_us_ = time_.monotonic_us();
  if (!end_is_told_) {
    end_is_told_ = true;
    give_back_all_buffers();
    alerts_.raise(kMemoryEnded, kEndedPriority, kEndedText, "memory");
  }
  if (!reserve_.restore_memory()) return;
  memory_ended_ = end_is_told_ = false;
  engine_.memory().set_ended(false);
  network_.turn_again();
}

// ---------------------------------------------------------------------------
// Too much memory of clients

void MemoryGuard::stop(Session& session) {
  if (session.account.stopped) return;
  session.account.stopped = true;
  stopped_.push_back(session.id);
  network_.turn_again();
}

void MemoryGuard::end_turn(Resume& resume) {
  if (!lost_.empty() || memory_ended_ || reserve_.has_memory_ended()) look_after_end();
  if (is_scarce() || was_short_ || !stopped_.empty() || !let_on_.empty()) relieve(resume);
}

void MemoryGuard::relieve(Resume& resume) {
  std::int64_t const now_us = time_.monotonic_us();
  if (memory_.is_short() != was_short_) {
    was_short_ = !was_short_;
    // Memory kept for reuse is freed first.
    if (was_short_) give_back_all_buffers();
  }
  for (int closed = 0; memory_.is_over() && closed < kClosedPerTurn; ++closed)
    if (!close_greediest()) break;
  std::vector<ConnectionId> waiting;
  waiting.swap(stopped_);
  for (ConnectionId const id : waiting) {
    Session* const session = sessions_.find(id);
    if (session == nullptr || !session->account.stopped) continue;
    if (is_stopped(*session))
      stopped_.push_back(id);
    else
      go_on(*session, resume);
  }
  bool const waits = !stopped_.empty() || !let_on_.empty() || memory_ended_;
  if (waits && now_us >= let_on_at_us_) let_on(now_us, resume);
}

void MemoryGuard::go_on(Session& session, Resume& resume) {
  session.account.stopped = false;
  network_.turn_again();
  resume.resume(session);
}

// At the end of the process's memory, messages that had begun are read one after the other, so that their clients hear
// that they are refused.
std::uint64_t MemoryGuard::room_at_end() { return is_memory_there(kEndedRoom) ? kEndedRoom : 0; }

// Connections that were stopped within a message may continue, the smallest first, as far as there is room for the
// rest.
void MemoryGuard::let_on(std::int64_t now_us, Resume& resume) {
  let_on_at_us_ = now_us + kLookEveryUs;
  if (!is_scarce()) {
    for (ConnectionId const id : std::exchange(let_on_, {}))
      if (Session* const session = sessions_.find(id)) session->account.let_on_until_us = 0;
    stuck_since_us_ = 0;
    return;
  }
  std::uint64_t room = memory_ended_ ? room_at_end() : memory_.room();
  std::vector<Session*> within;
  std::vector<Session*> late;
  bool is_one_on = false;
  for (ConnectionId const id : stopped_) {
    Session* const session = sessions_.find(id);
    if (session != nullptr && !session->in.bytes.empty()) within.push_back(session);
  }
  for (ConnectionId const id : std::exchange(let_on_, {})) {
    Session* const session = sessions_.find(id);
    if (session == nullptr || session->account.let_on_until_us == 0) continue;
    if (now_us >= session->account.let_on_until_us) {
      late.push_back(session);
      continue;
    }
    is_one_on = true;
    let_on_.push_back(id);
    room -= std::min(room, missing_bytes(*session));
  }
  std::sort(within.begin(), within.end(), has_less);
  std::vector<ConnectionId> on;
  for (Session* const session : within) {
    if (session->account.let_on_until_us != 0) continue;
    std::uint64_t const missing = missing_bytes(*session);
    if (memory_.is_over() || missing > room) break;
    room -= missing;
    is_one_on = true;
    session->account.let_on_until_us = now_us + kPatienceUs;
    let_on_.push_back(session->id);
    on.push_back(session->id);
  }
  std::erase_if(stopped_, [&](ConnectionId id) { return std::find(on.begin(), on.end(), id) != on.end(); });
  for (Session* const session : late) close_for_memory(*session, "it did not end its message in time");
  for (ConnectionId const id : on) {
    Session* const session = sessions_.find(id);
    if (session != nullptr && session->account.stopped) go_on(*session, resume);
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

// False: there is no large connection.
bool MemoryGuard::close_greediest() {
  Session* most = nullptr;
  sessions_.for_each([&most](Session& session) {
    if (!session.account.large) return;
    bool const more = most == nullptr || ClientMemory::has_more(session.account, most->account);
    bool const equal = most != nullptr && !more && !ClientMemory::has_more(most->account, session.account);
    if (more || (equal && session.id < most->id)) most = &session;
  });
  if (most == nullptr) return false;
  close_for_memory(*most, "it had the most");
  return true;
}

void MemoryGuard::close_for_memory(Session& session, std::string_view why) {
  ++refused_;
  refused_at_us_ = time_.monotonic_us();
  std::string const text = "this connection, for which " + std::to_string(session.account.bytes) +
                           " bytes of memory are taken, is closed, as " + std::string{why} +
                           "; for all clients it is " + std::to_string(memory_.total()) + " bytes, and the limit " +
                           std::to_string(memory_.limit()) +
                           ": send less at once and read what comes, or raise <limits client-memory=\"...\">";
  alerts_.raise(kClientMemoryShort, kPriority, session.peer + ": " + text, "clients,memory");
  // With unsent output the peer does not read, and the output may end within a line.
  if (session.out.unsent() == 0) static_cast<void>(network_.send(session.id, refusal_by(*session.protocol, text)));
  sessions_.close(session);
}

bool MemoryGuard::check_alerts() {
  std::int64_t const now_us = time_.monotonic_us();
  bool const crowded = alerts_.is_up(kClientMemoryShort);
  bool const ended = alerts_.is_up(kMemoryEnded);
  if (crowded && !memory_.is_short() && now_us - refused_at_us_ >= kOverUs) alerts_.lower(kClientMemoryShort);
  if (ended && !memory_ended_ && now_us - memory_ended_us_ >= kOverUs) alerts_.lower(kMemoryEnded);
  return crowded || ended;
}

}  // namespace fastjournal::server
