// What several clients of a simulated etcd asked and were answered, what their watches told, and what was really
// decided: the record of a life, and the check that it could be etcd's.
//
// The check has a model of its own: pairs in a map, transactions applied to it one after the other. Every write that
// clients make puts a value that nobody else puts, so each revision names the request that made it.
//
//   once         Each revision is one request, or the end of one lease. No request makes two, and none that was refused
//                or `unavailable` makes any, except a put at the quota.
//   right        Each answer that is `done` is the model's at its revision: comparisons, pairs, counts.
//   in real time A request sent after an answer was taken is not before it in the order of revisions. So `done` answers
//                are linearizable; `unknown` requests are there or not, and not before they were sent.
//   watches      News are the decided revisions: all, once each, whole, in order, from where the watch began.
//   leases       A lease ends by a revocation, or not before its time to live has passed since the last answered
//                renewal was sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "log/etcd/client/cluster.h"

namespace fastjournal::sim {

struct History {
  struct Asked {
    etcd::Request request{};
    std::int64_t sent_us{0};
    std::int64_t floor{0};                 // the newest revision that anybody had been told when it was sent
    std::optional<etcd::Answer> answer{};  // nothing: its process is gone
    std::int64_t answered_us{0};
  };
  struct Decided {
    std::vector<etcd::WatchNews::Event> events{};
    std::int64_t at_us{0};
  };
  struct Watched {
    etcd::WatchWish wish{};
    std::vector<etcd::WatchNews> news{};
    bool is_whole{false};  // it has told everything by now
  };

  std::vector<Asked> asked{};
  std::vector<Decided> decided{};  // the first is revision 2
  std::vector<Watched> watched{};
  bool has_late_revocations{false};  // leases may end early

  [[nodiscard]] std::int64_t newest() const { return static_cast<std::int64_t>(decided.size()) + 1; }
};

struct HistoryCounts {
  std::size_t done{0};
  std::size_t unknown_and_done{0};
  std::size_t unknown_and_not_done{0};
  std::size_t leases_ended{0};
  std::size_t reads{0};
  std::size_t news{0};
};

// What is wrong, a line each; empty: nothing.
[[nodiscard]] std::string find_wrong(History const& history, HistoryCounts& counts);

}  // namespace fastjournal::sim
