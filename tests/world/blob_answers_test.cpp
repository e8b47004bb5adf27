// Bytes of blobs that leave the whole server from their files, in the simulator: over HTTP and over the relay of the
// port for reading. What is sent in which order: tests/unit/server/output_test.cpp; the rules of HTTP:
// tests/unit/protocol/http_blobs.cpp.
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "tests/world/world.h"
#include "wire/bcdb/packet.h"
#include "wire/msgpack.h"

namespace fastjournal::sim::blob_answers_test {
namespace {

constexpr char kHttp[] = "127.0.0.1:4080";
constexpr char kRelay[] = "127.0.0.1:4070";
constexpr char kClosed[] = "127.0.0.1:4081";
constexpr char kWriter[] = "127.0.0.1:4071";
constexpr char kBounded[] = "127.0.0.1:4072";

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string get(std::string_view key, std::string_view fields = {}) {
  return "GET /v1/blobs/blobs/" + std::string{key} + " HTTP/1.1\r\nHost: localhost\r\n" + std::string{fields} + "\r\n";
}

struct Scene {
  explicit Scene(std::int64_t idle_us = 0) : world(1) {
    world.limits.connections.idle_us = idle_us;
    for (std::string const table : {"world/tables/blobs", "world/tables/bounded", "world/tables/spilling",
                                    "transcripts/values", "transcripts/jobs"}) {
      Status const status = world.add_table(FJ_SOURCE_DIR "/tests/" + table + ".xml");
      BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
    }
    access::ListenDeclaration http{.address = kHttp, .rights = {Right::read}};
    http.protocol = "http";
    access::ListenDeclaration closed{.address = kClosed, .rights = {Right::add}};
    closed.protocol = "http";
    access::ListenDeclaration relay{.address = kRelay, .rights = {Right::read}};
    relay.protocol = "blobread";
    relay.table = "blobs";
    access::ListenDeclaration writer{.address = kWriter, .rights = {Right::read, Right::add}};
    writer.protocol = "blobwrite";
    writer.table = "blobs";
    access::ListenDeclaration bounded{.address = kBounded, .rights = {Right::add}};
    bounded.protocol = "blobwrite";
    bounded.table = "bounded";
    world.own_listeners = {http, relay, writer, closed, bounded};
    start();
    for (char& byte : large) byte = static_cast<char>('a' + chance() % 26);
    put("small", "a few bytes");
    put("large", large);
    put("empty", "");
  }
  void start() {
    Status const status = world.start();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
    for (char const* const name : {"web", "slow", "other"}) world.come_by(name, kHttp);
    world.come_by("relay", kRelay);
    world.come_by("writer", kWriter);
    world.come_by("closed", kClosed);
  }
  void put(std::string const& key, std::string const& bytes) {
    std::string const said = ask("PUT /v1/blobs/blobs/" + key + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                                     std::to_string(bytes.size()) + "\r\n\r\n" + bytes,
                                 "closed");
    BOOST_REQUIRE_MESSAGE(has(said, " 201 ") && has(said, "STORED"), said);
  }
  void send(std::string const& bytes, std::string const& client = "web") {
    world.connection(client).to_server.append(bytes);
    world.settle();
  }
  std::string take(std::string const& client = "web") { return std::exchange(world.connection(client).to_client, {}); }
  std::string ask(std::string const& bytes, std::string const& client = "web") {
    send(bytes, client);
    return take(client);
  }

