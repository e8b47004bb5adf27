// What a table type can do beyond what every table does (table.h), an interface for each: a type implements those that
// fit it and names them in Table::capabilities. The rules of table.h hold here too: no clock, no I/O, no chance, no
// exception; const members change nothing, and what they append is applied at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"

namespace fastjournal {

// Something happens in it because time passes: rows fall due, expire, time out.
class Timed {
 public:
  // The earliest date at which advance or decide_timer has something to do;
  // TimeMs::max() if there is none. May be early, never late.
  [[nodiscard]] virtual TimeMs next_due() const = 0;
  // Brings derived state to `now`: rows whose date has come enter the order.
  // Called before every decide. Bounded: at most `budget` rows a call; true if more remain.
  virtual bool advance(TimeMs now, std::size_t budget, TableObserver& observer) = 0;
  // Leases that ended, rows that expired: appends effect records for at most
  // a step's worth. True if more remain once these are applied.
  virtual bool decide_timer(Decision& decision) const = 0;
  // At a start, before Holder::decide_recovered: the administrator says that the clock, and with it `from`, the last
  // date of the log, was ahead; decision.now is right. Dates of what has been (arrivals, last uses) that are later count
  // as decision.now from here on, leases end earlier by as much; what is to come (process dates, expirations) stays.
  // One step, whose record says only that: apply changes what it concerns. A replay meets the dates of before, too.
  virtual void decide_clock_accepted(TimeMs from, Decision& decision) const = 0;

 protected:
  ~Timed() = default;
};

// Connections hold something of it: leases.
class Holder {
 public:
  // The connection is gone: what it held is given back after the grace. As Timed::decide_timer.
  virtual bool decide_connection_closed(ConnectionId connection, Decision& decision) const = 0;
  // Once after recovery, until false: leases get at least the grace.
  virtual bool decide_recovered(Decision& decision) const = 0;
  // Time passed by that nobody could use: the wall clock was set forward, or the computer slept. Leases end later by
  // as much. Called before anything else sees the new `now`, and until it returns false; as decide_recovered.
  // The cursor is the decision's carry, which here stays from call to call (zero at the first).
  virtual bool decide_time_lost(DurationMs lost, Decision& decision) const = 0;

 protected:
  ~Holder() = default;
};

// One can wait for something in it: LISTEN. A topic is what somebody waits for; the empty one is anything.
class Topics {
 public:
  // Ok, or why nobody can wait for this topic (never asked for the empty one).
  [[nodiscard]] virtual Status check_topic(std::string_view topic) const = 0;
  // The topic of an object that is there; empty if it has none.
  [[nodiscard]] virtual std::string_view topic_of(ObjectId object) const = 0;
  // Objects that are due (held back or not), by id from behind `after` on: looks at no more than `looks`
  // objects, adds what it finds to `found`, and returns where to go on; none: that was the last.
  [[nodiscard]] virtual ObjectId find_available(std::string_view topic, ObjectId after, std::uint32_t looks,
                                                std::vector<ObjectId>& found) const = 0;
  // Adds what a listener is told of an object (id, key, date) to the message begun. False: it is gone.
  [[nodiscard]] virtual bool announce(ObjectId object, Answer& answer) const = 0;

 protected:
  ~Topics() = default;
};

// What one waits for is work that a command hands out, to one at a time.
class Work : public Topics {
 public:
  // Objects that a NEXT (of this topic; empty: of any) would find at this moment.
  [[nodiscard]] virtual std::uint64_t available(std::string_view topic) const = 0;

 protected:
  ~Work() = default;
};

// Its objects have the columns that the table declares.
class Columns {
 public:
  // Objects may be written with these from here on; called before any record that needs them.
  virtual void add_schema(Schema const& schema) = 0;

 protected:
  ~Columns() = default;
};

// How far a snapshot came; what the numbers mean is the table's own business. All zero: nothing was read.
struct SnapshotCursor {
  std::array<std::uint64_t, 3> at{};
  bool complete{false};

  bool operator==(SnapshotCursor const&) const = default;
};

// It can be followed over the network.
class Followed {
 public:
  // A snapshot is read in pages while the table goes on changing. Each page restates, as they are at that
  // moment, objects from behind the cursor on, records of at most `budget_bytes` (but one object at least, or
  // none where it looked long and found none), and moves the cursor.
  virtual void snapshot(SnapshotCursor& cursor, std::size_t budget_bytes, Records& records) const = 0;
  // Of a table that has the pages up to `cursor` and no more: does what the record says about them, and passes
  // over the rest, which a later page states as it is then. False: damage.
  [[nodiscard]] virtual bool apply_to_part(SnapshotCursor const& cursor, RecordView const& record,
                                           TableObserver& observer) noexcept = 0;

 protected:
  ~Followed() = default;
};

}  // namespace fastjournal
