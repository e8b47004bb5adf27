// `fastjournal blob` beside a real daemon: what it stores and reads in both framings and by the port, a maintenance
// that it waits for, and damage that it finds.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/integration/shell.h"
#include "wire/bcdb/key.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

struct CliBlobFixture : ShellFixture {
  CliBlobFixture() {
    daemon.write("tables/images.xml",
                 "<table name=\"images\" model=\"blob\">\n<listeners>\n"
                 "<socket path=\"../write\" protocol=\"blobwrite\" rights=\"add\"/>\n</listeners>\n</table>\n");
    daemon.write("tables/private.xml",
                 "<table name=\"private\" model=\"blob\">\n<listeners>\n"
                 "<socket path=\"../private\" protocol=\"blobwrite\" rights=\"add\"/>\n</listeners>\n"
                 "<key-secret>sixteen letters!</key-secret>\n</table>\n");
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }

  // With its exit code.
  std::string said(std::string const& command) {
    Ran const ran = run_in_shell(daemon, "fastjournal blob " + command);
    return ran.output + std::to_string(ran.code);
  }
  [[nodiscard]] std::filesystem::path data_file(std::string const& name) const {
    return daemon.folder() / "data/bytes/images" / name;
  }
};

bool says(std::string const& all, std::string_view part) { return all.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(blobs_from_a_shell)

BOOST_FIXTURE_TEST_CASE(blobs_are_stored_read_and_listed, CliBlobFixture) {
  run("head -c 300000 /dev/urandom > in && printf '\\000\\377\\n' > small");
  for (std::string const framing : {"", "--text "}) {
    BOOST_TEST(said(framing + "put images logo in") == "stored logo: 300000 bytes\n0");
    BOOST_TEST(said(framing + "put images small < small") == "stored small: 3 bytes\n0");
    BOOST_TEST(said(framing + "put images empty /dev/null") == "stored empty: 0 bytes\n0");
    BOOST_TEST(said(framing + "get images logo -o out") == "out: 300000 bytes\n0");
    run("cmp in out && rm out");
    BOOST_TEST(run("fastjournal blob " + framing + "get images small | od -An -tx1") == " 00 ff 0a\n");
    BOOST_TEST(said(framing + "get images empty") == "0");
    BOOST_TEST(said(framing + "get images none") == "no blob under none\n4");
    run("fastjournal blob " + framing +
        "get images logo --offset 1000 --length 70000 > out && tail -c +1001 in | head -c 70000 | cmp - out");
    std::string const hash = bcdb::digits_of(bcdb::make_key("small"));
    BOOST_TEST(run("fastjournal blob " + framing + "get images --hash " + hash + " | od -An -tx1") == " 00 ff 0a\n");
    BOOST_TEST(said(framing + "check images") == "3 blobs, 300003 bytes: all sound\n0");
    std::string const list = said(framing + "ls images --json");
    BOOST_TEST(says(list, "\"hash\":\"" + hash + "\""), list);
    std::string const after =
        run("fastjournal blob " + framing + "ls images --count 2 2>&1 | sed -n 's/.*--after //p'");
    BOOST_TEST(says(run("fastjournal blob " + framing + "ls images --after " + after.substr(0, 24) + " | wc -l"), "2"));
    BOOST_TEST(says(said(framing + "stat images logo"), "length        300000\n"));
    std::string const figures = said(framing + "stat images");
    BOOST_TEST(says(figures, "blob_bytes "), figures);
  }
}

BOOST_FIXTURE_TEST_CASE(a_blob_that_no_message_holds_goes_by_the_port, CliBlobFixture) {
  run("head -c 40000000 /dev/zero > large && printf x >> large && truncate -s 70M larger");
  Ran const refused = run_in_shell(daemon, "fastjournal blob put images large large");
  BOOST_TEST(refused.code == 1);
  BOOST_TEST(says(refused.output, "too_large"), refused.output);
  BOOST_TEST(says(refused.output, "--port sends a blob of any size"), refused.output);
  BOOST_TEST(says(said("put images larger larger"), "a message takes 67108864 at most"));
  BOOST_TEST(said("put images large large --port unix:write") == "stored large: 40000001 bytes\n0");
  BOOST_TEST(said("put images piped --port unix:write < large") == "stored piped: 40000001 bytes\n0");
  run("fastjournal blob get images large | cmp - large && fastjournal blob get images piped -o out && cmp out large");
}

// Over the port the client makes the key, so it needs the table's secret.
BOOST_FIXTURE_TEST_CASE(a_secret_for_keys_is_read_from_a_file_that_nobody_else_reads, CliBlobFixture) {
  run("umask 077; echo 'sixteen letters!' > secret; echo short > few; echo 'sixteen letters?' > other; "
      "cp secret open; chmod 644 open");
  std::string const put = "put private logo --port unix:private --key-secret-file ";
  BOOST_TEST(said("put private logo --key-secret-file secret < secret").ends_with("2"));
  std::string wrong = said(put + "few < secret");
  BOOST_TEST(says(wrong, "few: its first line has 5 bytes; expected a key-secret of at least 16"), wrong);
  BOOST_TEST(wrong.ends_with("2"), wrong);
  wrong = said(put + "open < secret");
  BOOST_TEST(says(wrong, "open: others than its owner may read or write it: chmod 600 open"), wrong);
  wrong = said(put + "nothing < secret");
  BOOST_TEST(says(wrong, "nothing"), wrong);
  BOOST_TEST(!wrong.ends_with("\n0"), wrong);
  run("echo wrong | fastjournal blob " + put +
      "other && echo none | fastjournal blob put private logo --port unix:private");
  BOOST_TEST(said("get private logo") == "no blob under logo\n4");
  run("echo right | fastjournal blob " + put + "secret");
  BOOST_TEST(said("get private logo") == "right\n0");
}

BOOST_FIXTURE_TEST_CASE(a_maintenance_is_waited_for, CliBlobFixture) {
  run("for i in 1 2 3; do echo $i | fastjournal blob put images page; done; echo x | fastjournal blob put images old");
  BOOST_TEST(said("omit images old") == "the next maintenance leaves out old\n0");
  BOOST_TEST(said("maintain images --cancel") == "no maintenance of images runs\n4");
  BOOST_TEST(said("maintain images --wait") ==
             "maintenance of images began: 2 blobs, into data file 2\n"
             "data file 2 is in use: 1 blobs, 2 bytes; the old one goes in a minute\n0");
  BOOST_TEST(said("get images page") == "3\n0");
  BOOST_TEST(said("get images old") == "no blob under old\n4");
  BOOST_TEST(says(said("maintain images"), "try again in a minute"));
}

BOOST_FIXTURE_TEST_CASE(damage_is_found, CliBlobFixture) {
  run("head -c 100000 /dev/zero > zeros && fastjournal blob put images zeros zeros && "
      "echo sound | fastjournal blob put images sound");
  std::string const place = run("fastjournal blob stat images zeros --json");
  std::size_t const at = place.find("\"begin\":") + 8;
  std::fstream file{data_file("data.000001"), std::ios::binary | std::ios::in | std::ios::out};
  file.seekp(std::stoll(place.substr(at)) + 50'000);
  file << "damage";
  file.close();
  std::string const hash = bcdb::digits_of(bcdb::make_key("zeros"));
  std::string const said_of_it = said("check images");
  BOOST_TEST(says(said_of_it, hash + " is damaged: file 1, 100000 bytes at offset "), said_of_it);
  BOOST_TEST(says(said_of_it, "2 blobs, 100006 bytes: 1 damaged\n7"), said_of_it);
  std::string const got = said("get images zeros -o out");
  BOOST_TEST(says(got, "damaged"), got);
  BOOST_TEST(got.ends_with("7"), got);
  BOOST_TEST(!std::filesystem::exists(daemon.folder() / "out"));
  BOOST_TEST(said("get images sound") == "sound\n0");
}

// What a user has beside the output stays, and two at a time bring one of the two.
BOOST_FIXTURE_TEST_CASE(an_output_has_no_name_until_it_is_whole, CliBlobFixture) {
  run("head -c 3000000 /dev/urandom > one && head -c 3000000 /dev/urandom > two && echo mine > out.partial");
  run("fastjournal blob put images one one && fastjournal blob put images two two");
  run("fastjournal blob get images one -o out && cmp one out");
  BOOST_TEST(run("cat out.partial") == "mine\n");
  run("for i in 1 2 3 4 5; do fastjournal blob get images one -o both & fastjournal blob get images two -o both & "
      "wait; "
      "cmp -s both one || cmp both two || exit 1; done");
  run("n=$(printf %0255d 0); fastjournal blob get images one -o $n && cmp one $n");
  // Nothing is written into the file that was there: whoever has it keeps it whole.
  run("cp one out && ln out kept && fastjournal blob get images two -o out && cmp two out && cmp one kept");
  // Of one that fails nothing is left.
  run_in_shell(daemon, "fastjournal blob get images none -o nothing");
  BOOST_TEST(run("ls -A | grep -c -e nothing -e '^.fastjournal-'; true") == "0\n");
}

BOOST_AUTO_TEST_SUITE_END()
