// The bytes of STOMP frames: what is cut and parsed, whatever the pieces in which it comes; what is refused, and where; what
// is written.
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "plugins/queue/stomp_frame.h"
#include "tests/unit/queue_stomp/harness.h"

namespace fastjournal::queue::stomp {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMax = 32'768;

// "COMMAND name=value ... |body", the problem of a broken one, or "(more)".
std::string told(FrameReader::Cut const& cut, Frame const& into) {
  switch (cut.kind) {
    case FrameReader::Kind::need_more: return "(more)";
    case FrameReader::Kind::line_ends: return "(" + std::to_string(cut.bytes) + " line ends)";
    case FrameReader::Kind::broken: return (cut.is_too_large ? "too large: " : "broken: ") + cut.problem;
    case FrameReader::Kind::frame: break;
  }
  std::string out{into.command};
  for (Header const& header : into.headers) out.append(" ").append(header.name).append("=").append(header.value);
  return out + " |" + shown(into.body);
}

// What is read of it, piece after piece.
std::vector<std::string> read_all(std::string_view bytes, Version version, std::size_t step = SIZE_MAX) {
  FrameReader reader{kMax};
  Frame into;
  std::vector<std::string> out;
  std::string unread;
  while (!bytes.empty()) {
    std::size_t const more = std::min(step, bytes.size());
    unread += bytes.substr(0, more);
    bytes.remove_prefix(more);
    for (;;) {
      FrameReader::Cut const cut = reader.next(unread, version, into);
      if (cut.kind == FrameReader::Kind::need_more) break;
      // Line ends come in as many pieces as they are cut into.
      if (cut.kind != FrameReader::Kind::line_ends) out.push_back(told(cut, into));
      if (cut.kind == FrameReader::Kind::broken) return out;
      reader.taken();
      unread.erase(0, cut.bytes);
      if (unread.empty()) break;
    }
  }
  return out;
}

std::string read_one(std::string_view bytes, Version version = Version::v1_2) {
  FrameReader reader{kMax};
  Frame into;
  return told(reader.next(bytes, version, into), into);
}

std::string written(std::string_view command, std::vector<Header> const& headers, std::optional<std::string_view> body,
                    Version version) {
  std::string out;
  append_frame(command, headers, body, version, out);
  return shown(out);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stomp_frame)

BOOST_AUTO_TEST_CASE(frames_are_read_however_they_are_cut) {
  std::string const stream = frame("SEND\ndestination:/queue/a\n\nhello") + "\n\n\r\n" +
                             "SEND\r\ndestination:/queue/b\r\ncontent-length:3\r\n\r\n" + std::string{"\0a\0\0", 4} +
                             "\n" + frame("BEGIN\n\n");
  Strings const expected{"SEND destination=/queue/a |hello", "SEND destination=/queue/b content-length=3 |@a@",
                         "BEGIN |"};
  for (std::size_t step = 1; step <= stream.size(); ++step)
    BOOST_TEST(read_all(stream, Version::v1_2, step) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_body_ends_at_the_first_nul_or_has_its_length) {
  BOOST_TEST(read_one(frame("SEND\n\nab")) == "SEND |ab");
  BOOST_TEST(read_one(frame("SEND\ncontent-length:2\n\nab")) == "SEND content-length=2 |ab");
  BOOST_TEST(read_one("SEND\ncontent-length:2\n\nab") == "(more)");
  BOOST_TEST(read_one("SEND\ncontent-length:1\n\nab") ==
             "broken: content-length is 1, and the byte behind the body is 98; expected NUL");
  BOOST_TEST(read_one("SEND\ncontent-length:-1\n\n") ==
             "broken: line 2 of the frame: content-length is \"-1\"; expected the bytes of the body");
  BOOST_TEST(read_one("SEND\ncontent-length:99999999999999999999\n\n").starts_with("broken: line 2"));
  BOOST_TEST(read_one("SEND\ncontent-length:32768\n\n") == "too large: the frame has more than 32768 bytes");
  // Of two the first, as of any header.
  BOOST_TEST(read_one(frame("SEND\ncontent-length:2\ncontent-length:1\n\nab")) == "SEND content-length=2 |ab");
}

BOOST_AUTO_TEST_CASE(of_a_repeated_header_the_first_counts) {
  BOOST_TEST(read_one(frame("SEND\na:1\nb:2\na:3\n\n")) == "SEND a=1 b=2 |");
}

BOOST_AUTO_TEST_CASE(escapes_are_those_of_the_version) {
  std::string const bytes = frame("SEND\na\\cb:c\\nd\\\\e:f\n\n");
  BOOST_TEST(read_one(bytes, Version::v1_2) == "SEND a:b=c\nd\\e:f |");
  BOOST_TEST(read_one(bytes, Version::v1_1) == "SEND a:b=c\nd\\e:f |");
  BOOST_TEST(read_one(bytes, Version::v1_0) == "SEND a\\cb=c\\nd\\\\e:f |");
  BOOST_TEST(read_one(frame("SEND\na:\\r\n\n"), Version::v1_2) == "SEND a=\r |");
  BOOST_TEST(read_one(frame("SEND\na:\\r\n\n"), Version::v1_1) ==
             "broken: line 2 of the frame: \"\\r\" has an escape that is none of STOMP 1.1; expected \\n, \\c, \\\\");
  BOOST_TEST(read_one(frame("SEND\na:\\t\n\n")).starts_with("broken: line 2 of the frame: \"\\t\" has an escape"));
  BOOST_TEST(read_one(frame("SEND\na:b\\\n\n")).starts_with("broken: line 2 of the frame: \"b\\\" has an escape"));
  BOOST_TEST(read_one(frame("CONNECT\na:\\t\n\n")) == "CONNECT a=\\t |");
}

BOOST_AUTO_TEST_CASE(blanks_count_but_in_1_0) {
  BOOST_TEST(read_one(frame("SEND\na : b \n\n"), Version::v1_2) == "SEND a = b  |");
  BOOST_TEST(read_one(frame("SEND\na : b \ncontent-length : 1\n\nx"), Version::v1_0) == "SEND a=b content-length=1 |x");
}

BOOST_AUTO_TEST_CASE(mistakes_are_named_with_their_line) {
  BOOST_TEST(read_one(frame("SEND\na:b\nc\n\n")) ==
             "broken: line 3 of the frame: \"c\" has no colon; expected NAME:VALUE");
  BOOST_TEST(read_one(frame("SEND\n:b\n\n")) ==
             "broken: line 2 of the frame: \":b\" has no name before the colon; expected NAME:VALUE");
  BOOST_TEST(read_one(frame("DISCONNECT")) ==
             "broken: line 1 of the frame: a NUL; expected headers, and an empty line before the body");
  BOOST_TEST(read_one(frame("SEND\na:\xFF\n\n")) == "broken: line 2 of the frame: \"a:?\" is no UTF-8");
}

BOOST_AUTO_TEST_CASE(limits_hold_to_the_byte) {
  std::string const longest = "a:" + std::string(kLineBytesMax - 2, 'x');
  BOOST_TEST(read_one(frame("SEND\n" + longest + "\n\n")).starts_with("SEND a=xxx"));
  BOOST_TEST(read_one("SEND\n" + longest + "xx") == "too large: line 2 of the frame: it has more than 8192 bytes");
  std::string headers;
  for (std::size_t i = 0; i < kHeadersMax; ++i) headers += "h" + std::to_string(i) + ":v\n";
  BOOST_TEST(read_one(frame("SEND\n" + headers + "\n")).starts_with("SEND h0=v"));
  BOOST_TEST(read_one("SEND\n" + headers + "one:more\n") ==
             "too large: line 66 of the frame: there are more than 64 headers");
  std::string const fits = "SEND\n\n" + std::string(kMax - 7, 'x') + '\0';
  BOOST_TEST(read_one(fits).starts_with("SEND |xxx"));
  BOOST_TEST(read_one("SEND\n\n" + std::string(kMax - 6, 'x')) == "too large: the frame has more than 32768 bytes");
  std::string const with_length = "SEND\ncontent-length:32740\n\n";
  BOOST_TEST(read_one(with_length) == "(more)");
  BOOST_TEST(read_one("SEND\ncontent-length:32741\n\n") == "too large: the frame has more than 32768 bytes");
}

BOOST_AUTO_TEST_CASE(what_is_written_is_escaped_and_read_again) {
  std::vector<Header> const headers{{"a:b", "c\nd\\e\rf"}, {"plain", "x"}};
  BOOST_TEST(written("MESSAGE", headers, "b\0y"sv, Version::v1_2) ==
             "MESSAGE\na\\cb:c\\nd\\\\e\\rf\nplain:x\ncontent-length:3\n\nb@y@");
  BOOST_TEST(written("MESSAGE", headers, std::nullopt, Version::v1_1) == "MESSAGE\na\\cb:c\\nd\\\\e\rf\nplain:x\n\n@");
  BOOST_TEST(written("MESSAGE", headers, std::nullopt, Version::v1_0) == "MESSAGE\nplain:x\n\n@");
  BOOST_TEST(written("CONNECTED", {{"session", "a:b"}}, std::nullopt, Version::v1_2) == "CONNECTED\nsession:a:b\n\n@");
  std::string out;
  append_frame("MESSAGE", headers, "body", Version::v1_2, out);
  BOOST_TEST(read_one(out) == "MESSAGE a:b=c\nd\\e\rf plain=x content-length=4 |body");
  // No frame can carry a NUL in its head.
  BOOST_TEST(written("MESSAGE", {{"a", "b\0c"sv}}, std::nullopt, Version::v1_2) == "MESSAGE\n\n@");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::queue::stomp
