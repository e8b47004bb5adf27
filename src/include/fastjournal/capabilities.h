// The optional abilities of a table type beyond Table (table.h), one interface each. A type implements those that fit
// it and names them in Table::capabilities. The rules of table.h hold here too: no clock, no I/O, no chance, no
// exception. Const members change nothing; the records they append are applied at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fastjournal/export.h"
#include "fastjournal/table.h"

namespace fastjournal {

// The passing of time changes it: rows become due, expire, time out.
class Timed {
 public:
  // The earliest date with work for advance or decide_timer; TimeMs::max() if there is none. May be early, never late.
  [[nodiscard]] virtual TimeMs next_due() const = 0;
  // Brings derived state to `now`: rows that have become due enter the order. Called before every decide. Bounded: at
  // most `budget` rows per call; true if more remain.
  virtual bool advance(TimeMs now, std::size_t budget, TableObserver& observer) = 0;
  // Ended leases, expired rows: appends effect records for at most one step. True if more remain once these are
  // applied.
  virtual bool decide_timer(Decision& decision) const = 0;
  // At a start, before Holder::decide_recovered. The administrator has confirmed that the clock was ahead, and with it
  // `from`, the last date of the log; decision.now is right. Past dates (arrivals, last uses) later than decision.now
  // are read as decision.now from here on. Leases end earlier by the difference. Future dates (process dates,
  // expirations) stay. One step, with one record that states only this; apply makes the changes. A replay contains the
  // old dates too.
  virtual void decide_clock_accepted(TimeMs from, Decision& decision) const = 0;

 protected:
  ~Timed() = default;
};

// Connections hold leases in it.
class Holder {
 public:
  // The connection is gone: its leases are given back after the grace. Same contract as Timed::decide_timer.
  virtual bool decide_connection_closed(ConnectionId connection, Decision& decision) const = 0;
  // After recovery, called until it returns false: extends leases to at least the grace.
  virtual bool decide_recovered(Decision& decision) const = 0;
  // Time passed that no worker could use: the wall clock was set forward, or the computer slept. Leases end later by
  // that time. Called until it returns false, before anything else sees the new `now`; otherwise as decide_recovered.
  // The cursor is Decision::carry, which is preserved from call to call here (zero at the first).
  virtual bool decide_time_lost(DurationMs lost, Decision& decision) const = 0;

 protected:
  ~Holder() = default;
};

// Clients can wait in it: LISTEN. A topic is the object of waiting; the empty topic is any.
class Topics {
 public:
  // Ok, or the reason why this topic cannot be waited for. Never called for the empty topic.
  [[nodiscard]] virtual Status check_topic(std::string_view topic) const = 0;
  // The topic of an existing object; empty if it has none.
  [[nodiscard]] virtual std::string_view topic_of(ObjectId object) const = 0;
  // Due objects (held back or not) with ids above `after`, in order of id. Looks at no more than `work_units` objects,
  // adds the due ones to `found`, and returns the id to continue from; none: the end was reached.
  [[nodiscard]] virtual ObjectId find_available(std::string_view topic, ObjectId after, std::uint32_t work_units,
                                                std::vector<ObjectId>& found) const = 0;
  // Adds an object's description for a listener (id, key, date) to the current message. False: the object is gone.
  [[nodiscard]] virtual bool announce(ObjectId object, Answer& answer) const = 0;

 protected:
  ~Topics() = default;
};

// Topics whose objects are work: a command hands each out to one worker at a time.
class Work : public Topics {
 public:
  // Number of objects that a NEXT of this topic (empty: of any) would find at this moment.
  [[nodiscard]] virtual std::uint64_t available(std::string_view topic) const = 0;

 protected:
  ~Work() = default;
};

// Its objects have the columns declared by the table.
class Columns {
 public:
  // Called before any record written with this schema.
  virtual void add_schema(Schema const& schema) = 0;

 protected:
  ~Columns() = default;
};

// Clients can watch its values by their keys: LISTEN, or commands that set Decision::watch. Each watcher is told of the
// newest state, whatever number of changes there was in between.
class Watched {
 public:
  // The topic that the parameters of a LISTEN or UNLISTEN name; not ok: the reason why they name none.
  [[nodiscard]] virtual Status read_watch(Message const& message, WatchRequest& request) const = 0;
  // Adds the parameters that name it to the current message.
  virtual void name_watch(WatchRequest const& request, Answer& answer) const = 0;
  // Adds to the current message what is under this key now, or that nothing is there.
  virtual void tell_state(std::string_view key, TimeMs now, Answer& answer) const = 0;

