// Many connections of one attacker, driven by one poll loop. Each sends its script as fast as the daemon reads it, and
// reads the answers or does not. The bytes are generated while they are sent, so the attacker needs no memory for them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace fastjournal::hostile {

struct Script {
  std::string head{};
  std::uint64_t fill{0};  // number of letters x
  std::string tail{};
  std::uint64_t repeat{1};  // how often head, fill and tail are sent
};

class Swarm {
 public:
  // "127.0.0.1:4050" or "unix:/path". `read`: answers are read, and their first bytes are kept.
  Swarm(std::string address, bool read) : address_(std::move(address)), read_(read) {}
  // Connections added from now on have this address of 127.0.0.0/8: another origin than the honest client.
  void come_from(std::string address) { from_ = std::move(address); }
  ~Swarm();
  Swarm(Swarm const&) = delete;
  Swarm& operator=(Swarm const&) = delete;

  // False if it could not connect.
  bool add(Script script);
  // Returns when everything is sent and each connection has `lines` more lines (with `read`), or after `quiet` without
  // progress.
  void drive(std::chrono::milliseconds quiet, std::uint64_t lines = 0);
  // Sends the head of each script at once, then a byte of it every so often, and reads, until the daemon has ended all
  // connections or `limit` is over.
  void dribble(std::chrono::milliseconds every, std::chrono::milliseconds limit);

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] std::uint64_t sent_bytes() const { return sent_; }
  // Number of connections that the daemon closed.
  [[nodiscard]] std::size_t ended() const;
  // The first bytes that this connection received.
  [[nodiscard]] std::string const& heard(std::size_t connection) const { return members_[connection].heard; }

 private:
  struct Member {
    int fd{-1};
    Script script;
    std::uint64_t at{0};  // position in the script
    std::uint64_t lines{0};
    std::string heard;
    bool ended{false};

    [[nodiscard]] std::uint64_t size() const { return script.head.size() + script.fill + script.tail.size(); }
    [[nodiscard]] bool finished() const { return at == size() && script.repeat <= 1; }
  };

  // Of the script, from where it is: at least a byte unless it is finished.
  [[nodiscard]] static std::string_view next_piece(Member& member);
  void send_some(Member& member, std::uint64_t bytes_max);
  static void read_some(Member& member);

  std::string address_;
  std::string from_;
  bool read_;
  std::vector<Member> members_;
  std::uint64_t sent_{0};
};

}  // namespace fastjournal::hostile
