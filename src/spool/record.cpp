#include "spool/record.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/hash.h"
#include "fastjournal/protocol.h"
#include "protocol/framer.h"
#include "protocol/msgpack.h"

namespace fastjournal::spool {
namespace {

constexpr std::string_view kMark{"FJR\x01", 4};

std::uint64_t hash_of(std::string_view body) { return hash64(body, body.size()); }

// Of what may be a record at the beginning of `bytes`, which begins with as much of the mark as there is.
enum class Look : std::uint8_t { whole, cut, no };

Look look_at(std::string_view bytes, std::string_view& body) {
  if (bytes.size() < kHeadBytes) return Look::cut;
  auto const size = load_little<std::uint32_t>(bytes.data() + 4);
  if (size == 0 || size > kBodyBytesMax) return Look::no;
  if (bytes.size() - kHeadBytes < size) return Look::cut;
  body = bytes.substr(kHeadBytes, size);
  return load_little<std::uint64_t>(bytes.data() + 8) == hash_of(body) ? Look::whole : Look::no;
}

// The next place at which the mark is, or its beginning at the end of `bytes`.
std::size_t find_mark(std::string_view bytes, std::size_t from) {
  while (from < bytes.size()) {
    from = bytes.find(kMark.front(), from);
    if (from == std::string_view::npos) return bytes.size();
    std::string_view const here = bytes.substr(from, kMark.size());
    if (kMark.starts_with(here)) return from;
    ++from;
  }
  return bytes.size();
}

std::size_t without_zeros(std::string_view bytes) {
  return bytes.size() - static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\0'));
}

}  // namespace

Status append_record(std::span<Param const> insert, std::string& out) {
  std::size_t const begin = out.size();
  out.append(kHeadBytes - protocol::kFrameHeaderBytes, '\0');
  protocol::append_frame({.command = "INSERT", .params = insert}, out);
  std::string_view const body = std::string_view{out}.substr(begin + kHeadBytes);
  if (body.size() > kBodyBytesMax) {
    std::size_t const size = body.size();
    out.resize(begin);
    return {Code::too_large,
            "a row has " + std::to_string(size) + " bytes: at most " + std::to_string(kBodyBytesMax) + " are taken"};
  }
  char* const head = out.data() + begin;
  std::memcpy(head, kMark.data(), kMark.size());
  store_little(head + 4, static_cast<std::uint32_t>(body.size()));
  store_little(head + 8, hash_of(body));
  return {};
}

Found find_record(std::string_view bytes, std::size_t from, bool is_settled) {
  Found cut;  // the first place that may become a record
  for (std::size_t at = find_mark(bytes, from);; at = find_mark(bytes, at + 1)) {
    if (at >= bytes.size()) break;
    std::string_view body;
    Look const look = look_at(bytes.substr(at), body);
    if (look == Look::whole)
      return {Found::Kind::record, at, at + kHeadBytes + body.size(), body,
              without_zeros(bytes.substr(from, at - from))};
    if (look == Look::cut && cut.kind == Found::Kind::nothing) cut = {Found::Kind::unfinished, at, at, {}, 0};
  }
  if (cut.kind == Found::Kind::nothing || is_settled) cut = {Found::Kind::nothing, bytes.size(), bytes.size(), {}, 0};
  cut.damaged_bytes = without_zeros(bytes.substr(from, cut.begin - from));
  return cut;
}

}  // namespace fastjournal::spool
