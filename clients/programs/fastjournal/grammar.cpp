#include "clients/programs/fastjournal/grammar.h"

#include <algorithm>
#include <chrono>

#include "clients/programs/fastjournal/examples.h"
#include "clients/programs/fastjournal/option_types.h"

namespace fastjournal::cli {

namespace {

constexpr char kDescription[] = "fastjournal: put work into the tables of a fastjournald, take it out, watch it.";

constexpr char kFooter[] =
    "Exit codes:\n"
    "  0  done\n"
    "  1  the daemon refused, or a file could not be read or written; the reason is on standard error\n"
    "  2  the command line, a file or the input is wrong\n"
    "  3  no connection to the daemon, or no answer in time\n"
    "  4  nothing to do: take, work --once or listen --wait found nothing; apply or spool purge was answered with no,\n"
    "     or there was nothing to resend or purge; kv: a key has no value, or nothing was changed, or locked;\n"
    "     blob: there is no such blob, or no maintenance\n"
    "  5  work: COMMAND failed for at least one row\n"
    "  6  log: a daemon, or another tool, has the folder\n"
    "  7  log, blob: what is stored is damaged\n"
    "  8  alerts: at least one is up; spool status: somebody must do something\n"
    "  9  doctor: at least one warning, and no error\n"
    "  10 doctor: at least one error\n"
    "With --json errors are JSON too, one object a line on standard error.\n"
    "\n"
    "Durations: 500ms 10s 5m 2h 3d. Dates: +10s, 2026-11-21T12:00:00Z (UTC, also without Z),\n"
    "2026-11-21T13:00:00+0100, milliseconds since 1970, now. `fastjournal COMMAND --help` says more\n"
    "about each command.";

std::vector<std::string> const kAllStates{"waiting", "due", "processing", "behind", "parked", "paused"};

constexpr char kColumnsHelp[] =
    "column=value; column=@FILE takes the file's bytes, column=@- standard input, column=@@x is the value @x; "
    "buffer columns take plain bytes too, or base64:...";

// Below the footer of the command, "log verify" for a command below another.
void add_example(CLI::App& app, Example const& one) {
  CLI::App* at = &app;
  for (std::string_view rest = one.verb; !rest.empty();) {
    std::size_t const end = std::min(rest.find(' '), rest.size());
    at = at->get_subcommand(std::string{rest.substr(0, end)});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::string footer = at->get_footer();
  if (footer.find(kExample) == std::string::npos) footer += (footer.empty() ? "" : "\n") + std::string{kExample};
  for (std::string_view rest = one.commands; !rest.empty();) {
    std::size_t const end = std::min(rest.find('\n'), rest.size());
    footer += "\n  " + std::string{rest.substr(0, end)};
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  at->footer(footer);
}

}  // namespace

Grammar::Grammar() : app_(kDescription, "fastjournal") {
  app_.footer(kFooter);
  app_.require_subcommand(1);
  add_globals();
  add_producer_verbs();
  add_worker_verbs();
  add_viewer_verbs();
  add_pair_verbs();
  add_blob_verbs();
  add_transaction_verbs();
  add_cluster_verbs();
  add_queue_verbs();
  add_keeper_verbs();
  add_plan_verbs();
  add_pipeline_verbs();
  add_log_verbs();
  add_backup();
  add_machine_verbs();
  add_user_verbs();
  add_spool_verbs();
  add_other_verbs();
  for (Example const& one : examples()) add_example(app_, one);
}

CLI::App& Grammar::verb(std::string const& name, std::string const& description) {
  CLI::App* made = app_.add_subcommand(name, description);
  // Global options may follow the command too.
  made->fallthrough();
  made->callback([this, name] { out_.verb = name; });
  return *made;
}

CLI::App& Grammar::table_verb(std::string const& name, std::string const& description) {
  CLI::App& made = verb(name, description);
  made.add_option("TABLE", out_.table, "name of the table")->required();
  return made;
}

CLI::App& Grammar::lease_verb(std::string const& name, std::string const& description) {
  CLI::App& made = table_verb(name, description);
  number(made, "ROW", out_.row, "number of the row, as `take` shows it")->required();
  number(made, "EPOCH", out_.epoch, "epoch of the lease, as `take` shows it")->required();
  return made;
}

void Grammar::add_globals() {
  app_.add_option(
          "--server", out_.server,
          "HOST:PORT, [IPV6]:PORT or unix:PATH of the daemon; tls:HOST:PORT where it speaks TLS; several daemons "
          "that share tables have commas between them")
      ->envname("FASTJOURNAL_SERVER")
      ->check(CLI::Validator(
          [](std::string const& given) {
            return given.empty() ? std::string("it is empty: leave it out for the installed daemon") : std::string();
          },
          ""))
      ->default_str("where the installed daemon is: its administrator's socket, or what its file names");
  app_.add_option("--ca", out_.ca_file, "with tls: the authorities that you trust, in PEM format")
      ->envname("FASTJOURNAL_CA")
      ->type_name("FILE")
      ->default_str("the system's");
  app_.add_option("--certificate", out_.certificate_file,
                  "with tls: your certificate, in PEM format, where the daemon wants one")
      ->envname("FASTJOURNAL_CERTIFICATE")
      ->type_name("FILE");
  app_.add_option("--key", out_.key_file, "with tls: the key of your certificate")
      ->envname("FASTJOURNAL_KEY")
      ->type_name("FILE");
  app_.add_option("--token-file", out_.token_file,
                  "file of mode 0600 with the token of a user, who logs in with it; the token itself may be in "
                  "FASTJOURNAL_TOKEN")
      ->envname("FASTJOURNAL_TOKEN_FILE")
      ->type_name("FILE")
      ->default_str("what `fastjournal login` has kept for this server");
  app_.add_flag("--json", out_.json, "one JSON object a line instead of text for people");
  app_.add_flag("--utc", out_.utc, "show dates in UTC; at a terminal they are in your time zone");
  app_.add_flag("--text", out_.text, "speak text messages instead of msgpack");
  duration(app_, "--timeout", timeout_, "how long to wait for an answer, reconnecting included")->default_str("30s");
  app_.set_version_flag("--version", FJ_VERSION);
  app_.parse_complete_callback([this] {
    out_.timeout_given = timeout_.has_value();
    if (timeout_) out_.timeout = std::chrono::milliseconds{timeout_->value};
  });
}

void Grammar::add_producer_verbs() {
  CLI::App& put =
      table_verb("put", "insert a row, or merge it into the one that waits under its key, if the table has keys");
  put.add_option("COLUMNS", out_.words, kColumnsHelp);
  number(put, "--priority", out_.priority, "0 (first) to 255", 0, 255);
  date(put, "--at", out_.at, "not to be worked on before this date");
  date(put, "--expires", out_.expires, "dropped at this date if nobody took it; or never", parse_expiration);
  CLI::Option* client =
      put.add_option("--client", out_.client, "name of this producer: with --sequence, a resent put counts once");
  CLI::Option* sequence = number(put, "--sequence", out_.sequence,
                                 "number of this put; with --from the first row's, counted up with each row");
  CLI::Option* resume = add_put_from(put);
  resume->excludes(client);
  CLI::Option* spool = put.add_option("--spool", out_.spool,
                                      "append to this folder, for a forwarder: needs no daemon. Dates like +10s count "
                                      "from now, not from when the daemon has the row")
                           ->type_name("FOLDER")
                           ->excludes(client)
                           ->excludes(sequence)
                           ->excludes(resume);
  put.add_option("--sync", out_.sync,
                 "with --spool, each: rows are on the disk when the command returns, those of --from by one sync at "
                 "the end; none: when the kernel or the forwarder does it (default each)")
      ->check(CLI::IsMember({"each", "none"}))
      ->needs(spool);
  put.add_option("--declared", out_.declared,
                 "with --spool: the table's file, NAME.xml; rows are then checked as the daemon will do it, and "
                 "base64:... is decoded for buffer columns")
      ->type_name("FILE")
      ->needs(spool);
}

CLI::Option* Grammar::add_put_from(CLI::App& put) {
  CLI::Option* from =
      put.add_option("--from", out_.from, "rows of this file, - for standard input; see below")->type_name("FILE");
  put.add_option("--format", out_.format, "of --from: json, csv or lines (default: as its first line looks)")
      ->check(CLI::IsMember({"json", "csv", "lines"}))
      ->needs(from);
  CLI::Option* resume =
      put.add_option(
             "--resume", out_.resume,
             "keep in this file how far --from is, and go on from there if it exists: give the same input again")
          ->type_name("FILE")
          ->needs(from);
  put.add_option("--refused", out_.refused,
                 "where --from sets aside refused rows (default: a file named after the run); their reasons are in "
                 "FILE.reasons")
      ->type_name("FILE")
      ->needs(from);
  put.footer(
      "The rows of --from have columns, and priority, process_date, expiration_date, ... by these names, as\n"
      "  json   one object a line; what `ls --all --json` prints is taken too\n"
      "  csv    a header with the names, then values with commas between them, those with commas, quotes or newlines\n"
      "         in quotes (RFC 4180); an empty value without quotes is absent\n"
      "  lines  name=value;name=value as in text messages, with their quotes and escapes\n"
      "Without --format the first line that is not blank decides: json if it begins with {, lines if it has = before\n"
      "any comma, otherwise csv.\n"
      "--from numbers its rows under a name drawn for each run, so that none is done twice when the connection is\n"
      "lost; it goes on when the daemon is back (--timeout limits that). Refused rows are set aside as they are, and\n"
      "told; correct that file and put it again. A refusal that would meet every row (a drained table, no space)\n"
      "ends the run. Strings for buffer columns are plain bytes, or base64:...; `--json` of other commands shows them "
      "so.");
  return resume;
}

void Grammar::add_worker_verbs() {
  CLI::App& take = table_verb("take", "lease the next rows that are due, and show them");
  number(take, "--count", out_.count, "how many at most (default 1)", 1, 100'000);
  duration(take, "--lease", out_.lease, "how long they are yours (default: the table's processing-timeout)");
  duration(take, "--wait", out_.wait, "wait so long for the first one");
  take.add_option("--domain", out_.domain, "only of this domain");
  take.add_option("--worker", out_.worker, "worker name, shown as the lease holder");
  take.add_flag("--hold", out_.hold,
                "stay connected until standard input ends: without a connection the daemon takes rows back after the "
                "table's `grace`");
  CLI::App& touch = lease_verb("touch", "renew a lease");
  duration(touch, "--lease", out_.lease, "from now on (default: the table's processing-timeout)");
  lease_verb("done", "the work is done: the row goes away");
  CLI::App& release = lease_verb("release", "give a row back");
  date(release, "--at", out_.at, "not before this date (default: now; with --error the table's back-off)");
  release.add_option("--error", out_.error, "why: it is a failed attempt then, and counts");
  CLI::App& fail =
      lease_verb("fail", "this row can never work: parked for a person, or deleted (the table's when-failed)");
  fail.add_option("--error", out_.error, "why");
  add_work();
}

void Grammar::add_work() {
  CLI::App& work = table_verb(
      "work", "lease rows one by one and run COMMAND for each: `fastjournal work TABLE [OPTIONS] -- COMMAND...`");
  work.footer(
      "COMMAND finds the row in FJ_TABLE, FJ_ROW, FJ_EPOCH, FJ_PRIORITY, FJ_TIMEOUTS, FJ_ATTEMPT (1 is the first) "
      "and\n"
      "FJ_<COLUMN>, and as one JSON object on standard input. Values above 64 KiB, and the largest of those that\n"
      "are too much together, are in files that FJ_FILE_<COLUMN> names, until COMMAND ends. A row with a NUL in a\n"
      "value, which no environment can hold, is not run but given up (FAIL), unless --input-only says that COMMAND\n"
      "reads its input. Exit status 0: done; any other: a failed attempt. The status and the end of standard error "
      "go with the row (`ls --traces` shows up to 16 KiB of it), which\n"
      "rests for the table's back-off or is given up after its `max-attempts`. The lease is renewed while COMMAND "
      "runs.\n"
      "Between rows the daemon wakes us (LISTEN); a pause, and a daemon that is away, are waited out. SIGTERM, "
      "SIGINT\n"
      "and SIGHUP are handed to COMMAND and its children; the row is then done or released and work ends; a second\n"
      "signal kills COMMAND.");
  CLI::Option* jobs =
      number(work, "-j,--jobs", out_.jobs, "so many at once, each with a connection of its own", 1, 1024);
  duration(work, "--lease", out_.lease, "renewed at half of it while COMMAND runs (default 60s)");
  work.add_option("--domain", out_.domain, "only of this domain");
  work.add_option("--worker", out_.worker, "worker name, shown as the lease holder");
  CLI::Option* once = work.add_flag("--once", out_.once, "one row, if one is due");
  CLI::Option* max = number(work, "--max", out_.max, "end after so many rows (with -j: each of them)", 1);
  work.add_flag("--until-empty", out_.until_empty, "end when nothing is due");
  once->excludes(max);
  once->excludes(jobs);
  number(work, "--fail-status", out_.fail_status, "COMMAND's exit status for: this row can never work (parked at once)",
         1, 255);
  work.add_flag("--input-only", out_.input_only,
                "COMMAND reads the row from standard input: no FJ_<COLUMN>, and values may be anything");
  work.add_flag("--quiet", out_.quiet, "do not report each row on standard error");
  duration(work, "--stop-after", out_.stop_after,
           "after a signal, with a daemon that does not answer: try so long to say how the row ended (default 5s)");
}

void Grammar::add_viewer_verbs() {
  CLI::App& listen = table_verb("listen", "print what a listener is told, as it comes");
  listen.add_option("--mode", out_.mode, "wake: work became due; row: each row that does; deliver: rows, leased")
      ->check(CLI::IsMember({"wake", "row", "deliver"}));
  number(listen, "--credit", out_.credit, "deliver: rows at once", 1, 1024);
  listen.add_option("--domain", out_.domain, "only of this domain");
  number(listen, "--count", out_.count, "end after so many messages", 1);
  duration(listen, "--wait", out_.wait, "end when nothing came for so long");
  CLI::App& feed = table_verb("feed", "print a table's records: what it holds, then each change as it is durable");
  feed.add_flag("--follow", out_.follow, "go on with the change feed (UDP) until a signal comes");
  feed.add_flag("--digest", out_.digest, "print no records, but at the end the digest of what was applied here");
  feed.add_option("--address", out_.address, "where datagrams come to (default: where the table's <feed> sends them)");
  feed.add_option("--interface", out_.interface, "IPv4 address of the network card where a group is joined");
  number(feed, "--count", out_.count, "end after so many records", 1);
  feed.add_option("--plugins", out_.plugins, "folder of the table types (default: where they were installed)")
      ->type_name("FOLDER");
  feed.footer("`fastjournal call DIGEST table=TABLE` on the administrator's socket tells its digest, to compare.");
  CLI::App& ls = table_verb("ls", "list rows, leasing nothing");
  filter(ls, kAllStates);
  ls.add_option("--after", out_.after, "go on where an earlier list ended");
  CLI::Option* count = number(ls, "--count", out_.count, "how many at most (default 100)", 1);
  ls.add_flag("--all", out_.all, "all rows; with --json, as they come")->excludes(count);
  ls.add_flag("--traces", out_.traces, "each row as `peek` shows it, with where its last attempt failed");
  ls.footer(
      "`fastjournal ls A --all --json | fastjournal put B --from -` copies a table: columns, priorities and dates. A "
      "row\nthat is parked or being processed waits in the copy.");
  row_verb("peek", "show a row, or all rows of a key, leasing nothing");
  row_verb("why", "say why a row, or each row of a key, is where it is");
  bulk_verb("delete", "drop a row, or all rows of a key or that fit a filter, whatever their state",
            "Without WHICH: all rows that fit --status, --domain, --prefix and --error; one of them at least.");
  bulk_verb("kick", "put parked rows back to work: one, those of a key, or all that fit a filter",
            "Without WHICH: all rows that fit --status, --domain, --prefix and --error; one of them at least.\n"
            "Parked rows, if --status does not say otherwise. A waiting row that is kicked is due now; of one\n"
            "that is being processed the lease is taken back, and its worker is refused when it reports.");
  add_overview_verbs();
  CLI::App& stats = verb("stats", "figures of one table or of all, and of the daemon");
  stats.add_option("TABLE", out_.table, "name of the table");
  CLI::App& alerts = verb("alerts", "what an administrator should know, of one table or of all and the daemon");
  alerts.add_option("TABLE", out_.table, "name of the table");
  alerts.add_option("--lower", out_.lower, "say that the alert of this name is over");
  alerts.footer("Exit code 0 if none is up, 8 if some are.");
}

void Grammar::add_overview_verbs() {
  CLI::App& watch = verb("watch", "print the figures of one table, or of all and the daemon, as they change");
  watch.add_option("TABLE", out_.table, "this table only");
  duration(watch, "--interval", out_.interval, "how often, 250ms to 60s (default 1s)");
  number(watch, "--count", out_.count, "end after so many rounds", 1);
  watch.footer(
      "With --json each message of a round is an object a line: STATS of the daemon and of each table that changed, "
      "then\nFIGURES. `fastjournal top` shows the same on a screen.");
  CLI::App& timeline = table_verb("timeline", "show how many rows fall due when: in the next minute, hour, day, later");
  timeline
      .add_option("--domain",
                  into("--domain", out_.filter.domain,
                       [](std::string_view text) -> Result<std::string> { return std::string(text); }),
                  "only rows of this domain")
      ->type_name("TEXT");
  timeline.footer(
      "Spans of seconds within a minute, of minutes within an hour, of hours within a day; those without rows are left "
      "out.");
  CLI::App& domains = table_verb("domains", "show the domains that have rows: their turns, and what keeps them");
  number(domains, "--count", out_.count, "how many at most", 1);
  domains.footer("Those with the most due rows first, with --json in the daemon's order.");
  CLI::App& waiters = table_verb("waiters", "show who listens and waits at a table");
  number(waiters, "--count", out_.count, "how many at most", 1);
  waiters.footer("Who has leases: fastjournal ls TABLE --status processing");
}

CLI::App& Grammar::transaction_verb(CLI::App& tx, std::string const& name, std::string const& description) {
  CLI::App* made = tx.add_subcommand(name, description);
  made->fallthrough();
  // Called before the callback of `tx`.
  made->callback([this, name] { transaction_verb_ = name; });
  return *made;
}

void Grammar::add_transaction_verbs() {
  CLI::App& tx = verb("tx", "transactions: commands of several tables, all of them or none");
  tx.require_subcommand(1);
  tx.callback([this] { out_.verb = "tx " + transaction_verb_; });
  CLI::App* const run = &transaction_verb(tx, "run", "carry out the commands of a file, all of them or none");
  run->add_option("FILE", out_.file, "a command a line, - for standard input")->required();
  CLI::App& ls =
      transaction_verb(tx, "ls", "list prepared transactions, which are in doubt until their manager ends them");
  ls.add_flag("--all", out_.all, "also those that are worked on, and those that an administrator has decided");
  for (auto const& [name, what] :
       {std::pair{"commit", "carry out a transaction that is in doubt, in place of its manager"},
        std::pair{"rollback", "give up a transaction that is in doubt, in place of its manager"},
        std::pair{"forget", "forget one that was decided so, when its manager knows of it or never will"}})
    transaction_verb(tx, name, what)
        .add_option("XID", out_.words, "as `tx ls` shows it: FORMAT:GTRID:BQUAL")
        ->required()
        ->expected(1);
  for (char const* const name : {"commit", "rollback"})
    tx.get_subcommand(name)->footer(
        "Needs the right admin. The manager may decide otherwise for its other resources: ask it first. The decision "
        "is\n"
        "kept until `tx forget`, or until the manager forgets it.");
  run->footer(
      "A line is a text message (COMMAND name=value;name=value) or one in JSON; # begins a comment. INSERT, DONE,\n"
      "RELEASE and FAIL of a journal, SET, ADD and DELETE of a key/value table, SEND, ACCEPT, RELEASE and REJECT of a\n"
      "queue table, in one log or several. If a line is refused, nothing was done, and the error names it. Prints the\n"
      "answer to each line.");
}

void Grammar::add_keeper_verbs() {
  CLI::App& top = verb("top", "watch tables, rates, lateness and alerts live; q ends");
  top.add_option("TABLE", out_.table, "this table only");
  duration(top, "--interval", out_.interval, "how often to look, from 250ms on (default 1s)");
  number(top, "--count", out_.count, "end after so many looks", 1);
  top.footer(
      "q ends, a blank looks at once, arrows (or j and k) scroll. STATE is open, PAUSED, DRAINS or FAILS (most "
      "attempts "
      "of\nthe last minutes failed); WAIT are rows with a date to come, FAIL/s attempts a second that failed, LATE99 "
      "and "
      "WORK99 the\n99th percentile of lateness and of the time from lease to DONE in the last minute. Figures for "
      "which "
      "the screen is too\nnarrow are left out. The figures are those of `watch`. A daemon that says nothing is waited "
      "for. "
      "Without a terminal, or\nwith --json, each look is one JSON object a line.");
  stand_verb("pause", "hand out nothing more; leases go on, inserts are taken");
  stand_verb("drain", "refuse inserts; work goes on until the table is empty");
  stand_verb("resume", "end a pause or a drain");
  CLI::App& apply = verb("apply", "take the tables folder as it is now (RELOAD): show what would change, ask, do it");
  apply.add_option("TABLE", out_.table, "this table only");
  CLI::Option* yes = apply.add_flag("--yes", out_.yes, "do not ask");
  apply.add_flag("--dry-run", out_.dry_run, "show what would change, and change nothing")->excludes(yes);
  CLI::App& reload = verb("reload", "the same as apply --yes");
  reload.add_option("TABLE", out_.table, "this table only");
  reload.add_flag("--dry-run", out_.dry_run, "show what would change, and change nothing");
  CLI::App& stop = verb("stop", "end the daemon cleanly, and wait until it has ended (--timeout: how long)");
  for (CLI::App* one : {&apply, &reload, &stop}) one->footer("Needs the right admin: the administrator's socket.");
  CLI::App& check = verb("check", "say what is wrong with configuration files; no daemon is asked");
  check.add_option(
      "FILE", out_.words,
      "NAME.xml of a table, the daemon's file (with all tables that it loads), TYPE.xml, a plan, or a folder "
      "of such; default: the daemon's file where it was installed");
  check.add_option("--plugins", out_.plugins, "folder of the table types (default: where they were installed)")
      ->type_name("FOLDER");
}

void Grammar::add_plan_verbs() {
  CLI::App& plan = verb("plan", "say what is wrong with plans of pipelines, and what they promise; no daemon is asked");
  plan.require_subcommand(1);
  plan.callback([this] { out_.verb = "plan " + plan_verb_; });
  CLI::App& check =
      plan_verb(plan, "check", "say what is wrong with plans: each problem with its name, line and what was expected");
  check.add_option("FILE", out_.words, "the plan's file, PLAN.xml")->required();
  check.footer("Exit code 2: a plan has errors. Problems are on standard error, with --json on standard output.");
  CLI::App& explain = plan_verb(plan, "explain", "list steps, destinations, paths, and what a crash would run again");
  explain.add_option("FILE", out_.words, "the plan's file, PLAN.xml")->required();
  explain.add_flag("--dot", out_.dot, "as a drawing for Graphviz");
  explain.footer("A plan with errors is not explained: they are on standard error.");
  CLI::App& compare = plan_verb(
      plan, "compare", "say which sources and destinations go on in a newer version of a plan, which are new or end");
  compare.add_option("FILES", out_.words, "of the former version, then of the newer one")->required()->expected(2);
  compare
      .add_option("--rename", out_.renamed, "this source or step has another name in the newer version (repeatable)")
      ->type_name("OLD=NEW")
      ->expected(1)
      ->take_all();
  compare.footer(
      "A destination that goes on keeps what is known of each document; at a new one every document is missing.");
}

CLI::App& Grammar::plan_verb(CLI::App& plan, std::string const& name, std::string const& description) {
  CLI::App* made = plan.add_subcommand(name, description);
  made->fallthrough();
  // Called before the callback of `plan`.
  made->callback([this, name] { plan_verb_ = name; });
  made->add_flag("--strict", out_.strict, "warnings are errors");
  return *made;
}

void Grammar::add_log_verbs() {
  CLI::App& log = verb("log", "look into the folders of logs, and mend them; no daemon is asked");
  log.require_subcommand(1);
  log.callback([this] { out_.verb = "log " + log_verb_; });
  CLI::App& verify = log_verb(log, "verify", "read logs as a start of the daemon does, and change nothing");
  CLI::Option* folders = verify.add_option("FOLDER", out_.words, "folders of logs: DATA/NAME, with container-...");
  verify.add_option("--config", out_.config, "all logs that this configuration file of the daemon declares")
      ->type_name("FILE")
      ->excludes(folders);
  verify.footer(
      "Prints what was scanned and recovered, what was ignored and why, where a torn tail would be cut, the rows of\n"
      "each table and the digest, which is that of the daemon's command DIGEST in the same state. Needs the plugins "
      "of\n"
      "the tables; names and columns stand in the log itself.");
  add_dump(log);
  add_salvage(log);
  add_resize(log);
}

void Grammar::add_dump(CLI::App& log) {
  CLI::App& dump = log_verb(log, "dump", "show containers, batches and records, also of a damaged log");
  dump.add_option("FOLDER", out_.words, "folder of a log: DATA/NAME, with container-...")->required()->expected(1);
  dump.add_option("--table", out_.table, "records of this table only: its name, or its number (0: the catalogue)");
  dump.add_option("--container", out_.container, "this container only: its number");
  number(dump, "--from", out_.from_lsn, "from this LSN on");
  number(dump, "--to", out_.to_lsn, "up to this LSN");
  number(dump, "--bytes", out_.body_bytes, "of each record's body, in hexadecimal (default 64)", 0, UINT32_MAX);
  dump.footer(
      "Lines CONTAINER, BATCH and RECORD; DAMAGE where something that was durable cannot be read; REST where nothing "
      "is\nwritten, or is needed. Needs no plugins. Exit code 7 if there is damage.");
}

void Grammar::add_salvage(CLI::App& log) {
  CLI::App& salvage = log_verb(log, "salvage", "write what is left of a damaged log into a new one");
  salvage.add_option("FOLDER", out_.words, "folder of the damaged log; it is only read")->required()->expected(1);
  salvage.add_option("--to", out_.to, "folder to be made")->type_name("FOLDER")->required();
  salvage.footer(
      "Refuses a log that is sound. Prints what is lost and what was left out. Rows whose records are lost are lost; "
      "rows\nwhose DONE or DELETE is lost come back and are worked on again; what was merged into a row, or said "
      "about its\ndate, may be lost. doc/log-tools.md says more. Use a backup instead if there is one. Needs the "
      "plugins of the tables.");
}

void Grammar::add_resize(CLI::App& log) {
  CLI::App& resize = log_verb(log, "resize", "write a log anew, with containers of another size");
  resize.add_option("FOLDER", out_.words, "folder of a log: DATA/NAME, with container-...")->required()->expected(1);
  size(resize, "--container-size", out_.container_bytes,
       "of each file: 512KiB to 4GiB; less is rounded up, and all to whole blocks")
      ->required();
  resize.footer(
      "Writes FOLDER.resize, reads it again, compares the digests, and exchanges the two names in one step; then the "
      "old\nlog is removed. Needs room for a second log. Interrupted at any moment, a whole log stands under FOLDER: "
      "remove\nFOLDER.resize and begin again. Needs the plugins of the tables. The size in the daemon's "
      "configuration counts for\nnew logs only.");
}

void Grammar::add_backup() {
  CLI::App& backup = verb("backup", "copy all logs of a running daemon, as they are at one moment");
  backup.add_option("DIR", out_.words, "folder to be made, with one below it for each log")->required()->expected(1);
  size(backup, "--rate", out_.rate, "bytes a second at the most, as 50MiB (default: as fast as the disks allow)");
  number(backup, "--keep", out_.keep,
         "DIR holds many backups, each named by its date: make one more, and remove the oldest until there are so many",
         1, 10'000);
  backup.add_flag("--digest", out_.digest,
                  "have the daemon say the digest of that moment; it looks at every row for it and serves nobody "
                  "meanwhile");
  backup.footer(
      "Needs the right admin (the administrator's socket), and may read its files. DIR appears when all of it is\n"
      "there, synced and read again; until then it is called DIR.partial. To restore, give the daemon DIR as its\n"
      "data folder, with the tables folder that it had. Never let a copy serve beside its original: both would give "
      "out\nthe same row numbers and epochs. The daemon keeps the files that are being copied, at most what the log "
      "held at that\nmoment; on a full disk it takes them back, and the backup fails.");
}

void Grammar::add_machine_verbs() {
  CLI::App& doctor = verb("doctor", "check the installation on this computer, and say what to do");
  doctor.add_option("--config", out_.config, "the daemon's file (default: of the one that runs, else installed)")
      ->type_name("FILE");
  doctor.add_option("--plugins", out_.plugins, "folder of the table types (default: as the daemon's file says)")
      ->type_name("FOLDER");
  doctor.add_option("--state", out_.state, "the daemon's --state (default: of the one that runs, or of the service)")
      ->type_name("FOLDER");
  doctor.footer(
      "Looks at the configuration, rights and owners, disks and the speed of their syncs, clock, limits, kernel "
      "settings,\nversions, certificates, and the daemon if one answers. It changes nothing. Severities: ok, unseen "
      "(no right to look),\nadvice, warning, error. Exit code 0 without warnings and errors, 9 with warnings, 10 with "
      "errors.");
  CLI::App& bench = verb("bench", "measure the syncs of a disk, and a journal on it");
  bench.add_option("--folder", out_.folder, "on the disk to measure (default: the folder that you are in)")
      ->type_name("FOLDER");
  duration(bench, "--time", out_.time, "how long, all rows together (default 20s)");
  bench.footer(
      "Starts a daemon of its own, with a folder of its own in FOLDER; both are gone at the end, also after Ctrl-C. A "
      "daemon\nthat runs is not touched, but shares the disk. Exit code as of other commands; 128 and its number after "
      "a "
      "signal.");
}

void Grammar::add_user_verbs() {
  CLI::App& user = verb("user", "the users who may log in at the daemon: a file, no daemon is asked");
  user.require_subcommand(1);
  user.callback([this] { out_.verb = "user " + user_verb_; });
  CLI::App& add = user_verb(user, "add", "a new user, with a token that is shown this once");
  add.add_option("NAME", out_.words, "letters, digits, _ . @ or -")->required()->expected(1);
  add.add_option("--rights", out_.rights, "words out of \"read add work manage admin\", or \"all\"")->required();
  add.add_option(
      "--tables", out_.tables,
      "on these tables only: their names, a * at the end of one stands for any ending (default: all, and the "
      "daemon itself)");
  add.add_flag("--no-token", out_.no_token, "make no token: the user has a client certificate of this name");
  add.footer(
      "The file gets the mode 0600 and only a slow hash of the token. The token is on standard output, what to do "
      "with\n"
      "it on standard error. `fastjournal reload` makes the daemon read the file.");
  user_verb(user, "list", "the users of the file and their rights");
  CLI::App& remove =
      user_verb(user, "remove", "take a user out of the file; `fastjournal reload` ends his connections");
  remove.add_option("NAME", out_.words, "as `user list` shows it")->required()->expected(1);
}

CLI::App& Grammar::user_verb(CLI::App& user, std::string const& name, std::string const& description) {
  CLI::App* made = user.add_subcommand(name, description);
  made->fallthrough();
  // Called before the callback of `user`.
  made->callback([this, name] { user_verb_ = name; });
  CLI::Option* file =
      made->add_option("--file", out_.file, "the file of users (default: the one that the daemon's file names)")
          ->type_name("FILE");
  made->add_option("--config", out_.config, "the daemon's file (default: where it was installed)")
      ->type_name("FILE")
      ->excludes(file);
  return *made;
}

void Grammar::add_spool_verbs() {
  CLI::App& spool = verb("spool", "look into a spool folder, and decide about refused rows; no daemon is asked");
  spool.require_subcommand(1);
  spool.callback([this] { out_.verb = "spool " + spool_verb_; });
  spool_verb(spool, "status", "say whether a forwarder runs, what waits, and what somebody must do")
      .footer(
          "Exit code 0 if all is well; 8 if rows are held or set aside, if rows wait and no forwarder runs, or if\n"
          "the forwarder has a problem. Reads all files of the folder, and changes nothing.");
  CLI::App& list = spool_verb(spool, "list", "show rows that wait, are held, or are set aside with the reason");
  list.add_option("--table", out_.table, "of this table only");
  list.add_flag("--waiting", out_.waiting, "those that were not sent so far");
  list.add_flag("--held", out_.held, "those whose table takes no rows now");
  list.add_flag("--aside", out_.aside, "those that were refused for good");
  number(list, "--count", out_.count, "how many at most (default 100, with --json all)", 1);
  list.footer(
      "With --json an object a line: where, table, date, code, reason, and in `row` what `put --from` takes:\n"
      "  fastjournal spool list FOLDER --aside --table T --json | jq -c .row > rows\n"
      "and when the rows are corrected and put, `fastjournal spool purge FOLDER T`.");
  for (auto const& [name, description] :
       {std::pair{"resend", "give rows that were set aside to the forwarder again"},
        std::pair{"purge", "delete rows that were set aside: shows how many, asks, and deletes them"}}) {
    CLI::App& made = spool_verb(spool, name, description);
    CLI::Option* table = made.add_option("TABLE", out_.table, "as `spool status` shows it");
    made.add_flag("--all", out_.all, "of all tables")->excludes(table);
    if (std::string_view{name} == "resend") {
      made.footer("They are sent as new rows. Those that are refused again are set aside again.");
      continue;
    }
    CLI::Option* yes = made.add_flag("--yes", out_.yes, "do not ask");
    made.add_flag("--dry-run", out_.dry_run, "say how many rows it would be, and delete none")->excludes(yes);
  }
}

CLI::App& Grammar::spool_verb(CLI::App& spool, std::string const& name, std::string const& description) {
  CLI::App* made = spool.add_subcommand(name, description);
  made->fallthrough();
  // Called before the callback of `spool`.
  made->callback([this, name] { spool_verb_ = name; });
  made->add_option("FOLDER", out_.spool, "the folder that producers save to")->required();
  return *made;
}

CLI::App& Grammar::log_verb(CLI::App& log, std::string const& name, std::string const& description) {
  CLI::App* made = log.add_subcommand(name, description);
  made->fallthrough();
  // Called before the callback of `log`.
  made->callback([this, name] { log_verb_ = name; });
  if (name != "dump")
    made->add_option("--plugins", out_.plugins, "folder of the table types (default: where they were installed)")
        ->type_name("FOLDER");
  return *made;
}

void Grammar::stand_verb(std::string const& name, std::string const& description) {
  CLI::App& made = table_verb(name, description);
  made.add_option("--reason", out_.reason, "why, for those who ask");
  made.add_option("--worker", out_.worker, "worker name, shown as the lease holder (default: user@host)");
}

void Grammar::filter(CLI::App& to, std::vector<std::string> const& states) {
  auto const any = [](std::string_view text) -> Result<std::string> { return std::string(text); };
  to.add_option("--status", out_.filter.status, "only rows in this state")->check(CLI::IsMember(states));
  to.add_option("--prefix", out_.filter.prefix, "only keys that begin so (tables with a row-key)");
  to.add_option("--domain", into("--domain", out_.filter.domain, any), "only of this domain")->type_name("TEXT");
  to.add_option("--error", into("--error", out_.filter.error, any),
                "only rows whose last error contains this; '' for any error")
      ->type_name("TEXT");
}

void Grammar::bulk_verb(std::string const& name, std::string const& description, std::string const& footer) {
  CLI::App& made = table_verb(name, description);
  made.add_option("WHICH", out_.words,
                  "the row's number, or all columns of its key if the table has keys; or else a filter");
  filter(made, kAllStates);
  number(made, "--count", out_.count, "stop after so many rows", 1);
  made.add_option("--after", out_.after, "go on where an earlier one ended");
  CLI::Option* dry_run = made.add_flag("--dry-run", out_.dry_run, "say how many rows it would be, and change nothing");
  if (name == "delete")
    made.add_flag("--yes", out_.yes, "do not ask, which is done on a terminal before rows of a filter go")
        ->excludes(dry_run);
  made.footer(footer + "\nThe daemon does it, a page of at most 1000 rows a command, to rows that fit at that moment.");
}

void Grammar::row_verb(std::string const& name, std::string const& description) {
  table_verb(name, description)
      .add_option("WHICH", out_.words, "its number, or all columns of its key if the table has keys")
      ->required();
}

void Grammar::add_other_verbs() {
  CLI::App& tables = verb("tables", "the tables of the daemon");
  CLI::Option* names = tables.add_flag("--names", out_.names, "names only, one a line");
  CLI::Option* columns = tables.add_option("--columns", out_.columns_of, "the columns of this table, one a line")
                             ->type_name("TABLE")
                             ->excludes(names);
  tables.add_option("--key", out_.key_of, "the columns of this table's row-key, one a line; nothing without one")
      ->type_name("TABLE")
      ->excludes(names)
      ->excludes(columns);
  verb("login", "keep a token for this server, read from standard input, in ~/.config/fastjournal/token")
      .footer("A terminal does not show it. It is shown to the daemon first, and kept if the daemon knows it.");
  verb("ping", "see whether the daemon answers, and how fast");
  verb("commands", "the commands that the daemon knows (HELP), or what one of them takes")
      .add_option("COMMAND", out_.words, "one command")
      ->expected(0, 1);
  CLI::App& call =
      verb("call", "send any command and print the answer: `fastjournal call PAUSE table=pages reason=upgrade`");
  call.add_option("COMMAND", out_.words, "its name, then name=value for each parameter")->required();
  CLI::App& completion = verb("completion", "print a completion script for a shell");
  completion.add_option("SHELL", out_.words, "bash, zsh or fish")
      ->required()
      ->expected(1)
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion.footer(
      "An installation has these scripts where the shells look for them. Elsewhere, in the shell's own file:\n"
      "  bash  . <(fastjournal completion bash)\n"
      "  zsh   . <(fastjournal completion zsh), behind compinit\n"
      "  fish  fastjournal completion fish | source");
}

}  // namespace fastjournal::cli
