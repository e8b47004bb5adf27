// The one door to xxHash: XXH3 with 64 and 128 bits. Its values are stored in logs and files, so they must never change;
// the unit test pins some of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace fastjournal {

// XXH3-64 of the bytes; different seeds give unrelated values. Detects damage, but is not cryptographic: collisions can
// be made for a known seed.
[[nodiscard]] std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

// XXH3-128, seed 0.
struct Hash128 {
  std::uint64_t low{0};
  std::uint64_t high{0};
  bool operator==(Hash128 const&) const = default;
};
[[nodiscard]] Hash128 hash128(std::string_view bytes);

// The same of bytes that come in pieces.
class Hasher128 {
 public:
  Hasher128();
  ~Hasher128();
  Hasher128(Hasher128&&) noexcept;
  Hasher128& operator=(Hasher128&&) noexcept;

  void add(std::string_view bytes);
  [[nodiscard]] Hash128 hash() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// For hash maps of names chosen by clients: with a secret seed, colliding names cannot be chosen.
struct NameHash {
  using is_transparent = void;
  std::uint64_t seed{0};
  [[nodiscard]] std::size_t operator()(std::string_view name) const { return hash64(name, seed); }
};

}  // namespace fastjournal
