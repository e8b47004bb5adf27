#include "server/session/output.h"

#include <algorithm>
#include <string_view>

#include "engine/files/readings.h"

namespace fastjournal::server {
namespace {

// Of a file that is sent: what the kernel is asked to read ahead.
constexpr std::uint64_t kExpectedBytes = 2 * env::kSendFileBytesMax;
// Of a text in memory, of one call.
constexpr std::uint64_t kTextBytesMax = env::kSendFileBytesMax;

}  // namespace

void Output::flush(Session& session) {
  if (session.peer_gone) return;
  if (session.has_to_send() && !send(session)) return sessions_.close(session);
  if (session.unsent() == 0 && !session.output_ended && session.protocol->ends_output()) {
    session.output_ended = true;
    network_.end_output(session.id);
  }
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
  if (session.told_full && !session.in_parts && may_go_on(session)) {
    session.told_full = false;
    engine_.writable(session.id);
    if (session.communicator)
      for (ConnectionId const sender : service_.senders()) engine_.writable(sender);
    network_.turn_again();
  }
  // A connection that is being closed and does not read is not waited for, but for files, which no kernel takes at once.
  if (session.ending && session.committed == session.out.size() && session.files.empty() && !session.keeps_waiting()) {
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
    if (session.in.empty() && !session.may_end)
      line_.pause_reading(session);
    else
      line_.stand_first(session);
    network_.turn_again();
  }
  if (session.input_ended && session.end_told && session.unsent() == 0 && !session.reading_paused && !session.in_line &&
      !session.keeps_waiting())
    sessions_.close(session);
}

bool Output::send(Session& session) {
  std::uint64_t const sent_before = bytes_sent_;
  Result<bool> all = true;
  while (all.ok() && all.value() && session.has_to_send()) {
    std::uint64_t const file_at = session.files.empty() ? UINT64_MAX : session.files.front().at - session.before;
    if (file_at == session.sent)
      all = send_file(session);
    else
      all = send_written(session, static_cast<std::size_t>(std::min<std::uint64_t>(session.committed, file_at)));
  }
  if (bytes_sent_ != sent_before && session.is_known) sessions_.heard(session);
  if (!session.pushed.empty()) measure_pushes(session);
  return all.ok();
}

bool Output::send_written(Session& session, std::size_t end) {
  std::string_view const bytes = std::string_view{session.out}.substr(session.sent, end - session.sent);
  std::size_t const taken =
      session.attachments.empty() ? network_.send(session.id, bytes) : send_attached(session, bytes);
  bytes_sent_ += taken;
  session.sent += taken;
  return taken == bytes.size();
}

// The kernel is told what comes next, so that the loop does not wait for the disk. That the bytes are those that were
// stored is not looked at: scrubbing does that.
Result<bool> Output::send_file(Session& session) {
  FileBytes& next = session.files.front();
  if (next.text != nullptr) return send_text(session, next);
  Result<std::size_t> const taken = network_.send_file(session.id, *next.file, next.offset, next.left);
  if (!taken.ok()) {
    next.owner->note_unreadable(taken.status());
    return taken.status();
  }
  bytes_sent_ += taken.value();
  next.owner->note_read_in_place(taken.value());
  session.file_bytes -= taken.value();
  next.offset += taken.value();
  next.left -= taken.value();
  if (next.left != 0) {
    next.file->expect(next.offset, std::min<std::uint64_t>(next.left, kExpectedBytes));
    return false;
  }
  next.owner->finish(next.reading);
  session.files.pop_front();
  return true;
}

bool Output::send_text(Session& session, FileBytes& next) {
  std::string_view const bytes =
      std::string_view{*next.text}.substr(static_cast<std::size_t>(next.offset),
                                          static_cast<std::size_t>(std::min<std::uint64_t>(next.left, kTextBytesMax)));
  std::size_t const taken = network_.send(session.id, bytes);
  bytes_sent_ += taken;
  session.file_bytes -= taken;
  next.offset += taken;
  next.left -= taken;
  bool const is_whole = next.left == 0;
  if (is_whole) session.files.pop_front();
  return is_whole || taken == bytes.size();
}

// The bytes up to the next descriptor, or that descriptor with the bytes behind it; flush comes again for the rest.
std::size_t Output::send_attached(Session& session, std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !session.attachments.empty()) {
    std::uint64_t const here = session.before + session.sent + taken;
    Attachment const& next = session.attachments.front();
    if (here < next.at) {
      std::size_t const some = std::min<std::uint64_t>(next.at - here, bytes.size() - taken);
      std::size_t const sent = network_.send(session.id, bytes.substr(taken, some));
      taken += sent;
      if (sent < some) return taken;
      continue;
    }
    std::uint64_t const limit =
        session.attachments.size() == 1 ? bytes.size() - taken : session.attachments[1].at - here;
    Result<std::size_t> const sent = network_.send_with_descriptor(
        session.id, bytes.substr(taken, std::min<std::uint64_t>(limit, bytes.size() - taken)), *next.file);
    // Without a descriptor for it now the answer goes all the same; its receiver misses what it announces.
    if (sent.ok() && sent.value() == 0) return taken;
    session.attachments.erase(session.attachments.begin());
    if (sent.ok()) taken += sent.value();
  }
  return taken == bytes.size() ? taken : taken + network_.send(session.id, bytes.substr(taken));
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
