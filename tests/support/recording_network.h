// A network that only records the calls, for tests of parts of the server.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/env/disk.h"
#include "base/env/network.h"
#include "base/env/notes.h"

namespace fastjournal::test {

struct RecordingNetwork final : env::Network {
  Result<ConnectionId> connect(env::Address const& address, env::ConnectOptions const& options) override {
    connect_options.push_back(options);
    if (!connects) return Status{Code::io_error, "connect " + address.text + ": refused"};
    return ConnectionId{++last};
  }
  Result<env::Address> listen(env::Address const& address, env::ListenOptions const&) override { return address; }
  void stop_listening(std::uint32_t) override {}
  std::size_t send(ConnectionId id, std::string_view bytes) override {
    auto const limit = room.find(id);
    std::size_t const taken = limit == room.end() ? bytes.size() : std::min(bytes.size(), limit->second);
    if (limit != room.end()) limit->second -= taken;
    sent[id].append(bytes.substr(0, taken));
    return taken;
  }
  Result<std::size_t> send_file(ConnectionId id, env::File& file, std::uint64_t offset, std::uint64_t bytes) override {
    std::vector<std::byte> read(std::min<std::uint64_t>(bytes, env::kSendFileBytesMax));
    Result<std::size_t> const got = file.read(offset, read);
    if (!got.ok()) return got;
    if (got.value() < read.size()) return Status{Code::damaged, "the file is too short"};
    return send(id, as_text(read));
  }
  Result<std::size_t> send_with_descriptor(ConnectionId id, std::string_view bytes, env::File&) override {
    with_descriptor.push_back(id);
    return send(id, bytes);
  }
  void end_output(ConnectionId id) override { output_ended.push_back(id); }
  void pause_reading(ConnectionId id, bool pause) override {
    if (pause)
      paused.insert(id);
    else
      paused.erase(id);
  }
  void close(ConnectionId id) override { closed.push_back(id); }
  Result<ConnectionId> open_datagrams_to(env::DatagramAddress const&) override { return ConnectionId{++last}; }
  Result<env::DatagramSocket> receive_datagrams(env::DatagramAddress const& address) override {
    return env::DatagramSocket{ConnectionId{++last}, address.address};
  }
  bool send_datagram(ConnectionId, std::string_view) override { return true; }
  Result<env::DatagramSocket> receive_local_datagrams(env::Address const& address, env::ListenOptions const&) override {
    return env::DatagramSocket{ConnectionId{++last}, address};
  }
  bool send_local_datagram(ConnectionId, std::string_view to, std::string_view bytes) override {
    local_datagrams.emplace_back(to, bytes);
    return true;
  }
  void close_datagrams(ConnectionId) override {}
  void wake_at(std::int64_t) override {}
  void turn_again() override { ++turns_asked; }

  bool connects{true};
  std::uint64_t last{0};
  std::vector<env::ConnectOptions> connect_options;  // of all connections, in order
  std::map<ConnectionId, std::string> sent;
  std::map<ConnectionId, std::size_t> room;  // what these take at most from here on
  std::set<ConnectionId> paused;
  std::vector<ConnectionId> closed;
  std::vector<ConnectionId> with_descriptor;
  std::vector<ConnectionId> output_ended;
  std::vector<std::pair<std::string, std::string>> local_datagrams;  // to whom, and what
  int turns_asked{0};
};

struct RecordingNotes final : env::Notes {
  void note(std::string_view text) override { warnings.emplace_back(text); }
  void inform(std::string_view text) override { facts.emplace_back(text); }

  std::vector<std::string> warnings;
  std::vector<std::string> facts;
};

}  // namespace fastjournal::test
