// Brings the rows of a folder to a daemon, each exactly once, whatever is killed meanwhile. It decides; Folder and Link
// do. Its owner calls run() when something may have changed, and at next_date() at the latest.
//
// A row's identity is the name that was drawn for its file, and its ordinal there. The daemon remembers both, so that a
// row that is sent again counts once. Ordinals never shift: a file is synced up to what is about to be sent, and they
// are counted on from the last place that was kept durably. What is settled there is erased.
//
// A row that the daemon does not take now, such as that of a table which is not declared so far, would hold up
// everything behind it. Its table is held: its rows go to a file of their own, in order and with their identities, and
// from there to the daemon later. The rows of other tables go on. At most 1,000 tables are held; a row of one more is
// set aside.
//
// A row that is refused for good is set aside with its reason and identity, and later rows go on. An operator may move
// the file of such rows among the closing ones: what is found there is sent as new rows of that file (aside.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clients/spool/core/forwarding.h"
#include "clients/spool/core/lines.h"

namespace fastjournal::spool {

struct ForwarderRules {
  std::int64_t period_s{3600};  // as of the producers
  std::uint64_t file_bytes_max{std::uint64_t{64} << 20U};
  // Rows of a file, by their numbers, behind its progress that was kept. After an end of the forwarder all of them are
  // sent again, and a daemon remembers the last 65,536 numbers of a name: it takes none below them.
  std::size_t span_max{49'152};
  std::size_t in_flight_max{4096};                          // far below the 65,536 numbers that a daemon remembers
  std::size_t in_flight_bytes_max{std::size_t{32} << 20U};  // of rows; one row more
  std::int64_t keep_every_ms{50};                           // progress is kept durably so often, while rows are settled
  std::int64_t retry_first_ms{1'000};                       // of a table that is held, or a daemon that takes nothing
  std::int64_t retry_max_ms{60'000};
  std::string lines_command{};  // of files of a list system: the message whose parameters their lines are
};

struct ForwarderFigures {
  std::uint64_t sent{0};           // again counted again
  std::uint64_t confirmed{0};      // rows that are durable at the daemon
  std::uint64_t held{0};           // rows that were put into the file of a held table
  std::uint64_t set_aside{0};      // rows that no daemon will take
  std::uint64_t redated{0};        // rows sent again at once without a date that was too far ahead
  std::uint64_t damaged_bytes{0};  // halves of rows, and damage, that were passed over
  std::uint64_t failures{0};       // of the folder
  std::uint64_t files{0};          // now
  std::uint64_t tables_held{0};    // now
  std::uint64_t in_flight{0};      // now
  std::uint64_t waiting_bytes{0};  // now: of files, behind what is settled; half a row that somebody writes counts
};

struct HeldTable {
  std::string table;
  Status reason;  // of the last refusal; ok if it is held since before the start
  TimeMs since{};
  TimeMs next_try{};
};

class Forwarder {
 public:
  // draw_name: 128 bits of chance, as a name of a client.
  Forwarder(Folder& folder, Link& link, ForwarderRules rules, std::function<std::string()> draw_name);

  // What was kept before. The first call.
  [[nodiscard]] Status start();
  // All that can be done now.
  // `is_changed` false: the folder was not written to since the last run, as far as is known; the files are looked at
  // once a second all the same.
  void run(TimeMs now, bool is_changed = true);
  // The latest date of the next run, if nothing happens before.
  [[nodiscard]] TimeMs next_date() const { return next_date_; }

  // The daemon's answer to what was sent with this number: ok for INSERTED.
  void answered(std::uint64_t number, Status const& answer, TimeMs now);
  // The connection is lost: what has no answer is sent again.
  void lost();

  [[nodiscard]] ForwarderFigures figures() const;
  [[nodiscard]] std::vector<HeldTable> held() const;
  // More rows may be sent before an answer comes.
  [[nodiscard]] bool has_room() const;
  // At the end of the last run nothing was left to send, to be answered or to be kept, but held tables.
  [[nodiscard]] bool is_idle() const;
  // What kept the forwarder from going on in the last seconds: a failure of the folder, or a daemon that takes nothing.
  // For people.
  [[nodiscard]] Status const& problem() const { return problem_; }

 private:
  // A row that was read, from then until everything before it is settled.
  struct Taken {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t ordinal;
    bool is_settled;
    std::uint64_t client{0};  // of a held row: the hash of the name under which it is sent
  };
  struct Source {
    Listed file;
    Progress kept;
    std::optional<Seed> seed{};
    bool is_without_head{false};  // for good: it holds no rows
    std::uint64_t damaged_to{0};  // so much of it was counted as damaged: its head is, and rows follow
    bool is_named{false};         // the progress, with the name, is durable
    bool is_left{false};          // no producer has the file
    bool is_at_end{false};        // all whole rows were taken
    TimeMs next_try{};            // after a failure of the disk
    std::uint64_t read_to{0};     // what is before was taken
    std::uint64_t ordinal{1};     // of the next row
    std::string bytes{};          // of the file, synced
    std::uint64_t bytes_at{0};
    std::uint64_t synced_to{0};  // what is before is durable
    std::deque<Taken> taken{};
    std::size_t settled_first{0};       // of `taken`, from its front
    std::set<std::uint64_t> settled{};  // ordinals at or behind the next row's
  };
  struct Away {
    Progress progress{};
    bool was_there{false};  // since the start: rows of it may have been held, or set aside
  };
  struct Held {
    std::optional<Seed> seed{};
    std::uint64_t read_to{0};
    std::uint64_t erased_to{0};
    std::uint64_t aside_to{0};          // the end of the last row that was set aside
    std::set<std::uint64_t> settled{};  // beginnings of rows at or behind read_to
    bool is_at_end{false};              // all of its rows were taken
    std::deque<Taken> taken{};
    bool is_open{false};  // the last one was accepted: more than one may be in flight
    std::int64_t retry_ms{0};
    TimeMs next_try{};
    TimeMs since{};
    Status reason{};
    std::string pending{};  // records that are not in its file so far, and the rows that they are of
    std::vector<std::pair<Instance, std::uint64_t>> pending_rows{};
  };
  // What is in flight: a row of a source, or of a held table.
  struct Flight {
    Instance file{};
    std::string held{};  // the table; empty: of a source
    std::uint64_t begin{0};
    std::size_t bytes{0};
    bool is_open{true};  // no answer so far
  };

  enum class More : std::uint8_t { some, end, failed };

  void bound_dates(TimeMs now);
  void look();
  void end_old_files(TimeMs now);
  void read_head(Source& source);
  void take(Source& source, TimeMs now);
  [[nodiscard]] bool name_files();
  [[nodiscard]] More read_more(Source& source);
  [[nodiscard]] Found find(Source const& source, std::string_view bytes, std::size_t from, bool is_settled) const;
  [[nodiscard]] Status read_row(Source const& source, std::string_view body, Message& row, Unwrapped& out);
  [[nodiscard]] bool take_one(Source& source, std::string_view body, Taken taken, TimeMs now);
  void take_held(std::string const& table, Held& held, TimeMs now);
  void keep(TimeMs now);
  void remove_finished();
  void hold(std::string const& table, Message const& message, Instance const& file, Taken const& taken, TimeMs now);
  void write_held(TimeMs now);
  void forget_pending(Held& held);
  [[nodiscard]] Status recall();
  void mark_settled(Source& source);
  void refuse(Flight const& flight, Status const& answer, TimeMs now);
  [[nodiscard]] Status set_aside(Flight const& flight, Taken const& taken, Message& message, std::string_view body,
                                 Status const& why, TimeMs now);
  void send_without_date(Flight const& flight, Taken const& taken, Message& message, std::string const& table,
                         TimeMs now);
  [[nodiscard]] bool is_resent_too_early(Aside const& aside, std::string_view table) const;
  void go_back(Source& source);
  void go_back(Held& held);
  void pause(TimeMs now);
  [[nodiscard]] Taken* taken_of(Flight const& flight);
  [[nodiscard]] bool failed(Status status);
  [[nodiscard]] bool knows_seed(std::string const& table, Held& held);
  void fly(Message const& message, std::string_view body, Flight flight);
  void land(Flight& flight);
  void forget_flights();

  Folder& folder_;
  Link& link_;
  ForwarderRules const rules_;
  bool is_recall_due_{true};  // the files of held rows may have more than was written without a failure
  Message row_;               // that is taken; kept for its memory
  std::string frame_;         // of the line that was read last
  std::function<std::string()> const draw_name_;
  std::map<Instance, Source> sources_;
  std::map<Instance, Away> kept_;  // of files that are not listed
  std::map<std::string, Held> held_;
  Identities before_;           // what an earlier forwarder settled, of these
  std::deque<Flight> flights_;  // by their numbers; the first one is open
  std::uint64_t first_number_{1};
  std::size_t open_flights_{0};
  std::size_t flight_bytes_{0};
  std::size_t pending_bytes_{0};  // of all held tables
  std::int64_t pause_ms_{0};
  TimeMs paused_until_{};
  TimeMs kept_at_{};
  TimeMs next_date_{};
  ForwarderFigures figures_;
  Status problem_;
  TimeMs problem_at_{};
  TimeMs looked_at_{};
  bool is_look_due_{true};
  TimeMs now_{};
};

}  // namespace fastjournal::spool
