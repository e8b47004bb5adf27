// Brings the rows of a folder to a daemon, each exactly once, whatever is killed meanwhile. It decides; Folder and Link do.
// Its owner calls run() when something may have changed, and at next_date() at the latest.
//
// A row's identity is the name that was drawn for its file, and its ordinal there. The daemon remembers both, so that a row
// that is sent again counts once. Ordinals never shift: a file is synced up to what is about to be sent, and they are
// counted on from the last place that was kept durably. What is settled there is erased.
//
// A row that the daemon does not take now, such as that of a table which is not declared so far, would hold up everything
// behind it. Its table is held: its rows go to a file of their own, in order and with their identities, and from there
// to the daemon later. The rows of other tables go on. At most 1,000 tables are held; a row of one more is set aside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "spool/forwarding.h"

namespace fastjournal::spool {

struct ForwarderRules {
  std::int64_t period_s{3600};  // as of the producers
  std::uint64_t file_bytes_max{std::uint64_t{64} << 20U};
  std::size_t in_flight_max{4096};     // far below the 65,536 numbers that a daemon remembers
  std::int64_t keep_every_ms{50};      // progress is kept durably so often, while rows are settled
  std::int64_t retry_first_ms{1'000};  // of a table that is held, or a daemon that takes nothing
  std::int64_t retry_max_ms{60'000};
};

struct ForwarderFigures {
  std::uint64_t sent{0};           // again counted again
  std::uint64_t confirmed{0};      // rows that are durable at the daemon
  std::uint64_t held{0};           // rows that were put into the file of a held table
  std::uint64_t set_aside{0};      // rows that no daemon will take
  std::uint64_t damaged_bytes{0};  // halves of rows, and damage, that were passed over
  std::uint64_t failures{0};       // of the folder
  std::uint64_t files{0};          // now
  std::uint64_t tables_held{0};    // now
  std::uint64_t in_flight{0};      // now
};

class Forwarder {
 public:
  // draw_name: 128 bits of chance, as a name of a client.
  Forwarder(Folder& folder, Link& link, ForwarderRules rules, std::function<std::string()> draw_name);

  // What was kept before. The first call.
  [[nodiscard]] Status start();
  // All that can be done now.
  void run(TimeMs now);
  // The latest date of the next run, if nothing happens before.
  [[nodiscard]] TimeMs next_date() const { return next_date_; }

  // The daemon's answer to what was sent with this number: ok for INSERTED.
  void answered(std::uint64_t number, Status const& answer, TimeMs now);
  // The connection is lost: what has no answer is sent again.
  void lost();

  [[nodiscard]] ForwarderFigures figures() const;
  // The last failure of the folder, or refusal; for people.
  [[nodiscard]] Status const& problem() const { return problem_; }

 private:
  // A row that was read, from then until everything before it is settled.
  struct Taken {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t ordinal;
    bool is_settled;
  };
  struct Source {
    Listed file;
    Progress kept;
    bool is_named{false};      // the progress, with the name, is durable
    bool is_left{false};       // no producer has the file
    std::uint64_t read_to{0};  // what is before was taken
    std::uint64_t ordinal{1};  // of the next row
    std::string bytes{};       // of the file, synced
    std::uint64_t bytes_at{0};
    std::deque<Taken> taken{};
  };
  struct Held {
    std::uint64_t read_to{0};
    std::uint64_t settled_to{0};
    bool is_at_end{false};  // all of its rows were taken
    std::deque<Taken> taken{};
    bool is_open{false};  // the last one was accepted: more than one may be in flight
    std::int64_t retry_ms{0};
    TimeMs next_try{};
  };
  // What is in flight: a row of a source, or of a held table.
  struct Flight {
    Instance file{};
    std::string table;
    bool is_held{false};
    std::uint64_t begin{0};
  };

  void look();
  void end_old_files(TimeMs now);
  void take(Source& source, TimeMs now);
  [[nodiscard]] bool read_more(Source& source);
  void take_one(Source& source, std::string_view record, std::string_view body, Taken taken, TimeMs now);
  void take_held(std::string const& table, Held& held, TimeMs now);
  void keep(TimeMs now);
  void remove_finished();
  void hold(std::string const& table, Message const& message, Taken& taken, TimeMs now);
  void refuse(Flight const& flight, Status const& answer, TimeMs now);
  void pause(TimeMs now);
  [[nodiscard]] Taken* taken_of(Flight const& flight);
  [[nodiscard]] bool failed(Status status);
  void fly(Message const& message, Flight flight);

  Folder& folder_;
  Link& link_;
  ForwarderRules const rules_;
  std::function<std::string()> const draw_name_;
  std::map<Instance, Source> sources_;
  std::map<Instance, Progress> kept_;  // of files that were not listed so far
  std::map<std::string, Held> held_;
  std::map<std::uint64_t, Flight> flights_;
  std::uint64_t next_number_{1};
  std::int64_t pause_ms_{0};
  TimeMs paused_until_{};
  TimeMs kept_at_{};
  TimeMs next_date_{};
  ForwarderFigures figures_;
  Status problem_;
};

}  // namespace fastjournal::spool
