// PUT, GET, LIST and OMIT: what is stored is found, and what is refused leaves nothing behind.
#include <boost/test/unit_test.hpp>

#include <string>

#include "plugins/blob/parameters.h"
#include "plugins/blob/records.h"
#include "tests/unit/blob/harness.h"

namespace fastjournal::blob::test {

BOOST_AUTO_TEST_SUITE(blob_values)

BOOST_AUTO_TEST_CASE(a_blob_is_found_where_it_was_stored) {
  Harness table;
  Reply const stored = table.put("one", "the bytes");
  BOOST_TEST(stored.get("result") == "stored");
  BOOST_TEST(stored.get("entry_time") == "1700000000");
  BOOST_TEST(stored.get("hash") == bcdb::digits_of(bcdb::make_key("one")));
  BOOST_TEST(table.bytes_of("one") == "the bytes");
  Reply const found = table.run("GET", {{"hash", stored.get("hash")}});
  BOOST_TEST(found.get("begin") == stored.get("begin"));
  BOOST_TEST(found.get("length") == "9");
  BOOST_TEST(found.get("content_hash").size() == 16U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(an_absent_blob_has_zeros) {
  Harness table;
  Reply const reply = table.run("GET", {{"key", "none"}});
  BOOST_TEST(reply.get("result") == "absent");
  for (char const* const name : {"entry_time", "begin", "end", "length", "file", "newer"})
    BOOST_TEST(reply.get(name) == "0");
}

BOOST_AUTO_TEST_CASE(the_newer_blob_replaces_the_older_one_and_frees_its_place) {
  Harness table;
  table.put("one", "older");
  table.now = table.now + DurationMs{5'000};
  Reply const reply = table.put("one", "the newer one");
  BOOST_TEST(reply.get("result") == "replaced");
  BOOST_TEST(reply.get("entry_time") == "1700000005");
  BOOST_TEST(table.bytes_of("one") == "the newer one");
  BOOST_TEST(table.alerts.extents.size() == 1U);
  BOOST_TEST(table.check_named() == "");
  BOOST_TEST(table.table->index().size() == 1U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_blob_without_bytes_is_a_blob) {
  Harness table;
  BOOST_TEST(table.put("empty", "").get("result") == "stored");
  BOOST_TEST(table.bytes_of("empty").empty());
  BOOST_TEST(table.run("GET", {{"key", "empty"}}).get("result") == "found");
  BOOST_TEST(table.put("empty", "").get("result") == "replaced");
  BOOST_TEST(table.check_named() == "");
}

BOOST_AUTO_TEST_CASE(the_record_carries_the_bytes_that_it_is_given) {
  Harness table;
  std::string const bytes(kCarriedBytesMax, 'c');
  table.put({{"key", "one"}}, bytes, true);
  auto const is_put = [](auto const& record) { return record.type == static_cast<std::uint8_t>(RecordType::put); };
  auto const put = std::ranges::find_if(table.log.stored(), is_put);
  BOOST_REQUIRE(put != table.log.stored().end());
  PutBody body;
  BOOST_REQUIRE(model::read_record(put->view(), body));
  BOOST_TEST(body.carried == bytes);
}

BOOST_AUTO_TEST_CASE(other_bytes_than_the_sender_says_are_refused_and_nothing_is_indexed) {
  Harness table;
  Hash128 const hash = hash128("right");
  auto const digits = [](Hash128 const& of) { return digits_of(of.high) + digits_of(of.low); };
  BOOST_TEST(table.put({{"key", "one"}, {"content_hash", digits(hash)}}, "wrong").error() == "damaged");
  BOOST_TEST(table.put({{"key", "one"}, {"content_hash", digits({hash.low, hash.high + 1})}}, "right").error() ==
             "damaged");
  BOOST_TEST(table.bytes_of("one") == "-");
  BOOST_TEST(table.alerts.extents.empty());
  BOOST_TEST(table.put({{"key", "one"}, {"content_hash", digits(hash)}}, "right").get("result") == "stored");
  BOOST_TEST(table.put({{"key", "one"}, {"content_hash", "12"}}, "right").error() == "bad_parameter");
}

BOOST_AUTO_TEST_CASE(a_place_in_another_file_is_refused) {
  Harness table;
  Message message{"PUT"};
  message.set("key", "one");
  BOOST_TEST(table.put_stored(message, {7, 4096, 4100, 1}, 2).error() == "unavailable");
  BOOST_TEST(table.table->index().size() == 0U);
}

BOOST_AUTO_TEST_CASE(bytes_in_a_line_are_base64) {
  Harness table;
  Message message{"PUT"};
  message.set("key", "one");
  message.set("data", "AAEC");
  Command command;
  command.message = &message;
  StoreRequest request;
  BOOST_TEST(table.table->request_store(command, table.now, request).ok());
  BOOST_REQUIRE(request.pieces.size() == 1U);
  BOOST_TEST(request.pieces[0].bytes == (std::string{'\0', '\1', '\2'}));
  BOOST_TEST(request.pieces[0].param == 1U);
  message.set("data", "no base64!");
  BOOST_TEST(!table.table->request_store(command, table.now, request).ok());
}

BOOST_AUTO_TEST_CASE(keys_are_made_with_the_secret_of_the_table) {
  Harness table{{{"key-secret", "sixteen bytes ok"}}};
  BOOST_TEST(table.put({{"key", "one"}}, "bytes").get("hash") ==
             bcdb::digits_of(bcdb::make_key("one", "sixteen bytes ok")));
  BOOST_TEST(table.bytes_of("one") == "bytes");
  BOOST_TEST(table.run("GET", {{"hash", bcdb::digits_of(bcdb::make_key("one"))}}).get("result") == "absent");
  auto const made = [](std::string const& secret) {
    return blob::table_type().create({}, blob_type(), declare({{"key-secret", secret}})).status();
  };
  BOOST_TEST(made("sixteen bytes ok").ok());
  BOOST_TEST((made("fifteen bytes..").code() == Code::bad_configuration));
  BOOST_TEST(made("fifteen bytes..").message().ends_with(": key-secret has 15 bytes; expected at least 16"));
  // Blobs of the old secret would not be found any more.
  BOOST_TEST(!table.table->check_change(*declare({{"key-secret", "another sixteen b."}})).ok());
  BOOST_TEST(!table.table->check_change(*declare({})).ok());
  BOOST_TEST(table.table->check_change(*declare({{"key-secret", "sixteen bytes ok"}})).ok());
  Harness const empty;
  BOOST_TEST(empty.table->check_change(*declare({{"key-secret", "sixteen bytes ok"}})).ok());
  BOOST_TEST(!empty.table->check_change(*declare({{"key-secret", "short"}})).ok());
}

BOOST_AUTO_TEST_CASE(a_key_is_named_in_one_way) {
  Harness table;
  std::string const hash = bcdb::digits_of(bcdb::make_key("one"));
  BOOST_TEST(table.put({{"hash", hash}}, "bytes").get("result") == "stored");
  BOOST_TEST(table.bytes_of("one") == "bytes");
  BOOST_TEST(table.bytes_of(Texts{{"key_binary", "b25l"}}) == "bytes");
  BOOST_TEST(table.run("GET", {{"key", "one"}, {"hash", hash}}).error() == "bad_parameter");
  BOOST_TEST(table.run("GET", {}).error() == "missing_parameter");
  BOOST_TEST(table.run("GET", {{"hash", "xyz"}}).error() == "bad_parameter");
}

BOOST_AUTO_TEST_CASE(limits_are_checked_before_the_first_byte_and_after_the_last) {
  Harness table{{{"blob-size-max", "10"}, {"data-size-max", "4120"}, {"blobs-max", "2"}}};
  Message message{"PUT"};
  message.set("key", "one");
  Command command;
  command.message = &message;
  auto const accepts = [&](std::uint64_t bytes) { return table.table->accept_content(command, table.now, bytes); };
  BOOST_TEST(accepts(UINT64_MAX).value() == 10U);
  BOOST_TEST(accepts(10).ok());
  BOOST_TEST((accepts(11).status().code() == Code::too_large));
  BOOST_TEST(table.put("one", "12345678901").error() == "too_large");
  BOOST_TEST(table.put("one", "1234567890").get("result") == "stored");
  BOOST_TEST(table.put("two", "1234567890").get("result") == "stored");
  BOOST_TEST(accepts(UINT64_MAX).value() == 4U);
  BOOST_TEST(table.put("two", "12345").error() == "over_limit");
  BOOST_TEST(table.put("three", "1").error() == "over_limit");
  BOOST_TEST(table.put("two", "1").get("result") == "replaced");
}

BOOST_AUTO_TEST_CASE(a_numbered_put_is_done_once) {
  Harness table;
  Texts const numbered{{"key", "one"}, {"client", "c"}, {"sequence", "1"}};
  BOOST_TEST(table.put(numbered, "first").get("result") == "stored");
  Reply const again = table.put(numbered, "second");
  BOOST_TEST(again.get("result") == "duplicate");
  BOOST_TEST(table.bytes_of("one") == "first");
  BOOST_TEST(table.check_named() == "");
  table.kill();
  BOOST_TEST(table.put(numbered, "second").get("result") == "duplicate");
  BOOST_TEST(table.put({{"key", "one"}, {"client", "c"}}, "x").error() == "missing_parameter");
}

BOOST_AUTO_TEST_CASE(a_part_of_a_blob_is_brought) {
  Harness table;
  table.put("one", "0123456789");
  Message message{"GET"};
  auto const part = [&](std::int64_t offset, std::int64_t length) {
    message.clear();
    message.command = "GET";
    message.set("key", "one");
    message.set_integer("data", 1);
    message.set_integer("offset", offset);
    message.set_integer("length", length);
    Command command;
    command.index = 1;
    command.message = &message;
    Answer answer;
    Decision decision{.now = table.now, .records = table.log, .answer = answer};
    BOOST_TEST((table.table->decide(command, decision) == Verdict::done));
    for (Param const& param : answer.params())
      if (param.value.outside) {
        Extent const& extent = param.value.stored->extent;
        BOOST_TEST((extent.hash == 0 || extent.size() == 10));
        return table.files.read(extent.file, extent.begin, extent.end);
      }
    return std::string{"none"};
  };
  BOOST_TEST(part(0, 100) == "0123456789");
  BOOST_TEST(part(3, 4) == "3456");
  BOOST_TEST(part(8, 4) == "89");
  BOOST_TEST(part(10, 1).empty());
  BOOST_TEST(part(99, 1).empty());
  BOOST_TEST(table.run("GET", {{"key", "one"}, {"offset", "1"}}).error() == "bad_parameter");
}

BOOST_AUTO_TEST_CASE(a_list_has_all_blobs_once_in_the_order_of_their_hashes) {
  Harness table;
  for (int i = 0; i < 1'000; ++i) table.put("key " + std::to_string(i), "x");
  std::string const content_hash = table.run("GET", {{"key", "key 1"}}).get("content_hash");
  Texts page{{"count", "77"}};
  std::vector<std::string> hashes;
  for (int pages = 0; pages < 20; ++pages) {
    Reply const reply = table.run("LIST", page);
    for (std::size_t i = 0; i < reply.messages.size(); ++i) {
      hashes.push_back(reply.get("hash", i));
      BOOST_TEST(reply.get("content_hash", i) == content_hash);
    }
    page["after"] = reply.get("after", reply.messages.size() - 1);
    if (page["after"] == "-") break;
  }
  BOOST_TEST(hashes.size() == 1'000U);
  BOOST_TEST(std::ranges::is_sorted(hashes, [](std::string const& a, std::string const& b) {
    return *bcdb::key_of_digits(a) < *bcdb::key_of_digits(b);
  }));
  BOOST_TEST((std::ranges::adjacent_find(hashes) == hashes.end()));
  BOOST_TEST(table.run("LIST", {{"after", bcdb::digits_of(kLastKey)}}).name() == "NOTHING");
}

BOOST_AUTO_TEST_CASE(extents_are_listed_once_whatever_the_looks) {
  Harness table;
  for (int i = 0; i < 500; ++i) table.put("key " + std::to_string(i), "x");
  for (std::uint32_t const work_units : {1U, 7U, 500U})
    BOOST_TEST((Harness::named(*table.table, work_units) == Harness::sorted(table.alerts.extents)));
}

BOOST_AUTO_TEST_CASE(the_table_says_what_it_has) {
  Harness table;
  table.put("one", "12345");
  table.put("one", "123");
  table.bytes_of("one");
  table.bytes_of("two");
  struct Sink final : MetricSink {
    std::map<std::string, std::int64_t> values;
    void integer(Metric const& metric, std::int64_t value) override {
      BOOST_TEST(!metric.help.empty());
      BOOST_TEST(values.emplace(metric.name, value).second);
    }
    void real(Metric const&, double) override {}
    void histogram(Metric const&, Histogram const&) override {}
  } sink;
  table.table->metrics(table.now, sink);
  BOOST_TEST(sink.values["rows"] == 1);
  BOOST_TEST(sink.values["blob_bytes"] == 3);
  BOOST_TEST(sink.values["puts"] == 2);
  BOOST_TEST(sink.values["replaced"] == 1);
  BOOST_TEST(sink.values["hits"] == 1);
  BOOST_TEST(sink.values["misses"] == 1);
  BOOST_TEST(sink.values["file_bytes"] == 4096 + 8);
}

BOOST_AUTO_TEST_CASE(the_declaration_fits_the_code) {
  BOOST_TEST(table_type().check_type(*blob_type()).ok());
  TypeDeclaration other = *blob_type();
  other.commands.pop_back();
  BOOST_TEST(!table_type().check_type(other).ok());
  other = *blob_type();
  other.options.clear();
  BOOST_TEST(!table_type().check_type(other).ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::blob::test
