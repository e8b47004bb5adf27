// The FJ protocol against the whole daemon in the simulator: the examples of doc/fj-protocol.md byte by byte, and what
// careless and hostile clients send.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "plugins/keyvalue/fj_protocol.h"
#include "tests/support/documents.h"
#include "tests/world/world.h"
#include "wire/fj/frame.h"

namespace fastjournal::sim::fj_frames_test {
namespace {

std::string const kRoot = FJ_SOURCE_DIR;
constexpr char kDoor[] = "127.0.0.1:4060";

// A daemon with one table, whose listener speaks the protocol.
class Scene {
 public:
  explicit Scene(std::string const& table = "values") : world(1) {
    BOOST_REQUIRE(world.add_table(kRoot + "/tests/transcripts/" + table + ".xml").ok());
    access::ListenDeclaration door;
    door.address = kDoor;
    door.protocol = "fj";
    door.table = table;
    world.own_listeners = {door};
    BOOST_REQUIRE(world.start().ok());
    come("main");
  }

  void come(std::string const& client) { world.come_by(client, kDoor); }
  void send(std::string const& bytes, std::string const& client = "main") {
    world.connection(client).to_server.append(bytes);
    world.settle();
  }
  std::string take(std::string const& client = "main") { return std::exchange(world.connection(client).to_client, {}); }
  // All replies that came.
  std::vector<fj::Reply> replies(std::string const& client = "main") {
    bytes_.push_back(std::make_unique<std::string>(take(client)));
    std::string_view rest = *bytes_.back();
    std::vector<fj::Reply> out;
    while (!rest.empty()) {
      fj::Reply reply;
      fj::Cut const cut = fj::read(rest, 1U << 26U, reply);
      BOOST_REQUIRE_MESSAGE(cut.kind == fj::Cut::Kind::whole, cut.problem);
      rest.remove_prefix(static_cast<std::size_t>(cut.bytes));
      out.push_back(std::move(reply));
    }
    return out;
  }
  std::vector<fj::Reply> ask(fj::Request const& request, std::string const& client = "main") {
    std::string bytes;
    fj::write(request, bytes);
    send(bytes, client);
    return replies(client);
  }

  World world;

