// A server for the tests of the reactor: an echo server whose reactions can be replaced. It runs in a thread of its
// own, so that the test can be an ordinary blocking client. Read the handler's data only after finish().
#pragma once

#include <boost/test/unit_test.hpp>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "platform/reactor/reactor.h"
#include "tests/support/line_client.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::reactor {

using test::LineClient;
using test::TemporaryFolder;

inline std::string const kLoopback = "127.0.0.1:0";

// Echoes at the end of the turn, keeps what the kernel did not take, and closes at the end of input once everything is
// sent. Each hook replaces one reaction.
class EchoHandler final : public env::NetworkHandler {
 public:
  explicit EchoHandler(Reactor& reactor) : reactor_(reactor) {}

  std::function<void(ConnectionId, std::string_view)> bytes_hook;
  std::function<void(ConnectionId)> writable_hook;
  std::function<void(ConnectionId)> end_of_input_hook;
  std::function<void(ConnectionId)> closed_hook;
  std::function<void(ConnectionId, std::string_view)> datagram_hook;
  std::function<void(ConnectionId, std::string_view, std::string_view, env::Peer const&)> local_datagram_hook;
  std::function<void()> timer_hook;
  std::function<void()> clock_hook;
  std::function<void()> turn_end_hook;

  std::vector<std::pair<ConnectionId, std::string>> opened;
  std::vector<std::string> users;        // of `opened`
  std::vector<std::uint32_t> listeners;  // of `opened`
  std::vector<std::pair<ConnectionId, std::string>> closed;
  std::vector<ConnectionId> ended;
  std::size_t bytes{0};
  std::size_t writable_calls{0};
  std::size_t short_sends{0};
  std::size_t timers{0};
  std::size_t turns{0};

  void on_open(ConnectionId id, env::Peer const& peer) override {
    opened.emplace_back(id, peer.text);
    users.emplace_back(peer.user);
    listeners.push_back(peer.listener);
  }
  void on_bytes(ConnectionId id, std::string_view arrived) override {
    bytes += arrived.size();
    if (bytes_hook)
      bytes_hook(id, arrived);
    else
      answer(id, arrived);
  }
  void on_writable(ConnectionId id) override {
    ++writable_calls;
    if (writable_hook)
      writable_hook(id);
    else
      flush(id);
  }
  void on_end_of_input(ConnectionId id) override {
    ended.push_back(id);
    if (end_of_input_hook)
      end_of_input_hook(id);
    else
      closing_[id] = true;
  }
  void on_closed(ConnectionId id, std::string_view reason) override {
    closed.emplace_back(id, reason);
    waiting_.erase(id);
    closing_.erase(id);
    if (closed_hook) closed_hook(id);
  }
  void on_datagram(ConnectionId id, std::string_view arrived) override {
    if (datagram_hook) datagram_hook(id, arrived);
  }
  void on_local_datagram(ConnectionId id, std::string_view arrived, std::string_view from,
                         env::Peer const& peer) override {
    if (local_datagram_hook) local_datagram_hook(id, arrived, from, peer);
  }
  void on_timer() override {
    ++timers;
    if (timer_hook) timer_hook();
  }
  void on_clock_set() override {
    if (clock_hook) clock_hook();
  }
  void on_turn_end() override {
    ++turns;
    if (turn_end_hook) turn_end_hook();
    std::vector<ConnectionId> ids;
    for (auto const& [id, text] : waiting_) ids.push_back(id);
    for (auto const& [id, yes] : closing_) ids.push_back(id);
    for (ConnectionId const id : ids) flush(id);
  }

  // Sent at the end of the turn.
  void answer(ConnectionId id, std::string_view text) { waiting_[id].append(text); }

 private:
  void flush(ConnectionId id) {
    if (auto const found = waiting_.find(id); found != waiting_.end()) {
      auto& [text, sent] = found->second;
      std::size_t const left = text.size() - sent;
      std::size_t const taken = reactor_.send(id, std::string_view{text}.substr(sent));
      sent += taken;
      if (taken < left) {
        ++short_sends;
        return;
      }
      waiting_.erase(found);
    }
    if (closing_.erase(id) != 0) reactor_.close(id);
  }

  struct Waiting {
    std::string text;
    std::size_t sent{0};
    void append(std::string_view more) { text.append(more); }
  };

  Reactor& reactor_;
  std::map<ConnectionId, Waiting> waiting_;
  std::map<ConnectionId, bool> closing_;
};

inline std::unique_ptr<Reactor> make_reactor(ReactorOptions options = {}) {
  auto made = Reactor::create(std::move(options));
  BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
  return std::move(made).value();
}

class Server {
 public:
  explicit Server(ReactorOptions options = {}) : reactor(make_reactor(std::move(options))), handler(*reactor) {
    reactor->set_handler(handler);
  }
  ~Server() { finish(); }

  std::string listen(std::string const& address = kLoopback, env::ListenOptions const& how = {}) {
    auto bound = reactor->listen({address}, how);
    BOOST_REQUIRE_MESSAGE(bound.ok(), bound.status().text());
    return bound.value().text;
  }
  void start() {
    loop_ = std::thread{[this] { result_ = reactor->run(); }};
  }
  // Ends the loop; after that the test may read the handler.
  void finish() {
    if (!loop_.joinable()) return;
    reactor->stop();
    join();
  }
  // Waits until the handler stops the loop.
  void join() {
    loop_.join();
    BOOST_TEST(result_.ok(), result_.text());
  }

  std::unique_ptr<Reactor> reactor;
  EchoHandler handler;

 private:
  std::thread loop_;
  Status result_;
};

}  // namespace fastjournal::reactor
