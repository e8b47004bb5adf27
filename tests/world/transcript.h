// Runs a transcript: a text file that plays clients against the daemon in the
// simulator, under simulated time. The language:
//
//   # a comment
//   table FILE.xml            a table of this world; later: what the tables folder says from now on (RELOAD)
//   NAME> MESSAGE             client NAME sends a line (`>` alone: client "main"; "admin" has the unix socket)
//   NAME< MESSAGE             the next line that NAME got is this
//   NAME< nothing             there is no further line
//   advance 10s               time passes, everything due meanwhile happens
//   close NAME                the client's connection ends
//   crash                     power cut: what was not synced may be lost (by seed), then a new start
//   kill                      kill -9: what was written stays, then a new start
//   restart                   clean stop, then a new start
//
// In messages: `@10s` is the date 10 s after the world began; `$name` in an
// expected message binds a value at its first use and is compared after, in a sent one it is put in. Expected
// messages list all parameters in any order; `*` is any value; a last parameter `...` allows more.
// After every step the state equals what a replay of the log gives.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::sim {

// Empty if all went as written; otherwise FILE:LINE, what was expected and what came.
std::string run_transcript(std::string const& file, std::uint64_t seed);

}  // namespace fastjournal::sim
