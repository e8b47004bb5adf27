#include "tests/world/cluster_of_worlds.h"

#include "base/check.h"

namespace fastjournal::sim {
namespace {

// A daemon's part of a shared log: gone together.
struct Share {
  Share(EtcdCluster& etcd, log::etcd::EtcdLogOptions options, log::Following& following)
      : session(etcd.connect()), log(*session, std::move(options), following) {}
  std::unique_ptr<EtcdSession> session;
  log::etcd::EtcdLog log;
};

constexpr std::string_view kAddress = "node-";

}  // namespace

ClusterOfWorlds::ClusterOfWorlds(EtcdOptions options) : seed_(options.seed), etcd_(std::move(options)) {
  for (std::size_t at = 0; at < kWorlds; ++at) {
    Node& node = *nodes_.emplace_back(std::make_unique<Node>());
    node.world = std::make_unique<World>(seed_ * 8 + at);
    FJ_CHECK(node.world->add_table(FJ_SOURCE_DIR "/tests/transcripts/own.xml").ok(), "the shared table is declared");
    FJ_CHECK(node.world->add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok(), "the node's own is, too");
    // Values in the shared log, too.
    FJ_CHECK(node.world->add_table(FJ_SOURCE_DIR "/tests/transcripts/values.xml").ok(), "values are declared");
    auto values = std::make_shared<TableDeclaration>(*node.world->declaration("values"));
    values->log = "own";
    node.world->add_table(std::move(values));
    node.world->share_log("own", [this, at](log::Following& following) { return make_log(at, following); });
  }
}

std::shared_ptr<log::SharedLog> ClusterOfWorlds::make_log(std::size_t at, log::Following& following) {
  log::etcd::EtcdLogOptions options;
  options.name = "own";
  options.prefix = "/fastjournal/own/";
  options.node = "n" + std::to_string(at);
  options.address = address(at);
  options.new_store_id = seed_ * 8 + at + 1;
  options.segment_bytes = 64U << 10U;
  options.bytes_max = 4U << 20U;
  options.waiting_bytes_max = 1U << 20U;
  auto const share = std::make_shared<Share>(etcd_, options, following);
  nodes_[at]->session = share->session.get();
  nodes_[at]->log = &share->log;
  return {share, &share->log};
}

engine::HostedLog& ClusterOfWorlds::hosted(std::size_t at) {
  for (auto const& one : world(at).engine().logs())
    if (one->name == "own") return *one;
  FJ_CHECK(false, "the shared log is hosted");
  std::abort();
}

std::size_t ClusterOfWorlds::at_address(std::string_view address) {
  return address.starts_with(kAddress) ? static_cast<std::size_t>(address.back() - '0') : kNone;
}

void ClusterOfWorlds::kill(std::size_t at, bool is_power_cut) {
  if (is_power_cut)
    world(at).power_cut();
  else
    world(at).kill();
  nodes_[at]->is_stopped = false;
  nodes_[at]->session = nullptr;
  nodes_[at]->log = nullptr;
}

void ClusterOfWorlds::stop(std::size_t at) {
  nodes_[at]->is_stopped = true;
  session(at).stop();
}

void ClusterOfWorlds::resume(std::size_t at) {
  nodes_[at]->is_stopped = false;
  session(at).resume();
}

void ClusterOfWorlds::pass(std::int64_t ms) {
  for (std::int64_t now = 0; now < ms; ++now) {
    etcd_.advance(1'000);
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      // Of a stopped one the clocks alone go on.
      if (!is_up(at)) {
        world(at).clock().advance(1'000);
        continue;
      }
      world(at).network().turn_again();
      world(at).advance(DurationMs{1});
    }
  }
}

std::size_t ClusterOfWorlds::owner() {
  for (std::size_t at = 0; at < nodes_.size(); ++at)
    if (is_up(at) && hosted(at).serves) return at;
  return kNone;
}

std::size_t ClusterOfWorlds::wait_for_owner(std::int64_t ms_max) {
  for (std::int64_t ms = 0; ms < ms_max && owner() == kNone; ++ms) pass(1);
  return owner();
}

}  // namespace fastjournal::sim
