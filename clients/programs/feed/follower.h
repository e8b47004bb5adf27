// Follows a table of a daemon: its change feed by UDP, missing records over a connection, and all of it applied to a
// replica (clients/programs/feed/replica/replica.h). Uses the reactor's datagram socket, not its loop: only one place joins multicast groups.
//
//   auto opened = Follower::open({.connection = {.server = "127.0.0.1:4050"}, .table = "pages"});
//   opened.value()->catch_up();                        // a snapshot, and what came since
//   while (opened.value()->wait(kForever).ok()) ...    // as it changes
//
// Belongs to one thread; nothing happens between calls.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/programs/feed/replica/replica.h"
#include "engine/types.h"
#include "platform/os/random.h"
#include "platform/reactor/datagram_socket.h"

namespace fastjournal::client {

struct FollowOptions {
  Options connection{};
  std::string table{};
  std::string address{};     // of the feed; empty: the destination stated by the daemon
  std::string interface {};  // IPv4 address of the network card for joining a group; empty: the system chooses
  std::string plugins{};     // folder of the table types
};

class Follower {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Follower>> open(FollowOptions options);

  // To be called before catch_up; the function is called for every applied record.
  void on_record(replica::Replica::OnRecord call) { replica_.on_record(std::move(call)); }
  // Returns when no record is known to be missing, and the daemon was asked once.
  [[nodiscard]] Status catch_up();
  // Waits for a datagram, for `limit`, or for `wake_fd` (if any) to be readable; then fetches missing records.
  [[nodiscard]] Status wait(Milliseconds limit, int wake_fd = -1);

  [[nodiscard]] replica::Replica const& replica() const { return replica_; }
  // The address that receives datagrams.
  [[nodiscard]] std::string const& address() const { return socket_.text(); }

 private:
  Follower(FollowOptions options, engine::TableTypes types, std::unique_ptr<Connection> connection)
      : options_(std::move(options)),
        types_(std::move(types)),
        connection_(std::move(connection)),
        replica_(options_.table, types_, os::random_bits()) {}
  // One request and its answer; false: there is no request.
  [[nodiscard]] Result<bool> ask();
  [[nodiscard]] Status open_socket();
  bool hear();

  FollowOptions options_;
  engine::TableTypes types_;
  std::unique_ptr<Connection> connection_;
  replica::Replica replica_;
  reactor::DatagramSocket socket_;
  bool listens_{false};
};

}  // namespace fastjournal::client
