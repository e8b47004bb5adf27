// The implementation of Connection: one connection to home, and one to each node to which tables have moved. Its callers'
// side is in connection_body.cpp; waiting, losses and the ways of commands between the nodes are in connection_nodes.cpp.
//
// A command is on a link, or waits to be sent (InFlight::link). It waits if its table has moved and earlier commands of
// the table are not through, after an answer by which nothing was done, and after the loss of its link. send_waiting()
// sends what may go, in the order of the commands.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/in_flight.h"
#include "clients/cpp/link.h"
#include "clients/cpp/numbers.h"
#include "clients/cpp/routes.h"
#include "clients/cpp/socket.h"
#include "clients/cpp/subscriptions.h"

namespace fastjournal::client {

class Connection::Body {
 public:
  explicit Body(Options given);

  // Of the addresses of home, each once.
  Status open();
  Result<std::uint64_t> send(Message const& command, int wake_fd = -1);
  Result<Reply> call(Message const& command);
  Result<Reply> receive(std::uint64_t nr);
  void recycle(Reply reply);
  bool wait_answer(std::uint64_t nr, Milliseconds limit, int wake_fd);
  Status flush(Moment until);
  Result<Message> wait_push(Milliseconds limit, int wake_fd);
  void remember(Message const& subscription);
  void forget(Message const& subscription) { subscriptions_.erase(subscription); }
  [[nodiscard]] std::string address_of(std::string_view table);
  // Also false in a child of fork().
  [[nodiscard]] bool is_connected() const {
    return home_.is_open() && !subscriptions_.any_waits() && process_ == ::getpid();
  }
  [[nodiscard]] std::uint64_t connects() const { return home_connects_ + losses_; }

  // Nothing is sent twice now.
  [[nodiscard]] bool in_transaction() const { return begun_on_ != 0; }

  Options options;
  Numbers numbers;
  std::uint64_t pushes_dropped{0};

 private:
  // not_supported in another process than the one that made the connection: two would read each other's answers, and give
  // two commands the same number.
  [[nodiscard]] Status check_process() const;

  // Making and losing connections.
  [[nodiscard]] Milliseconds limit_of_connect(std::string const& address) const;
  void doubt(std::string const& address);
  Status connect(Link& link, std::string const& address, int wake_fd, Moment until);
  Status connect_home(int wake_fd, Moment until);
  Status reconnect(int wake_fd, Moment until);
  Link* reach(Route& route, int wake_fd, Moment until, Status& why);
  Status log_in(Link& link, int wake_fd, Moment until);
  void plan_retry();
  void lose(Link& link, Status const& why);
  void lose_commands(Link& link, bool for_good, Status const& how);
  void drop_closed();
  void drop_idle();

  // Waiting.
  Status step(Moment until, int wake_fd);
  [[nodiscard]] bool gives_up_silent() const;
  Moment give_up_silent();
  Moment give_up_if_silent(Link& link);
  bool wait(Moment until, int wake_fd);
  void serve(Link& link, Ready ready);
  void write_some(Link& link);
  bool read_some(Link& link);
  void take_messages(Link& link);
  void take_message(Link& link, Message message);
  void take_answer(Link& link, InFlight& one, Message message);
  void take_subscribed(Link& link, std::uint64_t nr, Message message, bool refused);
  void take_push(Link& link, Message message);
  void push(Message message);
  void settle_oldest(Link& link, Status const& how);
  void give_back(Link& link, CommandRule const& rule, Message const& message);
  void give_back_all(InFlight& one);

  // What waits to be sent.
  [[nodiscard]] Link* link_for(Message const& command, std::string_view table);
  bool hold_refused(Link& link, InFlight& one, Message const& answer);
  void ask_elsewhere(Link const& link, std::string_view table);
  Moment due_after(Link& link, std::string_view table, Message const& told, unsigned& pauses);
  bool follow_push(Link& link, Message const& push);
  Moment send_waiting(int wake_fd, Moment until);
  void send_subscriptions(int wake_fd, Moment until);
  void send_held(InFlight& one, Route* route, int wake_fd, Moment until);
  void look_again() { look_at_ = {}; }
  void look_at(Moment moment) { look_at_ = std::min(look_at_, moment); }

  Status encode(Message const& command, std::uint64_t nr, std::string& into);
  Status give_up(std::uint64_t nr);

  pid_t process_;
  std::minstd_rand chance_;
  std::vector<std::string> servers_;
  std::size_t server_{0};  // the one of home
  Link home_;
  std::vector<std::unique_ptr<Link>> nodes_;  // closed ones are dropped by the next step
  Routes routes_;
  std::map<std::string, Moment> doubted_;  // addresses that said nothing, and since when
  Subscriptions subscriptions_;
  std::vector<pollfd> polled_;  // of wait; kept for its memory
  std::uint64_t home_connects_{0};
  std::uint64_t losses_{0};  // of other nodes, and of tables that moved: what was of a connection is over
  std::uint64_t bytes_read_{0};
  InFlightTable in_flight_;
  std::size_t tickets_{0};  // entries of in_flight_ with a ticket
  std::uint64_t last_nr_{0};
  // The connection to home, by its number, on which BEGIN or XA_START was sent; 0: none, or it is over.
  std::uint64_t begun_on_{0};
  std::deque<Message> pushes_;
  std::optional<Status> login_;  // the answer to AUTH
  Params params_;                // of encode; kept for their memory
  // What was answered and received: a producer of many rows allocates nothing for each.
  std::vector<InFlightTable::node_type> spare_entries_;
  std::vector<std::vector<Message>> spare_replies_;
  std::vector<Message> spare_messages_;
  Status last_error_;        // of home
  Status refusal_;           // not_allowed, by one of the addresses of home since the last pause
  std::size_t attempts_{0};  // to reach home, since its last bytes
  Moment retry_at_{};
  Moment look_at_{Moment::max()};  // when send_waiting() has something to do; max: nothing waits, or only for an answer
};

}  // namespace fastjournal::client
