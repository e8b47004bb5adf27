// The packets of a blob table's ports (blob tables: PUT and GET in few bytes), and their bytes. Pure; for the plugin
// `blob`, and for clients. Everything is packed and little endian, but for the hash of a put.
//
// Version 1, of which a port carries one kind:
//
//   write     u32 echo, key 12                                             then the bytes, to the end of the stream
//   query     u32 echo, key 12
//   response  u32 echo, u32 entry_time, u64 begin, u64 end, [u32 flags]    flags: of tables with two files only
//
// Version 2 begins with a hello on both sides, which no query or write looks like, but for one key in 2^96:
//
//   hello     "FJBLOB\r\n", u32 version, u32 file                          file: 0 from a client
//   query     u32 1, u32 echo, key 12, u32 zero
//   put       u32 2, u32 echo, key 12, u32 zero, u64 length, hash 16       then the bytes
//   attach    u32 3, u32 echo
//   fetch     u32 4, u32 echo, key 12, u32 zero, u64 offset, u64 length
//   reply     u32 op, u32 echo, u32 status, u32 entry_time, u64 begin, u64 end, u32 file, u32 flags
//             then a text (u32 size, bytes) if the status is neither ok nor absent, or the bytes that a fetch asked for
//
// Replies come in the order of the frames. A hash is XXH3-128 as xxHash writes it: big endian, the high half first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "wire/bcdb/key.h"

namespace fastjournal::bcdb {

// Their names in configurations.
inline constexpr std::string_view kReadProtocol = "blobread";
inline constexpr std::string_view kWriteProtocol = "blobwrite";

// A bit of the flags of responses and replies: the place is in the newer file of two.
inline constexpr std::uint32_t kNewer = 1U << 0U;

// -- version 1 ----------------------------------------------------------------

inline constexpr std::size_t kAskBytes = 16;
inline constexpr std::size_t kEchoBytes = 4;
inline constexpr std::size_t kResponseBytes = 24;
inline constexpr std::size_t kResponseWithFlagsBytes = 28;

// A query, or the head of a write: they differ by the port only.
struct Ask {
  std::uint32_t echo{0};
  Key key{};
  bool operator==(Ask const&) const = default;
};

// All zeros but the echo: there is no such blob.
struct Response {
  std::uint32_t echo{0};
  std::uint32_t entry_time{0};  // seconds since 1970
  std::uint64_t begin{0};       // offset of the first byte in the data file
  std::uint64_t end{0};         // offset of the last byte + 1
  std::uint32_t flags{0};
  bool operator==(Response const&) const = default;
};

// read_... of packets of one size require all their bytes.
[[nodiscard]] Ask read_ask(std::string_view bytes);
void write(Ask const& ask, std::string& out);
// By the size of `bytes`: kResponseBytes, or kResponseWithFlagsBytes.
[[nodiscard]] Response read_response(std::string_view bytes);
void write(Response const& response, bool with_flags, std::string& out);
void write_echo(std::uint32_t echo, std::string& out);

// -- version 2 ----------------------------------------------------------------

inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::size_t kHelloBytes = 16;
inline constexpr std::size_t kFrameBytesMax = 48;  // without the bytes of a put
inline constexpr std::size_t kReplyBytes = 40;     // without what follows
inline constexpr std::size_t kTextBytesMax = 1000;
inline constexpr std::uint64_t kBlobBytesMax = INT64_MAX;  // offsets of files end there
inline constexpr std::uint64_t kToItsEnd = UINT64_MAX;     // length of a fetch

struct Hello {
  std::uint32_t version{kVersion};
  std::uint32_t file{0};  // of the daemon: the number of the data file, 0: not told
  bool operator==(Hello const&) const = default;
};
// Of kHelloBytes.
[[nodiscard]] bool is_hello(std::string_view bytes);
[[nodiscard]] Hello read_hello(std::string_view bytes);
void write(Hello const& hello, std::string& out);

enum class Op : std::uint32_t {
  query = 1,
  put = 2,
  attach = 3,  // the descriptor of the data file goes along with the reply, on unix sockets
  fetch = 4,   // the bytes themselves
};
[[nodiscard]] std::string_view name_of(Op op);

struct Frame {
  Op op{Op::query};
  std::uint32_t echo{0};
  Key key{};                // but for attach
  std::uint32_t zero{0};    // the same
  std::uint64_t offset{0};  // of fetch: within the blob
  std::uint64_t length{0};  // of fetch and put
  Hash128 hash{};           // of put: of all its bytes
  bool operator==(Frame const&) const = default;
};

// The outcome that a reply reports of its frame.
enum class Outcome : std::uint32_t {
  ok = 0,
  absent = 1,  // there is no such blob, and all numbers are 0
  refused = 2,
  no_space = 3,
  damaged = 4,  // a wrong hash, or bytes that cannot be read
  too_large = 5,
  not_allowed = 6,
  unavailable = 7,  // not now: ask again
};
inline constexpr std::uint32_t kOutcomes = 8;

struct Reply {
  Op op{Op::query};
  std::uint32_t echo{0};
  Outcome outcome{Outcome::ok};  // an unknown one is `refused`
  std::uint32_t entry_time{0};   // seconds since 1970
  std::uint64_t begin{0};        // of a fetch: of the bytes that follow
  std::uint64_t end{0};
  std::uint32_t file{0};  // the number of the data file
  std::uint32_t flags{0};
  std::string text{};  // why, for people
  bool operator==(Reply const&) const = default;

  [[nodiscard]] bool has_text() const { return outcome != Outcome::ok && outcome != Outcome::absent; }
  // Bytes that follow it.
  [[nodiscard]] std::uint64_t content_bytes() const {
    return op == Op::fetch && outcome == Outcome::ok ? end - begin : 0;
  }
};

// The front of some bytes.
struct Cut {
  enum class Kind : std::uint8_t {
    need_more,  // `bytes`: so many at least
    whole,      // `bytes`: of the packet
    broken,     // where it ends is not known; `problem` names the field
  };
  Kind kind{Kind::need_more};
  std::size_t bytes{0};
  std::string problem{};
};

// Bytes of a put or of a reply to a fetch are not part of it.
[[nodiscard]] Cut read(std::string_view bytes, Frame& frame);
void write(Frame const& frame, std::string& out);
[[nodiscard]] Cut read(std::string_view bytes, Reply& reply);
// A text that is too long is cut between two characters.
void write(Reply const& reply, std::string& out);

}  // namespace fastjournal::bcdb