 protected:
  ~Watched() = default;
};

// Values of a command that are to be stored outside the log before it is decided.
struct StoreRequest {
  struct Piece {
    std::size_t param{0};      // number of the parameter in the message
    std::string_view bytes{};  // as they are to be stored: of the message, or of `kept`
    bool is_text{false};
  };
  std::vector<Piece> pieces;
  std::deque<std::string> kept;  // bytes that the message spells otherwise (base64)
  bool may_carry{true};          // small values: the record carries them as well (Value::bytes)
  bool must{true};               // false: where its sender cannot wait, the command is decided as it is
};

// A file that a table names itself (ManagesFiles::list_files).
struct FileRequest {
  std::uint32_t number{0};  // 0: none, and the link is not to be there
  std::string_view link{};  // a symbolic link of this name in the folder leads to it; empty: none. Borrowed
};

// Bytes that are to be copied to the table's new file. `key`: the table's own, to find the object again.
struct CopyRequest {
  std::array<std::uint64_t, 2> key{};
  Extent from{};
};
struct Moved {
  std::array<std::uint64_t, 2> key{};
  Extent from{};
  Extent to{};
};

// Some of its values are outside the log, in files of the table. It names them by their extents in its records, and tells
// of each once when it begins to be named and once when it ends (TableObserver::stored, freed). It never says where bytes
// go: it is told.
class Stores {
 public:
  // Whether the table, as it is declared, can be in a log without files beside it: one on other computers. Not ok: why
  // not, and what to change. If it can, none of the following is called, or it is called in vain.
  [[nodiscard]] virtual Status can_do_without() const { return {}; }
  // The values of this command that are to be stored first; none: decide gets the command as it is. Later, decide gets
  // it with these values as Value::outside. Not ok: the reason why it is refused, before a byte is stored. The same
  // command with values that are outside already requests nothing.
  [[nodiscard]] virtual Status request_store(Command const& command, TimeMs now, StoreRequest& request) const {
    static_cast<void>(command);
    static_cast<void>(now);
    static_cast<void>(request);
    return {};
  }
  // The same for a command whose value follows piece by piece (Protocol::Kind::begin): the largest size that is
  // accepted. Not ok: it is refused. `bytes`: its size; UINT64_MAX: not known yet.
  [[nodiscard]] virtual Result<std::uint64_t> accept_content(Command const& command, TimeMs now,
                                                             std::uint64_t bytes) const {
    static_cast<void>(now);
    static_cast<void>(bytes);
    return Status{Code::not_supported, std::string{command.message->command} + " takes no content"};
  }
  // Extents of objects behind the cursor (the table's own; 0: from the first one), added to `found`: each of them once,
  // if it stays. Looks at no more than `work_units` objects; returns where to go on, 0: the end was reached.
  [[nodiscard]] virtual std::uint64_t list_extents(std::uint64_t cursor, std::uint32_t work_units,
                                                   std::vector<Extent>& found) const = 0;

 protected:
  ~Stores() = default;
};

// Moves values of its own out of memory, by no command, and reads them again. Of types with Stores.
class Offloads {
 public:
  // The value that a command wanted (Verdict::fetch), before it is decided again. The table keeps as much of it as it
  // likes, at least until the next call: the command may want the same again. `status` not ok: it cannot be read.
  virtual void fetched(Extent const& extent, std::string_view bytes, Status const& status) = 0;
  // Adds values that are to be stored; none: nothing now. Called at the end of a turn, while none is under way. True: it
  // is to be asked again in the next turn.
  [[nodiscard]] virtual bool request_offload(std::vector<std::string>& values) = 0;
  // They are there, durable. What has changed meanwhile is left out; what no record names is given back. True: it goes
  // on in another step; decision.carry is kept from step to step.
  [[nodiscard]] virtual bool decide_offloaded(std::span<StoredValue const> values, Decision& decision) const = 0;
  // Instead of that: they could not be stored, or there is no room for the record. It may request again.
  virtual void offload_failed(Status const& why) = 0;

 protected:
  ~Offloads() = default;
};

// Names the files of its values itself, and compacts them into new ones. Of types with Stores. For all others the owner
// makes files as it needs them, removes each once nothing in it is named, and gives the space of freed bytes back.
class ManagesFiles {
 public:
  // -- files --------------------------------------------------------------
  // The file for the bytes of commands.
  [[nodiscard]] virtual std::uint32_t file_for_new() const = 0;
  // Commands with new bytes wait: the files are about to be exchanged. For the last few copies only.
  [[nodiscard]] virtual bool holds_new() const = 0;
  // The files that must be there; all others of its folder are removed. Asked again when it has decided something.
  virtual void list_files(std::vector<FileRequest>& files) const = 0;
  // A link of list_files leads there now, 0: nowhere. Before a start is over, and whenever that has changed: between a
  // record that changes it and this call it leads elsewhere.
  virtual void link_leads_to(std::string_view link, std::uint32_t file) = 0;
  // True, once: readers that have files open by these links are to be disconnected, so that they open them again
  // (Protocol::reads_by_name).
  [[nodiscard]] virtual bool take_detached() = 0;
  // Where the last place in this file ends, also of values that are still to come, and how much before it was given back
  // and is a hole. Of the file for new values, whenever it has changed.
  virtual void file_has(std::uint32_t file, std::uint64_t end, std::uint64_t hollow) = 0;

