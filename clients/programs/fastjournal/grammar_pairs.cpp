// The commands `kv ...`, for key/value tables, with their options and help.
#include "clients/programs/fastjournal/grammar.h"
#include "clients/programs/fastjournal/option_types.h"

namespace fastjournal::cli {

namespace {

std::vector<std::string> const kTypes{"void", "buffer", "string", "integer", "float", "boolean"};
std::vector<std::string> const kFunctions{"NOP", "QUIT",     "SET",  "GET",    "DELETE", "ADD",
                                          "NOT", "TRUNCATE", "LOCK", "UNLOCK", "RENAME", "ALIAS"};
std::vector<std::string> const kFrameFlags{"overwrite", "worked-on", "persist", "data", "listen", "ttl", "update"};

// Empty is a value, too.
CLI::Option* text(CLI::App& to, std::string const& name, std::optional<std::string>& out,
                  std::string const& description) {
  auto const any = [](std::string_view given) -> Result<std::string> { return std::string(given); };
  return to.add_option(name, into(name, out, any), description)->type_name("TEXT");
}

}  // namespace

void Grammar::add_pair_verbs() {
  CLI::App& kv = verb("kv", "values of a key/value table: read them, change them, lock them, watch them");
  kv.require_subcommand(1);
  kv.callback([this] { out_.verb = "kv " + pair_verb_; });
  add_pair_readers(kv);
  add_pair_writers(kv);
  add_frame(kv);
}

CLI::App& Grammar::pair_verb(CLI::App& kv, std::string const& name, std::string const& description) {
  CLI::App* made = kv.add_subcommand(name, description);
  made->fallthrough();
  // Called before the callback of `kv`.
  made->callback([this, name] { pair_verb_ = name; });
  made->add_option("TABLE", out_.table, "name of the table")->required();
  return *made;
}

CLI::App& Grammar::key_verb(CLI::App& kv, std::string const& name, std::string const& description) {
  CLI::App& made = pair_verb(kv, name, description);
  made.add_option("KEY", out_.pair.key, "the key")->required();
  return made;
}

void Grammar::add_number(CLI::App& to) {
  to.add_option("--client", out_.client, "name of this writer: with --sequence, a resent command is done once");
  number(to, "--sequence", out_.sequence, "number of this command");
}

void Grammar::add_work(CLI::App& to) {
  duration(to, "--work", out_.pair.work,
           "mark what is shown as worked on for so long; what others have marked is left out");
  to.add_flag("--free", out_.pair.free, "without what somebody works on");
}

void Grammar::add_pair_readers(CLI::App& kv) {
  CLI::App& get = pair_verb(kv, "get", "print the value of a key, or the pairs of many");
  get.add_option("KEYS", out_.words, "the keys")->required();
  get.add_flag("--facts", out_.pair.facts, "with the dates, and who has it");
  get.add_flag("--raw", out_.pair.raw, "the value of one key byte by byte, without a newline behind it");
  duration(get, "--ttl", out_.pair.ttl, "and from now on it is gone when it was not used for so long; 0: never");
  date(get, "--expires", out_.expires, "and it is gone at this date from now on; or never", parse_expiration);
  add_work(get);
  get.footer(
      "Of one key the bare value is printed: a buffer as it is, anything else with a newline behind it. Of many keys,\n"
      "and with --facts, there is a table. Exit code 4: at least one key has no value.");
  CLI::App& scan = pair_verb(kv, "scan", "list the pairs of a range of keys, in the order of the keys");
  text(scan, "--prefix", out_.pair.prefix, "keys that begin so");
  scan.add_option("--from", out_.pair.from, "this key, and those behind it");
  text(scan, "--to", out_.pair.to, "keys before this one");
  scan.add_option("--regex", out_.pair.regex, "keys of which a part matches (RE2 syntax)");
  scan.add_option("--after", out_.after, "go on where an earlier list ended");
  number(scan, "--count", out_.count, "how many at most (default 100; with --json or --keys-only all)", 1);
  scan.add_flag("--keys-only", out_.pair.keys_only, "the keys alone, one a line");
  scan.add_flag("--facts", out_.pair.facts, "with the dates, and who has it");
  add_work(scan);
  scan.footer("All that is given must hold. Keys are compared byte by byte.");
  CLI::App& watch = pair_verb(kv, "watch", "print each change of a key, or of all keys with a prefix, as it comes");
  watch.add_option("KEY", out_.pair.key, "the key");
  text(watch, "--prefix", out_.pair.prefix, "all keys that begin so; '' for all keys");
  watch.add_flag("--initial", out_.pair.initial, "what is there now first");
  watch.add_flag("--keys-only", out_.pair.keys_only, "without the values");
  number(watch, "--count", out_.count, "end after so many lines", 1);
  duration(watch, "--wait", out_.wait, "end when nothing came for so long");
  watch.footer(
      "Of changes that follow each other fast, the last one is printed. After a loss of the connection, or of "
      "notices,\n"
      "all values that are watched are printed again; which keys were deleted meanwhile is not said then.");
}

void Grammar::add_pair_writers(CLI::App& kv) {
  CLI::App& set = pair_verb(kv, "set", "store a value, or many in one step");
  set.add_option("PAIRS", out_.words,
                 "KEY VALUE, where VALUE - is standard input; or KEY=VALUE, at most 128 of them, all or none")
      ->required();
  set.add_option("--file", out_.file, "the value is in this file; - for standard input")->type_name("FILE");
  set.add_option("--type", out_.pair.type, "of the value (default: string; a file or input that is no text: buffer)")
      ->check(CLI::IsMember(kTypes));
  duration(set, "--ttl", out_.pair.ttl, "gone when it was not read or written for so long");
  date(set, "--expires", out_.expires, "gone at this date; or never", parse_expiration);
  set.add_flag("--if-absent", out_.pair.if_absent, "only if there is no value");
  number(set, "--if-timestamp", out_.pair.if_timestamp,
         "only if the value there has this timestamp; 0: if none is there");
  text(set, "--if-value", out_.pair.if_value, "only if this value is there");
  number(set, "--timestamp", out_.pair.timestamp,
         "when it was written, in microseconds since 1970: an older value never replaces a newer one");
  CLI::Option* persist =
      set.add_flag("--persist", out_.pair.persist, "synced before the answer (default: as the table says)");
  set.add_flag("--no-persist", out_.pair.no_persist, "may be lost with the computer's power")->excludes(persist);
  add_number(set);
  set.footer(
      "A key with = in it is set with --file. A buffer is plain bytes, or base64:.... Exit code 4: something else is "
      "there\nthan was asked for, and nothing was changed.");
  CLI::App& del = pair_verb(kv, "del", "delete values with all their keys");
  del.add_option("KEYS", out_.words, "the keys")->required();
  number(del, "--if-timestamp", out_.pair.if_timestamp, "only if the value has this timestamp");
  number(del, "--timestamp", out_.pair.timestamp,
         "when it was deleted, in microseconds since 1970: a newer value stays");
  del.add_flag("--complete", out_.pair.complete,
               "remember nothing of it: a set with an older timestamp brings it back");
  del.footer("Exit code 4: at least one was not deleted, as it is not there, or is another or a newer one.");
  CLI::App& add = key_verb(kv, "add", "add to an integer or a float, and print the sum");
  add.add_option("BY", out_.pair.other, "a whole number, or one with a point for a float (default 1)");
  add_number(add);
  add.footer("A key that is not there counts as 0.");
  add_number(key_verb(kv, "not", "turn a boolean, and print it"));
  CLI::App& truncate = key_verb(kv, "truncate", "cut a string or a buffer, or let it grow by zeros");
  truncate.add_option("SIZE", out_.pair.other, "its bytes from then on")->required();
  add_number(truncate);
  CLI::App& rename = key_verb(kv, "rename", "give a value another key, in one step");
  rename.add_option("NEW", out_.pair.other, "the key from then on")->required();
  rename.add_flag("--overwrite", out_.pair.overwrite, "also where another value is, which is deleted");
  add_number(rename);
  rename.footer("Exit code 4: the new key is taken, and nothing was changed.");
  CLI::App& alias = key_verb(kv, "alias", "give a value one more key");
  alias.add_option("NEW", out_.pair.other, "the key that is added")->required();
  add_number(alias);
  alias.footer("Exit code 4: the new key is taken, and nothing was changed.");
  CLI::App& lock = key_verb(kv, "lock", "run COMMAND while nobody else can change the value: `... -- COMMAND...`");
  duration(lock, "--lock", out_.pair.lock, "renewed at half of it while COMMAND runs (default 60s)");
  duration(lock, "--wait", out_.wait, "wait so long for somebody else's lock (default: not at all)");
  lock.add_flag("--create", out_.pair.create, "if there is no value, make one of type void");
  lock.footer(
      "COMMAND has our input, output and terminal. Exit code: that of COMMAND, 128 and its number after a signal; 4 "
      "if\n"
      "somebody else has the lock. The lock belongs to our connection: if that is lost, COMMAND gets a SIGTERM, after\n"
      "10 s a SIGKILL, and the exit code is 1. Whoever only reads is not kept out.");
}

// For developers of clients.
void Grammar::add_frame(CLI::App& kv) {
  CLI::App* frame = kv.add_subcommand("frame", "send one frame of the FJ protocol, and show it and its reply");
  frame->fallthrough();
  frame->callback([this] { pair_verb_ = "frame"; });
  frame->add_option("FUNCTION", out_.frame.function, "what is asked for")->required()->check(CLI::IsMember(kFunctions));
  frame->add_option("KEY", out_.frame.key,
                    "the key; of a range its lower end, or the expression; a cursor as a reply shows it");
  text(*frame, "VALUE", out_.frame.value, "the value");
  frame->add_option("--type", out_.frame.type, "of the value (default: string)")->check(CLI::IsMember(kTypes));
  frame->add_option("--upper", out_.frame.upper, "upper end of a range; new key of RENAME and ALIAS");
  frame->add_option("--query", out_.frame.query, "of GET: KEY is not a single key")
      ->check(CLI::IsMember(std::vector<std::string>{"range", "regex", "cursor"}));
  frame->add_option("--flag", out_.frame.flags, "one of the frame's flags; may be repeated")
      ->check(CLI::IsMember(kFrameFlags))
      ->allow_extra_args(false);
  number(*frame, "--seconds", out_.frame.seconds, "the frame's timeout");
  number(*frame, "--count", out_.frame.count, "of a range: how many at most", 0, 65'535);
  number(*frame, "--timestamp", out_.frame.timestamp, "in microseconds since 1970");
  frame->footer(
      "--server is a listener with protocol=\"fj\". The fields are those of doc/fj-protocol.md, with their bytes.\n"
      "Exit code 1: the reply is an error.");
}

}  // namespace fastjournal::cli
