// Options of a log on etcd, of files or of a test; its parts share them.
#pragma once

#include <cstdint>
#include <string>

#include "log/etcd/appender.h"

namespace fastjournal::log::etcd {

struct EtcdLogOptions {
  std::string name;
  std::string prefix;             // of its keys
  std::string node;               // of this daemon: told to others
  std::string address;            // where its clients reach it
  std::uint64_t new_store_id{0};  // if the log is not there so far
  bool is_candidate{true};
  std::int64_t ttl_s{2};
  std::int64_t margin_us{200'000};  // of the lease, for clocks that are not equally fast
  std::int64_t turn_us{30'000};     // it lets each node that is further go first for so long
  std::int64_t request_timeout_us{1'000'000};
  std::uint64_t waiting_bytes_max{8U << 20U};  // not durable: then nothing more is taken
  std::uint64_t segment_bytes{1U << 20U};      // what is removed at once
  std::uint64_t bytes_max{256U << 20U};        // of all entries
  std::uint64_t quota_bytes{2ULL << 30U};      // of etcd, for all that is in it
  std::int64_t compact_every_us{10'000'000};
  AppendOptions append{};
};

}  // namespace fastjournal::log::etcd
