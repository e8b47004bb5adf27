// Columns of type buffer on the command line, with the real daemon: the typed bytes are stored, over msgpack and text
// alike, and values printed as JSON can be inserted again.
#include <boost/test/unit_test.hpp>

#include "tests/integration/shell.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

// The key is a buffer too, so that rows are found by bytes.
constexpr char kTable[] =
    "<table name=\"blobs\" model=\"journal\" row-key=\"id\">\n<schema>\n"
    "<column name=\"id\" type=\"buffer\" required=\"true\"/>\n<column name=\"data\" type=\"buffer\"/>\n"
    "<column name=\"words\" type=\"string\"/>\n</schema>\n</table>\n";

struct Fixture : ShellFixture {
  Fixture() {
    daemon.write("tables/blobs.xml", kTable);
    daemon.write("file", "\x01\xff raw");
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  }
};

bool says(std::string const& all, std::string_view part) { return all.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(buffers_on_the_command_line)

BOOST_FIXTURE_TEST_CASE(plain_bytes_files_input_and_base64_over_both_framings, Fixture) {
  for (std::string const framing : {"", " --text"}) {
    BOOST_TEST_CONTEXT("framing" << framing) {
      std::string const put = "fastjournal" + framing + " put blobs ";
      std::string const peek = "fastjournal" + framing + " peek blobs --json ";
      run(put + "id=test data=test words=base64:dGVzdA==");
      std::string const typed = run(peek + "id=test");
      for (char const* const part : {R"("data":"test")", R"("id":"test")", R"("words":"base64:dGVzdA==")"})
        BOOST_TEST(says(typed, part), part << " in " << typed);
      // The key in another spelling of the same bytes.
      std::string const why = run("fastjournal why blobs id=base64:dGVzdA==");
      BOOST_TEST(says(why, "It is due"), why);
      run(put + "id=base64:dGVzdA== data=@file words=again");
      std::string const again = run(peek + "id=test");
      BOOST_TEST(says(again, R"("data":"base64:Af8gcmF3")"), again);
      BOOST_TEST(says(again, R"("words":"again")"), again);
      run("printf 'base64:x' | " + put + "id=test data=@-");
      std::string const tricky = run(peek + "id=test");
      BOOST_TEST(says(tricky, R"("data":"base64:YmFzZTY0Ong=")"), tricky);
      Ran const bad = run_in_shell(daemon, put + "id=test data=base64:YQ");
      BOOST_TEST(bad.code == 2);
      BOOST_TEST(says(bad.output, "no base64 (RFC 4648, padded)"), bad.output);
      run("fastjournal" + framing + " delete blobs id=test");
    }
  }
}

BOOST_FIXTURE_TEST_CASE(lines_take_what_json_shows, Fixture) {
  for (std::string const framing : {"", " --text"}) {
    BOOST_TEST_CONTEXT("framing" << framing) {
      std::string const program = "fastjournal" + framing;
      std::string const rows = R"({"id":"plain","data":"gr\u00fc\u00df"})"
                               "\n"
                               R"({"id":"base64:/wA=","data":"base64:AAH/","words":"base64:AAH/"})"
                               "\n";
      daemon.write("rows", rows);
      run(program + " put blobs --from rows");
      std::string const plain = run(program + " peek blobs --json id=plain");
      BOOST_TEST(says(plain, "\"data\":\"gr\xc3\xbc\xc3\x9f\""), plain);
      std::string const bytes = run(program + " peek blobs --json id=base64:/wA=");
      for (char const* const part : {R"("data":"base64:AAH/")", R"("id":"base64:/wA=")", R"("words":"base64:AAH/")"})
        BOOST_TEST(says(bytes, part), part << " in " << bytes);
      // A command gets the bytes, and the JSON that it reads can be put again.
      std::string const worked =
          run(program + " work blobs --once --quiet -- sh -c 'printf %s \"$FJ_DATA\" | od -An -tx1; cat >>worked'");
      run(program + " work blobs --until-empty --input-only --quiet -- sh -c 'cat >>worked'");
      BOOST_TEST(says(worked, " 67 72 c3 bc c3 9f\n"), worked);
      run(program + " put blobs --from - <worked; rm worked");
      std::string const again = run(program + " peek blobs --json id=base64:/wA=");
      BOOST_TEST(says(again, R"("data":"base64:AAH/")"), again);
      run(program + " delete blobs id=plain && " + program + " delete blobs id=base64:/wA=");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
