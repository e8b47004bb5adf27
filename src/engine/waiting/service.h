// Serves the waiting clients of tables: rows for waiting commands and deliver listeners, wakes, wake messages and
// announcements, at the end of a turn. All of it is bounded: the next turn continues. Owned by the engine, which says
// which tables are to be served; who is next, subscriptions.h knows.
//
// `deliver` runs the type's own taking command for its listener, as for a waiting command: one path for all leases.
// Credit is counted by the ids that lease_began reported meanwhile, so that any end of a lease returns it. A command that
// leases nothing uses no credit: the credit is then the most of one push, and the unsent output of the connection the limit.
#pragma once

#include <cstdint>

#include "engine/waiting/announcer.h"
#include "engine/waiting/served_table.h"
#include "engine/waiting/work_units.h"

namespace fastjournal::work {

class Service {
 public:
  Service(ReplySink& replies, WorkUnits& work_units) : replies_(replies), announcer_(replies, work_units) {}
  Service(Service const&) = delete;
  Service& operator=(Service const&) = delete;

  // A second LISTEN of the same connection, table and topic changes its mode and credit.
  [[nodiscard]] static Status listen(ServedTable const& table, ConnectionId connection, ListenRequest const& request);
  [[nodiscard]] static Status unlisten(ServedTable const& table, ConnectionId connection, std::string_view topic);
  // A command whose verdict was `wait` becomes a waiting command; not ok: it cannot wait.
  [[nodiscard]] static Status wait(ServedTable const& table, Command const& command, Decided const& decided,
                                   TimeMs now);

  // True: more is left for the next turn.
  [[nodiscard]] bool serve(ServedTable const& table, Runner& runner, TimeMs now);
  // The table is dropped, or another node decides for it: its waiting clients are told why.
  void end(ServedTable const& table, Status const& why);

 private:
  [[nodiscard]] bool answer_overdue(ServedTable const& table, Runner& runner, TimeMs now);
  [[nodiscard]] bool answer_waiting(ServedTable const& table, WaitingCommand const& waiting, Runner& runner, bool over);
  [[nodiscard]] bool hand_out(ServedTable const& table, Runner& runner);
  enum class Delivered : std::uint8_t { some, nothing, refused };
  [[nodiscard]] Delivered deliver(ServedTable const& table, Line::Turn const& turn, Runner& runner);
  void end_refused(ServedTable const& table, Listener const& listener, Status const& why);
  void wake_listeners(ServedTable const& table, TimeMs now);
  [[nodiscard]] bool tell_wakes(ServedTable const& table, TimeMs now);
  [[nodiscard]] bool tell_watchers(ServedTable const& table, TimeMs now);
  void tell_change(ServedTable const& table, TimeMs now);

  ReplySink& replies_;
  Announcer announcer_;
  Answer pushed_;
};

}  // namespace fastjournal::work
