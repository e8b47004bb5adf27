// fastjournal-etcd.so: logs on etcd.
#include <utility>

#include "daemon/parts.h"
#include "log/etcd/client/client.h"
#include "log/etcd/etcd_log.h"
#include "platform/os/part.h"

namespace fastjournal::daemon {
namespace {

class LogOnEtcd final : public SharedLog {
 public:
  LogOnEtcd(env::Network& network, etcd::ClientOptions client, log::etcd::EtcdLogOptions options,
            log::Following& following)
      : client_(network, std::move(client)), log_(client_, std::move(options), following) {}

  env::Dialer& client() override { return client_; }
  log::SharedLog& log() override { return log_; }

 private:
  etcd::Client client_;
  log::etcd::EtcdLog log_;
};

// Decided and not durable: a row of the largest size, and its names, twice.
constexpr std::uint64_t kWaitingBytesMax = 64U << 20U;

// Nothing of it has to be there now: its tables serve when it comes.
std::unique_ptr<SharedLog> open(env::Network& network, config::ClusterDeclaration const& cluster,
                                config::LogDeclaration const& declared, EtcdSecrets const& secrets,
                                log::Following& following) {
  etcd::ClientOptions client;
  client.endpoints = cluster.etcd.addresses;
  client.tls = cluster.etcd.tls;
  client.certificates = secrets.certificates;
  client.server_name = cluster.server_name;
  client.user = cluster.user;
  client.password = secrets.password;
  log::etcd::EtcdLogOptions options;
  options.name = declared.name;
  options.prefix = cluster.prefix + declared.name + "/";
  options.node = cluster.node;
  options.address = cluster.address;
  options.new_store_id = secrets.new_store_id;
  options.ttl_s = declared.lease_ms / 1000;
  options.waiting_bytes_max = kWaitingBytesMax;
  options.bytes_max = declared.bytes_max;
  options.quota_bytes = cluster.quota_bytes;
  return std::make_unique<LogOnEtcd>(network, std::move(client), std::move(options), following);
}

constexpr EtcdPart kPart{.open = open};

}  // namespace
}  // namespace fastjournal::daemon

FJ_PART(FJ_BUILD, fastjournal::daemon::kPart)