 private:
  std::vector<std::unique_ptr<std::string>> bytes_;  // of replies
};

fj::Request request_of(fj::Function function, std::string_view key, std::uint16_t flags = 0) {
  return {.function = static_cast<std::uint16_t>(function), .identifier = 7, .flags = flags, .key = key};
}
fj::Request set(std::string_view key, std::string_view value) {
  fj::Request out = request_of(fj::Function::set, key, fj::flag::kOverwrite);
  out.value = fj::TypedValue{2, value};
  return out;
}
fj::Request get(std::string_view key, std::uint16_t flags = fj::flag::kData) {
  return request_of(fj::Function::get, key, flags);
}
fj::Request range(std::string_view from, std::string_view to, std::uint16_t count,
                  std::uint16_t flags = fj::flag::kData) {
  fj::Request out = get(from, flags);
  out.set_query(fj::Query::range);
  out.upper = to;
  out.count = count;
  return out;
}
std::string error_of(std::vector<fj::Reply> const& replies) {
  BOOST_REQUIRE_EQUAL(replies.size(), 1U);
  return std::string{replies.front().error.value_or("")};
}

// ---------------------------------------------------------------------------
// Bytes in documents: hexadecimal digits, "text", ** for any byte; a comment behind ;

struct Pattern {
  std::vector<int> bytes;  // -1: any
};

bool is_digit(char c) { return std::string_view{"0123456789abcdefABCDEF"}.find(c) != std::string_view::npos; }

void append(std::string_view line, Pattern& out) {
  for (std::size_t i = 0; i < line.size() && line[i] != ';';) {
    if (line[i] == ' ') {
      ++i;
    } else if (line[i] == '"') {
      std::size_t const end = line.find('"', i + 1);
      BOOST_REQUIRE_MESSAGE(end != std::string_view::npos, line);
      for (char const c : line.substr(i + 1, end - i - 1)) out.bytes.push_back(static_cast<unsigned char>(c));
      i = end + 1;
    } else if (line.substr(i, 2) == "**") {
      out.bytes.push_back(-1);
      i += 2;
    } else {
      BOOST_REQUIRE_MESSAGE(i + 1 < line.size() && is_digit(line[i]) && is_digit(line[i + 1]), line);
      out.bytes.push_back(std::stoi(std::string{line.substr(i, 2)}, nullptr, 16));
      i += 2;
    }
  }
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (char const c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[static_cast<unsigned char>(c) >> 4U];
    out += kDigits[static_cast<unsigned char>(c) & 15U];
    out += ' ';
  }
  return out;
}

bool is_like(std::string_view bytes, Pattern const& pattern) {
  return std::equal(bytes.begin(), bytes.end(), pattern.bytes.begin(), pattern.bytes.end(),
                    [](char c, int wanted) { return wanted < 0 || static_cast<unsigned char>(c) == wanted; });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fj_frames)

BOOST_AUTO_TEST_CASE(the_bytes_of_the_document_are_true) {
  std::set<int> shown;
  std::unique_ptr<Scene> scene;
  for (test::Example const& example : test::examples_of(kRoot, "doc/fj-protocol.md")) {
    if (example.language != "fj") continue;
    if (!example.words.empty()) scene = std::make_unique<Scene>(example.words.front());
    BOOST_REQUIRE(scene != nullptr);
    for (std::size_t i = 0; i < example.lines.size();) {
      std::string const& first = example.lines[i];
      std::string const place = example.document + ":" + std::to_string(example.line + static_cast<int>(i));
      if (first.starts_with("advance ")) {
        scene->world.advance(DurationMs{std::stoll(first.substr(8)) * 1000});
        ++i;
        continue;
      }
      BOOST_REQUIRE_MESSAGE(first.starts_with("> ") || first.starts_with("< "), place << ": " << first);
      Pattern pattern;
      append(std::string_view{first}.substr(2), pattern);
      for (++i; i < example.lines.size() && example.lines[i].starts_with("  "); ++i) append(example.lines[i], pattern);
      if (first[0] == '>') {
        std::string bytes;
        for (int const byte : pattern.bytes) bytes += static_cast<char>(byte);
        BOOST_REQUIRE(bytes.size() > 6);
        shown.insert(load_big<std::uint16_t>(bytes.data() + 4));
        scene->send(bytes);
        if (i >= example.lines.size() || example.lines[i].starts_with("> "))
          BOOST_TEST(hex(scene->take()) == "", place << ": an answer came");
      } else {
        // Replies come one behind the other.
        std::string& come = scene->world.connection("main").to_client;
        std::string const bytes = come.substr(0, pattern.bytes.size());
        BOOST_TEST(is_like(bytes, pattern), place << ": came " << hex(come));
        come.erase(0, bytes.size());
        bool const is_last = i >= example.lines.size() || !example.lines[i].starts_with("< ");
        if (is_last) BOOST_TEST(hex(scene->take()) == "", place << ": more came");
      }
    }
  }
  for (int function = 0; function < fj::kFunctions; ++function)
    BOOST_TEST(shown.contains(function), "no example of function " << function);
}

BOOST_AUTO_TEST_CASE(a_frame_may_come_in_any_pieces) {
  std::string whole;
  fj::Request first = set("key", "value");
  first.timeout = 60;
  first.flags |= fj::flag::kTtl;
  fj::write(first, whole);
  std::size_t const first_bytes = whole.size();
  fj::write(get("key"), whole);
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    Scene scene;
    scene.send(whole.substr(0, cut));
    BOOST_TEST(scene.replies().size() == (cut >= first_bytes ? 1U : 0U), cut);
    scene.send(whole.substr(cut));
    std::vector<fj::Reply> const rest = scene.replies();
    BOOST_REQUIRE(!rest.empty());
    BOOST_TEST(!rest.back().error.has_value());
    BOOST_REQUIRE_EQUAL(rest.back().pairs.size(), 1U);
    BOOST_TEST(rest.back().pairs.front().value->bytes == "value");
  }
}

BOOST_AUTO_TEST_CASE(a_frame_that_is_wrong_leaves_the_connection_if_its_end_is_known) {
  Scene scene;
  auto const refused = [&](fj::Request const& request, std::string_view why) {
    std::string const error = error_of(scene.ask(request));
    BOOST_TEST(error.find(why) != std::string::npos, error);
    BOOST_TEST(scene.ask(request_of(fj::Function::nop, "")).size() == 1U);
  };
  refused(get("a", fj::flag::kPersist), "GET: flags have bit 9");
  refused(get("a", 0x4000), "bit 14");
  refused(get(""), "key is empty");
  refused(get("a", fj::flag::kUpdateTimeout), "without a timeout");
  refused(get("a", fj::flag::kTtl), "bit 13");
  refused(request_of(fj::Function::lock, "a"), "expected a timeout");
  refused(request_of(fj::Function::truncate, "a"), "type 3");
  refused(request_of(fj::Function::rename, "a"), "new_key");
  refused(range("a", "c", 0, fj::flag::kListen), "bit 11");
  fj::Request value = get("a");
  value.value = fj::TypedValue{2, "x"};
  refused(value, "there is a value");
  fj::Request integer = set("a", "");
  integer.value = fj::TypedValue{3, "1234"};
  refused(integer, "integer of 4 bytes; expected 8");
  fj::Request unknown = set("a", "");
  unknown.value = fj::TypedValue{6, "1234"};
  refused(unknown, "value type is 6");
  fj::Request boolean = set("a", "");
  boolean.value = fj::TypedValue{5, "\x02"};
  refused(boolean, "boolean of 1 bytes");
  fj::Request not_text = set("a", "\xff\xfe");
  refused(not_text, "UTF-8");
  fj::Request cursor = get("abc");
  cursor.set_query(fj::Query::cursor);
  refused(cursor, "no cursor");
  fj::Request regex = get("(");
  regex.set_query(fj::Query::regex);
  refused(regex, "regex");
  fj::Request late = set("a", "b");
  late.timeout = UINT64_MAX;
  refused(late, "timeout");
  std::string lie;
  fj::write(set("a", "b"), lie);
  lie[lie.size() - 3] = 0;  // the value's size, which counts the type
  scene.send(lie.substr(0, lie.size() - 2));
  BOOST_TEST(error_of(scene.replies()).find("value size is 0") != std::string::npos);
  BOOST_TEST(error_of(scene.ask(set("a", "b"))) == "");
}

BOOST_AUTO_TEST_CASE(a_frame_whose_end_is_not_known_ends_the_connection) {
  for (std::string const& bytes :
       {std::string{"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"}, std::string("FJ\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 18),
        std::string("FJ\0\1\0\x0c\0\x09\0\0\0\0\0\0\0\0\0\0\0", 19)}) {
    Scene scene;
    scene.send(bytes);
    std::string const error = error_of(scene.replies());
    BOOST_TEST(error.find("closed") != std::string::npos, error);
    BOOST_TEST(scene.world.is_closed("main"), error);
  }
}

BOOST_AUTO_TEST_CASE(a_frame_that_is_too_large_is_skipped) {
  Scene scene;
  std::string head;
  std::string const value(70'000, 'x');
  fj::Request const large = set("k", value);
  fj::write(large, head);
  // It says 3 GiB.
  std::size_t const at = fj::kRequestHeadBytes + 2;
  store_big(head.data() + at, std::uint32_t{3U << 30U});
  scene.send(head.substr(0, at + 4));
  std::string const error = error_of(scene.replies());
  BOOST_TEST(error.find("too_large") == 0U, error);
  std::uint64_t left = (3ULL << 30U);
  std::string const piece(1U << 20U, 'y');
  // Not all of it, for the sake of time: the daemon keeps nothing of what it skips.
  for (int i = 0; i < 64; ++i) scene.send(piece);
  left -= 64ULL << 20U;
  BOOST_TEST(scene.take() == "");
  BOOST_TEST(scene.world.connection("main").to_server.empty());
  BOOST_TEST(left > 0U);
}

BOOST_AUTO_TEST_CASE(cursors_go_on_while_others_write) {
  Scene scene;
  std::set<std::string> wanted;
  for (int i = 0; i < 500; ++i) {
    std::string const key = "key-" + std::to_string(1000 + 2 * i);
    wanted.insert(key);
    BOOST_REQUIRE(error_of(scene.ask(set(key, "v"))).empty());
  }
  for (fj::Query const query : {fj::Query::range, fj::Query::regex}) {
    fj::Request request = query == fj::Query::range ? range("key-", "key-9", 7) : get("^key-1\\d*");
    request.set_query(query);
    std::multiset<std::string> seen;
    std::string cursor;
    for (int page = 0; page < 600; ++page) {
      std::vector<fj::Reply> const replies = scene.ask(request);
      BOOST_REQUIRE_EQUAL(replies.size(), 1U);
      BOOST_REQUIRE(replies.front().cursor.has_value());
      for (fj::Pair const& pair : replies.front().pairs) seen.insert(std::string{pair.key});
      cursor = *replies.front().cursor;
      if (cursor.empty()) break;
      request = get(cursor);
      request.set_query(fj::Query::cursor);
      // A key that is new, one that goes, and a restart in between.
      std::string const fresh = "key-" + std::to_string(1001 + 2 * page);
      scene.ask(set(fresh, "new"));
      if (page == 20) {
        BOOST_REQUIRE(scene.world.stop().ok());
        BOOST_REQUIRE(scene.world.start().ok());
        scene.come("main");
      }
    }
    for (std::string const& key : wanted) BOOST_TEST(seen.count(key) == 1U, key);
  }
}

// More than a turn looks at, in one frame; others are served meanwhile.
BOOST_AUTO_TEST_CASE(a_page_has_as_many_pairs_as_its_count_has_room_for) {
  constexpr int kPairs = 70'000;
  constexpr std::size_t kPage = 65'535;
  Scene scene;
  std::string bytes;
  for (int i = 0; i < kPairs; ++i) fj::write(set("key-" + std::to_string(100'000 + i), "v"), bytes);
  scene.send(bytes);
  BOOST_REQUIRE_EQUAL(scene.replies().size(), static_cast<std::size_t>(kPairs));
  for (std::uint16_t const count : {std::uint16_t{0}, std::uint16_t{1500}, std::uint16_t{65'535}}) {
    std::size_t const wanted = count == 0 ? kPage : count;
    std::vector<fj::Reply> const replies = scene.ask(range("key-", "key-9", count));
    BOOST_REQUIRE_EQUAL(replies.size(), 1U);
    BOOST_TEST(replies.front().pairs.size() == wanted);
    BOOST_TEST(replies.front().pairs.back().key == "key-" + std::to_string(100'000 + wanted - 1));
    fj::Request rest = get(*replies.front().cursor);
    rest.set_query(fj::Query::cursor);
    std::vector<fj::Reply> const next = scene.ask(rest);
    BOOST_REQUIRE_EQUAL(next.size(), 1U);
    BOOST_TEST(next.front().pairs.size() == std::min(wanted, kPairs - wanted));
    BOOST_TEST(next.front().pairs.front().key == "key-" + std::to_string(100'000 + wanted));
  }
  // Frames behind it are answered behind it.
  fj::Request found = get("^key-1\\d*5$");
  found.set_query(fj::Query::regex);
  bytes.clear();
  fj::write(found, bytes);
  fj::write(get("key-100000"), bytes);
  scene.send(bytes);
  std::vector<fj::Reply> const both = scene.replies();
  BOOST_REQUIRE_EQUAL(both.size(), 2U);
  BOOST_TEST(both.front().pairs.size() == kPairs / 10U);
  BOOST_TEST(both.front().cursor->empty());
  BOOST_TEST(both.back().pairs.front().key == "key-100000");
}

BOOST_AUTO_TEST_CASE(a_value_that_is_found_by_another_key_tells_the_one_that_it_is_sorted_by) {
  Scene scene;
  scene.ask(set("main", "v"));
  fj::Request alias = request_of(fj::Function::alias, "main");
  alias.upper = "other";
  BOOST_TEST(error_of(scene.ask(alias)) == "");
  BOOST_TEST(scene.ask(get("other")).front().pairs.front().key == "other");
  for (char const* const key : {"other", "main"}) {
    std::vector<fj::Reply> const told = scene.ask(get(key, fj::flag::kData | fj::flag::kOverwrite));
    BOOST_TEST(told.front().pairs.front().key == "main");
    BOOST_TEST(told.front().pairs.front().value->bytes == "v");
  }
}

BOOST_AUTO_TEST_CASE(a_date_is_not_taken_for_a_duration) {
  Scene scene;
  scene.ask(set("a", "1"));
  constexpr std::uint64_t kDate = 1'795'265'537;
  fj::Request end = get("a", fj::flag::kUpdateTimeout);
  fj::Request ttl = get("a", fj::flag::kUpdateTimeout | fj::flag::kTtl);
  fj::Request mark = get("a");
  fj::Request lock = request_of(fj::Function::lock, "a");
  fj::Request lasting = set("b", "1");
  lasting.flags |= fj::flag::kTtl;
  for (fj::Request* const request : {&end, &ttl, &mark, &lock, &lasting}) {
    request->timeout = kDate;
    std::string const error = error_of(scene.ask(*request));
    BOOST_TEST(
        error.find("timeout is 1795265537, which looks like a date; expected seconds from now") != std::string::npos,
        error);
  }
  BOOST_TEST(!scene.ask(get("a")).front().timeout.has_value());
}

BOOST_AUTO_TEST_CASE(whoever_speaks_something_else_is_told_what_is_spoken_here) {
  for (std::string const& bytes :
       {std::string{"INSERT table=values;key=a\n"}, std::string{"CONNECT\naccept-version:1.2\n"},
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11)}) {
    Scene scene;
    scene.send(bytes);
    std::string const error = error_of(scene.replies());
    BOOST_TEST(error.starts_with("invalid this port speaks the FJ protocol, and what came is a"), error);
    BOOST_TEST(scene.world.is_closed("main"));
  }
}

BOOST_AUTO_TEST_CASE(whoever_watches_is_told_of_each_change) {
  Scene scene;
  scene.come("other");
  fj::Request watched = set("a", "1");
  watched.flags |= fj::flag::kListen;
  watched.identifier = 99;
  BOOST_TEST(error_of(scene.ask(watched)) == "");
  fj::Request prefix = range("b", "c", 0, fj::flag::kData | fj::flag::kListen);
  prefix.identifier = 100;
  BOOST_REQUIRE_EQUAL(scene.ask(prefix).size(), 1U);
  scene.ask(set("a", "2"), "other");
  scene.ask(set("bb", "3"), "other");
  scene.ask(set("c", "4"), "other");
  scene.ask(request_of(fj::Function::remove, "a"), "other");
  std::vector<fj::Reply> const told = scene.replies();
  BOOST_REQUIRE_EQUAL(told.size(), 3U);
  for (fj::Reply const& notice : told) BOOST_TEST(notice.has(fj::flag::kNotice));
  BOOST_TEST(told[0].identifier == 99U);
  BOOST_TEST(told[0].pairs.front().key == "a");
  BOOST_TEST(told[0].pairs.front().value.has_value());
  BOOST_TEST(told[1].identifier == 100U);
  BOOST_TEST(told[1].pairs.front().key == "bb");
  BOOST_TEST(told[2].identifier == 99U);
  BOOST_TEST(!told[2].pairs.front().value.has_value());
}

BOOST_AUTO_TEST_CASE(locks_belong_to_the_connection) {
  Scene scene;
  scene.come("other");
  scene.ask(set("a", "1"));
  fj::Request lock = request_of(fj::Function::lock, "a");
  lock.timeout = 60;
  std::vector<fj::Reply> const locked = scene.ask(lock);
  BOOST_TEST(locked.front().has(fj::flag::kLocked));
  BOOST_TEST(locked.front().timeout.has_value());
  std::vector<fj::Reply> const refused = scene.ask(set("a", "2"), "other");
  BOOST_TEST(refused.front().has(fj::flag::kLocked));
  BOOST_TEST(error_of(refused).starts_with("in_use "));
  BOOST_TEST(scene.ask(get("a"), "other").front().has(fj::flag::kLocked));
  fj::Request end = get("a", fj::flag::kUpdateTimeout);
  end.timeout = 60;
  BOOST_TEST(error_of(scene.ask(end, "other")).starts_with("in_use "));
  BOOST_TEST(!scene.ask(get("a")).front().timeout.has_value());
  scene.world.close("main");
  scene.world.settle();
  BOOST_TEST(error_of(scene.ask(set("a", "2"), "other")) == "");
}

BOOST_AUTO_TEST_CASE(pipelined_frames_are_answered_in_their_order) {
  Scene scene;
  std::string bytes;
  for (std::uint16_t i = 0; i < 2'000; ++i) {
    std::string const key = "k" + std::to_string(i % 100);
    std::string const value = std::to_string(i);
    fj::Request one = i % 2 == 0 ? set(key, value) : get(key);
    one.identifier = i;
    fj::write(one, bytes);
  }
  scene.send(bytes);
  std::vector<fj::Reply> const replies = scene.replies();
  BOOST_REQUIRE_EQUAL(replies.size(), 2'000U);
  for (std::uint16_t i = 0; i < 2'000; ++i) BOOST_TEST(replies[i].identifier == i);
}

// The table is in a log of which another node is the owner.
BOOST_AUTO_TEST_CASE(which_node_decides_is_told) {
  keyvalue::FjProtocol protocol{4'096};
  std::string bytes;
  fj::write(get("a"), bytes);
  Message message;
  std::string out;
  BOOST_REQUIRE((protocol.read(bytes, message, out).kind == Protocol::Kind::message));
  std::vector<Param> const error{{"code", Value::of_text("moved")},
                                 {"message", Value::of_text("node b at 10.0.0.2:4050 decides for log common")},
                                 {"request", *message.find("request")},
                                 {"address", Value::of_text("10.0.0.2:4050")}};
  protocol.write({.command = "ERROR", .params = error}, out);
  fj::Reply reply;
  BOOST_REQUIRE((fj::read(out, out.size(), reply).kind == fj::Cut::Kind::whole));
  BOOST_TEST(reply.error.value_or("") == "moved node b at 10.0.0.2:4050 decides for log common");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::fj_frames_test
