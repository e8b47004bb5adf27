// A promised command as bytes: it is read as it was, and what is damaged is refused without a read beyond its end.
#include <boost/test/unit_test.hpp>

#include <memory>
#include <random>
#include <string>

#include "engine/transactions/transaction_codec.h"
#include "tests/support/seed.h"

namespace fastjournal::engine {
namespace {

std::string whole() {
  PromisedOp op{.table = TableId{7},
                .command = "INSERT",
                .worker = "w1",
                .origin = "ip:192.0.2.1",
                .asked = TimeMs{123'456},
                .hold = {}};
  op.hold.objects = {ObjectId{4096}, ObjectId{8192}};
  op.hold.keys = {"a key", std::string("\0\xFF", 2)};
  op.hold.rows = 1;
  op.hold.bytes = 200;
  op.hold.record_bytes = 2048;
  Message message("INSERT");
  message.set("text", Value::of_text("x;y"));
  message.set("verbatim", Value::of_verbatim("v"));
  message.set("binary", Value::of_binary(std::string_view("\0\1", 2)));
  message.set("integer", Value::of_integer(-7));
  message.set("unsigned", Value::of_unsigned(UINT64_MAX));
  message.set("real", Value::of_real(0.25));
  message.set("boolean", Value::of_boolean(true));
  std::string out;
  write_op(op, message, out);
  return out;
}

// In memory of exactly its size, so that a sanitizer sees a read beyond it.
bool reads(std::string_view bytes, PromisedOp& op, Message& message) {
  std::unique_ptr<char[]> const exact{new char[bytes.size()]};
  bytes.copy(exact.get(), bytes.size());
  return read_op({exact.get(), bytes.size()}, op, message);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(transaction_codec)

BOOST_AUTO_TEST_CASE(one_of_several_logs_has_its_number) {
  std::string bytes;
  PromisedOp op;
  op.command = "PUT";
  op.number = 7;
  write_op(op, Message{"PUT"}, bytes);
  op = {};
  Message message;
  BOOST_REQUIRE(reads(bytes, op, message));
  BOOST_TEST(op.number == 7U);
  BOOST_TEST(op.command == "PUT");
  for (std::size_t end = 0; end < bytes.size(); ++end) {
    Message part;
    BOOST_TEST(!reads(std::string_view{bytes}.substr(0, end), op, part), "cut at " << end);
  }
  bytes[1] = '\0';  // no number
  BOOST_TEST(!reads(bytes, op, message));
}

BOOST_AUTO_TEST_CASE(it_is_read_as_it_was_written) {
  PromisedOp op;
  Message message;
  BOOST_REQUIRE(reads(whole(), op, message));
  BOOST_TEST((op.table == TableId{7}));
  BOOST_TEST(op.command == "INSERT");
  BOOST_TEST(op.worker == "w1");
  BOOST_TEST(op.origin == "ip:192.0.2.1");
  BOOST_TEST(op.asked.value == 123'456);
  BOOST_TEST(op.hold.objects.size() == 2U);
  BOOST_TEST((op.hold.objects[1] == ObjectId{8192}));
  BOOST_TEST(op.hold.keys[1] == std::string("\0\xFF", 2));
  BOOST_TEST(op.hold.rows == 1U);
  BOOST_TEST(op.hold.bytes == 200U);
  BOOST_TEST(op.hold.record_bytes == 2048U);
  BOOST_TEST(message.command == "INSERT");
  BOOST_TEST(message.params().size() == 7U);
  BOOST_TEST(message.text("text") == "x;y");
  BOOST_TEST(message.find("verbatim")->verbatim);
  BOOST_TEST((message.find("binary")->kind == Value::Kind::binary));
  BOOST_TEST(message.integer("integer").value() == -7);
  BOOST_TEST(message.find("unsigned")->as_unsigned().value() == UINT64_MAX);
  BOOST_TEST(message.find("real")->as_real().value() == 0.25);
  BOOST_TEST(message.find("boolean")->boolean);
}

BOOST_AUTO_TEST_CASE(values_outside_the_log_are_their_places) {
  for (std::uint32_t const number : {0U, 3U}) {
    StoredValue const first{.extent = {2, 4096, 70'000, 77}, .hash_high = UINT64_MAX, .is_text = false};
    StoredValue const second{.extent = {1, 8192, 8193, 5}, .hash_high = 6, .is_text = true};
    PromisedOp op;
    op.command = "PUT";
    op.number = number;
    Message message("PUT");
    message.set("key", Value::of_text("k"));
    message.set("data", Value::of_stored(first));
    message.set("body", Value::of_stored(second));
    std::string bytes;
    write_op(op, message, bytes);
    BOOST_TEST(bytes[0] == '\3');
    op = {};
    Message read;
    BOOST_REQUIRE(reads(bytes, op, read));
    BOOST_TEST(op.number == number);
    BOOST_TEST(read.text("key") == "k");
    BOOST_REQUIRE(read.find("data")->outside && read.find("body")->outside);
    BOOST_TEST((read.find("data")->kind == Value::Kind::binary));
    BOOST_TEST((read.find("data")->stored->extent == first.extent));
    BOOST_TEST(read.find("data")->stored->hash_high == UINT64_MAX);
    BOOST_TEST((read.find("body")->stored->extent == second.extent));
    BOOST_TEST(read.find("body")->stored->is_text);
    for (std::size_t end = 0; end < bytes.size(); ++end) {
      PromisedOp cut;
      Message part;
      BOOST_TEST(!reads(std::string_view{bytes}.substr(0, end), cut, part), "cut at " << end);
    }
    // Older versions have no such values.
    bytes[0] = '\2';
    PromisedOp older;
    Message refused;
    BOOST_TEST((number == 0 || !reads(bytes, older, refused)));
  }
}

BOOST_AUTO_TEST_CASE(what_is_cut_or_longer_is_refused_and_what_is_flipped_does_no_harm) {
  std::string const good = whole();
  for (std::size_t end = 0; end < good.size(); ++end) {
    PromisedOp op;
    Message message;
    BOOST_TEST(!reads(std::string_view{good}.substr(0, end), op, message), end);
  }
  PromisedOp longer;
  Message message;
  BOOST_TEST(!reads(good + "x", longer, message));
  std::mt19937_64 random{fastjournal::test::seed_or(1)};
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (int flips = 0; flips < 3; ++flips) bytes[random() % bytes.size()] ^= static_cast<char>(1U << random() % 8);
    PromisedOp op;
    Message read;
    static_cast<void>(reads(bytes, op, read));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::engine
