// Logs of every format that was ever on main (tests/golden/logs, written by the daemons of their time) can still be
// read: each has the digest of its own daemon, and a daemon can continue it.
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "log/catalogue.h"
#include "plugins/blob/records.h"
#include "plugins/journal/records.h"
#include "plugins/keyvalue/records.h"
#include "plugins/pipeline/records.h"
#include "plugins/queue/records.h"
#include "tests/integration/golden_logs.h"

namespace {

using namespace fastjournal::test;

// The parts of the output of `log verify` that do not depend on the folder's path or on the program.
std::string facts_of(std::string const& verified) {
  std::string out;
  std::istringstream lines{verified};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string name;
    words >> name;
    bool const is_table = line.find(" journal ") != std::string::npos;
    if (!is_table && name != "digest" && name != "base_lsn" && name != "end_lsn" && name != "records") continue;
    out += name;
    for (std::string word; words >> word;) out += " " + word;
    out += "\n";
  }
  return out;
}

// Contents by file name, without the lock, which names its last holder.
using Contents = std::map<std::string, std::string>;
Contents contents_of(fs::path const& folder) {
  Contents out;
  for (auto const& entry : fs::directory_iterator{folder})
    if (entry.path().filename() != "lock") out[entry.path().filename().string()] = bytes_of(entry.path());
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(golden_logs)

BOOST_AUTO_TEST_CASE(each_log_that_landed_is_read_with_the_digest_it_had) {
  std::vector<fs::path> const logs = logs_that_landed();
  BOOST_TEST(logs.size() >= 3U);
  for (fs::path const& log : logs) {
    BOOST_TEST_CONTEXT(log.filename().string()) {
      TemporaryFolder folder;
      unpack(log, folder.path() / "shared");
      ToolRan const verified = run_tool({"log", "verify", folder / "shared"});
      BOOST_TEST(verified.code == 0, verified.output);
      std::string const expected = facts_of(bytes_of(log / "verified.txt"));
      BOOST_TEST(contains(expected, "digest "));
      BOOST_TEST(contains(expected, "golden journal "));
      BOOST_TEST(facts_of(verified.output) == expected, verified.output);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_is_opened_changed_closed_and_opened_again) {
  for (fs::path const& log : logs_that_landed()) {
    BOOST_TEST_CONTEXT(log.filename().string()) {
      Opened opened{log};
      opened.start();
      BOOST_TEST(contains(opened.ask("PEEK table=golden;name=old-plain"), "note=second;"));
      std::string const parked = opened.ask("PEEK table=golden;name=new-parked");
      BOOST_TEST(contains(parked, "error=it can never work;"), parked);
      BOOST_TEST(contains(parked, "status=parked;"), parked);
      BOOST_TEST(contains(opened.ask("STATS table=golden"), "paused=1;"));
      // Changes: an old row is kicked and fails, which writes records of today's version about it.
      BOOST_TEST(contains(opened.ask("RESUME table=golden"), "RESUMED"));
      BOOST_TEST(contains(opened.ask("INSERT table=golden;name=new-plain;note=third"), "result=merged;"));
      BOOST_TEST(contains(opened.ask("KICK table=golden;name=new-parked"), "KICKED"));
      std::string const taken = opened.ask("NEXT table=golden;lease=3600000");
      BOOST_TEST(contains(taken, "name=new-parked;"), taken);
      std::string const lease = "row=" + value_behind(taken, "row") + ";epoch=" + value_behind(taken, "epoch");
      BOOST_TEST(contains(opened.ask("RELEASE table=golden;error=again;" + lease), "RELEASED"));
      BOOST_TEST(contains(opened.ask("DELETE table=golden;name=old-long"), "DELETED"));
      std::string const digest = opened.stop();
      ToolRan const verified = run_tool({"log", "verify", opened.log(), "--json"});
      BOOST_TEST(value_behind(verified.output, "digest") == digest, verified.output);

      opened.start();
      BOOST_TEST(contains(opened.ask("PEEK table=golden;name=new-plain"), "note=third;"));
      std::string const failed = opened.ask("PEEK table=golden;name=new-parked");
      BOOST_TEST(contains(failed, "attempts=1;"), failed);
      BOOST_TEST(contains(failed, "error=again;"), failed);
      BOOST_TEST(contains(opened.ask("PEEK table=golden;name=old-long"), "code=unknown_row;"));
      static_cast<void>(opened.stop());
    }
  }
}

// In a table without row-key equal rows stay two rows, and a row that failed is found by its number.
BOOST_AUTO_TEST_CASE(rows_without_a_key_are_read_and_work_goes_on) {
  Opened opened{kGolden / "keyless"};
  opened.start();
  LineClient client{opened.daemon.local()};
  std::map<std::string, int> statuses;
  std::map<std::string, int> sites;
  std::string parked;
  for (std::string line = client.ask("LIST table=events"); !line.empty(); line = client.read_line().value_or("")) {
    BOOST_REQUIRE_MESSAGE(line.starts_with("ROW "), line);
    ++statuses[value_behind(line, "status")];
    ++sites[value_behind(line, "site")];
    if (value_behind(line, "site") == "new-parked") parked = value_behind(line, "row");
    if (contains(line, "left=0;")) break;
  }
  BOOST_TEST(sites["old-twin"] == 2);
  BOOST_TEST(sites["new-twin"] == 2);
  BOOST_TEST(sites["new-done"] == 0);
  BOOST_TEST(sites["new-deleted"] == 0);
  BOOST_TEST(statuses["processing"] == 2);
  BOOST_TEST(contains(opened.ask("PEEK table=events;row=" + parked), "error=it can never work;"));
  // The last command of the producer of that time, sent once more, is still known.
  BOOST_TEST(contains(opened.ask("INSERT table=events;site=new-sent;size=9;client=producer;sequence=200"),
                      "result=duplicate;"));
  BOOST_TEST(contains(opened.ask("KICK table=events;row=" + parked), "KICKED"));
  BOOST_TEST(contains(opened.ask("INSERT table=events;site=new-twin"), "result=inserted;"));
  std::string const digest = opened.stop();
  ToolRan const verified = run_tool({"log", "verify", opened.log(), "--json"});
  BOOST_TEST(value_behind(verified.output, "digest") == digest, verified.output);
}

// What became of pairs, and a writer of that time that sends its last command once more.
BOOST_AUTO_TEST_CASE(pairs_are_read_and_changed) {
  Opened opened{kGolden / "pairs"};
  opened.start();
  auto const get = [&](std::string const& rest) { return opened.ask("GET table=values;" + rest); };
  for (std::string const p : {"old", "new", "last"}) {
    BOOST_TEST_CONTEXT(p) {
      BOOST_TEST(contains(get("facts=1;key=" + p + "-plain"), ";value=second;"));
      BOOST_TEST(contains(get("key=" + p + "-stamped"), "type=integer;value=1;"));
      BOOST_TEST(contains(get("key=" + p + "-bytes"), "type=buffer;value=AAEC;"));
      BOOST_TEST(contains(get("key=" + p + "-flag"), "type=boolean;value=0;"));
      BOOST_TEST(contains(get("key=" + p + "-float"), "value=0.5;"));
      BOOST_TEST(contains(get("key=" + p + "-void"), "type=void;"));
      BOOST_TEST(contains(get("key=" + p + "-dated"), "expiration_date=4133980800000;"));
      BOOST_TEST(contains(get("facts=1;key=" + p + "-read"), "ttl=3153600000000;"));
      BOOST_TEST(contains(get("key=" + p + "-worked"), "worked_on=1;"));
      BOOST_TEST(contains(get("data=0;key=" + p + "-long"), "size=30000;"));
      BOOST_TEST(contains(get("key=" + p + "-count"), "value=3;"));
      BOOST_TEST(contains(get("facts=1;key=" + p + "-alias"), "main_key=" + p + "-after;"));
      for (std::string const gone : {"-before", "-deleted", "-gone", "-expired"})
        BOOST_TEST(contains(get("key=" + p + gone), "NOTHING"), gone);
      BOOST_TEST(contains(opened.ask("SET table=values;key=" + p + "-locked;value=l2"), "result=stored"));
    }
  }
  BOOST_TEST(
      contains(opened.ask("ADD table=values;key=last-count;by=-2;client=producer;sequence=401"), "result=duplicate;"));
  BOOST_TEST(contains(opened.ask("RENAME table=values;key=last-alias;new_key=last-other"), "result=stored"));
  std::string const digest = opened.stop();
  ToolRan const verified = run_tool({"log", "verify", opened.log(), "--json"});
  BOOST_TEST(value_behind(verified.output, "digest") == digest, verified.output);
}

// Blobs, and rows whose values are in files.
BOOST_AUTO_TEST_CASE(bytes_outside_the_log_are_read_and_changed) {
  Opened opened{kGolden / "bytes"};
  opened.start();
  for (std::string const p : {"old", "new", "last"}) {
    BOOST_TEST_CONTEXT(p) {
      BOOST_TEST(contains(opened.ask("GET table=blobs;data=1;key=" + p + "-small"), "data=c2Vjb25k;"));
      BOOST_TEST(contains(opened.ask("GET table=blobs;data=1;key=" + p + "-large"), "bGxsbGxsbGxs"));
      BOOST_TEST(contains(opened.ask("PEEK table=spilled;name=" + p + "-large"), std::string(30'000, 'e')));
      BOOST_TEST(contains(opened.ask("PEEK table=spilled;name=" + p + "-gone"), "code=unknown_row;"));
    }
  }
  BOOST_TEST(contains(opened.ask("GET table=blobs;key=old-omitted"), "result=absent;"));
  BOOST_TEST(contains(opened.ask("PUT table=blobs;key=last-small;data=Zmlyc3Q=;client=producer;sequence=400"),
                      "result=duplicate;"));
  BOOST_TEST(contains(opened.ask("PUT table=blobs;key=old-small;data=Zmlyc3Q="), "result=replaced;"));
  BOOST_TEST(contains(opened.ask("DELETE table=spilled;name=old-large"), "DELETED"));
  std::string const digest = opened.stop();
  ToolRan const verified = run_tool({"log", "verify", opened.log(), "--json"});
  BOOST_TEST(value_behind(verified.output, "digest") == digest, verified.output);
  opened.start();
  BOOST_TEST(contains(opened.ask("GET table=blobs;data=1;key=old-small"), "data=Zmlyc3Q=;"));
}

// What became of documents, and workers that go on.
BOOST_AUTO_TEST_CASE(documents_are_read_and_go_on) {
  Opened opened{kGolden / "documents"};
  opened.start();
  LineClient client{opened.daemon.local()};
  std::map<std::string, std::string> states;  // by uri, or child
  std::map<std::string, std::string> numbers;
  int versions = 0;
  for (std::string line = client.ask("DOCUMENTS table=docs"); !line.empty(); line = client.read_line().value_or("")) {
    BOOST_REQUIRE_MESSAGE(line.starts_with("DOCUMENT "), line);
    std::string const uri = value_behind(line, "uri");
    // There are blanks in it.
    std::size_t const at = line.find(";states=") + 8;
    states[uri] = line.substr(at, line.find(';', at) - at);
    numbers[uri] = value_behind(line, "document");
    if (contains(line, ";newer=")) ++versions;
    if (contains(line, "left=0;")) break;
  }
  for (std::string const p : {"old", "new", "last"}) {
    BOOST_TEST_CONTEXT(p) {
      BOOST_TEST(states[p + "-sent"] == "index=sent publish=sent");
      BOOST_TEST(states[p + "-failed"] == "index=error publish=error_doc");
      BOOST_TEST(states[p + "-back"] == "index=processing publish=processing");
      BOOST_TEST(states[p + "-changed"] == "index=processing publish=processing");
      BOOST_TEST(states[p + "-list"] == "index=dropped publish=dropped");
      BOOST_TEST(contains(states[p + "-routed"], "answer=dropped"), states[p + "-routed"]);
      BOOST_TEST(!states.contains(p + "-gone"));
      std::string const found = "FOUND table=docs;hand_out=0;source=pages;uri=" + p;
      BOOST_TEST(contains(opened.ask(found + "-sent;hash=1"), "change=unchanged;"));
      BOOST_TEST(contains(opened.ask(found + "-changed;hash=3"), "change=changed;"));
      BOOST_TEST(contains(opened.ask("WHY table=docs;document=" + numbers[p + "-failed"]), "no room"));
      BOOST_TEST(contains(opened.ask("RETRY table=docs;document=" + numbers[p + "-failed"]), "count=2;"));
    }
  }
  BOOST_TEST(versions == 3);
  BOOST_TEST(contains(opened.ask("STATS table=docs"), "documents_archived=3;"));
  for (std::string const p : {"old", "new"})
    BOOST_TEST(states[p + "-doubt"] == "index=processing publish=in_doubt", states[p + "-doubt"]);
  BOOST_TEST(contains(opened.ask("RESOLVE table=docs;outcome=sent;document=" + numbers["old-doubt"]), "count=1;"));
  BOOST_TEST(contains(opened.ask("DESTINATIONS table=docs;destination=publish"), "reason=upgrade last;"));
  BOOST_TEST(contains(opened.ask("RESUME table=docs;destination=publish"), "CHANGED"));
  BOOST_TEST(contains(opened.ask("NEXT table=docs;source=pages"), "DOCUMENT "));
  BOOST_TEST(contains(opened.ask("PLANS table=moved"), "version=2;"));
  std::string const digest = opened.stop();
  ToolRan const verified = run_tool({"log", "verify", opened.log(), "--json"});
  BOOST_TEST(value_behind(verified.output, "digest") == digest, verified.output);
}

// What their source does not have any more is still to be deleted, and nothing else is.
BOOST_AUTO_TEST_CASE(documents_that_are_gone_are_deleted_by_workers_that_go_on) {
  Opened opened{kGolden / "deleted"};
  opened.start();
  LineClient client{opened.daemon.local()};
  std::map<std::string, std::vector<std::string>> lines;  // by uri
  for (std::string line = client.ask("DOCUMENTS table=mirror"); !line.empty(); line = client.read_line().value_or("")) {
    BOOST_REQUIRE_MESSAGE(line.starts_with("DOCUMENT "), line);
    lines[value_behind(line, "uri")].push_back(line);
    if (contains(line, "left=0;")) break;
  }
  BOOST_TEST(contains(opened.ask("STATS table=mirror"), "draining=1;"));
  for (std::string const p : {"old", "new", "last"}) {
    BOOST_TEST_CONTEXT(p) {
      auto const is = [&](std::string const& name, std::string const& what) {
        return lines[p + name].size() == 1 && contains(lines[p + name].front(), what);
      };
      BOOST_TEST(is("-waits", ";states=copy=processing tell=processing;"));
      BOOST_TEST(is("-begun", ";states=copy=sent tell=processing;"));
      BOOST_TEST(is("-refused", ";states=copy=error_doc tell=processing;"));
      BOOST_TEST(is("-back", ";states=copy=processing tell=processing;"));
      for (std::string const name : {"-waits", "-begun", "-refused"}) BOOST_TEST(is(name, ";operation=delete;"), name);
      BOOST_TEST(!is("-back", ";operation="));
      BOOST_TEST(lines[p + "-over"].empty());
      BOOST_TEST(lines[p + "-kept"].size() == 2U);
    }
  }
  BOOST_TEST(contains(opened.ask("RESUME table=mirror"), "RESUMED"));
  BOOST_TEST(contains(opened.ask("WHY table=mirror;document=" + value_behind(lines["old-refused"].front(), "document")),
                      "at delete, line 12"));
  // Handed out with what is to be done.
  std::map<std::string, std::string> operations;  // by uri
  for (int at = 0; at < 13; ++at) {
    std::string const line = client.ask("NEXT table=mirror;source=pages");
    if (!line.starts_with("DOCUMENT ")) break;
    operations[value_behind(line, "uri")] = value_behind(line, "operation");
  }
  // Two are leased, for the grace.
  BOOST_TEST(operations.size() >= 11U);
  for (auto const& [uri, operation] : operations)
    BOOST_TEST(operation == (uri.ends_with("-back") ? "" : "delete"), uri);
  BOOST_TEST(
      contains(opened.ask("FOUND table=mirror;source=pages;uri=old-waits;hash=1;hand_out=0"), "change=changed;"));
  std::string const digest = opened.stop();
  ToolRan const verified = run_tool({"log", "verify", opened.log(), "--json"});
  BOOST_TEST(value_behind(verified.output, "digest") == digest, verified.output);
}

// Prepared transactions of that time are in doubt, hold what they held, and can be ended.
BOOST_AUTO_TEST_CASE(prepared_transactions_are_in_doubt_and_end) {
  Opened opened{kGolden / "prepared"};
  opened.start();
  LineClient client{opened.daemon.local()};
  std::map<std::string, std::string> states;
  for (std::string line = client.ask("XA_RECOVER all=1"); !line.empty(); line = client.read_line().value_or("")) {
    BOOST_REQUIRE_MESSAGE(line.starts_with("BRANCH "), line);
    states[value_behind(line, "xid")] = value_behind(line, "state");
    if (contains(line, "left=0;")) break;
  }
  BOOST_TEST(states.size() == 6U);
  for (std::string const p : {"old", "new", "last"}) {
    BOOST_TEST_CONTEXT(p) {
      std::string xid = "7:";
      for (char const c : p) xid += fmt::format("{:02x}", static_cast<unsigned>(c));
      BOOST_TEST(states[xid + ":03"] == "committed");
      BOOST_TEST(states[xid + ":04"] == "prepared");
      BOOST_TEST(contains(opened.ask("PEEK table=golden;name=" + p + "-committed"), "note=one;"));
      BOOST_TEST(contains(opened.ask("PEEK table=golden;name=" + p + "-rolled-back"), "code=unknown_row;"));
      BOOST_TEST(contains(opened.ask("GET table=values;key=" + p + "-decided"), "value=yes;"));
      BOOST_TEST(contains(opened.ask("SET table=values;key=" + p + "-doubt;value=x"), "code=in_transaction;"));
      BOOST_TEST(contains(opened.ask("PEEK table=strict;name=" + p + "-doubt"), "status=processing;"));
      BOOST_TEST(contains(opened.ask("XA_FORGET xid=" + xid + ":03"), "FORGOTTEN"));
      bool const commits = p != "new";
      BOOST_TEST(contains(opened.ask((commits ? "XA_COMMIT xid=" : "XA_ROLLBACK xid=") + xid + ":04"),
                          commits ? "COMMITTED" : "ROLLED_BACK"));
      BOOST_TEST(
          contains(opened.ask("GET table=values;key=" + p + "-doubt"), commits ? "value=after;" : "value=before;"));
      BOOST_TEST(
          contains(opened.ask("PEEK table=strict;name=" + p + "-promised"), commits ? "ROW" : "code=unknown_row;"));
      if (commits) BOOST_TEST(contains(opened.ask("PEEK table=strict;name=" + p + "-doubt"), "code=unknown_row;"));
    }
  }
  std::string const digest = opened.stop();
  ToolRan const verified = run_tool({"log", "verify", opened.log(), "--json"});
  BOOST_TEST(value_behind(verified.output, "digest") == digest, verified.output);
}

// Values outside the log that prepared transactions of that time have.
BOOST_AUTO_TEST_CASE(prepared_blobs_are_where_they_were_and_are_stored_or_given_back) {
  Opened opened{kGolden / "promises"};
  opened.start();
  for (std::string const p : {"old", "new", "last"}) {
    BOOST_TEST_CONTEXT(p) {
      std::string xid = "7:";
      for (char const c : p) xid += fmt::format("{:02x}", static_cast<unsigned>(c));
      BOOST_TEST(contains(opened.ask("PUT table=blobs;key=" + p + "-promised;data=c2Vjb25k"), "code=in_transaction;"));
      BOOST_TEST(contains(opened.ask("OMIT table=blobs;key=" + p + "-small"), "code=in_transaction;"));
      bool const commits = p != "new";
      BOOST_TEST(contains(opened.ask((commits ? "XA_COMMIT xid=" : "XA_ROLLBACK xid=") + xid + ":06"),
                          commits ? "COMMITTED" : "ROLLED_BACK"));
      BOOST_TEST(contains(opened.ask("GET table=blobs;data=1;key=" + p + "-promised"),
                          commits ? "data=Zmlyc3Q=;" : "result=absent;"));
    }
  }
  BOOST_TEST(contains(opened.ask("STATS table=blobs"), "outside_promised_bytes=0;"));
  std::string const digest = opened.stop();
  ToolRan const verified = run_tool({"log", "verify", opened.log(), "--json"});
  BOOST_TEST(value_behind(verified.output, "digest") == digest, verified.output);
}

// One of several logs, alone: branches whose home it is go their way, and a part of another home waits for an operator.
BOOST_AUTO_TEST_CASE(what_other_logs_have_a_part_in_is_in_doubt_and_ends) {
  Opened opened{kGolden / "several"};
  opened.start();
  LineClient client{opened.daemon.local()};
  std::map<std::string, std::string> lines;
  for (std::string line = client.ask("XA_RECOVER all=1"); !line.empty(); line = client.read_line().value_or("")) {
    BOOST_REQUIRE_MESSAGE(line.starts_with("BRANCH "), line);
    lines[value_behind(line, "xid")] = line;
    if (contains(line, "left=0;")) break;
  }
  std::string const xid = "8:6f6e65:";
  BOOST_TEST(contains(lines[xid + "01"], "state=prepared;"), lines[xid + "01"]);
  BOOST_TEST(!contains(lines[xid + "01"], "home=lost;"));
  BOOST_TEST(contains(lines[xid + "02"], "state=committed;"), lines[xid + "02"]);
  BOOST_TEST(contains(lines[xid + "03"], "home=lost;"), lines[xid + "03"]);
  BOOST_TEST(contains(opened.ask("PEEK table=golden;name=one-over"), "note=both;"));
  BOOST_TEST(contains(opened.ask("GET table=values;key=one-settled"), "value=yes;"));
  BOOST_TEST(contains(opened.ask("SET table=values;key=one-part;value=x"), "code=in_transaction;"));
  // The log with the part is not there, so its outcome stays.
  BOOST_TEST(contains(opened.ask("XA_FORGET xid=" + xid + "02"), "xa=XA_RETRY;"));
  BOOST_TEST(contains(opened.ask("XA_COMMIT xid=" + xid + "01"), "COMMITTED"));
  BOOST_TEST(contains(opened.ask("GET table=values;key=one-several"), "value=yes;"));
  BOOST_TEST(contains(opened.ask("XA_COMMIT xid=" + xid + "03"), "xa=XAER_RMFAIL;"));
  BOOST_TEST(contains(opened.ask("XA_DECIDE outcome=commit;xid=" + xid + "03"), "DECIDED"));
  BOOST_TEST(contains(opened.ask("GET table=values;key=one-part"), "value=after;"));
  std::string const digest = opened.stop();
  ToolRan const verified = run_tool({"log", "verify", opened.log(), "--json"});
  BOOST_TEST(value_behind(verified.output, "digest") == digest, verified.output);
}

// Logs with segments of format 3 have a `newest` file. Without it, or with a segment as it was before a later
// start, the log is refused and nothing is changed.
BOOST_AUTO_TEST_CASE(without_newest_or_with_an_old_segment_one_of_format_3_is_refused) {
  std::size_t with_newest = 0;
  for (fs::path const& log : logs_that_landed()) {
    if (!fs::exists(log / "newest.gz")) continue;
    ++with_newest;
    BOOST_TEST_CONTEXT(log.filename().string()) {
      Opened opened{log};
      fs::path const folder{opened.log()};
      fs::path const aside = opened.daemon.folder() / "aside";
      auto const is_refused = [&](std::string const& why) {
        Contents const before = contents_of(folder);
        BOOST_TEST(!opened.daemon.start());
        BOOST_TEST(contains(opened.daemon.output(), why), opened.daemon.output());
        BOOST_TEST((contents_of(folder) == before));
      };
      fs::rename(folder / "newest", aside);
      is_refused("shared/newest is missing");
      fs::rename(aside, folder / "newest");

      fs::copy(folder, aside);
      opened.start();
      BOOST_TEST(contains(opened.ask("RESUME table=golden"), "RESUMED"));
      BOOST_TEST(contains(opened.ask("INSERT table=golden;name=new-plain;note=third"), "result=merged;"));
      static_cast<void>(opened.stop());
      std::size_t old_ones = 0;
      for (auto const& entry : fs::directory_iterator{folder}) {
        fs::path const old = aside / entry.path().filename();
        if (!entry.path().filename().string().starts_with("container-")) continue;
        if (fs::exists(old) && bytes_of(old) == bytes_of(entry.path())) continue;
        ++old_ones;
        fs::path const kept = opened.daemon.folder() / "kept";
        fs::rename(entry.path(), kept);
        if (fs::exists(old)) fs::copy(old, entry.path());
        is_refused("nothing was changed");
        fs::rename(kept, entry.path());
      }
      BOOST_TEST(old_ones > 0U);
      opened.start();
      BOOST_TEST(contains(opened.ask("PEEK table=golden;name=new-plain"), "note=third;"));
      static_cast<void>(opened.stop());
    }
  }
  BOOST_TEST(with_newest > 0U);
}

// One needs damage, and two are not needed any more when the next maintenance has begun: tests/unit/blob has them.
std::set<int> const kRareOfBlobs{35, 39, 40};

// A clock that was accepted: tests/unit/pipeline has it.
int const kClockOfDocuments = 11;

// Whoever changes a record must add a log that has it.
BOOST_AUTO_TEST_CASE(every_version_of_every_record_stands_in_one_of_them) {
  std::set<std::pair<int, int>> seen;  // of the journal: type, version
  std::set<std::pair<int, int>> blobs;
  std::set<std::pair<int, int>> queues;
  std::set<std::pair<int, int>> documents;
  std::set<std::pair<int, int>> catalogue;  // of table 0
  for (fs::path const& log : logs_that_landed()) {
    TemporaryFolder folder;
    unpack(log, folder.path() / "shared");
    std::istringstream dump{run_tool({"log", "dump", folder / "shared"}).output};
    for (std::string line; std::getline(dump, line);) {
      if (!line.starts_with("RECORD ")) continue;
      // Of a table that is known: those that were dropped have numbers alone.
      if (contains(line, " table=")) BOOST_TEST(contains(line, " is="), line);
      auto const number = [&](std::string const& name) { return std::stoi("0" + value_behind(line, name)); };
      bool const is_catalogue = contains(line, "table=(catalogue)");
      bool const is_blob = contains(line, "table=blobs");
      bool const is_queue = contains(line, "table=post") || contains(line, "table=tubes");
      bool const is_pipeline =
          contains(line, "table=docs") || contains(line, "table=moved") || contains(line, "table=mirror");
      (is_catalogue  ? catalogue
       : is_blob     ? blobs
       : is_queue    ? queues
       : is_pipeline ? documents
                     : seen)
          .emplace(number("type"), number("version"));
      // Records of rows that only some types of table write.
      if (is_queue && number("type") < 32) seen.emplace(number("type"), number("version"));
    }
  }
  for (int type = 1; type < 256; ++type) {
    auto const record = static_cast<std::uint8_t>(type);
    // A held row is of other types (holds).
    for (int version = 1; version <= fastjournal::journal::newest_version(record); ++version)
      if (version != 3 || record != 1)
        BOOST_TEST(seen.contains({type, version}), "no record of type " << type << ", version " << version);
    if (record >= 32 && record <= 41 && !kRareOfBlobs.contains(record))
      BOOST_TEST(blobs.contains({type, fastjournal::blob::newest_version(record)}),
                 "no record of blobs of type " << type);
    // Those of its own, and the move of a row.
    if ((record >= 32 || record == 17) && fastjournal::queue::newest_version(record) != 0)
      BOOST_TEST(queues.contains({type, fastjournal::queue::newest_version(record)}),
                 "no record of queues of type " << type);
    for (int version = 1; version <= fastjournal::pipeline::newest_version(record); ++version)
      BOOST_TEST((type == kClockOfDocuments || documents.contains({type, version})),
                 "no record of documents of type " << type << ", version " << version);
    for (int version = 1; version <= fastjournal::keyvalue::newest_version(record); ++version)
      BOOST_TEST(seen.contains({type, version}), "no record of pairs of type " << type << ", version " << version);
  }
  for (int type = 1; type < 256; ++type)
    for (int version = 1; version <= fastjournal::log::Catalogue::newest_version(static_cast<std::uint8_t>(type));
         ++version)
      BOOST_TEST(catalogue.contains({type, version}),
                 "no catalogue record of type " << type << ", version " << version);
}

BOOST_AUTO_TEST_SUITE_END()
