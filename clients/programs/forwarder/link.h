// The way of the forwarder's rows: connections to all daemons that were named. A row goes to the first of them that is
// there and has the row's table, or to the node that another one names as its owner (clients/spool/core/routes.h). To a node that was
// not named a connection is made once it is told.
#pragma once

#include <poll.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "clients/programs/forwarder/line.h"
#include "clients/spool/core/forwarding.h"
#include "clients/spool/core/routes.h"

namespace fastjournal::forwarder {

class DaemonLink final : public spool::Link {
 public:
  // `lines`: one for each daemon, at least one, the best first. Nodes that are told later are connected to as the first
  // one is. Events as of a Line; the calls come from within turn().
  DaemonLink(std::vector<LineOptions> lines, Line::Events events);
  ~DaemonLink() override;
  DaemonLink(DaemonLink const&) = delete;
  DaemonLink& operator=(DaemonLink const&) = delete;

  // A daemon is there, and whether the better ones are is known, or was not for 2 s.
  [[nodiscard]] bool is_up() const override;
  void send(Message const& insert, std::string_view body, std::uint64_t number) override;

  void turn(Moment now);
  void flush();
  void hurry(Moment now);
  void add_polled(std::vector<pollfd>& to) const;
  [[nodiscard]] Moment next_date() const;
  [[nodiscard]] std::deque<Line> const& lines() const { return lines_; }

 private:
  void add_line(LineOptions options);
  void answered(std::size_t line, std::uint64_t number, Status const& answer);

  Line::Events const events_;
  LineOptions const as_first_;
  int const done_fd_;
  Moment const started_{std::chrono::steady_clock::now()};
  bool is_up_{false};
  std::deque<Line> lines_;
  spool::Routes routes_;
  // Of what is in flight: a table, and the number of its first row in a row. Costs nothing where all are of one.
  std::deque<std::pair<std::uint64_t, std::string>> runs_;
};

}  // namespace fastjournal::forwarder
