// Cuts what arrives on a connection into text lines and binary frames.
//
// A line ends in LF. A frame begins with the four bytes F J M 0x01, then the
// length of its body (u32, big endian), then the body: a msgpack map. Which of
// the two a piece is is known after four bytes at the latest, as a line may
// begin with F, FJ or FJM too. A connection may mix both.
//
// Apart from the parsers, because it alone knows about bytes that have not
// arrived yet: the parsers always see a whole line or a whole body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::wire {

struct FrameLimits {
  std::size_t line_bytes_max{std::size_t{1} << 20U};                                 // without the LF
  std::size_t frame_bytes_max{(std::size_t{64} << 20U) + (std::size_t{64} << 10U)};  // of the body
};

inline constexpr std::string_view kFrameMagic{"FJM\x01", 4};
inline constexpr std::size_t kFrameHeaderBytes = 8;

// One for each connection, and on its thread. It keeps no bytes: the caller
// does, up to max(line_bytes_max + 1, frame_bytes_max + kFrameHeaderBytes) of them.
class Framer {
 public:
  explicit Framer(FrameLimits limits) : limits_(limits) {}

  enum class Kind : std::uint8_t {
    need_more,  // nothing whole; call again with more bytes
    line,       // `bytes`: the line without its LF, untrimmed
    frame,      // `bytes`: the body
    bad,        // `status` says why: a line or frame over its limit, which is skipped; go on
  };

  struct Piece {
    Kind kind{Kind::need_more};
    std::string_view bytes{};  // views into `unread`
    std::size_t consumed{0};   // what the caller drops from the front of `unread`, whatever the kind
    Status status{};
    bool is_frame{false};  // of `bad`: it was to be one
  };

  // `unread` begins at the first byte that is not consumed yet and holds at least what it held at the
  // last call, less what was consumed. Remembers how far it looked: a line that arrives byte by
  // byte costs O(its length) in total.
  [[nodiscard]] Piece next(std::string_view unread);
  // How many bytes the piece that `unread` begins can have at the most, header and LF included.
  [[nodiscard]] std::size_t whole_bytes(std::string_view unread) const;

 private:
  [[nodiscard]] Piece next_line(std::string_view unread);
  [[nodiscard]] Piece next_frame(std::string_view unread);
  [[nodiscard]] Piece skip(std::string_view unread);

  FrameLimits limits_;
  std::size_t scanned_{0};     // bytes at the front of `unread` without a LF
  std::size_t skip_bytes_{0};  // of a frame's body that is too large, still to come
  bool skipping_line_{false};  // up to and with its LF
};

}  // namespace fastjournal::wire
