// Where the parts of a request end: its head, and a body in chunks. Bytes are searched once, however they arrive, and
// what cannot be part of a request is refused at its first wrong byte: the same input gets the same answer, in pieces
// or whole. Only whole requests reach the parser (http_request.h), which checks everything again by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fastjournal::protocol {

// Of the request line and all fields together, with their line ends.
inline constexpr std::size_t kHttpHeadBytesMax = 16U << 10U;
inline constexpr std::size_t kHttpFieldsMax = 100;
// Of the line before a chunk, without its line end: its size and what clients write behind it.
inline constexpr std::size_t kHttpChunkLineBytesMax = 256;

struct HttpScan {
  enum class Kind : std::uint8_t { need_more, blank_line, whole, bad };

  Kind kind{Kind::need_more};
  std::size_t bytes{0};     // from the begin of the input: of what is whole, or up to the first wrong byte
  std::uint16_t status{0};  // of `bad`: of the response
  std::string why{};        // of `bad`
};

// Lines that end in CR LF, the last one empty. No byte that a server could take for something else: no lone CR or LF, no
// other control byte, no line that continues the one before.
class HttpHeadScan {
 public:
  // `unread` begins at the head's first byte. `blank_line`: an empty line instead of a request line.
  [[nodiscard]] HttpScan next(std::string_view unread);
  void clear() { *this = {}; }

 private:
  [[nodiscard]] HttpScan end_of_line(std::string_view unread, std::size_t after);

  std::uint32_t scanned_{0};
  std::uint32_t line_begin_{0};
  std::uint32_t lines_{0};
};

// Chunks: each its size in hexadecimal digits and perhaps extensions, CR LF, its bytes, CR LF; the last one has the size
// 0. Fields behind it are refused.
class HttpChunkScan {
 public:
  struct Limits {
    std::size_t body_bytes_max;  // of all chunks together
    std::size_t raw_bytes_max;   // the same with sizes, extensions and line ends
  };

  // `unread` begins at the body's first byte.
  [[nodiscard]] HttpScan next(std::string_view unread, Limits limits);
  // Of a body that is taken as it comes, however large: `unread` begins at the first byte that was not taken. With
  // need_more `bytes` are taken, the last of which are `content`, bytes of the body; `whole`: that was all of it.
  [[nodiscard]] HttpScan next_part(std::string_view unread, std::string_view& content);
  void clear() { *this = {}; }

 private:
  enum class At : std::uint8_t { size, extension, size_lf, bytes, bytes_cr, bytes_lf, last_cr, last_lf };

  [[nodiscard]] char const* take(char c, Limits limits);

  std::size_t scanned_{0};
  std::size_t left_{0};        // of the chunk: its size while that is read, then its bytes to come
  std::size_t body_bytes_{0};  // of all chunks so far
  std::uint16_t line_bytes_{0};
  At at_{At::size};
  bool is_too_large_{false};
};

}  // namespace fastjournal::protocol
