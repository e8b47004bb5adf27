// A cluster of real etcd processes (Debian: etcd-server) on this computer, in a temporary folder, each ended by its own
// process id.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/certificates.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::test {

class EtcdNodes {
 public:
  // What clients speak: `https`, they have to show a certificate, too.
  enum class Scheme : std::uint8_t { http, https };

  // Further words for each of them. They elect within a second.
  explicit EtcdNodes(std::size_t count, std::vector<std::string> words = {"--unsafe-no-fsync"},
                     Scheme scheme = Scheme::http);

  // Addresses for clients, "127.0.0.1:PORT".
  [[nodiscard]] std::vector<std::string> const& endpoints() const { return endpoints_; }
  [[nodiscard]] std::size_t index_of(std::string_view endpoint) const;
  [[nodiscard]] std::string name_of(std::size_t node) const { return "node" + std::to_string(node); }
  // With the scheme, and commas between them.
  [[nodiscard]] std::string urls() const;
  // Of https: "ca.pem", "client.pem", "client.key".
  [[nodiscard]] std::string file(std::string const& name) const { return folder_ / name; }
  // SIGKILL, and its end is awaited.
  void kill(std::size_t node);
  void signal(std::size_t node, int signal);
  // With its data.
  void start(std::size_t node);
  // Output of etcdctl; throws if it fails.
  std::string control(std::vector<std::string> const& words);
  // The newest one.
  std::int64_t revision();
  // From now on all have to log in; "journal", with the password "pass", may use the keys from "j/" on.
  void add_user();
  // A snapshot of what one of them has.
  void save(std::string const& snapshot);
  // All are killed, their data is removed, and they begin with what the snapshot has. By another
  // `token` they are another cluster, by the one they had the same.
  void restore(std::string const& snapshot, std::string const& token, std::vector<std::string> const& words = {});
  [[nodiscard]] std::string token() const { return folder_.path().filename().string(); }
  // What the node wrote.
  [[nodiscard]] std::string log_of(std::size_t node) const;

 private:
  void make_certificates();
  [[nodiscard]] std::string peers() const;
  static std::string run(std::vector<std::string> const& line);

  TemporaryFolder folder_;
  std::vector<std::string> words_;
  Scheme scheme_;
  std::vector<std::string> endpoints_;
  std::vector<std::string> peers_;
  std::vector<std::unique_ptr<ChildProcess>> nodes_;
};

// 127.0.0.1 with ports that nobody has now.
[[nodiscard]] std::vector<std::string> free_addresses(std::size_t count);

// False: etcd is not installed.
[[nodiscard]] bool has_etcd();

}  // namespace fastjournal::test
