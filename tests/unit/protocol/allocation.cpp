// The hot paths do not allocate once their buffers have grown. This program's own operator new counts.
#include "tests/unit/protocol/support.h"
#include "wire/framer.h"
#include "wire/msgpack.h"
#include "wire/text.h"

#include <new>

namespace {

std::size_t allocations = 0;

}  // namespace

// Not inlined, or the compiler would report new and free as a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const at = std::malloc(size == 0 ? 1 : size)) return at;
  throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void* at) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t) noexcept { std::free(at); }

namespace fastjournal::protocol {

namespace {

// Number of allocations when `work` runs for the second time.
template <typename Work>
std::size_t allocations_of(Work const& work) {
  work();
  std::size_t const before = allocations;
  work();
  return allocations - before;
}

constexpr std::string_view kLine =
    "<alpha:pages beta:fastjournal/INSERT table=pages;uri=http://example.com/a/rather/long/path;title=\"a; "
    "\\\"b\\\"\";note=x\\ny;priority=20\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(allocation)

BOOST_AUTO_TEST_CASE(framing_reading_and_writing_text_allocate_nothing) {
  Framer framer{FrameLimits{}};
  Message message;
  std::string out;
  std::size_t const count = allocations_of([&] {
    Framer::Piece const piece = framer.next(kLine);
    bool const read = parse_line(piece.bytes, message).ok();
    out.clear();
    bool const written = append_line(test::outgoing_of(message), out).ok();
    if (!read || !written) out = "failed";
  });
  BOOST_TEST(out.starts_with("<alpha:pages beta:fastjournal/INSERT "));
  BOOST_TEST(count == 0U);
}

BOOST_AUTO_TEST_CASE(a_frame_costs_one_allocation_to_read_and_none_to_write) {
  Message message;
  BOOST_REQUIRE(parse_line(kLine, message).ok());
  std::string frame;
  BOOST_TEST(allocations_of([&] {
               frame.clear();
               append_frame(test::outgoing_of(message), frame);
             }) == 0U);
  Message again;
  bool read = true;
  // One is for the stack of msgpack-c's parser.
  BOOST_TEST(allocations_of([&] {
               read = read && parse_frame(std::string_view{frame}.substr(kFrameHeaderBytes), again).ok();
             }) <= 1U);
  BOOST_TEST(read);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
