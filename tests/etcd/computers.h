// Computers for a document: each has network, processes, /etc, /var, /run and /root of its own (namespaces of Linux), and
// shares the programs with this one. They are joined by a network 192.0.2.0/24 that leads nowhere else. What runs on them
// ends with them, and they end with the test, however that ends.
//
// systemd is not there: `systemctl start|stop|restart etcd|fastjournal` and `scp` are stand-ins that do what the units of
// the packages and the real program do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::test {

class Computers {
 public:
  // Empty: they can be had here. Else the reason why not.
  [[nodiscard]] static std::string missing();

  // The first has the address 192.0.2.1. Throws if one cannot be made.
  explicit Computers(std::size_t count);
  ~Computers();
  Computers(Computers const&) = delete;
  Computers& operator=(Computers const&) = delete;

  [[nodiscard]] std::size_t size() const { return computers_.size(); }
  // The command line of this one that runs a script of bash as root there, in /root.
  [[nodiscard]] std::vector<std::string> inside(std::size_t at, std::string const& script) const;
  // What it has on its disk: "etc/...", "var/...", "root/...".
  [[nodiscard]] std::string file(std::size_t at, std::string const& name) const;
  // Everything that runs there is gone at once. Its disk stays.
  void lose_power(std::size_t at);
  void start(std::size_t at);
  // While it does not run: the data of its services is gone.
  void empty(std::size_t at) const;
  // Of what goes between it and all others, without a word to either side.
  enum class Cut : std::uint8_t { both_ways, what_it_hears, what_it_says };
  void cut(std::size_t at, Cut cut) const;
  void heal(std::size_t at, Cut cut) const;

  // While this lives, what its thread connects to is seen from that computer, and so by threads that it starts meanwhile.
  class Visit {
   public:
    Visit(Computers const& computers, std::size_t at);
    ~Visit();
    Visit(Visit const&) = delete;
    Visit& operator=(Visit const&) = delete;

   private:
    int home_;
  };

 private:
  void make_disk(std::size_t at) const;

  TemporaryFolder folder_;
  std::unique_ptr<ChildProcess> hub_;
  std::vector<std::unique_ptr<ChildProcess>> computers_;
};

}  // namespace fastjournal::test
