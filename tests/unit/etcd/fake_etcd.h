// A cluster of etcd for tests of the client: one store, and any number of connections to it, each a GrpcServer. It does
// puts, transactions of puts, renewals and watches, at once and in order; what it should not do, or not answer, is said
// by the test. It remembers what was done, so that a test can hold answers against it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/etcd/grpc_server.h"

namespace fastjournal::test {

struct FakeEtcd {
  struct Event {
    std::int64_t revision{0};
    std::string key;
    std::string value;
  };

  // Looks at all calls that came whole, and does what they ask for.
  void serve(GrpcServer& server);
  // Somebody else puts keys, all at one revision.
  void put(std::vector<std::string> const& keys);
  // The watch on this connection ends with this reason.
  void cancel_watches(GrpcServer& server, std::string_view reason);
  // The connection is gone.
  void forget(GrpcServer& server) { watches_.erase(&server); }

  // -- what members say of themselves
  std::string version{"3.4.23"};
  std::uint64_t cluster{77};
  std::uint64_t leader{5};
  std::uint64_t term{1};
  bool is_learner{false};
  // -- users; an empty name: authentication is off
  std::string user;
  std::string password;
  std::string token;  // that is good now
  int authentications{0};
  // -- trouble
  std::set<std::string> held;        // paths of calls that are not looked at
  std::set<std::string> unanswered;  // paths of calls that are done, and not answered
  int status{0};                     // other than 0: calls of KV end so, undone
  std::string text;
  bool denies_watches{false};  // nobody has a right to any
  std::size_t part_events{0};  // events of a message; the others follow in more parts. 0: any number

  // -- what was done
  std::int64_t revision{1};
  std::int64_t compacted{0};
  std::vector<Event> history;
  std::map<std::string, int> puts;                                    // by key
  std::map<std::string, std::map<std::string, std::string>> headers;  // of the last call of each path

 private:
  struct Watch {
    std::int64_t next{0};
    std::string key;
    std::string end;
  };

  void serve_call(GrpcServer& server, std::int32_t stream, GrpcServer::Call& call);
  [[nodiscard]] bool may(GrpcServer& server, std::int32_t stream, GrpcServer::Call const& call) const;
  void begin_watch(GrpcServer& server, std::int32_t stream, GrpcServer::Call& call);
  void feed(GrpcServer& server);

  std::map<GrpcServer*, std::map<std::int32_t, Watch>> watches_;
};

}  // namespace fastjournal::test
