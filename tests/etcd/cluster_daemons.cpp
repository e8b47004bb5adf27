#include "tests/etcd/cluster_daemons.h"

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/etcd/cluster_job.h"

namespace fastjournal::test {
namespace {

constexpr char kTable[] = R"(<table name="%" model="journal" row-key="name">
  <log name="@"/>
  <schema><column name="name" type="string" required="true"/><column name="payload" type="string"/></schema>
  <processing-timeout>30s</processing-timeout>
  <grace>5s</grace>
</table>
)";

std::string table(std::string const& name, std::string const& log) {
  std::string out = kTable;
  out.replace(out.find('%'), 1, name);
  out.replace(out.find('@'), 1, log);
  return out;
}

}  // namespace

ClusterDaemons::ClusterDaemons(std::vector<std::string> const& etcd, int lease_s, std::vector<std::int64_t> ahead_ms)
    : addresses_(free_addresses(etcd.size())), ahead_ms_(std::move(ahead_ms)) {
  nodes_.resize(etcd.size());
  for (std::size_t at = 0; at < etcd.size(); ++at) {
    std::filesystem::path const root = folder_ / name(at);
    std::filesystem::create_directories(root / "tables.d");
    std::ofstream{root / "fastjournal.xml"}
        << "<fastjournal>\n  <listen address=\"" << addresses_[at] << "\"/>\n"
        << "  <socket path=\"admin.sock\" mode=\"0600\" rights=\"all\"/>\n"
        << "  <cluster node=\"n" << at << "\" address=\"" << addresses_[at] << "\" etcd=\"" << etcd[at] << "\"/>\n"
        << "  <log name=\"shared\"/>\n  <log name=\"common\" engine=\"etcd\" lease=\"" << lease_s
        << "s\"/>\n</fastjournal>\n";
    declare(at, "work", "common");
    declare(at, "own", "shared");
    start(at);
  }
}

void ClusterDaemons::declare(std::size_t at, std::string const& table_name, std::string const& log) const {
  std::ofstream{folder_ / name(at) + "/tables.d/" + table_name + ".xml"} << table(table_name, log);
}

std::string ClusterDaemons::addresses() const {
  std::string out;
  for (std::string const& one : addresses_) out += (out.empty() ? "" : ",") + one;
  return out;
}

std::size_t ClusterDaemons::index_of(std::string_view address) const {
  for (std::size_t at = 0; at < addresses_.size(); ++at)
    if (addresses_[at] == address) return at;
  return kNone;
}

void ClusterDaemons::start(std::size_t at) {
  // Into a file: nobody reads a pipe. And a test that is killed leaves none behind.
  std::string const log = folder_ / (name(at) + ".log");
  std::string clock;
  if (!ahead_ms_.empty()) {
    std::string const file = folder_ / (name(at) + ".clock");
    std::ofstream{file} << ahead_ms_[at] << " 0\n";
    clock = "FJ_CLOCK='" + file + "' LD_PRELOAD=" FJ_BINARY_DIR "/lib/libfj_clock_layer.so ";
  }
  std::string const line = clock + "exec setpriv --pdeathsig KILL " FJ_BINARY_DIR "/bin/fastjournald --config '" +
                           (folder_ / name(at)) + "/fastjournal.xml' --plugins " FJ_BINARY_DIR "/plugins >>'" + log +
                           "' 2>&1";
  std::size_t const before = output(at).size();
  nodes_[at] = std::make_unique<ChildProcess>(std::vector<std::string>{"sh", "-c", line});
  for (int round = 0; round < 1'000; ++round) {
    if (output(at).find("\nready\n", before) != std::string::npos) return;
    if (nodes_[at]->wait(std::chrono::milliseconds{10})) break;
  }
  throw std::runtime_error("the daemon did not start: " + output(at));
}

void ClusterDaemons::kill(std::size_t at) {
  nodes_[at]->kill(SIGKILL);
  static_cast<void>(nodes_[at]->wait());
  nodes_[at].reset();
}

int ClusterDaemons::end(std::size_t at) {
  nodes_[at]->kill(SIGTERM);
  int const code = nodes_[at]->wait().value_or(-1);
  nodes_[at].reset();
  return code;
}

std::string ClusterDaemons::output(std::size_t at) const {
  std::ifstream in{folder_ / (name(at) + ".log")};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::size_t ClusterDaemons::owner(std::size_t asked) const {
  client::Options options;
  options.server = addresses_[asked];
  options.connect_limit = options.time_limit = client::Milliseconds{1'000};
  options.back_off.clear();
  auto const connection = client::Connection::open(options);
  if (!connection.ok()) return kNone;
  Result<client::Reply> const reply = connection.value()->call("CLUSTER");
  return reply.ok() && reply->first().text("standing") != "unavailable" ? index_of(reply->first().text("address"))
                                                                        : kNone;
}

std::size_t ClusterDaemons::owner() const {
  for (std::size_t at = 0; at < size(); ++at)
    if (is_running(at))
      if (std::size_t const found = owner(at); found != kNone && is_running(found) && owner(found) == found)
        return found;
  return kNone;
}

std::size_t ClusterDaemons::wait_for_owner() const {
  for (int round = 0; round < 600; ++round) {
    if (std::size_t const at = owner(); at != kNone) return at;
    // Or one of them ends.
    for (auto const& node : nodes_)
      if (node != nullptr) {
        static_cast<void>(node->wait(std::chrono::milliseconds{50}));
        break;
      }
  }
  throw std::runtime_error("nobody owns the log");
}

std::int64_t ClusterDaemons::behind(std::size_t asked, std::size_t at) const {
  Result<client::Reply> const told = connect(address(asked))->call("CLUSTER");
  if (told.ok())
    for (Message const& one : told->messages)
      if (one.text("node") == "n" + std::to_string(at)) return one.integer("behind").value_or(-1);
  return -1;
}

bool ClusterDaemons::becomes_behind(std::size_t asked, std::size_t at, std::int64_t wanted) const {
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (std::chrono::steady_clock::now() < end)
    if (behind(asked, at) == wanted) return true;
  return false;
}

}  // namespace fastjournal::test
