// The index: pages are found by their words, replaced under their URI, and
// two writers on one file lose nothing.
#include <boost/test/unit_test.hpp>

#include <string>

#include "clients/demo/main_job/index.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::main_job {
namespace {

struct Opened {
  test::TemporaryFolder folder;
  Index index{open()};

  Index open() const {
    auto opened = Index::open(folder.path() / "index.db");
    BOOST_REQUIRE_MESSAGE(opened.ok(), opened.status().message());
    return std::move(opened).value();
  }
  void put(Index& into, std::string const& uri, std::string const& text) const {
    Status const put = into.put({uri, "title of " + uri, text});
    BOOST_REQUIRE_MESSAGE(put.ok(), put.message());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(main_job_index, Opened)

BOOST_AUTO_TEST_CASE(pages_are_found_by_their_words) {
  put(index, "file:///a", "this comes with no warranty,\nas the license says");
  put(index, "file:///b", "a license only");
  auto const hits = index.query("license AND warranty", 5);
  BOOST_REQUIRE(hits.ok());
  BOOST_REQUIRE(hits.value().size() == 1U);
  BOOST_TEST(hits.value()[0].uri == "file:///a");
  BOOST_TEST(hits.value()[0].title == "title of file:///a");
  BOOST_TEST(hits.value()[0].snippet == "this comes with no [warranty], as the [license] says");
  BOOST_TEST(index.query("license", 1).value().size() == 1U);
  BOOST_TEST(index.query("absent", 5).value().empty());
}

BOOST_AUTO_TEST_CASE(a_page_put_again_replaces_what_was_there) {
  put(index, "file:///a", "before");
  put(index, "file:///b", "other");
  put(index, "file:///a", "after");
  BOOST_TEST((index.uris().value() == std::vector<std::string>{"file:///a", "file:///b"}));
  BOOST_TEST(index.query("before", 5).value().empty());
  BOOST_TEST(index.query("after", 5).value().size() == 1U);
}

BOOST_AUTO_TEST_CASE(two_writers_and_a_later_reader_see_the_same_pages) {
  {
    Index other = open();
    for (int i = 0; i < 20; ++i)
      put(i % 2 == 0 ? index : other, "file:///" + std::to_string(i), "word" + std::to_string(i));
    put(other, "file:///0", "replaced");
  }
  Index again = open();
  BOOST_TEST(again.uris().value().size() == 20U);
  BOOST_TEST(again.query("word0", 5).value().empty());
  BOOST_TEST(again.query("word13", 5).value().size() == 1U);
  BOOST_TEST(again.bytes() > 4096U);
}

BOOST_AUTO_TEST_CASE(a_bad_query_and_a_bad_file_say_what_is_wrong) {
  auto const refused = index.query("AND AND", 5);
  BOOST_TEST((refused.status().code() == Code::io_error));
  BOOST_TEST(refused.status().message().find("AND AND") != std::string::npos);
  auto const absent = Index::open(folder.path() / "no-folder" / "index.db");
  BOOST_TEST((absent.status().code() == Code::io_error));
}

BOOST_AUTO_TEST_CASE(a_common_word_is_one_that_finds_pages) {
  BOOST_TEST(index.common_word().value() == "");
  put(index, "file:///a", "journal of the day");
  put(index, "file:///b", "journal and cabinet");
  BOOST_TEST(index.common_word().value() == "journal");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::main_job