  // -- moving -------------------------------------------------------------
  // The file that is being built, to be the one for new values; 0: none.
  [[nodiscard]] virtual std::uint32_t file_to_be() const = 0;
  // So many values of commands that were promised (Promises) are in the file for new values. The owner copies them into
  // file_to_be() as well, and says which file has a copy of each; 0: not all are copied. Before that the files are not to
  // be exchanged, as a command that is kept is told the place in the file for new values. Whenever it has changed.
  virtual void has_promised(std::uint64_t count, std::uint32_t copied_to) = 0;
  // Bytes that are to be copied into the file that is returned, at most about `bytes_max` of them. None: nothing is to be
  // moved now. Asked again once those of the last call were moved, or failed.
  [[nodiscard]] virtual std::uint32_t request_copies(std::uint64_t bytes_max,
                                                     std::vector<CopyRequest>& requests) const = 0;
  // They are there, durable. What has changed meanwhile is left out: its copy is given back. True: it goes on with the
  // rest (Decision::carry), in another step.
  [[nodiscard]] virtual bool decide_moved(std::span<Moved const> moved, Decision& decision) const = 0;
  // The copy failed (no space, damage): the table gives it up, or goes on without that object.
  virtual void decide_not_moved(std::span<CopyRequest const> requests, Status const& why, Decision& decision) const = 0;

 protected:
  ~ManagesFiles() = default;
};

// Its commands can be part of a transaction: those declared as `promised`. Such a command is decided when it comes, in
// Phase::promise, and again when the transaction ends well, in Phase::keep. In between nothing is recorded: what it
// holds is derived state, known by the transaction's number.
//
// A command that comes meanwhile, in Phase::now or with a promise of another transaction, and would change what is
// held, is refused with Code::in_transaction. Of time alone nothing that is held ends or goes away. Values that are
// outside (Stores) were stored before the promise, and stay until the transaction is over.
class Promises {
 public:
  virtual void hold(TransactionId transaction, Hold const& hold) = 0;
  // The transaction is over. Nothing to do if it holds nothing here.
  virtual void release(TransactionId transaction) = 0;
  // It is to be released without having been kept: what ends at a date that has come meanwhile gets another one. Called
  // until it returns false; left out without room in the log.
  virtual bool decide_given_up(TransactionId transaction, Decision& decision) const {
    static_cast<void>(transaction);
    static_cast<void>(decision);
    return false;
  }

 protected:
  ~Promises() = default;
};

// What it is made of can be mirrored in an SQL database: where, its options kConnectOption and kCatalogOption say.
class Exported {
 public:
  // Grows with each change of what export_all returns; asked at the end of each turn.
  [[nodiscard]] virtual std::uint64_t export_version() const = 0;
  [[nodiscard]] virtual TableExport export_all() const = 0;

 protected:
  ~Exported() = default;
};

// The position of a snapshot. Only the table knows the meaning of the numbers. All zero: nothing read yet.
struct SnapshotCursor {
  std::array<std::uint64_t, 3> at{};
  bool complete{false};

  bool operator==(SnapshotCursor const&) const = default;
};

// Can be followed over the network.
class Followed {
 public:
  // A snapshot is read in pages while the table changes. Each page states objects behind the cursor, as they are at
  // that moment, in records of at most `budget_bytes`, and moves the cursor. A page has at least one object, or none
  // after a long search without one.
  virtual void snapshot(SnapshotCursor& cursor, std::size_t budget_bytes, Records& records) const = 0;
  // For a table that has exactly the pages up to `cursor`: applies the parts of the record that concern them. The rest
  // is ignored, since a later page states it as it is by then. False: damage.
  [[nodiscard]] virtual bool apply_to_part(SnapshotCursor const& cursor, RecordView const& record,
                                           TableObserver& observer) noexcept = 0;

 protected:
  ~Followed() = default;
};

// A type has the capabilities that its class derives from.
template <typename TableClass>
[[nodiscard]] Capabilities capabilities_of(TableClass& table) {
  Capabilities out;
  auto const take = [&table]<typename Capability>(Capability*& at) {
    if constexpr (std::is_base_of_v<Capability, TableClass>) at = &table;
  };
  take(out.timed);
  take(out.holder);
  take(out.topics);
  take(out.work);
  take(out.columns);
  take(out.followed);
  take(out.watched);
  take(out.stores);
  take(out.offloads);
  take(out.manages_files);
  take(out.promises);
  take(out.exported);
  return out;
}

}  // namespace fastjournal
