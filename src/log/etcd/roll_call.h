// Which nodes share the log, how far each of them is, and which tables it declares: every node says so under keys on its
// lease, and reads what the others say. The list of a node's tables is read where its digest is another one than here.
//
// Owned by EtcdLog; lives on its thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "log/etcd/client/cluster.h"
#include "log/etcd/names.h"
#include "log/shared_log.h"

namespace fastjournal::log::etcd {

namespace api = fastjournal::etcd;

class RollCall {
 public:
  static constexpr std::int64_t kEveryUs = 1'000'000;

  RollCall(api::Cluster& cluster, Names const& names, Node self, std::int64_t timeout_us)
      : cluster_(cluster), names_(names), self_(std::move(self)), timeout_us_(timeout_us) {}

  // By name.
  void declare(std::vector<DeclaredTable> tables);
  // `lease`: of this node; 0: it has none now, and only reads.
  void tick(std::int64_t now_us, std::int64_t lease, Lsn applied);
  // False: it is none of its requests.
  [[nodiscard]] bool take(api::Answer const& answer);
  [[nodiscard]] std::int64_t next_us() const { return asking_ != 0 ? INT64_MAX : next_us_; }
  [[nodiscard]] std::vector<Node> const& all() const { return all_; }
  // How many of the others are further than this one is, as far as is known.
  [[nodiscard]] std::size_t ahead_of(Lsn applied) const;

 private:
  // Where what another node declares differs, as it was read when its digest was this. It is told until it is read again.
  struct Declared {
    std::uint64_t digest{0};
    std::string differs;
  };
  void take_node(api::KeyValue const& pair);
  [[nodiscard]] bool differs(Node const& node) const;

  api::Cluster& cluster_;
  Names const& names_;
  Node self_;
  std::int64_t timeout_us_;
  std::int64_t next_us_{0};
  std::int64_t lease_{0};  // that of the key
  api::RequestId asking_{0};
  std::vector<Node> all_;
  std::vector<DeclaredTable> tables_;
  std::map<std::string, Declared> others_;
  std::vector<std::string> asked_;  // nodes whose lists are asked for
};

}  // namespace fastjournal::log::etcd
