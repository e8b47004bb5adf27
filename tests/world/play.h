// One random life of a daemon in the simulator: clients insert, lease, finish,
// release, fail, listen in every mode and lose their connections while the power is cut, the process
// killed, the disk refuses, the computer sleeps, and its clock is set forward and back, also while it is down.
// Everything is drawn from one seed. What clients were told is kept in books (client_oracle.h) and held against the daemon:
//
//   - a row whose INSERT was acknowledged is there until somebody ended it;
//   - a row whose DONE or DELETE was acknowledged never comes back;
//   - no row is handed out before the lease of its last holder is over, unless
//     a power cut took the lease, which is written and not synced;
//   - time that a leap of the clock or a sleep took is not taken from a lease; time never goes back, but by a start
//     that accepts the clock as it is, and a start whose clock is too far behind is refused;
//   - lease epochs of a row only rise;
//   - in every fifth life the table has no row-key: every INSERT makes a row of its own;
//   - a listener gets what its LISTEN says: rows within its credit, every new row that is due, a wake when it is
//     idle; and while a row is due no listener has credit, and somebody was woken;
//   - in every other life wakes leave as messages too: none while the table is paused, and again while a row is due that
//     nobody takes;
//   - whoever follows the table by its feed, through loss, doubles and overtaking, comes to the same digest;
//   - clients that send frames without an end, never read or ask with what no answer can repeat keep nobody from any of
//     this, get nothing done, and stay within the memory that is theirs;
//   - digest(live) == digest(replayed) after every turn that is looked at;
//   - after a failed write or sync nothing more is answered, and what was stays so;
//   - once the log's folder was moved away nothing is answered after 100 ms, and everything is there when it is put back;
//   - on a full disk only what adds is refused; DONE and DELETE are not;
//   - a table that is not kept does all of this too while the daemon lives, with its disk full or failing; each start
//     finds it empty, and no number of its rows comes back;
//   - whoever begins with what is no message is turned away, and nothing that it says is done;
//   - whoever comes and says nothing is shown out after 30 s; a crowd never keeps the administrator out;
//   - nobody does what the rights of its listener do not allow;
//   - bits that rot where nothing is needed do no harm; in half of the lives the log is scrubbed: rotten bits of what is
//     needed are found and mended while the daemon goes on, nothing sound is taken for damaged, and a start
//     before that refuses, or everything is there;
//   - a write that landed elsewhere, or nowhere, is noticed by the next start, or did no harm (the end of a life).
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::sim {

struct PlayResult {
  std::string wrong;  // empty: nothing; else the step and what was expected
  std::uint64_t steps{0};
  std::uint64_t crashes{0};
  std::uint64_t acknowledged{0};
  std::uint64_t looks{0};  // comparisons with a replay
  std::uint64_t wakes{0};  // messages that told of work
  std::uint64_t failed_calls{0};
  std::uint64_t full_disks{0};
  std::uint64_t lost_folders{0};
  std::uint64_t rotten_bits{0};
  std::uint64_t mended{0};  // times that what was durable rotted, was found and written again
  std::uint64_t strayed_writes{0};
  std::uint64_t refused_starts{0};  // whose log was damaged
  std::uint64_t clock_steps{0};     // forward and back
  std::uint64_t sleeps{0};
  std::uint64_t refused_clocks{0};  // starts
  std::uint64_t accepted_clocks{0};
};

// `lying_disk`: syncs answer ok and do nothing, so that something must be found wrong: a test of this test.
[[nodiscard]] PlayResult play(std::uint64_t seed, std::uint64_t steps, bool lying_disk = false);

}  // namespace fastjournal::sim
