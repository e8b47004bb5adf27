// Pipeline tables with a real daemon and `fastjournal pipeline run`: a folder is indexed and published, with the worker and
// the daemon killed on the way; each file is published once, and indexed at least once.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "tests/integration/shell.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
namespace fs = std::filesystem;

constexpr int kFiles = 44;

struct PipelinesFixture : ShellFixture {
  PipelinesFixture() {
    daemon.write("docs-plan.xml",
                 "<plan name=\"docs\" version=\"1\"><retry first=\"10ms\" jitter=\"0\"/>"
                 "<source name=\"pages\"/><step name=\"extract\" after=\"pages\" router=\"duplicate-all\"/>"
                 "<step name=\"index\" after=\"extract\" kind=\"idempotent\" guarantee=\"at-least-once\"/>"
                 "<step name=\"publish\" after=\"extract\" kind=\"potent\"/></plan>\n");
    daemon.write("lines-plan.xml",
                 "<plan name=\"lines\" version=\"1\"><source name=\"files\"/><step name=\"split\" after=\"files\"/>"
                 "<step name=\"index\" after=\"split\" kind=\"idempotent\" guarantee=\"at-least-once\"/></plan>\n");
    daemon.write("turns-plan.xml",
                 "<plan name=\"turns\" version=\"1\"><retry first=\"10ms\" jitter=\"0\"/>"
                 "<source name=\"files\" router=\"round-robin\"/>"
                 "<step name=\"left\" after=\"files\" kind=\"idempotent\" guarantee=\"at-least-once\"/>"
                 "<step name=\"right\" after=\"files\" kind=\"idempotent\" guarantee=\"at-least-once\"/></plan>\n");
    daemon.write("kept-plan.xml",
                 "<plan name=\"kept\" version=\"1\"><source name=\"files\" versions=\"all\" router=\"duplicate-all\"/>"
                 "<step name=\"a\" after=\"files\" kind=\"potent\"/>"
                 "<step name=\"b\" after=\"files\" kind=\"potent\"/></plan>\n");
    daemon.write("mirror-plan.xml",
                 "<plan name=\"mirror\" version=\"1\"><retry first=\"10ms\" jitter=\"0\"/>"
                 "<source name=\"files\" deleted=\"tell\" router=\"duplicate-all\"/>"
                 "<step name=\"copy\" after=\"files\" kind=\"idempotent\" guarantee=\"at-least-once\"/>"
                 "<step name=\"tell\" after=\"files\" kind=\"potent\"/></plan>\n");
    daemon.write("tables/contents.xml",
                 "<table name=\"contents\" model=\"blob\"><blob-size-max>1MiB</blob-size-max></table>\n");
    for (std::string const name : {"docs", "lines", "turns", "kept", "mirror"})
      daemon.write("tables/" + name + ".xml", "<table name=\"" + name + "\" type=\"pipeline\"><plan>../" + name +
                                                  "-plan.xml</plan><grace>100ms</grace></table>\n");
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
    fs::create_directories(daemon.folder() / "pages/deep");
    for (int at = 0; at < kFiles; ++at)
      write("pages/" + std::string(at % 3 == 0 ? "deep/" : "") + "p" + std::to_string(at),
            "page " + std::to_string(at) + "\n");
  }
  void write(std::string const& name, std::string const& text) { std::ofstream{daemon.folder() / name} << text; }
  // How often each line is in a file.
  std::map<std::string, int> lines(std::string const& name) {
    std::map<std::string, int> out;
    std::ifstream file{daemon.folder() / name};
    for (std::string line; std::getline(file, line);) ++out[line];
    return out;
  }
  // Workers one after the other, until nothing is missing. Without single quotes.
  static std::string until_nothing_is_open(std::string const& table, std::string const& how) {
    return "timeout 60 sh -c 'until fastjournal pipeline run " + table + " --once " + how +
           " > /dev/null; fastjournal call DOCUMENTS table=" + table + " status=open | grep -q NOTHING; do :; done'";
  }
  // Publishes, and kills its worker once so many are published.
  static std::string worker(int killed_after) {
    return "fastjournal pipeline run docs --once --source pages=pages --step extract='tr a-z A-Z' --to index='cat >> "
           "indexed' "
           "--to publish='cat >> published; test $(wc -l < published) -ne " +
           std::to_string(killed_after) + " || kill -9 $PPID'";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pipelines, PipelinesFixture)

BOOST_AUTO_TEST_CASE(a_folder_is_brought_to_its_destinations_over_kills_of_worker_and_daemon) {
  // What was being sent when the worker was killed is in doubt, and here it is known that it arrived.
  std::string const resolve =
      "while ! fastjournal call RESOLVE table=docs all=1 outcome=sent --json | grep -q count..1; do :; done";
  for (int const killed_after : {5, 10, 19}) {
    BOOST_TEST(run_in_shell(daemon, worker(killed_after)).code != 0);
    BOOST_TEST(lines("published").size() == static_cast<std::size_t>(killed_after));
    run("timeout 60 sh -c '" + resolve + "'");
    if (killed_after != 10) continue;
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }
  // Leases of workers that were killed end, and then nothing is missing.
  run(until_nothing_is_open("docs",
                            "--source pages=pages --step extract=\"tr a-z A-Z\" --to index=\"cat >> indexed\" "
                            "--to publish=\"cat >> published\""));
  std::map<std::string, int> const published = lines("published");
  std::map<std::string, int> const indexed = lines("indexed");
  BOOST_TEST(published.size() == static_cast<std::size_t>(kFiles));
  BOOST_TEST(indexed.size() == static_cast<std::size_t>(kFiles));
  for (auto const& [line, times] : published) BOOST_TEST(times == 1, line << " was published " << times << " times");
  BOOST_TEST(published.contains("PAGE 7"));
  std::string const status = run("fastjournal pipeline status docs");
  BOOST_TEST(status.find("44") != std::string::npos, status);
}

BOOST_AUTO_TEST_CASE(what_fails_is_said_and_tried_again_what_has_changed_is_sent_again) {
  write("broken", "yes");
  std::string const worker =
      "fastjournal pipeline run docs --once --source pages=pages --to publish=folder:www "
      "--to index='test ! -e broken || { echo no index >&2; exit 1; }'";
  Ran const first = run_in_shell(daemon, worker);
  BOOST_TEST(first.code == 5, first.output);
  BOOST_TEST(first.output.find("44 files looked at; ") != std::string::npos, first.output);
  // Too much failed there: it is paused, and nothing is counted.
  std::string const paused = run("fastjournal call DESTINATIONS table=docs destination=index");
  BOOST_TEST(paused.find("probing") != std::string::npos, paused);
  BOOST_TEST(run_in_shell(daemon, "fastjournal alerts").output.find("destination-paused") != std::string::npos);
  fs::remove(daemon.folder() / "broken");
  run("fastjournal call RESUME table=docs destination=index");
  run(until_nothing_is_open("docs", "--source pages=pages --to publish=folder:www --to index=true"));
  BOOST_TEST(fs::exists(daemon.folder() / "www/deep/p3"));
  std::string const nothing = run(worker);
  BOOST_TEST(nothing == "44 files looked at; 0 sent, 0 failed, 0 dropped\n", nothing);
  write("pages/p1", "another page\n");
  BOOST_TEST(run(worker) == "44 files looked at; 2 sent, 0 failed, 0 dropped\n");
  std::ifstream www{daemon.folder() / "www/p1"};
  std::string line;
  std::getline(www, line);
  BOOST_TEST(line == "another page");
}

BOOST_AUTO_TEST_CASE(documents_are_taken_apart_and_what_has_arrived_is_passed) {
  fs::create_directories(daemon.folder() / "files");
  write("files/one", "a\nb\nc\nd\n");
  std::string const worker =
      "fastjournal pipeline run lines --once --source files=files --split split='cd $FJ_OUT && split -l 1 -' ";
  BOOST_TEST(
      run_in_shell(daemon, worker + "--to index='cat >> indexed; test $(wc -l < indexed) -ne 2 || kill -9 $PPID'")
          .code != 0);
  run(until_nothing_is_open("lines",
                            "--source files=files --split split=\"cd \\$FJ_OUT && split -l 1 -\" "
                            "--to index=\"cat >> indexed\""));
  std::map<std::string, int> const indexed = lines("indexed");
  BOOST_TEST(indexed.size() == 4U);
  BOOST_TEST(indexed.at("a") == 1);
  BOOST_TEST(run(worker + "--to index='cat >> indexed'") == "1 files looked at; 0 sent, 0 failed, 0 dropped\n");
}

// What fails goes the same way again, whoever's turn it is. 20 failures pause that way, and the last four of the files,
// which have taken none so far, go the other one.
BOOST_AUTO_TEST_CASE(documents_go_by_turns_and_keep_their_way) {
  write("broken", "yes");
  std::string const how =
      "--source files=pages --to left=\"test ! -e broken && cat >> left\" --to right=\"cat >> right\"";
  BOOST_TEST(run_in_shell(daemon, "fastjournal pipeline run turns --once " + how).code == 5);
  BOOST_TEST(lines("right").size() == 24U);
  fs::remove(daemon.folder() / "broken");
  run("fastjournal call RESUME table=turns destination=left");
  run(until_nothing_is_open("turns", how));
  std::map<std::string, int> both = lines("left");
  BOOST_TEST(both.size() == 20U);
  both.merge(lines("right"));
  BOOST_TEST(both.size() == static_cast<std::size_t>(kFiles));
}

BOOST_AUTO_TEST_CASE(people_look_and_repair) {
  Ran const ran = run_in_shell(
      daemon, "fastjournal pipeline run docs --once --source pages=pages --to index='exit 65' --to publish='exit 99'");
  BOOST_TEST(ran.code == 5, ran.output);
  auto const says = [&](std::string const& words, std::string const& expected, int code = 0) {
    Ran const one = run_in_shell(daemon, "fastjournal pipeline " + words);
    BOOST_TEST(one.code == code, words << ": " << one.output);
    BOOST_TEST(one.output.find(expected) != std::string::npos, words << ": " << one.output);
  };
  says("status docs", "index        at-least-once  open");
  says("status docs --json", "\"error_doc\":44");
  says("ls docs --status failed --count 3", "there are more: --after ");
  says("ls docs --status in_doubt", "", 4);
  std::string const all = run("fastjournal pipeline ls docs --status failed --json");
  BOOST_TEST(std::ranges::count(all, '\n') == kFiles);
  std::size_t const number = all.find("\"document\":") + 11;
  std::string const first = all.substr(number, all.find(',', number) - number);
  says("why docs " + first, "index: it failed for good (index: exit status 65)");
  says("retry docs", "missing_parameter", 1);
  says("retry docs --class 'index: exit status 65' --dry-run", "44 deliveries: nothing was changed");
  says("retry docs --class other", "0 deliveries", 4);
  says("retry docs --document " + first, "1 delivery\n");
  says("retry docs --all --rate 100000", "43 deliveries\n");
  says("pause docs index --reason 'a new index'", "index is shut");
  says("status docs", "a new index");
  says("resume docs index", "index is open");
  says("pause docs nowhere", "not_found", 1);
  says("drop docs --destination index --all", "44 deliveries\n");
  says("force docs --destination publish --all --json", "{\"count\":44}");
  says("resolve docs sent --all", "0 deliveries", 4);
  says("resolve docs perhaps --all", "perhaps", 2);
  std::ifstream old{daemon.folder() / "docs-plan.xml"};
  std::string plan{std::istreambuf_iterator<char>{old}, {}};
  plan.replace(plan.find("version=\"1\""), 11, "version=\"2\"");
  for (std::size_t at = plan.find("name=\"index\""); at != std::string::npos; at = plan.find("name=\"index\""))
    plan.replace(at, 12, "name=\"search\"");
  daemon.write("docs-plan.xml", plan);
  run("fastjournal reload docs");
  says("migrate docs --version 1 --rename index=search --dry-run",
       "44 documents, 0 there before, 0 stay: nothing was changed");
  says("migrate docs --version 1 --rename index=search", "44 documents, 0 there before, 0 stay\n");
  says("status docs", "search");
  says("ls docs --version 1", "index=dropped");
  says("forget docs --version 1", "44 documents\n");
}

// Any client may say FOUND, with any uri: a worker reads and writes only below the folders that it was given.
BOOST_AUTO_TEST_CASE(every_version_arrives_where_the_one_before_was_missing) {
  fs::create_directories(daemon.folder() / "files");
  std::string const worker =
      "fastjournal pipeline run kept --once --keep contents --source files=files --to a='cat >> a' --to b='cat >> b'";
  run("fastjournal pipeline pause kept b");
  for (std::string const version : {"v1", "v2", "v3"}) {
    write("files/x", version + "\n");
    run(worker);
  }
  BOOST_TEST(lines("a").size() == 3U);
  BOOST_TEST(lines("b").empty());
  BOOST_TEST(run("fastjournal pipeline ls kept --status open --json | wc -l") == "3\n");
  BOOST_TEST(run("fastjournal blob ls contents --json | wc -l") == "3\n");
  run("fastjournal pipeline resume kept b");
  run(worker);
  std::string const arrived = run("cat b");
  BOOST_TEST(arrived == "v1\nv2\nv3\n");
  // What has arrived everywhere is not kept, and of three documents the newest is left.
  run_in_shell(daemon, "fastjournal blob maintain contents");
  BOOST_TEST(run("fastjournal pipeline ls kept --json | wc -l") == "1\n");
  run("timeout 60 sh -c 'until fastjournal blob ls contents --json | wc -l | grep -qx 0; do :; done'");
  // What is too large to be kept, and what is empty, is brought all the same.
  run("yes large | head -n 300000 > files/large; : > files/empty");
  std::string const told = run(worker);
  BOOST_TEST(told.find("large is not kept") != std::string::npos, told);
  BOOST_TEST(told.find("3 files looked at; 4 sent, 0 failed") != std::string::npos, told);
  run("rm files/large files/empty");
  // Its file is gone, and another one has taken its place before it was brought: without a copy nobody can.
  run("fastjournal pipeline pause kept b");
  write("files/y", "y1\n");
  std::string const careless =
      "fastjournal pipeline run kept --once --source files=files --to a='cat >> a' --to b='cat >> b'";
  std::string const warned = run(careless);
  BOOST_TEST(warned.find("--keep TABLE") != std::string::npos, warned);
  write("files/y", "y2\n");
  run("fastjournal pipeline resume kept b");
  run_in_shell(daemon, careless);
  std::string const failed = run("fastjournal pipeline ls kept --status failed");
  BOOST_TEST(failed.find("b=error_doc") != std::string::npos, failed);
  BOOST_TEST(lines("b").contains("y2"));
  BOOST_TEST(!lines("b").contains("y1"));
  Ran const wrong = run_in_shell(daemon,
                                 "fastjournal pipeline run docs --once --keep contents --source pages=pages "
                                 "--to index=true --to publish=true");
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(wrong.output.find("versions=\"all\"") != std::string::npos, wrong.output);
}

// The content of the first version is that of the third one too.
BOOST_AUTO_TEST_CASE(content_that_comes_back_is_kept_as_long_as_a_version_with_it_is_missing) {
  fs::create_directories(daemon.folder() / "files");
  std::string const worker =
      "fastjournal pipeline run kept --once --keep contents --source files=files --to a=true --to b=true";
  run("fastjournal pipeline pause kept b");
  for (std::string const version : {"w1", "w2", "w1", "w3"}) {
    write("files/x", version + "\n");
    run(worker);
  }
  run("fastjournal pipeline resume kept b");
  // The first one arrives, and what is not needed any more is taken away; then the others.
  write("hold", "");
  std::string const careful =
      "fastjournal pipeline run kept --once --keep contents --source files=files --to a=true "
      "--to b='x=$(cat); test ! -e hold || test $x = w1 || exit 1; echo $x >> back'";
  run_in_shell(daemon, careful);
  BOOST_TEST(run("cat back") == "w1\n");
  run("fastjournal blob maintain contents --wait");
  fs::remove(daemon.folder() / "hold");
  run("fastjournal pipeline retry kept --status error; true");
  run(careful);
  BOOST_TEST(run("cat back") == "w1\nw2\nw1\nw3\n");
}

BOOST_AUTO_TEST_CASE(what_has_become_of_a_document_is_listed) {
  run("fastjournal call FOUND table=docs source=pages uri=x hash=1 hand_out=0");
  std::string const story = run("fastjournal pipeline history docs");
  BOOST_TEST(story.find("found") != std::string::npos, story);
  BOOST_TEST(story.find(" x") != std::string::npos, story);
  BOOST_TEST(run("fastjournal pipeline history docs --json | wc -l") == "1\n");
  BOOST_TEST(run_in_shell(daemon, "fastjournal pipeline history docs --document 8").code == 4);
}

BOOST_AUTO_TEST_CASE(a_uri_that_leads_out_of_the_folder_is_given_up) {
  write("secret", "not for the world\n");
  run("ln -s ../secret pages/linked; ln -s .. pages/up");
  for (std::string const uri : {"../secret", "deep/../../secret", "linked", "up/secret"})
    run("fastjournal call FOUND table=docs source=pages uri=" + uri + " hash=h hand_out=0");
  run("fastjournal call FOUND table=docs source=pages uri=" + (daemon.folder() / "secret").string() +
      " hash=h hand_out=0");
  Ran const ran = run_in_shell(daemon,
                               "fastjournal pipeline run docs --once --source pages=pages --to index='cat >> indexed' "
                               "--to publish=folder:www");
  BOOST_TEST(ran.code == 5, ran.output);
  BOOST_TEST(lines("indexed").size() == static_cast<std::size_t>(kFiles));
  BOOST_TEST(!lines("indexed").contains("not for the world"));
  BOOST_TEST(!fs::exists(daemon.folder() / "www/linked"));
  std::string const why = run("fastjournal pipeline ls docs --status failed --json");
  BOOST_TEST(std::ranges::count(why, '\n') == 5, why);
  BOOST_TEST(ran.output == "44 files looked at; 88 sent, 10 failed, 0 dropped\n", ran.output);
}

// An archive may hold links: what they lead to is not of the document, whatever the worker may read.
BOOST_AUTO_TEST_CASE(links_that_a_split_leaves_are_not_followed) {
  fs::create_directories(daemon.folder() / "files");
  fs::create_directories(daemon.folder() / "others");
  write("files/one", "a\n");
  write("secret", "not for the world\n");
  write("others/more", "not for the world either\n");
  Ran const ran = run_in_shell(
      daemon,
      "top=$PWD; export top; fastjournal pipeline run lines --once --source files=files --to index='cat >> indexed' "
      "--split split='cd $FJ_OUT && cat > plain && mkdir deep && echo b > deep/plain && ln plain twice && "
      "ln -s $top/secret link && ln -s $top/others folder && ln $top/secret hard && mkfifo deep/fifo && ln -s / up'");
  BOOST_TEST(ran.code == 0, ran.output);
  std::map<std::string, int> const indexed = lines("indexed");
  BOOST_TEST(indexed.size() == 2U);
  BOOST_TEST(indexed.contains("b"));
  // Two names of one file, as archives know it, are two documents.
  BOOST_TEST((indexed.contains("a") && indexed.at("a") == 2));
  BOOST_TEST(ran.output.find("5 are links or no files and are not delivered") != std::string::npos, ran.output);
}

// Files on their way have names that no document can have.
BOOST_AUTO_TEST_CASE(documents_of_any_names_are_brought_into_a_folder) {
  std::string const longest(255, 'n');
  std::map<std::string, std::string> const files{{"film.part", "the part"},     {"film", "the film"},
                                                 {"site.part/page", "a page"},  {"site", "the site"},
                                                 {longest, "the longest"},      {longest.substr(4), "a long one"},
                                                 {"out.partial", "half of it"}, {"out.new", "news"}};
  fs::create_directories(daemon.folder() / "files/site.part");
  for (auto const& [name, text] : files) write("files/" + name, text);
  std::string const worker = "fastjournal pipeline run lines --once --source files=files --to index=folder:www";
  std::string const told = run(worker);
  BOOST_TEST(told == "8 files looked at; 8 sent, 0 failed, 0 dropped\n", told);
  std::size_t count = 0;
  for (fs::directory_entry const& one : fs::recursive_directory_iterator{daemon.folder() / "www"})
    count += one.is_regular_file() ? 1 : 0;
  BOOST_TEST(count == files.size());
  for (auto const& [name, text] : files) {
    std::ifstream file{daemon.folder() / "www" / name};
    std::string const found{std::istreambuf_iterator<char>{file}, {}};
    BOOST_TEST(found == text, name << " is " << found);
  }
}

// A file that is gone is removed where it arrived, also one that went while no worker ran; and an empty folder removes
// nothing.
BOOST_AUTO_TEST_CASE(files_that_are_gone_are_deleted_at_their_destinations) {
  fs::create_directories(daemon.folder() / "files/deep");
  for (std::string const name : {"files/a", "files/deep/b", "files/c"}) write(name, name);
  std::string const worker =
      "fastjournal pipeline run mirror --once --source files=files --to copy=folder:www "
      "--to tell='wc -c | tr -d \" \" | sed \"s|^|$FJ_OPERATION $FJ_URI |\" >> told'";
  BOOST_TEST(run(worker) == "3 files looked at; 6 sent, 0 failed, 0 dropped\n");
  BOOST_TEST(lines("told").contains("store deep/b 12"));
  fs::remove(daemon.folder() / "files/deep/b");
  BOOST_TEST(run(worker) == "2 files looked at; 2 sent, 0 failed, 0 dropped\n");
  BOOST_TEST(!fs::exists(daemon.folder() / "www/deep/b"));
  BOOST_TEST(fs::exists(daemon.folder() / "www/a"));
  BOOST_TEST(lines("told").contains("delete deep/b 0"));
  BOOST_TEST(run("fastjournal call DOCUMENTS table=mirror --json").find("deep/b") == std::string::npos);
  // A link that a stranger put there is removed, and not what it leads to.
  write("precious", "precious");
  fs::remove(daemon.folder() / "www/a");
  fs::create_symlink("../precious", daemon.folder() / "www/a");
  fs::remove(daemon.folder() / "files/a");
  BOOST_TEST(run(worker) == "1 files looked at; 2 sent, 0 failed, 0 dropped\n");
  BOOST_TEST(!fs::is_symlink(daemon.folder() / "www/a"));
  BOOST_TEST(fs::exists(daemon.folder() / "precious"));
  // It is there again.
  write("files/a", "another");
  BOOST_TEST(run(worker) == "2 files looked at; 2 sent, 0 failed, 0 dropped\n");
  BOOST_TEST(fs::exists(daemon.folder() / "www/a"));
  // One that has not arrived there, so that not even its folder is there.
  for (std::string const version : {"hash=v1", "gone=1"})
    run("fastjournal call FOUND table=mirror source=files uri=nowhere/d hand_out=0 " + version);
  BOOST_TEST(run(worker) == "2 files looked at; 2 sent, 0 failed, 0 dropped\n");
  for (std::string const name : {"files/a", "files/c"}) fs::remove(daemon.folder() / name);
  std::string const empty = run(worker);
  BOOST_TEST(empty.find("has no file at all") != std::string::npos, empty);
  BOOST_TEST(empty.find("0 files looked at; 0 sent, 0 failed, 0 dropped\n") != std::string::npos, empty);
  BOOST_TEST(fs::exists(daemon.folder() / "www/c"));
}

// Anybody may say FOUND, with any uri: what is not below the folder is not deleted either.
BOOST_AUTO_TEST_CASE(nothing_outside_of_the_folder_is_deleted) {
  fs::create_directories(daemon.folder() / "files");
  write("files/a", "a");
  write("precious", "precious");
  for (std::string const& uri : {std::string{"../precious"}, (daemon.folder() / "precious").string()}) {
    run("fastjournal call FOUND table=mirror source=files uri=" + uri + " hash=v1 hand_out=0");
    run("fastjournal call FOUND table=mirror source=files uri=" + uri + " gone=1 hand_out=0");
  }
  Ran const ran = run_in_shell(
      daemon, "fastjournal pipeline run mirror --once --source files=files --to copy=folder:www --to tell=true");
  BOOST_TEST(ran.output.find("1 files looked at; 2 sent, 4 failed, 0 dropped") != std::string::npos, ran.output);
  BOOST_TEST(fs::exists(daemon.folder() / "precious"));
}

// The worker goes on meanwhile.
BOOST_AUTO_TEST_CASE(what_goes_while_a_table_drains_is_deleted_after_that) {
  fs::create_directories(daemon.folder() / "files");
  for (std::string const name : {"files/a", "files/b"}) write(name, name);
  run("timeout 120 sh -c 'fastjournal pipeline run mirror --interval 100ms --source files=files --to copy=folder:www "
      "--to tell=true 2> noted & until test -e www/b; do :; done; fastjournal drain mirror; rm files/b; "
      "until grep -q drain noted; do :; done; fastjournal resume mirror; while test -e www/b; do :; done; "
      "kill -TERM $!; wait $!'");
  BOOST_TEST(!fs::exists(daemon.folder() / "www/b"));
  BOOST_TEST(fs::exists(daemon.folder() / "www/a"));
}

// What is being sent when it is asked to stop arrives, and is recorded.
BOOST_AUTO_TEST_CASE(an_ordinary_stop_leaves_nothing_in_doubt) {
  std::string const told =
      run("timeout 120 sh -c 'fastjournal pipeline run docs --source pages=pages --to index=true "
          "--to publish=\"echo >> begun; while ! test -e go; do :; done; cat >> published\" & "
          "until test -e begun; do :; done; kill -TERM $!; touch go; wait $!'");
  BOOST_TEST(told.find("0 failed, 0 dropped\n") != std::string::npos, told);
  BOOST_TEST(lines("published").size() == 1U);
  BOOST_TEST(run_in_shell(daemon, "fastjournal pipeline ls docs --status in_doubt").code == 4);
  BOOST_TEST(run("fastjournal pipeline ls docs --status sent --destination publish --json | wc -l") == "1\n");
}

// A second signal, or the end of --stop-after, ends the command; what was being sent is in doubt then, and --once says so.
BOOST_AUTO_TEST_CASE(a_stop_that_takes_too_long_ends_the_command) {
  std::string const publish = "--to publish=\"echo >> begun; sleep 1000\" ";
  for (std::string const how : {"& until test -e begun; do :; done; kill -TERM $!; kill -INT $!; wait $!",
                                "--stop-after 1ms & until test -e begun; do :; done; kill -TERM $!; wait $!"}) {
    fs::remove(daemon.folder() / "begun");
    Ran const ran = run_in_shell(daemon,
                                 "timeout 120 sh -c 'fastjournal pipeline run docs --source pages=pages --to "
                                 "index=true " +
                                     publish + how + "'");
    BOOST_TEST(ran.code == 5, ran.output);
    BOOST_TEST(ran.output.find(", 1 in doubt") != std::string::npos, ran.output);
  }
  run("timeout 60 sh -c 'until fastjournal pipeline ls docs --status in_doubt --json | wc -l | grep -qx 2; do :; "
      "done'");
  Ran const once = run_in_shell(
      daemon, "fastjournal pipeline run docs --once --source pages=pages --to index=true --to publish=true");
  BOOST_TEST(once.code == 5, once.output);
  BOOST_TEST(once.output.find("0 failed, 0 dropped, 2 in doubt") != std::string::npos, once.output);
  BOOST_TEST(once.output.find("pipeline resolve") != std::string::npos, once.output);
  run("fastjournal pipeline resolve docs sent --all");
  run("fastjournal pipeline run docs --once --source pages=pages --to index=true --to publish=true");
}

// Whatever has the pipe open for writing is the command, or was started by it: at its end, all of them are gone.
BOOST_AUTO_TEST_CASE(a_command_ends_with_what_it_started_when_its_pipeline_is_killed) {
  run("mkfifo fifo");
  ChildOptions options;
  options.environment = shell_variables(daemon);
  ChildProcess worker{
      shell_words(daemon,
                  "exec fastjournal pipeline run docs --source pages=pages --to publish=true --to index='exec >fifo "
                  "3>fifo; echo begun; sleep 1000 & sleep 1000; echo on'"),
      options};
  int const fd = ::open((daemon.folder() / "fifo").c_str(), O_RDONLY | O_CLOEXEC);
  BOOST_REQUIRE(fd >= 0);
  std::string said;
  char part[64];
  auto const more = [&] {
    pollfd one{fd, POLLIN, 0};
    ssize_t const got = ::poll(&one, 1, 60'000) > 0 ? ::read(fd, part, sizeof part) : -1;
    if (got > 0) said.append(part, static_cast<std::size_t>(got));
    return got;
  };
  while (said != "begun\n" && more() > 0) continue;
  BOOST_TEST(said == "begun\n");
  worker.kill(SIGKILL);
  static_cast<void>(worker.wait());
  BOOST_TEST(more() == 0, said);
  ::close(fd);
}

BOOST_AUTO_TEST_CASE(a_command_that_is_not_there_is_found_out_before_a_document_is_taken) {
  std::string const good = "fastjournal pipeline run docs --once --source pages=pages --to publish=true ";
  for (auto const& [wish, expected] : std::map<std::string, std::string>{
           {"--to index='nosuchcommand --fast > it'", "--to index: run nosuchcommand: No such file or directory"},
           {"--to index=pages/p1", "--to index: run pages/p1: Permission denied"},
           {"--to index=true --step extract=./nosuchcommand",
            "--step extract: run ./nosuchcommand: No such file or directory"}}) {
    Ran const ran = run_in_shell(daemon, good + wish);
    BOOST_TEST(ran.code == 2, wish << ": " << ran.output);
    BOOST_TEST(ran.output.find(expected) != std::string::npos, wish << ": " << ran.output);
  }
  std::string const known = run("fastjournal call DOCUMENTS table=docs");
  BOOST_TEST(known.starts_with("NOTHING"), known);
  // What a shell alone knows.
  run("rm pages/p1 pages/p2");
  BOOST_TEST(run(good + "--to index='if true; then cat; fi > seen' --step extract='A=b exec cat'") ==
             "42 files looked at; 84 sent, 0 failed, 0 dropped\n");
}

BOOST_AUTO_TEST_CASE(folders_of_a_pipeline_that_was_killed_are_gone_when_the_next_one_has_begun) {
  auto const folders = [&] { return run("ls tmp | grep -c pipeline || true"); };
  run("mkdir tmp");
  BOOST_TEST(run_in_shell(daemon, "export TMPDIR=tmp; " + worker(1)).code != 0);
  BOOST_TEST(folders() == "2\n");
  run("TMPDIR=tmp fastjournal pipeline run docs --once --source pages=pages --to publish=true --to index='ls tmp | "
      "grep -c pipeline > seen' || test $? -eq 5");
  BOOST_TEST(run("cat seen") == "2\n");
  BOOST_TEST(folders() == "0\n");
}

BOOST_AUTO_TEST_CASE(a_table_that_drains_takes_nothing_new) {
  std::string const worker =
      "fastjournal pipeline run docs --once --source pages=pages --to index=true --to publish=true";
  run("rm pages/p1");
  run(worker);
  std::string const drains = run("fastjournal drain docs --reason \"it moves\"");
  BOOST_TEST(drains.find("table docs drains") != std::string::npos, drains);
  write("pages/p1", "new\n");
  write("pages/p2", "changed\n");
  Ran const ran = run_in_shell(daemon, worker);
  BOOST_TEST(ran.code == 5, ran.output);
  BOOST_TEST(ran.output.find("it moves") != std::string::npos, ran.output);
  BOOST_TEST(ran.output.find("44 files looked at; 0 sent, 0 failed, 0 dropped, 2 not taken") != std::string::npos,
             ran.output);
  BOOST_TEST(run("fastjournal stats docs").find("draining") != std::string::npos);
  run("fastjournal resume docs");
  std::string const told = run(worker);
  BOOST_TEST(told.find("; 4 sent") != std::string::npos, told);
}

BOOST_AUTO_TEST_CASE(the_plan_of_a_table_is_printed_as_its_file) {
  std::string const told =
      run("fastjournal pipeline plan docs > again.xml; fastjournal plan check again.xml; cat again.xml");
  BOOST_TEST(told.find("1 plan is good") != std::string::npos, told);
  BOOST_TEST(told.find("<step name=\"publish\" after=\"extract\" kind=\"potent\">") != std::string::npos, told);
  BOOST_TEST(run("fastjournal plan explain again.xml > one; fastjournal plan explain docs-plan.xml | cmp - one") == "");
}

BOOST_AUTO_TEST_CASE(mistakes_on_the_command_line_are_told) {
  auto const said = [&](std::string const& words) {
    return run_in_shell(daemon, "fastjournal pipeline run docs " + words);
  };
  std::string const good = " --source pages=pages --to index=true --to publish=true";
  for (auto const& [words, expected] :
       std::map<std::string, std::string>{{"--once", "--source NAME=FOLDER is missing"},
                                          {"--source pages", "expected NAME=VALUE"},
                                          {"--source mails=pages", "no source of that name"},
                                          {"--source pages=pages --to index=true", "output publish has no --to"},
                                          {good + " --to extract=cat", "no output of that name"},
                                          {good + " --step index=cat", "--to names outputs"},
                                          {good + " --route extract=cat", "no router by-name"},
                                          {good + " --step extract=cat --step extract=cat", "given twice"}}) {
    Ran const ran = said(words);
    BOOST_TEST(ran.code == 2, words << ": " << ran.output);
    BOOST_TEST(ran.output.find(expected) != std::string::npos, words << ": " << ran.output);
  }
  Ran const unreadable = said("--once --source pages=nowhere --to index=true --to publish=true");
  BOOST_TEST(unreadable.code == 1, unreadable.output);
  BOOST_TEST(unreadable.output.find("nowhere") != std::string::npos, unreadable.output);
}

BOOST_AUTO_TEST_SUITE_END()
