// One daemon with several ways into it, each of which is a peer: all see the same disk and the same machine. It runs as
// long as one of them is there; start and stop of any of them are its own.
#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/bench/peer.h"
#include "tests/integration/daemon.h"

namespace fastjournal::bench {

struct House {
  House() : daemon("") { daemon.listens_as_configured = true; }
  ~House() { end(SIGKILL); }
  House(House const&) = delete;
  House& operator=(House const&) = delete;

  void start() {
    if (!daemon.start()) throw std::runtime_error("fastjournald did not start: " + daemon.output());
    running = true;
  }
  void end(int signal) {
    if (!std::exchange(running, false)) return;
    daemon.kill(signal);
    static_cast<void>(daemon.wait());
  }

  test::RealDaemon daemon;
  bool running{false};
};

class Door final : public Peer {
 public:
  using Make = std::function<std::unique_ptr<Protocol>()>;

  // `address`: the how manieth of those that the daemon tells.
  Door(std::shared_ptr<House> house, char const* name, std::size_t address, Make make, bool is_encrypted = false)
      : house_(std::move(house)), name_(name), address_(address), make_(std::move(make)), is_encrypted_(is_encrypted) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string durability() const override { return "synced before acknowledged"; }
  [[nodiscard]] bool synced() const override { return true; }
  void start() override { house_->start(); }
  void kill() override { house_->end(SIGKILL); }
  void stop() override { house_->end(SIGTERM); }
  [[nodiscard]] std::string address() const override {
    std::string const text = house_->daemon.addresses().at(address_);
    return text.starts_with("tls:") ? text.substr(4) : text;
  }
  [[nodiscard]] std::unique_ptr<Protocol> protocol() const override { return make_(); }
  [[nodiscard]] std::vector<pid_t> processes() const override { return {house_->daemon.child().pid()}; }
  [[nodiscard]] std::filesystem::path folder() const override { return house_->daemon.folder() / "data"; }
  [[nodiscard]] bool is_encrypted() const override { return is_encrypted_; }

 private:
  std::shared_ptr<House> house_;
  char const* name_;
  std::size_t address_;
  Make make_;
  bool is_encrypted_;
};

}  // namespace fastjournal::bench
