// The bytes of STOMP frames, versions 1.0 to 1.2: cut, parsed and written. doc/stomp.md has the rules.
//
//   COMMAND LF  NAME:VALUE LF ...  LF  body NUL
//
// A CR before the LF of a line is dropped. Between frames there may be LFs, which are heart-beats. In 1.1 and 1.2 names and
// values are escaped (\n \c \\, in 1.2 also \r), but not in CONNECT, STOMP and CONNECTED; in 1.0 nothing is escaped, and
// blanks around names and values do not count. A body has content-length bytes, or ends at the first NUL. Of frames of
// clients only SEND has one: in all others content-length is not looked at, as some copy it from a MESSAGE into its ACK.
//
// Limits: kHeadersMax headers, lines of kLineBytesMax bytes, and the frame as a whole. What breaks a rule has no known end:
// its connection ends, as STOMP has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastjournal::queue::stomp {

enum class Version : std::uint8_t { v1_0, v1_1, v1_2 };
[[nodiscard]] std::string_view name_of(Version version);

inline constexpr std::size_t kHeadersMax = 64;
inline constexpr std::size_t kLineBytesMax = 8192;  // without its end

struct Header {
  std::string_view name;
  std::string_view value;
};

// Borrows from the bytes that it was read from, and from itself.
struct Frame {
  std::string_view command{};
  std::vector<Header> headers{};  // of a repeated one the first
  std::string_view body{};
  std::deque<std::string> unescaped{};  // at fixed addresses

  void clear() {
    command = body = {};
    headers.clear();
    unescaped.clear();
  }
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const {
    for (Header const& header : headers)
      if (header.name == name) return header.value;
    return std::nullopt;
  }
  // Empty if there is none.
  [[nodiscard]] std::string_view text(std::string_view name) const { return find(name).value_or(std::string_view{}); }
};

// Cuts the bytes of one connection. It stores none of them, and remembers how far it looked: a frame that comes byte by
// byte costs O(its size).
class FrameReader {
 public:
  explicit FrameReader(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  enum class Kind : std::uint8_t {
    need_more,
    frame,
    line_ends,  // between frames
    broken,     // `problem`; `is_too_large`: it is a limit
  };
  struct Cut {
    Kind kind{Kind::need_more};
    std::size_t bytes{0};  // of the frame or of the line ends
    std::string problem{};
    bool is_too_large{false};
  };

  // `unread` begins at the first byte that was not taken, and has at least what it had the last time. A frame that is not
  // taken is found again.
  [[nodiscard]] Cut next(std::string_view unread, Version version, Frame& into);
  // The frame or line ends at the front were taken.
  void taken() { *this = FrameReader{frame_bytes_max_}; }

 private:
  // False: no end of the head so far, or `cut` is broken.
  [[nodiscard]] bool find_head(std::string_view unread, Version version, Cut& cut);
  [[nodiscard]] bool find_body(std::string_view unread, Cut& cut);
  [[nodiscard]] std::string read_length(std::string_view head, Version version);

  std::size_t frame_bytes_max_;
  std::size_t line_{0};      // where the line begins that has no end so far
  std::size_t searched_{0};  // no end of it before this
  std::size_t lines_{0};     // with an end
  std::size_t head_{0};      // bytes of the head with its empty line; 0: not known
  std::optional<std::uint64_t> length_{};
  std::size_t searched_body_{0};  // no NUL before this
};

// Appends a frame. `body`: with content-length; nullopt: the frame has none. A header that the version cannot express is
// left out: in 1.0 a name with a colon, or anything with a line end.
void append_frame(std::string_view command, std::vector<Header> const& headers, std::optional<std::string_view> body,
                  Version version, std::string& out);

}  // namespace fastjournal::queue::stomp
