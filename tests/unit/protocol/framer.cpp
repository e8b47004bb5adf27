// The framer, with input as a whole, byte by byte and in random pieces: what it returns must not depend on the pieces.
#include "wire/framer.h"

#include "tests/unit/protocol/support.h"

namespace fastjournal::protocol {

using namespace test;

namespace {

// A caller of the framer: keeps the bytes that were not consumed, and records the pieces returned.
class Caller {
 public:
  explicit Caller(FrameLimits limits) : framer_(limits) {}

  void feed(std::string_view bytes) {
    unread_.append(bytes);
    for (;;) {
      Framer::Piece const piece = framer_.next(std::string_view{unread_}.substr(dropped_));
      BOOST_REQUIRE(piece.consumed <= unread_.size() - dropped_);
      if (piece.kind != Framer::Kind::need_more) {
        BOOST_REQUIRE(piece.consumed > 0);
        pieces_.push_back(written_down(piece));
      }
      dropped_ += piece.consumed;
      if (piece.kind == Framer::Kind::need_more) break;
    }
    unread_.erase(0, dropped_);
    dropped_ = 0;
    held_max_ = std::max(held_max_, unread_.size());
  }

  std::vector<std::string> const& pieces() const { return pieces_; }
  std::size_t held_max() const { return held_max_; }

 private:
  static std::string written_down(Framer::Piece const& piece) {
    switch (piece.kind) {
      case Framer::Kind::line: return "line " + std::string{piece.bytes};
      case Framer::Kind::frame: return "frame " + std::string{piece.bytes};
      case Framer::Kind::bad: return "bad " + piece.status.text();
      default: return "";
    }
  }

  Framer framer_;
  std::string unread_;
  std::size_t dropped_{0};
  std::size_t held_max_{0};
  std::vector<std::string> pieces_;
};

std::string frame_of(std::string_view body) {
  std::string out{kFrameMagic};
  for (unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(body.size() >> shift & 0xFFU);
  return out.append(body);
}

constexpr FrameLimits kSmall{.line_bytes_max = 10, .frame_bytes_max = 12};

using Pieces = std::vector<std::string>;

// The pieces returned for `bytes`; requires the same ones for input in parts of several sizes.
Pieces pieces_of(std::string_view bytes, FrameLimits limits = kSmall) {
  Caller whole{limits};
  whole.feed(bytes);
  for (std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}}) {
    Caller parts{limits};
    for (std::size_t at = 0; at < bytes.size(); at += size) parts.feed(bytes.substr(at, size));
    BOOST_TEST_INFO("fed " << size << " at a time");
    BOOST_TEST(parts.pieces() == whole.pieces(), boost::test_tools::per_element());
  }
  return whole.pieces();
}

void check(std::string_view bytes, Pieces const& expected) {
  BOOST_TEST(pieces_of(bytes) == expected, boost::test_tools::per_element());
}

std::string const kBadLine = "bad too_large: the line is longer than 10 bytes; it was skipped, the connection goes on";
std::string const kBadFrame13 =
    "bad too_large: the frame's length of 13 is above the limit of 12 bytes; it was skipped, the connection goes on";

}  // namespace

BOOST_AUTO_TEST_SUITE(framer)

BOOST_AUTO_TEST_CASE(lines_end_in_a_line_feed_and_are_not_trimmed) {
  check("PING\n \r\n\nA b=1\r\nrest", {"line PING", "line  \r", "line ", "line A b=1\r"});
}

BOOST_AUTO_TEST_CASE(a_frame_is_known_by_its_four_bytes_and_a_line_may_begin_with_three_of_them) {
  check("F\nFJ\nFJM\nFJMX\nFJM\x02 a\n", {"line F", "line FJ", "line FJM", "line FJMX", "line FJM\x02 a"});
  check(frame_of("body"), {"frame body"});
  check(frame_of(""), {"frame "});
}

BOOST_AUTO_TEST_CASE(a_connection_may_mix_lines_and_frames) {
  check("A\n" + frame_of("x\ny") + frame_of("FJM\x01") + "B\n" + frame_of("z") + "\nC\n",
        {"line A", "frame x\ny", "frame FJM\x01", "line B", "frame z", "line ", "line C"});
}

