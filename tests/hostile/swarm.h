// Many connections of one attacker, driven by one poll loop: each sends what its script says as fast as it is taken,
// and reads or does not read what comes back. What is sent is made on the way: an attacker needs no memory for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace fastjournal::hostile {

struct Script {
  std::string head{};
  std::uint64_t fill{0};  // so many letters x
  std::string tail{};
  std::uint64_t repeat{1};  // head, fill and tail, over and over
};

class Swarm {
 public:
  // "127.0.0.1:4050" or "unix:/path". `read`: what comes back is taken, its first bytes are kept.
  Swarm(std::string address, bool read) : address_(std::move(address)), read_(read) {}
  ~Swarm();
  Swarm(Swarm const&) = delete;
  Swarm& operator=(Swarm const&) = delete;

  // False: it could not connect.
  bool add(Script script);
  // Until everything is sent and `lines` more lines are there for each connection (with read), or nothing has moved
  // for `quiet`.
  void drive(std::chrono::milliseconds quiet, std::uint64_t lines = 0);

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] std::uint64_t sent_bytes() const { return sent_; }
  // Connections that the daemon ended.
  [[nodiscard]] std::size_t ended() const;
  // The first bytes that a connection heard.
  [[nodiscard]] std::string const& heard(std::size_t connection) const { return members_[connection].heard; }

 private:
  struct Member {
    int fd{-1};
    Script script;
    std::uint64_t at{0};  // in the script
    std::uint64_t lines{0};
    std::string heard;
    bool ended{false};

    [[nodiscard]] std::uint64_t size() const { return script.head.size() + script.fill + script.tail.size(); }
    [[nodiscard]] bool finished() const { return at == size() && script.repeat <= 1; }
  };

  void send_some(Member& member);
  static void read_some(Member& member);

  std::string address_;
  bool read_;
  std::vector<Member> members_;
  std::uint64_t sent_{0};
};

}  // namespace fastjournal::hostile
