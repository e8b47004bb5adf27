// `fastjournal put`: a row of the command line, or those of a file (--from), to a daemon or into a folder (--spool).
#pragma once

#include <cstdint>
#include <string>

#include "clients/programs/fastjournal/options.h"

namespace fastjournal::cli {

struct PutOptions {
  OptionSet& to;
  WordList columns{
      to, "COLUMNS",
      "column=value; column=@FILE takes the file's bytes, column=@- standard input, column=@@x is the value "
      "@x; buffer columns take plain bytes too, or base64:..."};
  Text priority{to, "--priority", journal::insert::priority, called("PRIORITY")};
  When at{to, "--at", journal::insert::process_date.as("not to be worked on before this date")};
  Expiration expires{to, "--expires",
                     journal::insert::expiration_date.as("dropped at this date if nobody took it; or never")};
  Text client{to, "--client",
              journal::insert::client.as("name of this producer: with --sequence, a resent put counts once")};
  Number<> sequence{
      to, "--sequence",
      journal::insert::sequence.as("number of this put; with --from the first row's, counted up with each row")};
  Text tags{to, "--tags", journal::insert::tags};
  Number<> max_attempts{to, "--max-attempts", journal::insert::max_attempts};
  Text back_off{to, "--back-off", journal::insert::back_off};
  Duration lease{to, "--lease", journal::insert::lease};
  Duration unique_for{to, "--unique-for", journal::insert::unique_for};
  Text after{to, "--after", journal::insert::after, called("ROWS")};
  Text after_keys{to, "--after-keys", journal::insert::after_keys, called("KEYS")};
  Text when_failed{to, "--when-failed", journal::insert::when_failed};
  Text group{to, "--group", journal::insert::group};
  Text after_group{to, "--after-group", journal::insert::after_group, called("GROUP")};
  Text after_group_is{to, "--after-group-is", journal::insert::after_group_is, only_with(after_group)};
  // Empty: the row is in `columns`.
  Text from{to, "--from", "rows of this file, - for standard input; see below", called("FILE")};
  Text format{to, "--format", "of --from: json, csv or lines (default: as its first line looks)",
              one_of("json csv lines"), only_with(from)};
  Text resume{to,
              "--resume",
              "keep in this file how far --from is, and go on from there if it exists: give the same input again",
              called("FILE"),
              only_with(from),
              excludes(client)};
  Text refused{to, "--refused",
               "where --from sets aside refused rows (default: a file named after the run); their reasons are in "
               "FILE.reasons",
               called("FILE"), only_with(from)};
  Text spool{to,
             "--spool",
             "append to this folder, for a forwarder: needs no daemon. Dates like +10s count from now, not from when "
             "the daemon has the row",
             called("FOLDER"),
             excludes(client),
             excludes(sequence),
             excludes(resume)};
  Text sync{to, "--sync",
            "with --spool, each: rows are on the disk when the command returns, those of --from by one sync at the "
            "end; none: when the kernel or the forwarder does it (default each)",
            one_of("each none"), only_with(spool)};
  // Empty: nothing is known of the columns.
  Text declared{to, "--declared",
                "with --spool: the table's file, NAME.xml; rows are then checked as the daemon will do it, and "
                "base64:... is decoded for buffer columns",
                called("FILE"), only_with(spool)};

  // Makes `insert` an INSERT with their values. Columns follow.
  void set_in(Message& insert, std::string const& table) const;
};

// Rows of a file or of standard input. Each is inserted once, even if the connection, the daemon, or (with --resume)
// this process fails.
[[nodiscard]] ExitCode put_many(PutOptions const& given, Call& call);
// Rows are appended to a spool folder (clients/spool/core) instead of being sent. What is known of the table is in the
// file that --declared names. Without it the forwarder learns what a daemon refuses.
[[nodiscard]] ExitCode put_in_spool(PutOptions const& given, Call& call);

}  // namespace fastjournal::cli
