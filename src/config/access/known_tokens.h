// Tokens whose slow hash was computed already, so that it is computed once for each: by a digest under a random key of
// this process, which does not reveal the token. Bounded: the least recently used one is forgotten.
//
// A look-up takes the place from the first bytes of the digest and compares all of it in constant time. What the time
// of a look-up tells about a digest is nothing about the token, since the key is secret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>

#include "config/access/token.h"

namespace fastjournal::access {

using Digest = std::array<unsigned char, 32>;
using DigestKey = std::array<unsigned char, 32>;

// HMAC-SHA-256.
[[nodiscard]] Digest digest_of(DigestKey const& key, Token const& token);
// In constant time.
[[nodiscard]] bool is_same(Digest const& one, Digest const& other);

template <typename Value>
class KnownTokens {
 public:
  explicit KnownTokens(std::size_t most) : most_(most) {}

  // Null: it is not known. Valid until the next call.
  [[nodiscard]] Value* find(Digest const& digest) {
    auto const found = places_.find(place_of(digest));
    if (found == places_.end() || !is_same(found->second->digest, digest)) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->value;
  }
  // Replaces what is known of it.
  void add(Digest const& digest, Value value) {
    std::uint64_t const place = place_of(digest);
    if (auto const found = places_.find(place); found != places_.end()) {
      entries_.erase(found->second);
      places_.erase(found);
    }
    if (entries_.size() >= most_) {
      places_.erase(place_of(entries_.back().digest));
      entries_.pop_back();
    }
    entries_.push_front({digest, std::move(value)});
    places_.emplace(place, entries_.begin());
  }
  // Those for which `keep(Value&)` is false are forgotten.
  template <typename Keep>
  void keep_if(Keep&& keep) {
    for (auto at = entries_.begin(); at != entries_.end();) {
      if (keep(at->value)) {
        ++at;
        continue;
      }
      places_.erase(place_of(at->digest));
      at = entries_.erase(at);
    }
  }
  void clear() {
    entries_.clear();
    places_.clear();
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Digest digest;
    Value value;
  };

  [[nodiscard]] static std::uint64_t place_of(Digest const& digest) {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < sizeof out; ++i) out = out << 8U | digest[i];
    return out;
  }

  std::size_t most_;
  std::list<Entry> entries_;  // the most recently used one first
  std::unordered_map<std::uint64_t, typename std::list<Entry>::iterator> places_;
};

}  // namespace fastjournal::access
