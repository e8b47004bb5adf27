// One random life of a daemon in the simulator. Clients insert, lease, finish, release, fail, listen in every mode and
// lose their connections, while the power is cut, the process is killed, the disk fails, the computer sleeps, and its
// clock is set forward and back, also while the daemon is down. Everything is drawn from one seed. All answers to
// clients are recorded (client_oracle.h) and checked:
//
//   - a row whose INSERT was acknowledged is there until somebody ended it;
//   - a row whose DONE or DELETE was acknowledged never comes back;
//   - no row is handed out before the lease of its last holder is over, unless a power cut took the lease, which is
//     written but not synced;
//   - a step of the clock or a sleep does not shorten a lease; time never goes back, except at a start that accepts the
//     clock as it is; a start whose clock is too far behind is refused;
//   - lease epochs of a row only increase;
//   - in every fifth life the table has no row-key: every INSERT makes a new row;
//   - a listener gets what its LISTEN says: rows within its credit, every new row that is due, or a wake when it is
//     idle; while a row is due, no listener has credit left, and somebody was woken;
//   - in every other life wakes are also sent as messages: none while the table is paused, and again while a row is due
//     that nobody takes;
//   - a follower of the table's feed reaches the same digest with lost, duplicated and reordered datagrams;
//   - clients that send endless frames, never read, or send values that no answer can repeat delay no others, get
//     nothing carried out, and stay within their share of memory;
//   - digest(live) == digest(replayed) after every turn that is checked;
//   - after a failed write or sync nothing more is answered, and everything answered before holds;
//   - 100 ms after the log's folder was moved away nothing is answered any more, and everything is there when it is put
//     back;
//   - on a full disk only additions are refused; DONE and DELETE are not;
//   - a table that is not kept does all of this while the daemon lives, also with a full or failing disk; each start
//     finds it empty, and no row number is used again;
//   - a connection whose first line is no message is closed, and nothing it sent is carried out;
//   - a silent connection is closed after 30 s; too many connections never lock the administrator out;
//   - no command is carried out without the right of its listener;
//   - bits that rot in data that nobody needs do no harm; in half of the lives the log is scrubbed: rotten bits in
//     needed data are found and repaired while the daemon goes on, nothing intact is reported as damaged, and a start
//     before the repair refuses or finds everything;
//   - a write that went elsewhere, or nowhere, is noticed by the next start, or did no harm (at the end of a life).
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::sim {

struct PlayResult {
  std::string wrong;  // empty, or the step and what was expected
  std::uint64_t steps{0};
  std::uint64_t crashes{0};
  std::uint64_t acknowledged{0};
  std::uint64_t looks{0};  // comparisons with a replay
  std::uint64_t wakes{0};  // wake messages
  std::uint64_t failed_calls{0};
  std::uint64_t full_disks{0};
  std::uint64_t lost_folders{0};
  std::uint64_t rotten_bits{0};
  std::uint64_t mended{0};  // times that needed data was damaged, found and written again
  std::uint64_t strayed_writes{0};
  std::uint64_t refused_starts{0};  // because of a damaged log
  std::uint64_t clock_steps{0};     // forward and back
  std::uint64_t sleeps{0};
  std::uint64_t refused_clocks{0};  // starts refused because of the clock
  std::uint64_t accepted_clocks{0};
};

// `lying_disk`: syncs return ok and do nothing, so that a promise must be found broken: a test of this test.
[[nodiscard]] PlayResult play(std::uint64_t seed, std::uint64_t steps, bool lying_disk = false);

}  // namespace fastjournal::sim
