#include "server/output.h"

#include <algorithm>
#include <string_view>

namespace fastjournal::server {

void Output::flush(Session& session) {
  if (session.sent < session.committed) send(session);
  if (session.unsent() == 0) {
    session.before += session.out.size();
    session.sent = session.committed = 0;
    clear_buffer(session.out);
    // Memory kept for reuse would count against it.
    if (guard_.is_scarce()) session.out.shrink_to_fit();
  } else if (session.sent > kBufferKeptBytes) {
    session.out.erase(0, session.sent);
    session.before += session.sent;
    for (Pushed& pushed : session.pushed) pushed.end -= session.sent;
    session.committed -= session.sent;
    session.sent = 0;
  }
  if (guard_.is_short() && session.out.capacity() > 2 * session.out.size() + kBufferKeptBytes)
    session.out.shrink_to_fit();
  sessions_.count(session);
  if (session.told_full && may_go_on(session)) {
    session.told_full = false;
    engine_.writable(session.id);
    if (session.communicator)
      for (ConnectionId const sender : service_.senders()) engine_.writable(sender);
    network_.turn_again();
  }
  // A connection that is being closed and does not read is not waited for.
  if (session.ending && session.committed == session.out.size() && !session.keeps_waiting()) {
    sessions_.close(session);
    return;
  }
  if (session.held_back && !session.ending && !session.must_wait()) {
    session.held_back = false;
    if (!session.full) line_.stand_first(session);
    network_.turn_again();
  }
  if (session.full && !session.ending && may_go_on(session)) {
    session.full = false;
    if (session.in.empty())
      line_.pause_reading(session);
    else
      line_.stand_first(session);
    network_.turn_again();
  }
  if (session.input_ended && session.end_told && session.unsent() == 0 && !session.reading_paused && !session.in_line &&
      !session.keeps_waiting())
    sessions_.close(session);
}

void Output::send(Session& session) {
  std::size_t const taken =
      network_.send(session.id, std::string_view{session.out}.substr(session.sent, session.committed - session.sent));
  bytes_sent_ += taken;
  session.sent += taken;
  if (taken != 0 && session.is_known) sessions_.heard(session);
  if (!session.pushed.empty()) measure_pushes(session);
}

// Of pushes that the kernel has accepted whole.
void Output::measure_pushes(Session& session) {
  std::int64_t const now_us = time_.now_us();
  auto const whole = std::find_if(session.pushed.begin(), session.pushed.end(),
                                  [&](Pushed const& pushed) { return pushed.end > session.sent; });
  for (auto pushed = session.pushed.begin(); pushed != whole; ++pushed)
    lateness_us_[static_cast<std::size_t>(pushed->mode)].add(
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_us - pushed->due.value * 1000)));
  session.pushed.erase(session.pushed.begin(), whole);
}

}  // namespace fastjournal::server
