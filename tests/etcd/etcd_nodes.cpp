#include "tests/etcd/etcd_nodes.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fastjournal::test {

// All are held until all are known, so that they differ.
std::vector<std::string> free_addresses(std::size_t count) {
  std::vector<int> fds;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) {
    int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no free port");
    fds.push_back(fd);
    out.push_back("127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
  }
  for (int const fd : fds) ::close(fd);
  return out;
}

bool has_etcd() { return ::access("/usr/bin/etcd", X_OK) == 0; }

EtcdNodes::EtcdNodes(std::size_t count, std::vector<std::string> words, Scheme scheme)
    : words_(std::move(words)), scheme_(scheme) {
  if (!has_etcd()) throw std::runtime_error("etcd is not installed: apt-get install etcd-server etcd-client");
  std::vector<std::string> const all = free_addresses(2 * count);
  endpoints_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  peers_.assign(all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
  nodes_.resize(count);
  if (scheme_ == Scheme::https) make_certificates();
  for (std::size_t node = 0; node < count; ++node) start(node);
}

void EtcdNodes::make_certificates() {
  Authority authority;
  Certificate const server = authority.issue();
  Certificate const client = authority.client("node");
  std::ofstream{file("ca.pem")} << authority.certificate();
  std::ofstream{file("server.pem")} << server.certificate;
  write_private(file("server.key"), server.key);
  std::ofstream{file("client.pem")} << client.certificate;
  write_private(file("client.key"), client.key);
  // Its gateway for JSON would be a client without a certificate.
  for (std::string const& word :
       {std::string{"--enable-grpc-gateway=false"}, std::string{"--client-cert-auth"},
        "--trusted-ca-file=" + file("ca.pem"), "--cert-file=" + file("server.pem"), "--key-file=" + file("server.key")})
    words_.push_back(word);
}

std::string EtcdNodes::urls() const {
  std::string out;
  for (std::string const& one : endpoints_)
    out += (out.empty() ? "" : ",") + std::string{scheme_ == Scheme::https ? "https://" : "http://"} + one;
  return out;
}

std::string EtcdNodes::peers() const {
  std::string out;
  for (std::size_t i = 0; i < peers_.size(); ++i) out += (i == 0 ? "" : ",") + name_of(i) + "=http://" + peers_[i];
  return out;
}

void EtcdNodes::start(std::size_t node) {
  std::string const client = (scheme_ == Scheme::https ? "https://" : "http://") + endpoints_[node];
  std::string const peer = "http://" + peers_[node];
  std::vector<std::string> words{"etcd",
                                 "--name",
                                 name_of(node),
                                 "--data-dir",
                                 folder_ / name_of(node),
                                 "--listen-client-urls",
                                 client,
                                 "--advertise-client-urls",
                                 client,
                                 "--listen-peer-urls",
                                 peer,
                                 "--initial-advertise-peer-urls",
                                 peer,
                                 "--initial-cluster",
                                 peers(),
                                 "--initial-cluster-token",
                                 token(),
                                 "--heartbeat-interval",
                                 "50",
                                 "--election-timeout",
                                 "500",
                                 "--logger",
                                 "zap",
                                 "--log-level",
                                 "error"};
  words.insert(words.end(), words_.begin(), words_.end());
  // Into a file: nobody reads a pipe. And a test that is killed leaves none behind.
  std::string line = "exec setpriv --pdeathsig KILL";
  for (std::string const& word : words) line += " '" + word + "'";
  line += " >>'" + folder_ / (name_of(node) + ".log") + "' 2>&1";
  nodes_[node] = std::make_unique<ChildProcess>(std::vector<std::string>{"sh", "-c", line});
}

std::size_t EtcdNodes::index_of(std::string_view endpoint) const {
  auto const found = std::find(endpoints_.begin(), endpoints_.end(), endpoint);
  if (found == endpoints_.end()) throw std::runtime_error("no node at " + std::string{endpoint});
  return static_cast<std::size_t>(found - endpoints_.begin());
}

void EtcdNodes::kill(std::size_t node) {
  nodes_.at(node)->kill(SIGKILL);
  static_cast<void>(nodes_.at(node)->wait());
}

void EtcdNodes::restore(std::string const& snapshot, std::string const& token, std::vector<std::string> const& words) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) kill(node);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    std::filesystem::remove_all(folder_ / name_of(node));
    std::vector<std::string> line{"etcdctl",
                                  "snapshot",
                                  "restore",
                                  snapshot,
                                  "--name",
                                  name_of(node),
                                  "--data-dir",
                                  folder_ / name_of(node),
                                  "--initial-cluster",
                                  peers(),
                                  "--initial-cluster-token",
                                  token,
                                  "--initial-advertise-peer-urls",
                                  "http://" + peers_[node]};
    line.insert(line.end(), words.begin(), words.end());
    run(line);
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) start(node);
}

void EtcdNodes::signal(std::size_t node, int signal) { nodes_.at(node)->kill(signal); }

std::string EtcdNodes::control(std::vector<std::string> const& words) {
  std::vector<std::string> line{"etcdctl", "--endpoints", urls()};
  if (scheme_ == Scheme::https)
    for (std::string const& word :
         {"--cacert=" + file("ca.pem"), "--cert=" + file("client.pem"), "--key=" + file("client.key")})
      line.push_back(word);
  line.insert(line.end(), words.begin(), words.end());
  return run(line);
}

std::int64_t EtcdNodes::revision() {
  std::string const told = control({"get", "any", "-w", "fields"});
  std::string const name = "\"Revision\" : ";
  std::size_t const at = told.find(name);
  if (at == std::string::npos) throw std::runtime_error("etcdctl names no revision: " + told);
  return std::stoll(told.substr(at + name.size()));
}

std::string EtcdNodes::run(std::vector<std::string> const& line) {
  ChildProcess made{line, {.environment = {"ETCDCTL_API=3"}}};
  if (made.wait() != 0) throw std::runtime_error("etcdctl failed: " + made.output());
  return made.output();
}

void EtcdNodes::save(std::string const& snapshot) {
  run({"etcdctl", "--endpoints", "http://" + endpoints_[0], "snapshot", "save", snapshot});
}

void EtcdNodes::add_user() {
  for (std::vector<std::string> const& words :
       std::vector<std::vector<std::string>>{{"user", "add", "root:secret"},
                                             {"user", "grant-role", "root", "root"},
                                             {"role", "add", "journal"},
                                             {"role", "grant-permission", "journal", "readwrite", "j/", "j0"},
                                             {"user", "add", "journal:pass"},
                                             {"user", "grant-role", "journal", "journal"},
                                             {"auth", "enable"}})
    control(words);
}

std::string EtcdNodes::log_of(std::size_t node) const {
  std::ifstream file{folder_ / (name_of(node) + ".log")};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace fastjournal::test
