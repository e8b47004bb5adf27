#include "tests/world/spool_site.h"

#include <algorithm>

#include "wire/framer.h"
#include "wire/msgpack.h"

namespace fastjournal::sim {
namespace {

constexpr std::int64_t kTurnMs = 100;
constexpr std::int64_t kIdleMs = 1'000;

std::string address_of(std::size_t node) { return "192.0.2.6" + std::to_string(node) + ":4050"; }

}  // namespace

SpoolSite::SpoolSite(World& world, std::uint64_t seed, spool::ForwarderRules rules)
    : world_(world), folder_(seed), rules_(rules), chance_(~seed) {
  restart();
  restarts_ = 0;
}

void SpoolSite::restart() {
  ++restarts_;
  if (forwarder_ != nullptr) disconnect(chance_() % 2 == 0);
  std::vector<std::string> named{address_of(0)};
  if (nodes_.size() > 1) named.push_back(address_of(1));
  routes_.emplace(std::move(named));
  folder_.begin_again();
  // The faults of calls that are planned are for later.
  std::uint64_t const fail_one_in = std::exchange(folder_.fail_one_in, 0);
  forwarder_ = std::make_unique<spool::Forwarder>(
      folder_, *this, rules_, [this] { return std::to_string(chance_()) + "-" + std::to_string(chance_()); });
  if (Status const status = forwarder_->start(); !status.ok()) wrong_ = "a forwarder does not start: " + status.text();
  folder_.fail_one_in = fail_one_in;
}

// ---------------------------------------------------------------------------
// Nodes

void SpoolSite::have_nodes(std::set<std::string> shared) {
  shared_ = std::move(shared);
  nodes_.resize(kNodes);
  restart();
}

void SpoolSite::set_owner(std::size_t node) {
  owner_ = node;
  ++token_;
  told_.clear();
}

void SpoolSite::set_away(std::size_t node, bool is_away) {
  nodes_[node].is_away = is_away;
  if (is_away) lose(node, chance_() % 2 == 0);
}

// How it answers by itself; ok: the daemon behind it does.
Status SpoolSite::door(std::size_t node, std::string const& table) const {
  if (!shared_.contains(table)) {
    if (node == 0) return {};
    return {Code::unknown_table, "table " + table + " is not shared"};
  }
  if (owner_ == node) return {};
  if (owner_ == kNobody) return Status{Code::unavailable, "nobody decides"}.with("retry", "100");
  return Status{Code::moved, "node " + std::to_string(owner_) + " decides"}
      .with("address", address_of(owner_))
      .with("token", std::to_string(token_));
}

// ---------------------------------------------------------------------------
// Connections

bool SpoolSite::is_up() const {
  return std::ranges::any_of(nodes_, [](Node const& node) { return node.connection != ConnectionId::none; });
}

bool SpoolSite::is_alive(std::size_t node) {
  return world_.is_running() && world_.network().knows(nodes_[node].connection);
}

void SpoolSite::connect() {
  if (is_cut_off || !world_.is_running() || !world_.fatal_error().ok()) return;
  // Nodes are numbered as their addresses are: those that were named, then the one that is told.
  for (std::size_t node = 0; node < routes_->addresses().size(); ++node) {
    if (is_up(node) || nodes_[node].is_away) continue;
    nodes_[node].connection = world_.network().connect("sim:forwarder", "ip:192.0.2.50");
    if (node != 0) continue;
    routes_->forget();
    told_.clear();
  }
}

void SpoolSite::hang_up(std::size_t node, bool arrives) {
  Node& one = nodes_[node];
  if (is_alive(node)) {
    if (arrives) {
      std::size_t bytes = 0;
      for (Frame const& frame : one.out) bytes += frame.bytes.size();
      give(node, chance_() % (bytes - one.out_from + 1));
      world_.settle();
    }
    world_.network().drop(one.connection);
    world_.settle();
  }
  one = {.is_away = one.is_away};
}

void SpoolSite::lose(std::size_t node, bool arrives) {
  if (!is_up(node)) return;
  hang_up(node, arrives);
  routes_->forget();
  told_.clear();
  forwarder_->lost();
}

void SpoolSite::disconnect(bool arrives) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) lose(node, arrives);
}

