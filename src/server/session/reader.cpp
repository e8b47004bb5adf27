#include "server/session/reader.h"

#include <functional>
#include <span>
#include <string>
#include <utility>

#include "config/access/secret.h"

namespace fastjournal::server {
namespace {

// In units of the turn's budget: a message from its bytes to its answer, without the work of its table.
constexpr std::uint64_t kWorkUnitsPerMessage = 32;
constexpr std::size_t kBytesPerWorkUnit = 64;

}  // namespace

void Reader::take(Session& session, std::string_view bytes) {
  bytes_taken_ += bytes.size();
  bool const must_wait = session.must_wait();
  bool const may_read = !must_wait && !turn_.budget().is_over();
  if (session.in.bytes.empty() && may_read) return read(session, bytes);
  if (!connections_.guard.take_in(session, bytes))
    return connections_.guard.close_for_memory(session, "out of memory for this connection's input");
  if (!session.in.is_in_line && !session.in.is_full() && may_read) return read(session, session.in.bytes);
  connections_.sessions.count(session);
  if (must_wait) {
    session.in.hold_back();
    connections_.line.pause_reading(session);
  } else if (!session.in.is_full()) {
    connections_.line.stand_first(session);
  }
}

void Reader::read_those_in_line() {
  while (!turn_.budget().is_over() && !core_.logs.is_dead() && !connections_.line.is_empty()) {
    Session* const session = connections_.line.take();
    if (session == nullptr) continue;
    read(*session, session->in.bytes);
    if (session->in.end != UnreadInput::End::open && !session->in.reading_paused && !session->in.is_in_line)
      connections_.sessions.mark_dirty(*session);
  }
  connections_.line.pause_those_left();
}

// Protocols that end a value with the input hear of that, once everything before it was handled.
void Reader::end_inputs() {
  for (ConnectionId const id : std::exchange(ended_, {})) {
    Session* const session = connections_.sessions.find(id);
    if (session == nullptr || session->life.is_ending()) continue;
    bool const has_more =
        !session->in.bytes.empty() && (session->in.is_in_line || session->in.pause != UnreadInput::Pause::none);
    // An answer that is not whole may never be: events last as long as their peer listens.
    if (session->life.logs_in() || session->life.keeps_waiting() || has_more) {
      ended_.push_back(id);
      continue;
    }
    Protocol::Piece piece = session->protocol->end_of_input(message_, session->out.bytes);
    while (piece.kind != Protocol::Kind::need_more && !session->life.is_ending()) {
      handle(*session, piece);
      if (session->must_wait() || session->life.is_ending()) break;
      piece = session->protocol->end_of_input(message_, session->out.bytes);
    }
    session->in.end = UnreadInput::End::told;
    connections_.sessions.mark_dirty(*session);
  }
}

// `unread` is either the input that just arrived (session.in.bytes is empty) or those bytes, which a command may give away
// with what is stored of them: they stay where they are until a later turn.
void Reader::read(Session& session, std::string_view unread) {
  TurnBudget& budget = turn_.budget();
  std::size_t consumed = 0;
  bool whole = false;
  std::uint64_t const slice_end = budget.work_units() + TurnBudget::kWorkUnitsPerSlice;
  bool has_more = true;
  bool must_wait = session.must_wait();
  while (!must_wait && !connections_.output.is_over(session) && !connections_.guard.is_stopped(session) &&
         !budget.is_over() && budget.work_units() < slice_end) {
    std::uint64_t const work_units_before = core_.engine.work_units();
    std::size_t const room_before = session.out.bytes.capacity();
    Protocol::Piece const piece = session.protocol->read(unread.substr(consumed), message_, session.out.bytes);
    consumed += piece.consumed;
    if (piece.kind == Protocol::Kind::need_more) {
      has_more = session.in.may_end = false;
      break;
    }
    whole = true;
    // The end of a value may need no further bytes.
    session.in.may_end = piece.kind == Protocol::Kind::begin || piece.kind == Protocol::Kind::content;
    handle(session, piece);
    if (session.in.has_token) forget_token(unread);
    // Nothing is left of its input.
    if (session.life.is_ending()) return;
    std::uint64_t work_units = kWorkUnitsPerMessage;
    // What became no message was read, too.
    if (piece.kind == Protocol::Kind::content || piece.kind == Protocol::Kind::nothing)
      work_units += piece.bytes / kBytesPerWorkUnit;
    if (piece.kind != Protocol::Kind::nothing) must_wait = session.must_wait();
    if (piece.kind == Protocol::Kind::message) {
      work_units += (core_.engine.work_units() - work_units_before) + commands_.dispatch.answered_params() +
                    piece.bytes / kBytesPerWorkUnit;
      if (turn_.record().is_heaviest(work_units)) note_cost(work_units);
    }
    budget.spend(work_units);
    if (session.out.bytes.size() > MemoryGuard::kLetOnBytes) session.account.let_on_until_us = 0;
    // Of its account, only this grows here.
    if (session.out.bytes.capacity() != room_before) connections_.sessions.count(session);
  }
  if (whole) connections_.sessions.heard(session);
  keep_rest(session, unread, consumed);
  bool const stopped = connections_.guard.stops(session);
  bool const has_rest = !session.in.bytes.empty();
  using Pause = UnreadInput::Pause;
  session.in.pause = must_wait && has_rest ? Pause::held_back : Pause::none;
  if (stopped || connections_.output.is_over(session)) session.in.pause = Pause::full;
  if (has_more && session.in.pause == Pause::none && (has_rest || (session.in.may_end && !must_wait)))
    connections_.line.stand_again(session);
  if (!session.in.is_in_line) connections_.line.pause_reading(session);
}

// Of a message that copied it; what is in `unread` is overwritten with it.
void Reader::forget_token(std::string_view unread) const {
  std::string_view const token = message_.text("token");
  std::less_equal<> const is_before;
  bool const is_in_unread =
      is_before(unread.data(), token.data()) && is_before(token.data(), unread.data() + unread.size());
  if (!token.empty() && !is_in_unread) access::wipe(std::span{const_cast<char*>(token.data()), token.size()});
}

void Reader::keep_rest(Session& session, std::string_view unread, std::size_t consumed) {
  UnreadInput& in = session.in;
  if (in.bytes.empty()) {
    in.bytes.assign(unread.substr(consumed));
  } else {
    if (in.has_token) access::wipe(std::span{in.bytes.data(), consumed});
    in.bytes.drop_front(consumed);
    if (in.bytes.empty()) clear_buffer(in.bytes);
    if (in.bytes.empty() && connections_.guard.is_scarce()) in.bytes.shrink_to_fit();
  }
  in.has_token = false;
  if (consumed > 0) session.account.let_on_until_us = 0;
  connections_.sessions.count(session);
}

void Reader::handle(Session& session, Protocol::Piece const& piece) {
  switch (piece.kind) {
    case Protocol::Kind::message:
      session.life.is_known = true;
      carry_out(session, piece);
      break;
    case Protocol::Kind::bad:
      if (piece.ends && !session.life.is_known) ++strangers_;
      commands_.dispatch.note_refused(session, piece.status);
      connections_.replies.invalid(session, piece.status);
      break;
    case Protocol::Kind::nothing: connections_.sessions.mark_dirty(session); break;
    case Protocol::Kind::need_more: break;
    case Protocol::Kind::begin:
      session.life.is_known = true;
      if (piece.token.empty())
        commands_.stored_commands.begin(session, message_, piece);
      else
        authentication_.carry_out(session, message_, piece);
      break;
    case Protocol::Kind::content: commands_.stored_commands.add(session, piece.content); break;
    case Protocol::Kind::end: commands_.stored_commands.end(session, piece); break;
    case Protocol::Kind::broken: commands_.stored_commands.give_up(session); break;
  }
  if (!piece.ends) return;
  if (!session.life.keeps_waiting() && !session.life.logs_in())
    connections_.sessions.end_after_answers(session);
  else if (!session.life.is_ending())
    session.life.end = SessionLife::End::after_answers;
}

void Reader::carry_out(Session& session, Protocol::Piece const& piece) {
  if (connections_.guard.refuses(piece.bytes))
    return commands_.dispatch.refuse(
        session, message_,
        {Code::no_space, "the daemon's process has no memory for a message of " + std::to_string(piece.bytes) +
                             " bytes: try later, or give it more"});
  if (piece.token.empty() && piece.signature == nullptr) return commands_.dispatch.handle(session, message_);
  authentication_.carry_out(session, message_, piece);
}

// The message may be what made the turn long.
void Reader::note_cost(std::uint64_t work_units) {
  engine::HostedTable const* const table = core_.engine.find_table(message_.text("table"));
  turn_.record().note(message_.command.substr(0, 64), table == nullptr ? std::string_view{} : table->name, work_units);
}

}  // namespace fastjournal::server
