#include "clients/spool/core/record.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/hash.h"
#include "fastjournal/protocol.h"
#include "wire/framer.h"
#include "wire/msgpack.h"

namespace fastjournal::spool {
namespace {

constexpr std::string_view kFileMark{"FJS\x01", 4};
constexpr std::string_view kRecordMark{"FJR\x01", 4};
constexpr std::size_t kSeedAt = 8;
constexpr std::size_t kFileHashAt = 16;

// Of what may be a record or a head at the beginning of `bytes`, which begins with as much of a mark as there is.
enum class Look : std::uint8_t { whole, head, cut, no };

Look look_at(std::string_view bytes, Seed seed, std::string_view& body) {
  if (bytes.size() < kRecordHeadBytes) return Look::cut;
  if (bytes.starts_with(kFileMark)) {
    if (bytes.size() < kFileHeadBytes) return Look::cut;
    return seed_of_file(bytes) ? Look::head : Look::no;
  }
  auto const size = load_little<std::uint32_t>(bytes.data() + 4);
  if (size == 0 || size > kBodyBytesMax) return Look::no;
  if (bytes.size() - kRecordHeadBytes < size) return Look::cut;
  body = bytes.substr(kRecordHeadBytes, size);
  return load_little<std::uint64_t>(bytes.data() + 8) == hash64(body, seed.value) ? Look::whole : Look::no;
}

// The next place at which a mark is, or its beginning at the end of `bytes`.
std::size_t find_mark(std::string_view bytes, std::size_t from) {
  while (from < bytes.size()) {
    from = bytes.find(kRecordMark.front(), from);
    if (from == std::string_view::npos) return bytes.size();
    std::string_view const here = bytes.substr(from, kRecordMark.size());
    if (kRecordMark.starts_with(here) || kFileMark.starts_with(here)) return from;
    ++from;
  }
  return bytes.size();
}

std::size_t without_zeros(std::string_view bytes) {
  return bytes.size() - static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\0'));
}

}  // namespace

std::string head_of_file(Seed seed) {
  std::string out(kFileHeadBytes, '\0');
  std::memcpy(out.data(), kFileMark.data(), kFileMark.size());
  store_little(out.data() + kSeedAt, seed.value);
  store_little(out.data() + kFileHashAt, hash64(std::string_view{out}.substr(0, kFileHashAt)));
  return out;
}

std::optional<Seed> seed_of_file(std::string_view bytes) {
  if (bytes.size() < kFileHeadBytes) return std::nullopt;
  Seed const seed{load_little<std::uint64_t>(bytes.data() + kSeedAt)};
  if (bytes.substr(0, kFileHeadBytes) != head_of_file(seed)) return std::nullopt;
  return seed;
}

Status append_record(std::string_view command, std::span<Param const> params, Seed seed, std::string& out) {
  std::size_t const begin = out.size();
  out.append(kRecordHeadBytes - protocol::kFrameHeaderBytes, '\0');
  protocol::append_frame({.command = command, .params = params}, out);
  std::string_view const body = std::string_view{out}.substr(begin + kRecordHeadBytes);
  if (body.size() > kBodyBytesMax) {
    std::size_t const size = body.size();
    out.resize(begin);
    return {Code::too_large,
            "a row has " + std::to_string(size) + " bytes: at most " + std::to_string(kBodyBytesMax) + " are taken"};
  }
  char* const head = out.data() + begin;
  std::memcpy(head, kRecordMark.data(), kRecordMark.size());
  store_little(head + 4, static_cast<std::uint32_t>(body.size()));
  store_little(head + 8, hash64(body, seed.value));
  return {};
}

void seal_again(std::string& record, Seed seed) {
  store_little(record.data() + 8, hash64(std::string_view{record}.substr(kRecordHeadBytes), seed.value));
}

Found find_record(std::string_view bytes, std::size_t from, Seed seed, bool is_settled) {
  Found cut;                   // the first place that may become a record
  std::size_t head_at = from;  // the last head before the place; none so far
  std::size_t head_end = from;
  std::size_t other_heads = 0;  // bytes of those before it
  auto const damage_up_to = [&](std::size_t end) {
    std::size_t const heads =
        other_heads + (head_end <= end ? without_zeros(bytes.substr(head_at, head_end - head_at)) : 0);
    return without_zeros(bytes.substr(from, end - from)) - heads;
  };
  for (std::size_t at = find_mark(bytes, from); at < bytes.size(); at = find_mark(bytes, at + 1)) {
    std::string_view body;
    Look const look = look_at(bytes.substr(at), seed, body);
    if (look == Look::whole)
      return {Found::Kind::record, at, at + kRecordHeadBytes + body.size(), body, damage_up_to(at)};
    if (look == Look::cut && cut.kind == Found::Kind::nothing) {
      std::size_t const begin = at < head_end ? head_at : at;
      cut = {Found::Kind::unfinished, begin, begin, {}, damage_up_to(begin)};
    }
    // What is within a head is looked at as well: the end of one that was cut may happen to be right.
    if (look != Look::head || at < head_end) continue;
    other_heads += without_zeros(bytes.substr(head_at, head_end - head_at));
    head_at = at;
    head_end = at + kFileHeadBytes;
  }
  if (cut.kind == Found::Kind::unfinished && !is_settled) return cut;
  return {Found::Kind::nothing, bytes.size(), bytes.size(), {}, damage_up_to(bytes.size())};
}

}  // namespace fastjournal::spool
