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
  UnsentOutput& out = session.out;
  if (out.end == UnsentOutput::End::gone) return;
  if (out.has_to_send() && !send(session)) return sessions_.close(session);
  if (out.unsent() == 0 && out.end == UnsentOutput::End::open && session.protocol->ends_output()) {
    out.end = UnsentOutput::End::told;
    network_.end_output(session.id);
  }
  if (out.unsent() == 0) {
    out.before += out.bytes.size();
    out.sent = out.committed = 0;
    clear_buffer(out.bytes);
    // Memory kept for reuse would count against it.
    if (guard_.is_scarce()) out.bytes.shrink_to_fit();
  } else if (out.sent > kBufferKeptBytes) {
    out.bytes.erase(0, out.sent);
    out.before += out.sent;
    for (Pushed& pushed : out.pushed) pushed.end -= out.sent;
    out.committed -= out.sent;
    out.sent = 0;
  }
  if (guard_.is_short() && out.bytes.capacity() > 2 * out.bytes.size() + kBufferKeptBytes) out.bytes.shrink_to_fit();
  sessions_.count(session);
  if (out.told_full && !session.life.is_in_parts() && may_go_on(session)) {
    out.told_full = false;
    engine_.writable(session.id);
    if (session.is_communicator())
      for (ConnectionId const sender : service_.senders()) engine_.writable(sender);
    network_.turn_again();
  }
  // A connection that is being closed and does not read is not waited for, but for files, which no kernel takes at once.
  if (session.life.is_ending() && out.committed == out.bytes.size() && out.files.empty() &&
      !session.life.keeps_waiting()) {
    sessions_.close(session);
    return;
  }
  if (!session.life.is_ending()) go_on_reading(session);
  if (session.in.end == UnreadInput::End::told && out.unsent() == 0 && !session.in.reading_paused &&
      !session.in.is_in_line && !session.life.keeps_waiting())
    sessions_.close(session);
}

void Output::go_on_reading(Session& session) {
  using Pause = UnreadInput::Pause;
  UnreadInput& in = session.in;
  bool const was_full = in.is_full();
  if (in.pause == Pause::none || (was_full ? !may_go_on(session) : session.must_wait())) return;
  in.pause = Pause::none;
  if (was_full && in.bytes.empty() && !in.may_end)
    line_.pause_reading(session);
  else
    line_.stand_first(session);
  network_.turn_again();
}

bool Output::send(Session& session) {
  std::uint64_t const sent_before = bytes_sent_;
  Result<bool> all = true;
  while (all.ok() && all.value() && session.out.has_to_send()) {
    std::uint64_t const file_at =
        session.out.files.empty() ? UINT64_MAX : session.out.files.front().at - session.out.before;
    if (file_at == session.out.sent)
      all = send_file(session);
    else
      all = send_written(session, static_cast<std::size_t>(std::min<std::uint64_t>(session.out.committed, file_at)));
  }
  if (bytes_sent_ != sent_before && session.life.is_known) sessions_.heard(session);
  if (!session.out.pushed.empty()) measure_pushes(session);
  return all.ok();
}

bool Output::send_written(Session& session, std::size_t end) {
  std::string_view const bytes = std::string_view{session.out.bytes}.substr(session.out.sent, end - session.out.sent);
  std::size_t const taken =
      session.out.attachments.empty() ? network_.send(session.id, bytes) : send_attached(session, bytes);
  bytes_sent_ += taken;
  session.out.sent += taken;
  return taken == bytes.size();
}

// The kernel is told what comes next, so that the loop does not wait for the disk. That the bytes are those that were
// stored is not looked at: scrubbing does that.
Result<bool> Output::send_file(Session& session) {
  FileBytes& next = session.out.files.front();
  if (next.text != nullptr) return send_text(session, next);
  Result<std::size_t> const taken = network_.send_file(session.id, *next.file, next.offset, next.left);
  if (!taken.ok()) {
    next.owner->note_unreadable(taken.status());
    return taken.status();
  }
  bytes_sent_ += taken.value();
  next.owner->note_read_in_place(taken.value());
  session.out.file_bytes -= taken.value();
  next.offset += taken.value();
  next.left -= taken.value();
  if (next.left != 0) {
    next.file->expect(next.offset, std::min<std::uint64_t>(next.left, kExpectedBytes));
    return false;
  }
  next.owner->finish(next.reading);
  session.out.files.pop_front();
  return true;
}

bool Output::send_text(Session& session, FileBytes& next) {
  std::string_view const bytes =
      std::string_view{*next.text}.substr(static_cast<std::size_t>(next.offset),
                                          static_cast<std::size_t>(std::min<std::uint64_t>(next.left, kTextBytesMax)));
  std::size_t const taken = network_.send(session.id, bytes);
  bytes_sent_ += taken;
  session.out.file_bytes -= taken;
  next.offset += taken;
  next.left -= taken;
  bool const is_whole = next.left == 0;
  if (is_whole) session.out.files.pop_front();
  return is_whole || taken == bytes.size();
}

// The bytes up to the next descriptor, or that descriptor with the bytes behind it; flush comes again for the rest.
std::size_t Output::send_attached(Session& session, std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !session.out.attachments.empty()) {
    std::uint64_t const here = session.out.taken() + taken;
    Attachment const& next = session.out.attachments.front();
    if (here < next.at) {
      std::size_t const some = std::min<std::uint64_t>(next.at - here, bytes.size() - taken);
      std::size_t const sent = network_.send(session.id, bytes.substr(taken, some));
      taken += sent;
      if (sent < some) return taken;
      continue;
    }
    std::uint64_t const limit =
        session.out.attachments.size() == 1 ? bytes.size() - taken : session.out.attachments[1].at - here;
    Result<std::size_t> const sent = network_.send_with_descriptor(
        session.id, bytes.substr(taken, std::min<std::uint64_t>(limit, bytes.size() - taken)), *next.file);
    // Without a descriptor for it now the answer goes all the same; its receiver misses what it announces.
    if (sent.ok() && sent.value() == 0) return taken;
    session.out.attachments.erase(session.out.attachments.begin());
    if (sent.ok()) taken += sent.value();
  }
  return taken == bytes.size() ? taken : taken + network_.send(session.id, bytes.substr(taken));
}

// Of pushes that the kernel has accepted whole.
void Output::measure_pushes(Session& session) {
  std::int64_t const now_us = time_.now_us();
  auto const whole = std::find_if(session.out.pushed.begin(), session.out.pushed.end(),
                                  [&](Pushed const& pushed) { return pushed.end > session.out.sent; });
  for (auto pushed = session.out.pushed.begin(); pushed != whole; ++pushed)
    lateness_us_[static_cast<std::size_t>(pushed->mode)].add(
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_us - pushed->due.value * 1000)));
  session.out.pushed.erase(session.out.pushed.begin(), whole);
}

}  // namespace fastjournal::server
