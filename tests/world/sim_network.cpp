#include "tests/world/sim_network.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"

namespace fastjournal::sim {

ConnectionId SimNetwork::connect(std::string_view peer, std::string_view origin, std::uint32_t listener) {
  ConnectionId const id{++last_id_};
  bool const local = peer.starts_with("unix:");
  if (listener == 0) listener = local ? kAdministrator : kTcp;
  connections_[id].local = local;
  auto const certificate = certified_.find(peer);
  std::string_view const user = certificate == certified_.end() ? std::string_view{} : certificate->second;
  handler_->on_open(id, {.text = peer, .origin = local ? "uid:0" : origin, .listener = listener, .user = user});
  again_ = true;
  return id;
}

Result<env::Address> SimNetwork::listen(env::Address const& address, env::ListenOptions const& options) {
  if (taken_.contains(address.text))
    return Status{Code::in_use, "listen on " + address.text + ": Address already in use"};
  listening_[options.number] = address.text;
  return address;
}

std::uint32_t SimNetwork::listener_at(std::string_view address) const {
  std::uint32_t out = 0;
  for (auto const& [number, at] : listening_)
    if (at == address) out = number;
  return out;
}

void SimNetwork::drop(ConnectionId id) {
  if (connections_.erase(id) == 0 || handler_ == nullptr) return;
  handler_->on_closed(id, "dropped");
  again_ = true;
}

Result<ConnectionId> SimNetwork::connect(env::Address const& address, env::ConnectOptions const&) {
  ++attempts_;
  if (!served_.contains(address.text))
    return Status{Code::io_error, "connect " + address.text + ": Connection refused"};
  made_ = ConnectionId{++last_id_};
  made_is_open_ = false;
  connections_[made_];
  again_ = true;
  return made_;
}

bool SimNetwork::turn(std::int64_t monotonic_us) {
  bool worked = again_;
  again_ = false;
  if (!std::exchange(made_is_open_, true) && connections_.contains(made_))
    handler_->on_open(made_, {.text = "sim:made", .origin = "made"});
  std::vector<ConnectionId> ids;
  for (auto const& [id, connection] : connections_) ids.push_back(id);
  if (one_a_turn_) std::rotate(ids.begin(), std::upper_bound(ids.begin(), ids.end(), heard_), ids.end());
  for (ConnectionId const id : ids) {
    if (one_a_turn_ && worked) break;
    auto const found = connections_.find(id);
    if (found == connections_.end() || found->second.closed_by_server || found->second.ended) continue;
    if (found->second.input_ended && found->second.output_ended) {
      found->second.ended = true;
      handler_->on_closed(id, "closed by peer");
      worked = true;
      continue;
    }
    if (std::exchange(found->second.tell_writable, false)) {
      handler_->on_writable(id);
      worked = true;
    }
    if (found->second.closed_by_server || found->second.paused) continue;
    if (!found->second.to_server.empty()) {
      heard_ = id;
      std::string const bytes = std::exchange(found->second.to_server, {});
      handler_->on_bytes(id, bytes);
      worked = true;
    } else if (found->second.end_of_input) {
      found->second.end_of_input = false;
      found->second.input_ended = true;
      again_ = again_ || found->second.output_ended;
      handler_->on_end_of_input(id);
      worked = true;
    }
  }
  if (std::exchange(clock_set_, false)) {
    handler_->on_clock_set();
    worked = true;
  }
  for (auto const& [socket, bytes] : std::exchange(to_server_, {})) {
    handler_->on_datagram(socket, bytes);
    worked = true;
  }
  for (LocalDatagram const& one : std::exchange(local_to_server_, {})) {
    auto const socket = local_sockets_.find(one.socket);
    if (socket == local_sockets_.end()) continue;
    std::string const user = std::to_string(one.user);
    std::string const text = "unix:pid 1 uid " + user;
    std::string const origin = "uid:" + user;
    handler_->on_local_datagram(one.socket, one.bytes, one.from,
                                {.text = text, .origin = origin, .listener = socket->second.options.number});
    worked = true;
  }
  if (wake_at_ <= monotonic_us) {
    wake_at_ = INT64_MAX;
    handler_->on_timer();
    worked = true;
  }
  if (worked) handler_->on_turn_end();
  return worked;
}

Result<ConnectionId> SimNetwork::open_datagrams_to(env::DatagramAddress const& address) {
  if (address.address.text.empty()) return Status{Code::bad_parameter, "no address"};
  return *datagram_sockets_.insert(ConnectionId{++last_id_}).first;
}

Result<env::DatagramSocket> SimNetwork::receive_datagrams(env::DatagramAddress const& address) {
  return env::DatagramSocket{*datagram_sockets_.insert(ConnectionId{++last_id_}).first, address.address};
}

bool SimNetwork::send_datagram(ConnectionId id, std::string_view bytes) {
  auto const happens = [this](std::uint32_t thousandths) { return chance_() % 1000 < thousandths; };
  if (!datagram_sockets_.contains(id) || happens(weather_.refused)) return false;
  ++sent_;
  if (happens(weather_.lost)) return true;
  for (int copies = happens(weather_.doubled) ? 2 : 1; copies > 0; --copies) {
    if (happens(weather_.late))
      late_.emplace_back(sent_ + 1 + chance_() % 20, bytes);
    else
      arrived_.emplace_back(bytes);
  }
  for (auto at = late_.begin(); at != late_.end();) {
    if (at->first > sent_) {
      ++at;
      continue;
    }
    arrived_.push_back(std::move(at->second));
    at = late_.erase(at);
  }
  return true;
}

void SimNetwork::stop_listening(std::uint32_t number) {
  listening_.erase(number);
  std::erase_if(local_sockets_, [number](auto const& one) { return one.second.options.number == number; });
}

Result<env::DatagramSocket> SimNetwork::receive_local_datagrams(env::Address const& address,
                                                                env::ListenOptions const& options) {
  if (taken_.contains(address.text))
    return Status{Code::in_use, "listen on " + address.text + ": Address already in use"};
  ConnectionId const id{++last_id_};
  local_sockets_[id] = {address.text, options};
  return env::DatagramSocket{id, address};
}

ConnectionId SimNetwork::local_socket_at(std::string_view address) const {
  ConnectionId out{};
  for (auto const& [id, socket] : local_sockets_)
    if (socket.address == address) out = id;
  return out;
}

bool SimNetwork::send_local_datagram(ConnectionId id, std::string_view to, std::string_view bytes) {
  if (!local_sockets_.contains(id) || to.empty() || deaf_.contains(to)) return false;
  local_arrived_.emplace_back(to, bytes);
  return true;
}

void SimNetwork::clear() {
  listening_.clear();
  local_sockets_.clear();
  local_to_server_.clear();
  datagram_sockets_.clear();
  to_server_.clear();
  connections_.clear();
  handler_ = nullptr;
  wake_at_ = INT64_MAX;
  again_ = clock_set_ = false;
}

SimNetwork::Connection* SimNetwork::open_one(ConnectionId id) {
  auto const found = connections_.find(id);
  return found == connections_.end() || found->second.ended ? nullptr : &found->second;
}

std::size_t SimNetwork::send(ConnectionId id, std::string_view bytes) {
  Connection* const connection = open_one(id);
  if (connection == nullptr) return bytes.size();
  FJ_CHECK(!connection->output_ended, "nothing is sent after the end of output");
  std::size_t const taken = std::min(bytes.size(), connection->room);
  connection->to_client.append(bytes.substr(0, taken));
  connection->sent += taken;
  if (connection->room != SIZE_MAX) connection->room -= taken;
  return taken;
}

Result<std::size_t> SimNetwork::send_file(ConnectionId id, env::File& file, std::uint64_t offset, std::uint64_t bytes) {
  Connection* const connection = open_one(id);
  if (connection == nullptr) return static_cast<std::size_t>(bytes);
  std::size_t const most = std::min<std::uint64_t>({bytes, env::kSendFileBytesMax, connection->room});
  if (most == 0) return std::size_t{0};
  std::vector<std::byte> read(most);
  Result<std::size_t> const got = file.read(offset, read);
  if (!got.ok()) return got;
  if (got.value() == 0) return Status{Code::damaged, "send a file: it ends before what was to be sent"};
  std::size_t const taken = send(id, as_text(read).substr(0, got.value()));
  connection->tell_writable = taken < bytes && connection->room > 0;
  again_ = again_ || connection->tell_writable;
  return taken;
}

Result<std::size_t> SimNetwork::send_with_descriptor(ConnectionId id, std::string_view bytes, env::File& file) {
  FJ_CHECK(!bytes.empty(), "a descriptor goes with a byte");
  Connection* const connection = open_one(id);
  if (connection == nullptr) return bytes.size();
  if (!connection->local) return Status{Code::not_supported, "descriptors are given over unix sockets only"};
  if (connection->room == 0) return std::size_t{0};
  Result<std::unique_ptr<env::File>> reader = file.reopen_to_read();
  if (!reader.ok()) return reader.status();
  connection->descriptors[connection->sent] = std::move(reader).value();
  return send(id, bytes);
}

void SimNetwork::end_output(ConnectionId id) {
  Connection* const connection = open_one(id);
  if (connection == nullptr) return;
  connection->output_ended = true;
  again_ = true;
}

void SimNetwork::pause_reading(ConnectionId id, bool paused) {
  if (auto const found = connections_.find(id); found != connections_.end()) found->second.paused = paused;
}

void SimNetwork::close(ConnectionId id) {
  if (auto const found = connections_.find(id); found != connections_.end()) found->second.closed_by_server = true;
}

}  // namespace fastjournal::sim
