// A log on etcd, and the client by which this daemon reaches it.
#pragma once

#include <utility>

#include "env/network.h"
#include "etcd/client.h"
#include "log/etcd/etcd_log.h"
#include "log/shared_log.h"

namespace fastjournal::daemon {

struct SharedLog {
  SharedLog(env::Network& network, etcd::ClientOptions of_client, log::etcd::EtcdLogOptions options,
            log::Following& following)
      : client(network, std::move(of_client)), log(client, std::move(options), following) {}

  etcd::Client client;
  log::etcd::EtcdLog log;
};

}  // namespace fastjournal::daemon