  World world;
  std::mt19937_64 chance{1};
  std::string large = std::string(3'000'000, '\0');
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(blob_answers, Scene)

// Where the turn's share of a connection ends with the last byte of a value, nothing more comes that would wake it. Queries
// before it in the same bytes use that share up.
BOOST_AUTO_TEST_CASE(a_value_is_whole_wherever_a_share_of_the_turn_ends) {
  std::string hello;
  bcdb::write(bcdb::Hello{}, hello);
  BOOST_TEST(ask(hello, "writer").size() == bcdb::kHelloBytes);
  std::string const value = large.substr(0, kCarriedBytesMax + 1);
  bcdb::Key const key = bcdb::make_key("any");
  for (int queries = 100; queries < 600; queries += 10) {
    std::string bytes;
    for (int i = 0; i < queries; ++i)
      bcdb::write(bcdb::Frame{.op = bcdb::Op::query, .key = bcdb::make_key("no")}, bytes);
    bcdb::write(bcdb::Frame{.op = bcdb::Op::put, .key = key, .length = value.size(), .hash = hash128(value)}, bytes);
    BOOST_TEST(ask(bytes + value, "writer").size() == (static_cast<std::size_t>(queries) + 1) * bcdb::kReplyBytes,
               queries << " queries");
  }
}

// Whoever may read the data file reads zeros where a put was broken off, also in blocks that are shared with neighbours.
BOOST_AUTO_TEST_CASE(what_was_broken_off_is_not_left_in_the_file) {
  std::string hello;
  bcdb::write(bcdb::Hello{}, hello);
  BOOST_TEST(ask(hello, "writer").size() == bcdb::kHelloBytes);
  std::string secret;
  while (secret.size() < 200'000) secret += "unfinished ";
  std::string bytes;
  bcdb::write(bcdb::Frame{.op = bcdb::Op::put, .key = bcdb::make_key("any"), .length = secret.size() + 1}, bytes);
  send(bytes + secret, "writer");
  put("behind", large.substr(0, 100'000));
  auto const is_there = [this] {
    return std::ranges::any_of(world.disk().image(), [](auto const& file) {
      return has(file.first, "bytes/") &&
             has({reinterpret_cast<char const*>(file.second.data()), file.second.size()}, "unfinished");
    });
  };
  BOOST_TEST(is_there());
  world.close("writer");
  world.settle();
  BOOST_TEST(!is_there());
  BOOST_TEST(ask(get("behind")).ends_with(large.substr(0, 100'000)));
  BOOST_TEST(ask(get("large")).ends_with(large));
}

// A carried blob goes into the file after the log has it: if it cannot, nobody is told where it is, and the next start
// writes it. Whichever of the writes fails.
BOOST_AUTO_TEST_CASE(a_failed_write_ends_everything_before_an_answer_leaves) {
  bool was_any_kept = false;
  for (std::uint64_t nth = 1; nth <= 4; ++nth) {
    std::string hello;
    bcdb::write(bcdb::Hello{}, hello);
    BOOST_TEST(ask(hello, "writer").size() == bcdb::kHelloBytes);
    world.disk().fail_call(Call::write, nth, Failure::io_error);
    std::string const name = "unheard" + std::to_string(nth);
    std::string bytes;
    bcdb::write(bcdb::Frame{.op = bcdb::Op::put, .key = bcdb::make_key(name), .length = 5, .hash = hash128("bytes")},
                bytes);
    std::string const said = ask(bytes + "bytes", "writer");
    // Some writes may fail without harm; then it is there.
    BOOST_TEST(said.empty() == !world.fatal_error().ok());
    if (world.fatal_error().ok()) BOOST_TEST(ask(get(name)).ends_with("bytes"));
    world.disk().forget_failures();
    world.power_cut();
    start();
    std::string const got = ask(get(name));
    was_any_kept = was_any_kept || got.ends_with("bytes");
    BOOST_TEST((got.ends_with("bytes") || has(got, " 404 ")), got);
    BOOST_TEST(ask(get("small")).ends_with("a few bytes"));
  }
  BOOST_TEST(was_any_kept);
}

// A table whose data file may have 1 MiB.
BOOST_AUTO_TEST_CASE(puts_that_are_on_their_way_count_in_the_largest_data_file_and_what_was_broken_off_does_not) {
  auto const announced = [](std::string_view key, std::size_t length, std::size_t comes) {
    std::string bytes;
    bcdb::write(bcdb::Hello{}, bytes);
    bcdb::write(bcdb::Frame{.op = bcdb::Op::put, .key = bcdb::make_key(key), .length = length}, bytes);
    return bytes + std::string(comes, 'b');
  };
  int puts = 0;
  auto const put_whole = [&](std::size_t bytes) {
    return ask("PUT /v1/blobs/bounded/" + std::to_string(++puts) + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                   std::to_string(bytes) + "\r\n\r\n" + std::string(bytes, 'c'),
               "closed");
  };
  for (int round = 0; round < 5; ++round) {
    std::string const name = "bounded" + std::to_string(round);
    world.come_by(name, kBounded);
    send(announced("any", 900'000, 1000), name);
    BOOST_TEST(!world.is_closed(name));
    std::string const said = put_whole(300'000);
    BOOST_TEST(has(said, "over_limit"), said);
    world.come_by("closed", kClosed);
    world.close(name);
    world.settle();
  }
  for (int round = 0; round < 3; ++round) BOOST_TEST(has(put_whole(300'000), " 201 "));
  BOOST_TEST(has(put_whole(300'000), "over_limit"));
}

// write-timeout (30 s), and a second more for each 64 KiB that came (write-rate).
BOOST_AUTO_TEST_CASE(a_writer_has_the_time_that_its_bytes_give_it) {
  std::string bytes;
  bcdb::write(bcdb::Hello{}, bytes);
  bcdb::write(bcdb::Frame{.op = bcdb::Op::put, .key = bcdb::make_key("any"), .length = 300'000}, bytes);
  send(bytes + std::string(128U << 10U, 'b'), "writer");
  world.advance(DurationMs{31'000});
  BOOST_TEST(!world.is_closed("writer"));
  send(std::string(64U << 10U, 'b'), "writer");
  world.advance(DurationMs{1'900});
  BOOST_TEST(!world.is_closed("writer"));
  world.advance(DurationMs{200});
  BOOST_TEST(has(take("writer"), "timed_out"));
  BOOST_TEST(world.is_closed("writer"));
}

// What came behind it in the same bytes stays, whole and not.
BOOST_AUTO_TEST_CASE(a_large_column_leaves_with_the_buffer_of_its_message) {
  auto const insert = [](std::string const& name, std::string_view payload) {
    Param const params[] = {
        {"table", Value::of_text("spilling")}, {"name", Value::of_text(name)}, {"payload", Value::of_text(payload)}};
    std::string frame;
    protocol::append_frame({.command = "INSERT", .params = params}, frame);
    return frame;
  };
  std::string rest = insert("first", large) + insert("second", "short") + insert("third", large) +
                     "PEEK table=spilling;name=first\nPEEK table=spilling;name=second\n";
  while (!rest.empty()) {
    send(rest.substr(0, 60'000), "main");
    rest.erase(0, 60'000);
  }
  std::string const said = take("main");
  std::size_t inserted = 0;
  for (std::size_t at = said.find("INSERTED"); at != std::string::npos; at = said.find("INSERTED", at + 1)) ++inserted;
  BOOST_TEST(inserted == 3U);
  BOOST_TEST(has(said, "payload=" + large));
  BOOST_TEST(has(said, "payload=short"));
}

BOOST_AUTO_TEST_CASE(a_blob_comes_over_http_whole_and_in_parts) {
  std::string said = ask(get("small"));
  BOOST_TEST(said.starts_with("HTTP/1.1 200 OK\r\n"), said);
  BOOST_TEST(said.ends_with("\r\n\r\na few bytes"), said);
  std::size_t const tag = said.find("ETag: ") + 6;
  std::string const etag = said.substr(tag, said.find('\r', tag) - tag);
  BOOST_TEST((ask(get("large")).ends_with("\r\n\r\n" + large)));
  BOOST_TEST(ask(get("empty")).ends_with("\r\n\r\n"));
  BOOST_TEST(ask(get("small", "Range: bytes=2-4\r\n")).ends_with("\r\n\r\nfew"));
  BOOST_TEST((ask(get("large", "Range: bytes=-1000000\r\n")).ends_with("\r\n\r\n" + large.substr(2'000'000))));
  BOOST_TEST(has(ask(get("large", "Range: bytes=3000000-\r\n")), " 416 "));
  said = ask(get("small", "If-None-Match: " + etag + "\r\n"));
  BOOST_TEST(said.starts_with("HTTP/1.1 304 Not Modified\r\n"), said);
  BOOST_TEST(said.ends_with("\r\n\r\n"), said);
  said = ask("HEAD /v1/blobs/blobs/large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  BOOST_TEST(has(said, "Content-Length: 3000000\r\n"), said);
  BOOST_TEST(said.ends_with("\r\n\r\n"), said);
  BOOST_TEST(has(ask(get("nothing")), " 404 "));
  // The connection goes on, or ends as it was asked to.
  BOOST_TEST(!world.is_closed("web"));
  said = ask("GET /v1/blobs/blobs/large HTTP/1.0\r\n\r\n");
  BOOST_TEST((said.ends_with("\r\n\r\n" + large)));
  BOOST_TEST(world.is_closed("web"));
}

BOOST_AUTO_TEST_CASE(answers_keep_their_order_around_files) {
  std::string const post =
      "POST /v1/GET HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 43\r\n\r\n"
      R"({"table":"blobs","key":"small","data":1   })";
  std::string const said = ask(get("large") + post + get("small") + get("nothing") + get("large"));
  std::size_t const first = said.find("\r\n\r\n" + large);
  std::size_t const json = said.find("\"data\":\"YSBmZXcgYnl0ZXM=\"");
  std::size_t const small = said.find("\r\n\r\na few bytes");
  std::size_t const none = said.find(" 404 ");
  std::size_t const last = said.rfind("\r\n\r\n" + large);
  BOOST_TEST(first < json);
  BOOST_TEST(json < small);
  BOOST_TEST(small < none);
  BOOST_TEST(none < last);
  BOOST_TEST(last + 4 + large.size() == said.size());
}

BOOST_AUTO_TEST_CASE(the_relay_sends_the_same_bytes) {
  std::string asked;
  bcdb::write(bcdb::Hello{}, asked);
  bcdb::Frame frame{.op = bcdb::Op::fetch, .key = bcdb::make_key("large"), .offset = 10, .length = bcdb::kToItsEnd};
  for (frame.echo = 1; frame.echo <= 3; ++frame.echo) bcdb::write(frame, asked);
  std::string const said = ask(asked, "relay");
  std::size_t at = bcdb::kHelloBytes;
  for (std::uint32_t echo = 1; echo <= 3; ++echo) {
    bcdb::Reply reply;
    bcdb::Cut const cut = bcdb::read(std::string_view{said}.substr(at), reply);
    BOOST_REQUIRE((cut.kind == bcdb::Cut::Kind::whole));
    BOOST_TEST(reply.echo == echo);
    BOOST_REQUIRE_EQUAL(reply.content_bytes(), large.size() - 10);
    BOOST_TEST((said.substr(at + cut.bytes, large.size() - 10) == large.substr(10)));
    at += cut.bytes + large.size() - 10;
  }
  BOOST_TEST(at == said.size());
}

// The description of all commands: hundreds of KiB, and the same for everybody.
BOOST_AUTO_TEST_CASE(those_who_are_sent_the_description_share_its_memory) {
  std::string const request = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
  auto const body_of = [](std::string const& said) {
    return said.substr(std::min(said.find("\r\n\r\n") + 4, said.size()));
  };
  auto const client_memory = [this] { return world.server().client_memory().total(); };
  std::string const said = ask(request);
  std::string const text = body_of(said);
  BOOST_TEST(has(said, "HTTP/1.1 200 "));
  BOOST_TEST(has(said, "Content-Length: " + std::to_string(text.size()) + "\r\n"));
  BOOST_TEST(text.size() > 100'000U);
  BOOST_TEST(text.ends_with("}\n"));
  std::string const head = ask("HEAD /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
  BOOST_TEST(has(head, "Content-Length: " + std::to_string(text.size()) + "\r\n"));
  BOOST_TEST(body_of(head).empty());
  // In JSON it is a string.
  BOOST_TEST(has(ask("POST /v1/OPENAPI HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     "Content-Length: 2\r\n\r\n{}"),
                 R"({"command":"OPENAPI","text":"{\n \"openapi\": \"3.1.0\")"));
  // Of those who take it slowly nothing is kept but a few bytes each.
  std::uint64_t const before = client_memory();
  std::uint64_t connections = 0;
  for (int i = 0; i < 20; ++i) {
    std::string const name = "reader" + std::to_string(i);
    world.come_by(name, kHttp);
    world.connection(name).room = 100;
    send(request + request, name);
    ++connections;
  }
  BOOST_TEST(client_memory() < before + connections * 8192);
  // And each of them gets all of it.
  for (int i = 0; i < 40 && world.connection("reader7").to_client.size() < said.size(); ++i) {
    world.connection("reader7").room = 100'000;
    world.server().on_writable(world.id_of("reader7"));
    world.settle();
  }
  std::string const slow = take("reader7");
  BOOST_TEST(slow.starts_with(said.substr(0, said.size() - text.size())));
  BOOST_TEST(slow.size() >= said.size());
  BOOST_TEST((slow.substr(0, said.size()) == said));
}

BOOST_AUTO_TEST_CASE(a_slow_reader_holds_back_nobody_and_gets_all) {
  world.connection("slow").room = 1000;
  send(get("large") + get("small"), "slow");
  BOOST_TEST(world.connection("slow").to_client.size() == 1000U);
  BOOST_TEST((ask(get("large"), "other").ends_with("\r\n\r\n" + large)));
  put("more", "than before");
  for (int i = 0; i < 400 && !world.connection("slow").to_client.ends_with("a few bytes"); ++i) {
    world.connection("slow").room = 1 + chance() % 200'000;
    world.server().on_writable(world.id_of("slow"));
    world.settle();
  }
  std::string const said = take("slow");
  std::size_t const body = said.find("\r\n\r\n") + 4;
  BOOST_TEST((said.substr(body, large.size()) == large));
  BOOST_TEST(said.ends_with("\r\n\r\na few bytes"));
}

BOOST_AUTO_TEST_CASE(peers_and_daemons_may_end_in_the_middle) {
  world.connection("slow").room = 1000;
  send(get("large"), "slow");
  world.close("slow");
  world.settle();
  BOOST_TEST(ask(get("small")).ends_with("a few bytes"));
  world.connection("other").room = 1000;
  send(get("large"), "other");
  world.kill();
  BOOST_TEST(!world.is_running());
}

struct SceneWithIdle : Scene {
  SceneWithIdle() : Scene(10'000'000) {}
};

BOOST_FIXTURE_TEST_CASE(a_silent_reader_is_ended_and_one_that_reads_is_not, SceneWithIdle) {
  for (std::string const client : {"slow", "other"}) {
    world.connection(client).room = 1000;
    // Also one that ends with its answer.
    send(client == "slow" ? get("large") : "GET /v1/blobs/blobs/large HTTP/1.0\r\n\r\n", client);
  }
  for (int i = 0; i < 4; ++i) {
    world.advance(DurationMs{5000});
    world.connection("other").room = 10;
    world.server().on_writable(world.id_of("other"));
    world.settle();
  }
  BOOST_TEST(world.is_closed("slow"));
  BOOST_TEST(world.connection("slow").to_client.size() == 1000U);
  BOOST_TEST(!world.is_closed("other"));
  world.advance(DurationMs{12'000});
  BOOST_TEST(world.is_closed("other"));
}

BOOST_AUTO_TEST_CASE(who_may_not_read_and_what_is_no_blob_is_refused) {
  BOOST_TEST(has(ask(get("small"), "closed"), " 401 "));
  for (std::string const table : {"values", "jobs", "nothing"}) {
    std::string const said = ask("GET /v1/blobs/" + table + "/a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    BOOST_TEST(said.starts_with("HTTP/1.1 404 "), said);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::blob_answers_test
