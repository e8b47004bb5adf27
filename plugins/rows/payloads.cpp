#include "plugins/rows/payloads.h"

#include <array>
#include <cstring>
#include <vector>

namespace fastjournal::rows {
namespace {

std::uint64_t body_bytes(Facts const& facts) {
  return std::uint64_t{facts.key_bytes} + facts.data_bytes + facts.error_bytes;
}

// In memory: the facts, possibly with room for all of them, and the rest.
struct Front {
  std::array<char, kFactsBytesMax> bytes;
  std::size_t size;

  explicit Front(Facts const& facts) {
    std::size_t const used = payload::write_facts(bytes.data(), facts);
    size = used;
    if (used + body_bytes(facts) < kPaddedFrom) return;
    bytes[0] = static_cast<char>(static_cast<unsigned char>(bytes[0]) | payload::kPadded);
    std::memset(bytes.data() + used, 0, bytes.size() - used);
    size = kFactsBytesMax;
  }
};

// A part to be written: its source, and its target counted from the front.
struct Move {
  char const* from;
  std::size_t size;
  char* to;
  bool is_here;  // its source is the same block
};

// Parts of a block move within it, and others are inserted. Parts that move up are copied first, from the last to the
// first, then those that move down, so that none is overwritten before it has moved.
void move_all(std::vector<Move> const& moves) {
  for (auto move = moves.rbegin(); move != moves.rend(); ++move)
    if (move->is_here && move->to > move->from) std::memmove(move->to, move->from, move->size);
  for (Move const& move : moves)
    if (move.is_here && move.to < move.from) std::memmove(move.to, move.from, move.size);
  for (Move const& move : moves)
    if (!move.is_here && move.size > 0) std::memcpy(move.to, move.from, move.size);
}

}  // namespace

PayloadView Payloads::view(std::uint32_t handle) const {
  PayloadView out;
  // Its length follows from the facts, which are valid, as write() wrote them.
  std::string_view rest{store_.at(handle), SIZE_MAX / 2};
  static_cast<void>(payload::take_facts(rest, out.facts));
  char const* at = rest.data();
  out.key = {at, out.facts.key_bytes};
  out.data = {at + out.facts.key_bytes, out.facts.data_bytes};
  out.failure = {at + out.facts.key_bytes + out.facts.data_bytes, out.facts.error_bytes};
  return out;
}

std::uint32_t Payloads::write(Facts const& facts, std::string_view key, std::string_view data, std::string_view error) {
  Front const front{facts};
  std::uint32_t const handle = store_.take(front.size + body_bytes(facts));
  char* to = store_.at(handle);
  for (std::string_view const part : {std::string_view{front.bytes.data(), front.size}, key, data, error}) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  return handle;
}

std::uint32_t Payloads::write_text(std::string_view text) {
  std::uint32_t const handle = store_.take(kLengthBytes + text.size());
  char* const to = store_.at(handle);
  store_little(to, static_cast<std::uint32_t>(text.size()));
  std::memcpy(to + kLengthBytes, text.data(), text.size());
  return handle;
}

void Payloads::release(std::uint32_t handle, PayloadView const& view) {
  auto const front = static_cast<std::size_t>(view.key.data() - store_.at(handle));
  store_.release(handle, front + body_bytes(view.facts));
}

std::uint32_t Payloads::rewrite(std::uint32_t handle, PayloadView const& old, Facts const& facts, std::string_view data,
                                std::string_view error) {
  Front const front{facts};
  auto const old_front = static_cast<std::size_t>(old.key.data() - store_.at(handle));
  bool const same_rest = data.data() == old.data.data() && data.size() == old.data.size() &&
                         error.data() == old.failure.data() && error.size() == old.failure.size();
  if (same_rest && front.size == old_front) {
    std::memcpy(store_.at(handle), front.bytes.data(), front.size);
    return handle;
  }
  // The old one is released last, since the new contents may be parts of it.
  std::uint32_t const next = write(facts, old.key, data, error);
  release(handle, old);
  return next;
}

std::uint32_t Payloads::rewrite(std::uint32_t handle, PayloadView const& old, Facts const& facts,
                                model::Pieces const& pieces, std::string_view error) {
  Front const front{facts};
  auto const old_front = static_cast<std::size_t>(old.key.data() - store_.at(handle));
  std::size_t const size = front.size + body_bytes(facts);
  bool const stays = store_.room_at(handle) >= size && front.size == old_front && pieces.keeps_order();
  std::uint32_t const next = stays ? handle : store_.take_to_grow(size);
  char* to = store_.at(next);
  std::vector<Move> moves;
  auto const put = [&](std::string_view part, bool is_old) {
    moves.push_back({part.data(), part.size(), to, stays && is_old});
    to += part.size();
  };
  put({front.bytes.data(), front.size}, false);
  put(old.key, true);
  for (std::string_view const piece : pieces.all()) put(piece, pieces.is_old(piece));
  put(error, error.data() == old.failure.data());
  move_all(moves);
  if (!stays) release(handle, old);
  return next;
}

}  // namespace fastjournal::rows
