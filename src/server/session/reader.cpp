#include "server/session/reader.h"

#include <functional>
#include <span>
#include <string>
#include <utility>

#include "config/access/secret.h"

namespace fastjournal::server {
namespace {

// In units of the turn's budget: a message from its bytes to its answer, without the work of its table.
constexpr std::uint64_t kLooksPerMessage = 32;
constexpr std::size_t kBytesPerLook = 64;

}  // namespace

void Reader::take(Session& session, std::string_view bytes) {
  bytes_taken_ += bytes.size();
  bool const must_wait = session.must_wait();
  bool const may_read = !must_wait && !turn_.budget().is_over();
  if (session.in.empty() && may_read) return read(session, bytes);
  if (!guard_.take_in(session, bytes))
    return guard_.close_for_memory(session, "out of memory for this connection's input");
  if (!session.in_line && !session.full && may_read) return read(session, session.in);
  sessions_.count(session);
  if (must_wait) {
    session.held_back = true;
    line_.pause_reading(session);
  } else if (!session.full) {
    line_.stand_first(session);
  }
}

void Reader::read_those_in_line() {
  while (!turn_.budget().is_over() && !logs_.is_dead() && !line_.is_empty()) {
    Session* const session = line_.take();
    if (session == nullptr) continue;
    read(*session, session->in);
    if (session->input_ended && !session->reading_paused && !session->in_line) sessions_.mark_dirty(*session);
  }
  line_.pause_those_left();
}

// Protocols that end a value with the input hear of that, once everything before it was handled.
void Reader::end_inputs() {
  for (ConnectionId const id : std::exchange(ended_, {})) {
    Session* const session = sessions_.find(id);
    if (session == nullptr || session->ending) continue;
    bool const has_more = !session->in.empty() && (session->in_line || session->held_back || session->full);
    // An answer that is not whole may never be: events last as long as their peer listens.
    if (session->logs_in || session->keeps_waiting() || has_more) {
      ended_.push_back(id);
      continue;
    }
    Protocol::Piece piece = session->protocol->end_of_input(message_, session->out);
    while (piece.kind != Protocol::Kind::need_more && !session->ending) {
      handle(*session, piece);
      if (session->must_wait() || session->ending) break;
      piece = session->protocol->end_of_input(message_, session->out);
    }
    session->end_told = true;
    sessions_.mark_dirty(*session);
  }
}

// `unread` is either the input that just arrived (session.in is empty) or session.in, which a command may give away with
// what is stored of it: the bytes stay where they are until a later turn.
void Reader::read(Session& session, std::string_view unread) {
  TurnBudget& budget = turn_.budget();
  std::size_t consumed = 0;
  bool whole = false;
  std::uint64_t const slice_end = budget.looks() + TurnBudget::kLooksPerSlice;
  bool has_more = true;
  bool must_wait = session.must_wait();
  while (!must_wait && !output_.is_over(session) && !guard_.is_stopped(session) && !budget.is_over() &&
         budget.looks() < slice_end) {
    std::uint64_t const looks_before = engine_.looks();
    std::size_t const room_before = session.out.capacity();
    Protocol::Piece const piece = session.protocol->read(unread.substr(consumed), message_, session.out);
    consumed += piece.consumed;
    if (piece.kind == Protocol::Kind::need_more) {
      has_more = session.may_end = false;
      break;
    }
    whole = true;
    // The end of a value may need no further bytes.
    session.may_end = piece.kind == Protocol::Kind::begin || piece.kind == Protocol::Kind::content;
    handle(session, piece);
    if (session.wipes_input) forget_token(unread);
    // Nothing is left of its input.
    if (session.ending) return;
    std::uint64_t looks = kLooksPerMessage;
    if (piece.kind == Protocol::Kind::content) looks += piece.bytes / kBytesPerLook;
    if (piece.kind != Protocol::Kind::nothing) must_wait = session.must_wait();
    if (piece.kind == Protocol::Kind::message) {
      looks += (engine_.looks() - looks_before) + dispatch_.answered_params() + piece.bytes / kBytesPerLook;
      if (turn_.record().is_heaviest(looks)) note_cost(looks);
    }
    budget.spend(looks);
    if (session.out.size() > MemoryGuard::kLetOnBytes) session.let_on_until_us = 0;
    // Of its account, only this grows here.
    if (session.out.capacity() != room_before) sessions_.count(session);
  }
  if (whole) sessions_.heard(session);
  keep_rest(session, unread, consumed);
  bool const stopped = guard_.stops(session);
  session.full = stopped || output_.is_over(session);
  session.held_back = must_wait && !session.in.empty();
  if (has_more && !session.full && !session.held_back && (!session.in.empty() || (session.may_end && !must_wait)))
    line_.stand_again(session);
  if (!session.in_line) line_.pause_reading(session);
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
  if (session.in.empty()) {
    session.in.assign(unread.substr(consumed));
  } else {
    if (session.wipes_input) access::wipe(std::span{session.in.data(), consumed});
    session.in.drop_front(consumed);
    if (session.in.empty()) clear_buffer(session.in);
    if (session.in.empty() && guard_.is_scarce()) session.in.shrink_to_fit();
  }
  session.wipes_input = false;
  if (consumed > 0) session.let_on_until_us = 0;
  sessions_.count(session);
}

void Reader::handle(Session& session, Protocol::Piece const& piece) {
  switch (piece.kind) {
    case Protocol::Kind::message:
      session.is_known = true;
      carry_out(session, piece);
      break;
    case Protocol::Kind::bad:
      if (piece.ends && !session.is_known) ++strangers_;
      dispatch_.note_refused(session, piece.status);
      replies_.invalid(session, piece.status);
      break;
    case Protocol::Kind::nothing: sessions_.mark_dirty(session); break;
    case Protocol::Kind::need_more: break;
    case Protocol::Kind::begin:
      session.is_known = true;
      if (piece.token.empty())
        stored_.begin(session, message_, piece);
      else
        authentication_.carry_out(session, message_, piece);
      break;
    case Protocol::Kind::content: stored_.add(session, piece.content); break;
    case Protocol::Kind::end: stored_.end(session, piece); break;
    case Protocol::Kind::broken: stored_.give_up(session); break;
  }
  if (!piece.ends) return;
  if (session.logs_in)
    authentication_.end_after(session);
  else if (session.keeps_waiting())
    session.ends_then = true;
  else
    sessions_.end_after_answers(session);
}

void Reader::carry_out(Session& session, Protocol::Piece const& piece) {
  if (guard_.refuses(piece.bytes))
    return dispatch_.refuse(session, message_,
                            {Code::no_space, "the daemon's process has no memory for a message of " +
                                                 std::to_string(piece.bytes) + " bytes: try later, or give it more"});
  if (piece.token.empty()) return dispatch_.handle(session, message_);
  authentication_.carry_out(session, message_, piece);
}

// The message may be what made the turn long.
void Reader::note_cost(std::uint64_t looks) {
  engine::HostedTable const* const table = engine_.find_table(message_.text("table"));
  turn_.record().note(message_.command.substr(0, 64), table == nullptr ? std::string_view{} : table->name, looks);
}

}  // namespace fastjournal::server
