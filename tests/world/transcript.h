// Runs a transcript: a text file that plays clients against the daemon in the
// simulator, under simulated time. The language:
//
//   # a comment
//   table FILE.xml            a table of this world; later: what the tables folder says from now on (RELOAD)
//   NAME> MESSAGE             client NAME sends a line (`>` alone: client "main"; "admin" has the unix socket)
//   NAME@192.0.2.7> MESSAGE   the same; NAME@192.0.2.7 is a client at that address, as all without one share 192.0.2.1
//   NAME< MESSAGE             the next line that NAME got is this
//   NAME< nothing             there is no further line
//   NAME< closed              nor will there be: the daemon has closed the connection
//   advance 10s               time passes, everything due meanwhile happens
//   close NAME                the client's connection ends
//   crash                     power cut: what was not synced may be lost (by seed), then a new start
//   kill                      kill -9: what was written stays, then a new start
//   restart                   clean stop, then a new start
//   stop                      clean stop alone: the clock may be set before the start
//   start [accept-clock]      with --accept-clock; `start refused TEXT`: it fails, and says TEXT
//   rights NAME WORDS         NAME comes by a listener that gives these: read add work manage admin; all
//   communicatord             before the start: a communicatord is there; the client of that name is it
//   udp                       before the start: messages by UDP are taken; what the client of that name sends comes so
//   memory 1GiB               what rows may take
//   clock 3h                  somebody sets the clock of the wall; -3h: back
//   suspend 3h                the computer sleeps
//
// In messages: `@10s` is the date 10 s after the world began; `$name` in an
// expected message binds a value at its first use and is compared after, in a sent one it is put in. Expected
// messages list all parameters in any order; `*` is any value, `x*` one that begins so; a last parameter `...` allows
// more. After every step the state equals what a replay of the log gives.
//
// In documents (documents_test.cpp) messages look as a reader sees them: there a number in a parameter that tells
// rows or epochs stands for whatever number comes, the same one everywhere, and dates are as far apart as shown.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "storage/file_log.h"

namespace fastjournal::sim {

// Empty if all went as written; otherwise FILE:LINE, what was expected and what came.
std::string run_transcript(std::string const& file, std::uint64_t seed,
                           storage::SyncPlace sync_place = storage::SyncPlace::on_loop, std::uint64_t hash_seed = 0);

// Steps out of a document. Tables are the world's before the first step.
class DocumentPlayer {
 public:
  explicit DocumentPlayer(std::uint64_t seed);
  ~DocumentPlayer();
  [[nodiscard]] std::string add_table(std::string const& file);
  // Empty if it went as written.
  [[nodiscard]] std::string step(std::string const& line);

 private:
  std::unique_ptr<class Player> player_;
};

}  // namespace fastjournal::sim