void SpoolSite::send(Message const& insert, std::string_view, std::uint64_t number) {
  if (folder_.is_stopped()) return;  // it was killed before
  // What a daemon with such a window would refuse, as numbers that it does not remember.
  std::string const table{insert.text("table")};
  std::int64_t const number_of_row = insert.integer("sequence").value_or(0);
  std::int64_t& highest = highest_[{table, std::string{insert.text("client")}}];
  if (number_of_row + static_cast<std::int64_t>(rules_.span_max) <= highest && wrong_.empty())
    wrong_ = "row " + std::to_string(number_of_row) + " is sent when " + std::to_string(highest) + " was sent before";
  highest = std::max(highest, number_of_row);
  std::size_t const node = routes_->daemon_of(table, [this](std::size_t at) { return is_up(at); });
  if (auto const told = told_.find(table);
      told != told_.end() && told->second != node && is_up(told->second) && wrong_.empty())
    wrong_ = "a row of " + table + " is sent to node " + std::to_string(node) + ", and node " +
             std::to_string(told->second) + " decides for it, as was told";
  std::string bytes;
  protocol::append_frame({.command = insert.command, .params = insert.params()}, bytes);
  std::string const id{insert.text("id")};
  if (insert.has("insertion_date")) dated_.insert(id);
  bool const is_undated = !insert.has("insertion_date") && dated_.contains(id);
  if (is_undated && ahead_ != id && wrong_.empty()) wrong_ = id + " is sent without its date, long after a refusal";
  nodes_[node].out.push_back({number, table, id, std::move(bytes), is_undated});
}

void SpoolSite::carry(std::size_t to_daemon, std::size_t to_forwarder) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) carry(node, to_daemon, to_forwarder);
}

// Of frames whose answer is the door's, the bytes count as given.
void SpoolSite::give(std::size_t node, std::size_t bytes_max) {
  Node& one = nodes_[node];
  std::string& to = world_.network().at(one.connection).to_server;
  while (bytes_max > 0 && !one.out.empty()) {
    Frame const& frame = one.out.front();
    if (one.out_from == 0) {
      one.waiting.push_back({frame.number, frame.table, frame.id, door(node, frame.table)});
      // A whole one at least, so that the daemon gets none in the middle of another.
      if (!one.waiting.back().refusal.ok()) {
        bytes_max -= std::min(bytes_max, frame.bytes.size());
        one.out.pop_front();
        continue;
      }
    }
    std::size_t const some = std::min(bytes_max, frame.bytes.size() - one.out_from);
    to.append(frame.bytes, one.out_from, some);
    bytes_max -= some;
    one.out_from += some;
    if (one.out_from < frame.bytes.size()) return;
    if (frame.is_undated && on_undated) on_undated(frame.id);
    one.out.pop_front();
    one.out_from = 0;
  }
}

void SpoolSite::carry(std::size_t node, std::size_t to_daemon, std::size_t to_forwarder) {
  if (!is_up(node)) return;
  if (!is_alive(node)) return lose(node, false);
  give(node, to_daemon);
  world_.settle();
  if (!is_alive(node)) return lose(node, false);
  SimNetwork::Connection& connection = world_.network().at(nodes_[node].connection);
  std::size_t const heard = std::min(to_forwarder, connection.to_client.size());
  nodes_[node].in.append(connection.to_client, 0, heard);
  connection.to_client.erase(0, heard);
  bool const is_closed = connection.closed_by_server;
  while (hear(node)) continue;
  if (is_up(node) && is_alive(node) && is_closed) lose(node, false);
}

bool SpoolSite::hear(std::size_t node) {
  Node& one = nodes_[node];
  if (!is_up(node)) return false;
  Status answer;
  if (!one.waiting.empty() && !one.waiting.front().refusal.ok()) {
    answer = one.waiting.front().refusal;
    ++moves_;
  } else {
    protocol::Framer framer{{}};
    protocol::Framer::Piece const piece = framer.next(one.in);
    if (piece.kind == protocol::Framer::Kind::need_more) return false;
    // Why it is closed: it was silent in the middle of its first frame.
    if (piece.kind == protocol::Framer::Kind::line) {
      lose(node, false);
      return false;
    }
    Message message;
    if (piece.kind != protocol::Framer::Kind::frame || !protocol::parse_frame(piece.bytes, message).ok() ||
        one.waiting.empty()) {
      wrong_ = "the forwarder hears what is no answer";
      return false;
    }
    if (message.command == "ERROR") {
      answer = {code_of_wire_name(message.text("code")).value_or(Code::io_error), std::string{message.text("message")}};
      for (Param const& fact : message.params())
        answer = std::move(answer).with(std::string{fact.name}, std::string{fact.value.bytes});
    } else if (message.command != "INSERTED") {
      wrong_ = "an INSERT is answered by " + std::string{message.command};
    }
    if (message.text("result") == "duplicate") ++duplicates_;
    ++answers_;
    one.in.erase(0, piece.consumed);
  }
  Waiting const to = std::move(one.waiting.front());
  one.waiting.pop_front();
  routes_->answered(to.table, node, answer);
  if (answer.code() == Code::moved && owner_ != kNobody && answer.facts().front().second == address_of(owner_))
    told_[to.table] = owner_;
  else
    told_.erase(to.table);
  if (std::ranges::any_of(answer.facts(), [](auto const& fact) { return fact.first == "ahead_ms"; })) ahead_ = to.id;
  forwarder_->answered(to.number, answer, now());
  ahead_.clear();
  if (!folder_.is_stopped()) return true;
  restart();
  return false;
}

// ---------------------------------------------------------------------------
// Turns

void SpoolSite::run() {
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    if (is_up(node) && !is_alive(node)) lose(node, false);
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
