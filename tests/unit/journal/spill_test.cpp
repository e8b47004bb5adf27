// Rows whose columns are outside the log: which columns leave, what records name, and when it is named no more.
#include <boost/test/unit_test.hpp>

#include <string>

#include "fastjournal/extent.h"
#include "tests/unit/journal/harness.h"

namespace fastjournal::journal::test {
namespace {

constexpr std::size_t kLarge = 20'000;

struct Spilling : Harness {
  explicit Spilling(Columns more = {}) : Harness({{"spill", "16KiB"}}, std::move(more)) {}

  // Numbers of the parameters that are to be stored.
  std::string wished(Message const& message) {
    Command command;
    command.index = index_of("INSERT");
    command.message = &message;
    StoreRequest request;
    Status const status = table->request_store(command, now, request);
    BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
    std::string out;
    for (StoreRequest::Piece const& piece : request.pieces)
      out += std::string{message.params()[piece.param].name} + ":" + std::to_string(piece.bytes.size()) + " ";
    BOOST_TEST(!request.may_carry);
    return out;
  }
  // An INSERT whose column v is stored already.
  Reply insert(std::string const& key) {
    StoredValue& value = values.emplace_back();
    at += 4096 * 5;
    value = {.extent = {.file = 1, .begin = at, .end = at + kLarge, .hash = at}, .is_text = true};
    Message message{"INSERT"};
    message.set("k", std::string_view{key});
    message.set("v", Value::of_stored(value));
    return run(message);
  }
  std::vector<Extent> listed() const {
    std::vector<Extent> found;
    std::uint64_t cursor = 0;
    do cursor = table->list_extents(cursor, 2, found);
    while (cursor != 0);
    return found;
  }
  void require_named(std::size_t count) {
    BOOST_TEST(alerts.extents_wrong == 0U);
    BOOST_TEST(alerts.extents.size() == count);
    BOOST_TEST(listed().size() == count);
    BOOST_TEST(replays());
  }

  std::deque<StoredValue> values;
  std::uint64_t at{4096};
};

BOOST_AUTO_TEST_SUITE(spilled_columns)

BOOST_AUTO_TEST_CASE(large_columns_leave_except_those_that_decisions_read) {
  Spilling jobs{{column("kept", ColumnType::string, MergeRule::keep),
                 column("tail", ColumnType::string, MergeRule::append), column("raw", ColumnType::buffer),
                 column("n", ColumnType::int64)}};
  std::string const large(kLarge, 'x');
  std::string const small(16'383, 'x');
  Message message{"INSERT"};
  for (char const* name : {"k", "v", "kept", "tail"}) message.set(name, std::string_view{large});
  BOOST_TEST(jobs.wished(message) == "v:20000 kept:20000 ");
  Message few{"INSERT"};
  few.set("k", "a");
  few.set("v", std::string_view{small});
  BOOST_TEST(jobs.wished(few) == "");
  // Base64 of a buffer: it is the bytes that count, and that are stored.
  Message raw{"INSERT"};
  raw.set("k", "a");
  std::string const encoded(kLarge, 'A');
  raw.set("raw", std::string_view{encoded});
  BOOST_TEST(jobs.wished(raw) == "");
  std::string const longer(4 * 8000, 'A');
  Message more{"INSERT"};
  more.set("k", "a");
  more.set("raw", std::string_view{longer});
  BOOST_TEST(jobs.wished(more) == "raw:24000 ");
}

BOOST_AUTO_TEST_CASE(what_a_row_names_ends_with_it) {
  Spilling jobs;
  BOOST_TEST(jobs.insert("a").get("result") == "inserted");
  BOOST_TEST(jobs.insert("b").get("result") == "inserted");
  jobs.require_named(2);
  Reply const row = jobs.run("NEXT", {});
  BOOST_TEST(row.name() == "ROW");
  BOOST_TEST(jobs.run("DONE", {{"row", row.get("row")}, {"epoch", row.get("epoch")}}).error() == "");
  jobs.require_named(1);
  BOOST_TEST(jobs.run("DELETE", {{"k", "b"}}).error() == "");
  jobs.require_named(0);
}

BOOST_AUTO_TEST_CASE(a_merge_names_the_new_value_and_no_more_the_old_one) {
  Spilling jobs;
  BOOST_TEST(jobs.insert("a").get("result") == "inserted");
  BOOST_TEST(jobs.insert("a").get("result") == "merged");
  jobs.require_named(1);
  BOOST_TEST((jobs.listed().front() == jobs.values.back().extent));
  // By a value that is small.
  BOOST_TEST(jobs.run("INSERT", {{"k", "a"}, {"v", "small"}}).get("result") == "merged");
  jobs.require_named(0);
}

BOOST_AUTO_TEST_CASE(compacted_rows_name_the_same_and_a_start_finds_it) {
  Spilling jobs;
  for (int i = 0; i < 20; ++i) BOOST_TEST(jobs.insert("k" + std::to_string(i)).error() == "");
  jobs.require_named(20);
  jobs.compact(jobs.log.end());
  jobs.require_named(20);
  jobs.restart();
  BOOST_TEST(jobs.listed().size() == 20U);
}

BOOST_AUTO_TEST_CASE(rows_that_expire_name_nothing) {
  Spilling jobs;
  BOOST_TEST(jobs.insert("a").error() == "");
  StoredValue const& value = jobs.values.emplace_back(
      StoredValue{.extent = {.file = 1, .begin = 1 << 20U, .end = (1 << 20U) + kLarge, .hash = 5}, .is_text = true});
  Message message{"INSERT"};
  message.set("k", "b");
  message.set("v", Value::of_stored(value));
  message.set("expiration_date", "+1000");
  BOOST_TEST(jobs.run(message).error() == "");
  jobs.require_named(2);
  jobs.pass(2000);
  jobs.require_named(1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::journal::test
