// Runs a transcript: a text file that plays clients against the daemon in the simulator, under simulated time. The
// language:
//
//   # a comment
//   table FILE.xml            a table of this world; after the start: the tables folder's content at the next RELOAD
//   NAME> MESSAGE             client NAME sends a line (`>` alone: client "main"; "admin" has the unix socket)
//   NAME@192.0.2.7> MESSAGE   the same; NAME@192.0.2.7 is a client at that address, as all without one share 192.0.2.1
//   NAME< MESSAGE             the next line that NAME received is this one
//   NAME< nothing             there is no further line
//   NAME< closed              there is no further line, and the daemon has closed the connection
//   advance 10s               time passes, and everything that falls due happens
//   close NAME                the client's connection ends
//   crash                     power cut: unsynced writes may be lost (by seed), then a new start
//   kill                      kill -9: everything written stays, then a new start
//   restart                   clean stop, then a new start
//   stop                      clean stop alone: the clock may be set before the start
//   start [accept-clock]      with --accept-clock; `start refused TEXT`: it fails with an error that contains TEXT
//   rights NAME WORDS         NAME uses a listener with these rights: read add work manage admin; all
//   user NAME WORDS [on TABLES]   from the next start or RELOAD on NAME has these rights (again: these too); his token
//                             is $NAME in what is sent; `user NAME` alone: he is removed
//   communicatord             before the start: there is a communicatord, played by the client of that name
//   udp                       before the start: messages by UDP are accepted; the client of that name sends them
//   memory 1GiB               the memory limit for rows
//   clock 3h                  the wall clock is set forward; -3h: back
//   suspend 3h                the computer sleeps
//
// In messages `@10s` is the date 10 s after the world began. `$name` in an expected message binds a value at its first
// use and is compared afterwards; in a sent message it is replaced by the value (also in a JSON value: {"row":$name}). Expected messages list all parameters
// in any order; `*` is any value, `x*` one that begins with x; a last parameter `...` allows more. After every step the
// state must equal that of a replay of the log.
//
// In documents (documents_test.cpp) messages look as a reader sees them: a number in a parameter that names rows or
// epochs stands for the real number, always the same one, and dates are as far apart as shown.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "log/file/file_log.h"

namespace fastjournal::sim {

// Empty if all went as written; otherwise FILE:LINE, what was expected and what came.
std::string run_transcript(std::string const& file, std::uint64_t seed,
                           log::SyncPlace sync_place = log::SyncPlace::on_loop, std::uint64_t hash_seed = 0);

// Plays single steps from a document. Tables must be added to the world before the first step.
class DocumentPlayer {
 public:
  explicit DocumentPlayer(std::uint64_t seed);
  ~DocumentPlayer();
  [[nodiscard]] std::string add_table(std::string const& file);
  // Empty if the step went as written.
  [[nodiscard]] std::string step(std::string const& line);

 private:
  std::unique_ptr<class TranscriptPlayer> player_;
};

}  // namespace fastjournal::sim
