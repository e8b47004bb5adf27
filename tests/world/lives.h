// Random lives of whole daemons and their clients in the simulator. The promises that a life holds them to stand at the
// head of its file. `./mk sim` plays them for a time (sim_run.cpp).
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/life.h"

namespace fastjournal::sim {

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
//
// `lying_disk`: syncs return ok and do nothing, so that a promise must be found broken: a test of this test.
[[nodiscard]] test::LifeResult play(std::uint64_t seed, std::uint64_t steps, bool lying_disk = false);
// keyvalue_life.cpp, queue_life.cpp, pipeline_life.cpp, bytes_life.cpp, spool_life.cpp, cluster_life.cpp
[[nodiscard]] test::LifeResult live_with_values(std::uint64_t seed, std::uint64_t steps);
[[nodiscard]] test::LifeResult live_with_queues(std::uint64_t seed, std::uint64_t steps);
[[nodiscard]] test::LifeResult live_with_pipelines(std::uint64_t seed, std::uint64_t steps);
[[nodiscard]] test::LifeResult live_with_bytes(std::uint64_t seed, std::uint64_t steps);
[[nodiscard]] test::LifeResult live_with_spool(std::uint64_t seed, std::uint64_t steps);
[[nodiscard]] test::LifeResult live_in_cluster(std::uint64_t seed, std::uint64_t steps);

// exchange_life.cpp. A round is one maintenance of all tables.
[[nodiscard]] test::LifeResult live_with_exchanges(std::uint64_t seed, std::uint64_t rounds);
// Of these lives: a way of coming, mode of maintenance and moment of it that no value saw; empty: there is none.
[[nodiscard]] std::string not_seen(test::Counts const& counts);

// transactions_model.cpp, transactions_life.cpp
[[nodiscard]] test::LifeResult model_transactions(std::uint64_t seed, std::uint64_t steps);
[[nodiscard]] test::LifeResult live_with_transactions(std::uint64_t seed, std::uint64_t steps);
// Cuts the power at each changing call of the disk within COMMIT, XA_PREPARE, XA_COMMIT and XA_ROLLBACK, of transactions
// of different sizes, until `cuts` cuts were made.
[[nodiscard]] test::LifeResult cut_commits(std::uint64_t seed, std::uint64_t cuts);
// Puts an older copy in place of the log that decides, while the parts in the others wait for its outcome: they are in
// doubt until an operator decides, and all of them go the way that was decided. Empty: so it was.
[[nodiscard]] std::string lose_homes(std::uint64_t seed, std::uint64_t times);

}  // namespace fastjournal::sim
