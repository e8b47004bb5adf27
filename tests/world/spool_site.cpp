#include "tests/world/spool_site.h"

#include <algorithm>

#include "protocol/framer.h"
#include "protocol/msgpack.h"

namespace fastjournal::sim {
namespace {

constexpr std::int64_t kTurnMs = 100;
constexpr std::int64_t kIdleMs = 1'000;

}  // namespace

SpoolSite::SpoolSite(World& world, std::uint64_t seed, spool::ForwarderRules rules)
    : world_(world), folder_(seed), rules_(rules), chance_(~seed) {
  restart();
  restarts_ = 0;
}

void SpoolSite::restart() {
  ++restarts_;
  if (forwarder_ != nullptr) disconnect(chance_() % 2 == 0);
  folder_.begin_again();
  // The faults of calls that are planned are for later.
  std::uint64_t const fail_one_in = std::exchange(folder_.fail_one_in, 0);
  forwarder_ = std::make_unique<spool::Forwarder>(
      folder_, *this, rules_, [this] { return std::to_string(chance_()) + "-" + std::to_string(chance_()); });
  if (Status const status = forwarder_->start(); !status.ok()) wrong_ = "a forwarder does not start: " + status.text();
  folder_.fail_one_in = fail_one_in;
}

// ---------------------------------------------------------------------------
// The connection

bool SpoolSite::is_alive() { return world_.is_running() && world_.network().knows(connection_); }

void SpoolSite::connect() {
  if (is_cut_off || is_up() || !world_.is_running() || !world_.fatal_error().ok()) return;
  connection_ = world_.network().connect("sim:forwarder", "ip:192.0.2.50");
}

void SpoolSite::disconnect(bool arrives) {
  if (!is_up()) return;
  if (is_alive()) {
    if (arrives) {
      world_.network().at(connection_).to_server += out_.substr(0, chance_() % (out_.size() + 1));
      world_.settle();
    }
    world_.network().drop(connection_);
    world_.settle();
  }
  connection_ = ConnectionId::none;
  out_.clear();
  in_.clear();
  waiting_.clear();
  forwarder_->lost();
}

void SpoolSite::send(Message const& insert, std::string_view, std::uint64_t number) {
  if (folder_.is_stopped()) return;  // it was killed before
  // What a daemon with such a window would refuse, as numbers that it does not remember.
  std::int64_t const number_of_row = insert.integer("sequence").value_or(0);
  std::int64_t& highest = highest_[{std::string{insert.text("table")}, std::string{insert.text("client")}}];
  if (number_of_row + static_cast<std::int64_t>(rules_.span_max) <= highest && wrong_.empty())
    wrong_ = "row " + std::to_string(number_of_row) + " is sent when " + std::to_string(highest) + " was sent before";
  highest = std::max(highest, number_of_row);
  protocol::append_frame({.command = insert.command, .params = insert.params()}, out_);
  waiting_.push_back(number);
}

void SpoolSite::carry(std::size_t to_daemon, std::size_t to_forwarder) {
  if (!is_up()) return;
  if (!is_alive()) return disconnect(false);
  SimNetwork::Connection& connection = world_.network().at(connection_);
  std::size_t const sent = std::min(to_daemon, out_.size());
  connection.to_server.append(out_, 0, sent);
  out_.erase(0, sent);
  world_.settle();
  if (!is_alive()) return disconnect(false);
  std::size_t const heard = std::min(to_forwarder, connection.to_client.size());
  in_.append(connection.to_client, 0, heard);
  connection.to_client.erase(0, heard);
  hear();
  if (is_up() && is_alive() && connection.closed_by_server) disconnect(false);
}

void SpoolSite::hear() {
  protocol::Framer framer{{}};
  for (;;) {
    protocol::Framer::Piece const piece = framer.next(in_);
    if (piece.kind == protocol::Framer::Kind::need_more) return;
    // Why it is closed: it was silent in the middle of its first frame.
    if (piece.kind == protocol::Framer::Kind::line) return disconnect(false);
    Message message;
    if (piece.kind != protocol::Framer::Kind::frame || !protocol::parse_frame(piece.bytes, message).ok() ||
        waiting_.empty()) {
      wrong_ = "the forwarder hears what is no answer";
      return;
    }
    Status answer;
    if (message.command == "ERROR")
      answer = {code_of_wire_name(message.text("code")).value_or(Code::io_error), std::string{message.text("text")}};
    else if (message.command != "INSERTED")
      wrong_ = "an INSERT is answered by " + std::string{message.command};
    if (message.text("result") == "duplicate") ++duplicates_;
    ++answers_;
    std::uint64_t const number = waiting_.front();
    waiting_.pop_front();
    in_.erase(0, piece.consumed);
    forwarder_->answered(number, answer, now());
    if (folder_.is_stopped()) return restart();
  }
}

// ---------------------------------------------------------------------------
// Turns

void SpoolSite::run() {
  if (is_up() && !is_alive()) disconnect(false);
  forwarder_->run(now());
  if (folder_.is_stopped()) restart();
}

void SpoolSite::pass(std::int64_t ms) {
  for (std::int64_t left = ms; left > 0; left -= kTurnMs) {
    world_.advance(DurationMs{std::min(left, kTurnMs)});
    connect();
    run();
    carry(SIZE_MAX, SIZE_MAX);
  }
}

bool SpoolSite::drain(std::int64_t ms_max) {
  for (std::int64_t left = ms_max; left > 0; left -= kTurnMs) {
    if (folder_.count() == 0 && folder_.held().empty() && forwarder_->figures().in_flight == 0) return true;
    pass(forwarder_->figures().in_flight != 0 ? kTurnMs : std::min(left, kIdleMs));
    left -= forwarder_->figures().in_flight != 0 ? 0 : kIdleMs - kTurnMs;
  }
  return false;
}

}  // namespace fastjournal::sim
