// Cuts the bytes of a connection into text lines and binary frames.
//
// A line ends in LF. A frame begins with the four bytes F J M 0x01, followed by the length of its body (u32, big
// endian) and the body: a msgpack map. A line may begin with F, FJ or FJM as well, so four bytes are needed to
// distinguish the two. A connection may use both.
//
// Apart from the parsers, because only the framer deals with incomplete input: the parsers always get a whole line or a
// whole body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::protocol {

struct FrameLimits {
  std::size_t line_bytes_max{std::size_t{1} << 20U};                                 // without the LF
  std::size_t frame_bytes_max{(std::size_t{64} << 20U) + (std::size_t{64} << 10U)};  // of the body
};

inline constexpr std::string_view kFrameMagic{"FJM\x01", 4};
inline constexpr std::size_t kFrameHeaderBytes = 8;

// One for each connection, on its thread. It stores no bytes: the caller does, up to max(line_bytes_max + 1,
// frame_bytes_max + kFrameHeaderBytes) of them.
class Framer {
 public:
  explicit Framer(FrameLimits limits) : limits_(limits) {}

  enum class Kind : std::uint8_t {
    need_more,  // nothing complete; call again with more bytes
    line,       // `bytes`: the line without its LF, untrimmed
    frame,      // `bytes`: the body
    bad,        // a line or frame above its limit, which is skipped; `status` has the reason; go on
  };

  struct Piece {
    Kind kind{Kind::need_more};
    std::string_view bytes{};  // views into `unread`
    std::size_t consumed{0};   // number of bytes to drop from the front of `unread`, for every kind
    Status status{};
    bool is_frame{false};  // of `bad`: a frame, not a line
  };

  // `unread` begins at the first byte not yet consumed, and contains at least what was left after the last call. The
  // framer remembers how far it has searched: a line that arrives byte by byte costs O(its length) in total.
  [[nodiscard]] Piece next(std::string_view unread);
  // The largest possible size of the piece at the front of `unread`, header and LF included.
  [[nodiscard]] std::size_t whole_bytes(std::string_view unread) const;

 private:
  [[nodiscard]] Piece next_line(std::string_view unread);
  [[nodiscard]] Piece next_frame(std::string_view unread);
  [[nodiscard]] Piece skip(std::string_view unread);

  FrameLimits limits_;
  std::size_t scanned_{0};     // bytes at the front of `unread` without a LF
  std::size_t skip_bytes_{0};  // of an oversized frame's body, still to come
  bool skipping_line_{false};  // up to and including its LF
};

}  // namespace fastjournal::protocol
