#include "wire/bcdb/packet.h"

#include <array>
#include <cstring>
#include <type_traits>

#include "base/bytes.h"
#include "base/check.h"

namespace fastjournal::bcdb {
namespace {

constexpr std::array<char, 8> kMagic{'F', 'J', 'B', 'L', 'O', 'B', '\r', '\n'};

// The layouts, as they are on the wire.
#pragma pack(push, 1)
struct PackedKey {
  std::uint32_t hash_value;
  std::uint64_t hash_id;
};
struct PackedAsk {
  std::uint32_t echo;
  PackedKey key;
};
struct PackedResponse {
  std::uint32_t echo;
  std::uint32_t entry_time;
  std::uint64_t begin;
  std::uint64_t end;
};
struct PackedResponseWithFlags {
  PackedResponse response;
  std::uint32_t flags;
};
struct PackedHello {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t file;
};
struct PackedHead {
  std::uint32_t op;
  std::uint32_t echo;
};
struct PackedQuery {
  PackedHead head;
  PackedKey key;
  std::uint32_t zero;
};
struct PackedPut {
  PackedQuery query;
  std::uint64_t length;
  std::array<char, 16> hash;
};
struct PackedFetch {
  PackedQuery query;
  std::uint64_t offset;
  std::uint64_t length;
};
struct PackedReply {
  PackedHead head;
  std::uint32_t status;
  std::uint32_t entry_time;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t file;
  std::uint32_t flags;
};
#pragma pack(pop)

static_assert(std::endian::native == std::endian::little, "byte order other than little endian is not supported");
static_assert(sizeof(PackedKey) == kKeyBytes && offsetof(PackedKey, hash_id) == 4);
static_assert(sizeof(PackedAsk) == kAskBytes && offsetof(PackedAsk, key) == 4);
static_assert(sizeof(PackedResponse) == kResponseBytes && offsetof(PackedResponse, entry_time) == 4 &&
              offsetof(PackedResponse, begin) == 8 && offsetof(PackedResponse, end) == 16);
static_assert(sizeof(PackedResponseWithFlags) == kResponseWithFlagsBytes &&
              offsetof(PackedResponseWithFlags, flags) == 24);
static_assert(sizeof(PackedHello) == kHelloBytes && offsetof(PackedHello, version) == 8 &&
              offsetof(PackedHello, file) == 12 && kHelloBytes == kAskBytes);
static_assert(sizeof(PackedHead) == 8 && offsetof(PackedHead, echo) == 4);
static_assert(sizeof(PackedQuery) == 24 && offsetof(PackedQuery, key) == 8 && offsetof(PackedQuery, zero) == 20);
static_assert(sizeof(PackedPut) == kFrameBytesMax && offsetof(PackedPut, length) == 24 &&
              offsetof(PackedPut, hash) == 32);
static_assert(sizeof(PackedFetch) == 40 && offsetof(PackedFetch, offset) == 24 && offsetof(PackedFetch, length) == 32);
static_assert(sizeof(PackedReply) == kReplyBytes && offsetof(PackedReply, status) == 8 &&
              offsetof(PackedReply, entry_time) == 12 && offsetof(PackedReply, begin) == 16 &&
              offsetof(PackedReply, end) == 24 && offsetof(PackedReply, file) == 32 &&
              offsetof(PackedReply, flags) == 36);

template <typename Packed>
Packed front(std::string_view bytes) {
  static_assert(std::is_trivially_copyable_v<Packed>);
  FJ_CHECK(bytes.size() >= sizeof(Packed), "a packet is read when it is there");
  Packed out;
  std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

template <typename Packed>
void append(Packed const& packed, std::string& out) {
  static_assert(std::is_trivially_copyable_v<Packed>);
  out.append(reinterpret_cast<char const*>(&packed), sizeof packed);
}

PackedKey packed_of(Key const& key) { return {.hash_value = key.hash_value, .hash_id = key.hash_id}; }
Key key_of(PackedKey const& key) { return {.hash_value = key.hash_value, .hash_id = key.hash_id}; }

PackedQuery packed_of(Frame const& frame) {
  return {.head = {.op = static_cast<std::uint32_t>(frame.op), .echo = frame.echo},
          .key = packed_of(frame.key),
          .zero = frame.zero};
}

std::size_t frame_bytes(Op op) {
  switch (op) {
    case Op::query: return sizeof(PackedQuery);
    case Op::put: return sizeof(PackedPut);
    case Op::attach: return sizeof(PackedHead);
    case Op::fetch: return sizeof(PackedFetch);
  }
  return 0;
}

Cut need(std::size_t bytes) { return {.kind = Cut::Kind::need_more, .bytes = bytes}; }
Cut broken(std::string problem) { return {.kind = Cut::Kind::broken, .problem = std::move(problem)}; }
Cut whole(std::size_t bytes) { return {.kind = Cut::Kind::whole, .bytes = bytes}; }

// Up to `bytes_max`, and no character is cut.
std::string_view shortened(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace

Ask read_ask(std::string_view bytes) {
  auto const from = front<PackedAsk>(bytes);
  return {.echo = from.echo, .key = key_of(from.key)};
}

void write(Ask const& ask, std::string& out) { append(PackedAsk{.echo = ask.echo, .key = packed_of(ask.key)}, out); }

Response read_response(std::string_view bytes) {
  auto const from = front<PackedResponse>(bytes);
  Response out{.echo = from.echo, .entry_time = from.entry_time, .begin = from.begin, .end = from.end};
  if (bytes.size() >= kResponseWithFlagsBytes) out.flags = front<PackedResponseWithFlags>(bytes).flags;
  return out;
}

void write(Response const& response, bool with_flags, std::string& out) {
  append(
      PackedResponse{
          .echo = response.echo, .entry_time = response.entry_time, .begin = response.begin, .end = response.end},
      out);
  if (with_flags) append_little(out, response.flags);
}

void write_echo(std::uint32_t echo, std::string& out) { append_little(out, echo); }

bool is_hello(std::string_view bytes) { return front<PackedHello>(bytes).magic == kMagic; }

Hello read_hello(std::string_view bytes) {
  auto const from = front<PackedHello>(bytes);
  return {.version = from.version, .file = from.file};
}

void write(Hello const& hello, std::string& out) {
  append(PackedHello{.magic = kMagic, .version = hello.version, .file = hello.file}, out);
}

std::string_view name_of(Op op) {
  switch (op) {
    case Op::query: return "query";
    case Op::put: return "put";
    case Op::attach: return "attach";
    case Op::fetch: return "fetch";
  }
  return "?";
}

Cut read(std::string_view bytes, Frame& frame) {
  if (bytes.size() < sizeof(PackedHead)) return need(sizeof(PackedHead));
  auto const head = front<PackedHead>(bytes);
  frame = {.op = static_cast<Op>(head.op), .echo = head.echo};
  std::size_t const size = frame_bytes(frame.op);
  if (size == 0) return broken("op is " + std::to_string(head.op) + "; expected 1 to 4");
  if (bytes.size() < size) return need(size);
  if (frame.op == Op::attach) return whole(size);
  auto const query = front<PackedQuery>(bytes);
  frame.key = key_of(query.key);
  frame.zero = query.zero;
  if (frame.op == Op::put) {
    auto const put = front<PackedPut>(bytes);
    frame.length = put.length;
    frame.hash = {.low = load_big<std::uint64_t>(put.hash.data() + 8),
                  .high = load_big<std::uint64_t>(put.hash.data())};
    if (frame.length > kBlobBytesMax)
      return broken("length is " + std::to_string(frame.length) + "; expected at most " +
                    std::to_string(kBlobBytesMax));
  }
  if (frame.op == Op::fetch) {
    auto const fetch = front<PackedFetch>(bytes);
    frame.offset = fetch.offset;
    frame.length = fetch.length;
  }
  return whole(size);
}

void write(Frame const& frame, std::string& out) {
  PackedQuery const query = packed_of(frame);
  switch (frame.op) {
    case Op::query: append(query, out); break;
    case Op::put: {
      PackedPut put{.query = query, .length = frame.length, .hash = {}};
      store_big(put.hash.data(), frame.hash.high);
      store_big(put.hash.data() + 8, frame.hash.low);
      append(put, out);
      break;
    }
    case Op::attach: append(query.head, out); break;
    case Op::fetch: append(PackedFetch{.query = query, .offset = frame.offset, .length = frame.length}, out); break;
  }
}

Cut read(std::string_view bytes, Reply& reply) {
  if (bytes.size() < sizeof(PackedReply)) return need(sizeof(PackedReply));
  auto const from = front<PackedReply>(bytes);
  reply = {.op = static_cast<Op>(from.head.op),
           .echo = from.head.echo,
           .outcome = from.status < kOutcomes ? static_cast<Outcome>(from.status) : Outcome::refused,
           .entry_time = from.entry_time,
           .begin = from.begin,
           .end = from.end,
           .file = from.file,
           .flags = from.flags};
  if (frame_bytes(reply.op) == 0) return broken("op is " + std::to_string(from.head.op) + "; expected 1 to 4");
  if (reply.begin > reply.end || reply.end > kBlobBytesMax)
    return broken("begin is " + std::to_string(reply.begin) + ", end " + std::to_string(reply.end));
  if (!reply.has_text()) return whole(sizeof from);
  std::size_t const at = sizeof from + sizeof(std::uint32_t);
  if (bytes.size() < at) return need(at);
  std::size_t const size = load_little<std::uint32_t>(bytes.data() + sizeof from);
  if (size > kTextBytesMax)
    return broken("the text has " + std::to_string(size) + " bytes; expected at most " + std::to_string(kTextBytesMax));
  if (bytes.size() < at + size) return need(at + size);
  reply.text = bytes.substr(at, size);
  return whole(at + size);
}

void write(Reply const& reply, std::string& out) {
  append(PackedReply{.head = {.op = static_cast<std::uint32_t>(reply.op), .echo = reply.echo},
                     .status = static_cast<std::uint32_t>(reply.outcome),
                     .entry_time = reply.entry_time,
                     .begin = reply.begin,
                     .end = reply.end,
                     .file = reply.file,
                     .flags = reply.flags},
         out);
  if (!reply.has_text()) return;
  std::string_view const text = shortened(reply.text, kTextBytesMax);
  append_little(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

}  // namespace fastjournal::bcdb