BOOST_AUTO_TEST_CASE(limits_are_reached_and_not_passed) {
  check("0123456789\n0123456789A\nB\n", {"line 0123456789", kBadLine, "line B"});
  check(frame_of("0123456789AB") + frame_of("0123456789ABC") + "B\n", {"frame 0123456789AB", kBadFrame13, "line B"});
}

BOOST_AUTO_TEST_CASE(what_is_too_long_is_refused_once_and_skipped_whatever_it_holds) {
  check(std::string(100, 'x') + "FJM\x01\n" + "A\n", {kBadLine, "line A"});
  check(frame_of("\nFJM\x01\n\n\n\nabcd") + frame_of("ok"), {kBadFrame13, "frame ok"});
}

BOOST_AUTO_TEST_CASE(a_line_that_is_too_long_is_refused_before_its_end_arrives) {
  Caller caller{kSmall};
  caller.feed("0123456789");
  BOOST_TEST(caller.pieces().empty());
  caller.feed("A");
  BOOST_TEST(caller.pieces() == Pieces{kBadLine}, boost::test_tools::per_element());
  BOOST_TEST(caller.held_max() <= 11U);
}

BOOST_AUTO_TEST_CASE(a_frame_of_4_gib_is_skipped_without_being_kept) {
  Caller caller{kSmall};
  caller.feed(std::string_view{"FJM\x01\xff\xff\xff\xff", 8});
  std::string const megabyte(1U << 20U, '\n');
  for (int i = 0; i < 4095; ++i) caller.feed(megabyte);
  caller.feed(megabyte.substr(1));
  BOOST_TEST(caller.pieces().size() == 1U);
  caller.feed("A\n");
  BOOST_TEST(caller.pieces().back() == "line A");
  BOOST_TEST(caller.held_max() < 8U);
}

BOOST_AUTO_TEST_CASE(nuls_are_bytes_like_others) {
  check(std::string_view{"\0\0\nA\0B\n", 7}, {std::string{"line \0\0", 7}, std::string{"line A\0B", 8}});
}

// The framer does not look at bytes again, or a line that arrives byte by byte would take quadratic time. So a line
// feed that appears later among those bytes goes unseen.
BOOST_AUTO_TEST_CASE(it_remembers_how_far_it_looked) {
  Framer framer{FrameLimits{}};
  BOOST_TEST((framer.next("abcd").kind == Framer::Kind::need_more));
  Framer::Piece const piece = framer.next("a\ncd\ne\n");
  BOOST_TEST((piece.kind == Framer::Kind::line));
  BOOST_TEST(piece.bytes == "a\ncd");
  BOOST_TEST(framer.next("e\n").bytes == "e");  // looks from the beginning of the next line
}

BOOST_AUTO_TEST_CASE(random_streams_do_not_depend_on_where_they_are_cut) {
  Random random{seed()};
  for (int round = 0; round < 500; ++round) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed() << " round " << round) {
      std::string stream;
      for (std::size_t count = random.below(12); count > 0; --count) {
        std::string const bytes = random.text(std::string_view{"FJM\x01 a\0\r\xff", 9}, 16);
        bool const frame = random.one_in(2);
        if (!frame && bytes.starts_with(kFrameMagic)) continue;  // a text line cannot begin so
        stream += frame ? frame_of(random.one_in(2) ? bytes + "\n" : bytes) : bytes + "\n";
      }
      Caller whole{kSmall};
      whole.feed(stream);
      Caller cut{kSmall};
      for (std::size_t at = 0; at < stream.size();) {
        std::size_t const size = std::min(stream.size() - at, random.below(9) + 1);
        cut.feed(std::string_view{stream}.substr(at, size));
        at += size;
      }
      BOOST_TEST(cut.pieces() == whole.pieces(), boost::test_tools::per_element());
      BOOST_TEST(cut.held_max() < 12U + kFrameHeaderBytes);
    }
  }
}

BOOST_AUTO_TEST_CASE(garbage_never_stops_it) {
  Random random{seed() + 1};
  for (int round = 0; round < 500; ++round) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed() << " round " << round) {
      std::string garbage;
      for (std::size_t size = random.below(200); size > 0; --size) garbage += static_cast<char>(random.word());
      pieces_of(garbage);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
