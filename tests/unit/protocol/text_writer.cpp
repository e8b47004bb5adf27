// Writing text messages as the eventdispatcher library does, with two intended differences: the final ";", and the
// refusal of messages that a reader could not read back.
#include "tests/unit/protocol/support.h"
#include "wire/text.h"

namespace fastjournal::protocol {

using namespace test;

namespace {

struct Written {
  Status status;
  std::string line;
};

Written written(Outgoing const& message) {
  Written out;
  out.status = append_line(message, out.line);
  return out;
}

std::string line_of(std::vector<Param> const& params) {
  Written const out = written({.command = "CMD", .params = params});
  BOOST_TEST_INFO(out.status.message());
  BOOST_REQUIRE(out.status.ok());
  return out.line;
}

// The message must be refused and nothing appended; returns the code.
Code refusal_of(Outgoing const& message) {
  std::string out = "before";
  Status const status = append_line(message, out);
  BOOST_TEST(out == "before");
  BOOST_TEST(!status.message().empty());
  return status.code();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(text_writer)

BOOST_AUTO_TEST_CASE(what_was_read_is_written_as_the_eventdispatcher_library_writes_it) {
  std::size_t count = 0;
  for (nlohmann::json const& vector : load_vectors("parse-vectors.jsonl")) {
    if (!vector.at("ok").get<bool>()) continue;
    std::string const line = hex_field(vector, "in_hex");
    std::string expected = hex_field(vector, "out_hex");
    BOOST_TEST_CONTEXT(line) {
      Message message;
      BOOST_REQUIRE(parse_line(line, message).ok());
      Written const out = written(outgoing_of(message));
      if (!out.status.ok()) {
        // Lines that cannot be read back: an LF in the routing would end the line. Also, a server without a service is
        // not written, and without it a command such as "\rX" is not read back.
        Message again;
        bool const comes_back = parse_line(expected, again).ok() && again.command == message.command;
        BOOST_TEST((!comes_back || expected.find('\n') != std::string::npos));
        continue;
      }
      if (!message.params().empty()) expected += ';';
      BOOST_TEST(out.line == expected + "\n");
      ++count;
    }
  }
  BOOST_TEST(count > 1'200U);
}

BOOST_AUTO_TEST_CASE(what_is_written_is_as_the_build_vectors_and_is_read_back_the_same) {
  std::size_t refused = 0;
  for (nlohmann::json const& vector : load_vectors("build-vectors.jsonl")) {
    std::map<std::string, std::string> const texts = params_of(vector);
    std::vector<Param> params;
    for (auto const& [name, text] : texts) params.push_back({name, Value::of_text(text)});
    std::string expected = hex_field(vector, "wire_hex");
    BOOST_TEST_CONTEXT(expected) {
      Written const out = written({.command = "CMD", .params = params});
      bool const rejected_there = vector.at("real_roundtrip").get<std::string>() == "reject";
      BOOST_TEST(out.status.ok() == !rejected_there);
      refused += out.status.ok() ? 0 : 1;
      if (!out.status.ok()) continue;
      if (!params.empty()) expected += ';';
      BOOST_TEST(out.line == expected + "\n");
      Message again;
      BOOST_REQUIRE(parse_line(std::string_view{out.line}.substr(0, out.line.size() - 1), again).ok());
      BOOST_TEST((texts_of(again) == texts));
    }
  }
  BOOST_TEST(refused == 15U);
}

BOOST_AUTO_TEST_CASE(parameters_are_sorted_whatever_their_number_and_order) {
  BOOST_TEST(line_of({{"b", Value::of_text("2")},
                      {"_", Value::of_text("3")},
                      {"B", Value::of_text("1")},
                      {"ab", Value::of_text("4")}}) == "CMD B=1;_=3;ab=4;b=2;\n");
  std::vector<std::string> names;
  for (int i = 0; i < 256; ++i) names.push_back("n" + std::to_string(i * 97 % 256));
  std::vector<Param> params;
  for (std::string const& name : names) params.push_back({name, Value::of_text("")});
  std::string const line = line_of(params);
  std::sort(names.begin(), names.end());
  std::string expected = "CMD ";
  for (std::string const& name : names) expected += name + "=;";
  BOOST_TEST(line == expected + "\n");
}

BOOST_AUTO_TEST_CASE(names_that_begin_alike_are_sorted_whole) {
  BOOST_TEST(line_of({{"process_date", Value::of_text("3")},
                      {"processing", Value::of_text("5")},
                      {"process", Value::of_text("1")},
                      {"process_dat", Value::of_text("2")},
                      {"process_datf", Value::of_text("4")}}) ==
             "CMD process=1;process_dat=2;process_date=3;process_datf=4;processing=5;\n");
}

// The code looks at eight bytes at once: no byte may be missed because of the others.
BOOST_AUTO_TEST_CASE(a_byte_that_no_name_has_is_found_at_every_place) {
  std::string_view const rest = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  for (std::size_t size = 1; size <= 20; ++size)
    for (std::size_t at = 0; at < size; ++at)
      for (int byte = 0; byte < 256; ++byte) {
        auto const c = static_cast<char>(byte);
        std::string name(size, 'n');
        name[at] = c;
        bool const good = rest.find(c) != std::string_view::npos && (at > 0 || c < '0' || c > '9');
        Param const params[] = {{name, Value::of_text("v")}};
        Written const out = written({.command = "CMD", .params = params});
        BOOST_REQUIRE(out.status.ok() == good);
        BOOST_REQUIRE(out.line == (good ? "CMD " + name + "=v;\n" : ""));
      }
}

BOOST_AUTO_TEST_CASE(numbers_booleans_and_binary_are_written_as_text) {
  BOOST_TEST(line_of({{"i", Value::of_integer(INT64_MIN)}}) == "CMD i=-9223372036854775808;\n");
  BOOST_TEST(line_of({{"u", Value::of_unsigned(UINT64_MAX)}}) == "CMD u=18446744073709551615;\n");
  BOOST_TEST(line_of({{"r", Value::of_real(-0.1)}}) == "CMD r=-0.1;\n");
  BOOST_TEST(line_of({{"t", Value::of_boolean(true)}, {"f", Value::of_boolean(false)}}) == "CMD f=0;t=1;\n");
  BOOST_TEST(line_of({{"b", Value::of_binary(std::string_view{"\0\xff;\\", 4})}}) == "CMD b=AP87XA==;\n");
}

BOOST_AUTO_TEST_CASE(routing_stands_where_a_reader_looks_for_it) {
  BOOST_TEST(written({.service = "pages", .command = "PING"}).line == "pages/PING\n");
  BOOST_TEST(written({.server = "alpha", .service = "pages", .command = "PING"}).line == "alpha:pages/PING\n");
  BOOST_TEST(written({.from_server = "a", .from_service = "b", .command = "PING"}).line == "<a:b PING\n");
  BOOST_TEST(written({.from_service = "b", .server = "alpha", .command = "PING"}).line == "<:b PING\n");
}

BOOST_AUTO_TEST_CASE(it_appends_behind_what_is_there) {
  std::string out = "PING\n";
  BOOST_TEST(append_line({.command = "PONG"}, out).ok());
  BOOST_TEST(out == "PING\nPONG\n");
}

BOOST_AUTO_TEST_CASE(special_bytes_are_found_at_every_place_of_a_value) {
  for (std::size_t size = 1; size <= 40; ++size)
    for (std::size_t at = 0; at < size; ++at)
      for (char const special : {';', '"', '\\', '\n', '\r', '\t', '\x80', '\xff'}) {
        std::string value(size, 'x');
        value[at] = special;
        std::string const line = line_of({{"a", Value::of_text(value)}});
        BOOST_REQUIRE(std::count(line.begin(), line.end(), '\n') == 1);
        Message again;
        BOOST_REQUIRE(parse_line(std::string_view{line}.substr(0, line.size() - 1), again).ok());
        BOOST_REQUIRE(again.text("a") == value);
      }
}

BOOST_AUTO_TEST_CASE(what_no_reader_reads_back_is_refused) {
  auto const value = [](std::string_view text) {
    Param const params[] = {{"a", Value::of_text(text)}};
    return refusal_of({.command = "CMD", .params = params});
  };
  BOOST_TEST((value(";\\") == Code::invalid));
  BOOST_TEST((value("\"\\") == Code::invalid));
  BOOST_TEST((value(std::string_view{"a nul behind the first eight bytes: \0 here", 42}) == Code::invalid));

  auto const name = [](std::string_view text) {
    Param const params[] = {{text, Value::of_text("1")}};
    return refusal_of({.command = "CMD", .params = params});
  };
  for (std::string_view const bad : {"", "1a", "a-b", "a b", "a=", "\xc3\xa9"})
    BOOST_TEST((name(bad) == Code::invalid), bad);

  for (std::string_view const bad : {"", "a b", "a/b", "a:b", "a\nb", "<A", "{A", "\tA", "A\t", "A\r"})
    BOOST_TEST((refusal_of({.command = bad}) == Code::invalid), bad);
  BOOST_TEST((refusal_of({.from_server = "a b", .command = "A"}) == Code::invalid));
  BOOST_TEST((refusal_of({.from_service = "a:b", .command = "A"}) == Code::invalid));
  BOOST_TEST((refusal_of({.service = "a/b", .command = "A"}) == Code::invalid));
  BOOST_TEST((refusal_of({.service = "{a", .command = "A"}) == Code::invalid));
  BOOST_TEST((refusal_of({.server = "a\n", .service = "a", .command = "A"}) == Code::invalid));
}

BOOST_AUTO_TEST_CASE(a_name_twice_and_a_257th_parameter_are_refused) {
  Param const twice[] = {{"a", Value::of_text("1")}, {"b", Value::of_text("2")}, {"a", Value::of_text("3")}};
  BOOST_TEST((refusal_of({.command = "CMD", .params = twice}) == Code::invalid));
  std::vector<Param> const many(257, Param{"a", Value::of_text("1")});
  BOOST_TEST((refusal_of({.command = "CMD", .params = many}) == Code::too_large));
}

BOOST_AUTO_TEST_CASE(whatever_is_accepted_for_writing_is_read_back_the_same) {
  Random random{seed()};
  constexpr std::string_view kParts{"ab<{:/ \t\r\n\0._*?", 16};
  constexpr std::string_view kBytes{"ab;\"\\nr \t\r\n\0=\xc3\xa9{<", 18};
  std::size_t accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed() << " round " << round) {
      std::string const head[] = {random.text(kParts, 3), random.text(kParts, 3), random.text(kParts, 3),
                                  random.text(kParts, 3), random.text(kParts, 4)};
      std::string const names[] = {"a", "b_1", "Z"};
      std::string const texts[] = {random.text(kBytes, 12), random.text(kBytes, 12), random.text(kBytes, 30)};
      std::vector<Param> params;
      for (std::size_t i = 0; i < 3 && !random.one_in(4); ++i) params.push_back({names[i], Value::of_text(texts[i])});
      bool const plain = random.one_in(2);
      Outgoing const message = plain ? Outgoing{.command = "CMD", .params = params}
                                     : Outgoing{head[0], head[1], head[2], head[3], head[4], params};
      Written const out = written(message);
      if (!out.status.ok()) continue;
      ++accepted;
      BOOST_REQUIRE(std::count(out.line.begin(), out.line.end(), '\n') == 1);
      Message again;
      BOOST_REQUIRE(parse_line(std::string_view{out.line}.substr(0, out.line.size() - 1), again).ok());
      BOOST_TEST(again.from_server == message.from_server);
      BOOST_TEST(again.from_service == message.from_service);
      if (!message.service.empty()) BOOST_TEST(again.server == message.server);
      BOOST_TEST(again.service == message.service);
      BOOST_TEST(again.command == message.command);
      BOOST_TEST(again.params().size() == params.size());
      for (Param const& param : params) BOOST_TEST(again.text(param.name) == param.value.bytes);
    }
  }
  BOOST_TEST(accepted > 4'000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
