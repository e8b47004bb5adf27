// Bytes outside the log: a value that is too large for memory lies in a file of its table, and records name the place.
// Bytes come first, then the command: when a command is decided, the places of its values are known, and the bytes are
// durable there, or the record carries them as well. Bytes that a record names are never changed; what no record names
// any more is given back. doc/internals/bytes.md.
#pragma once

#include <cstdint>

namespace fastjournal {

// A place in one of the files of a table.
struct Extent {
  std::uint32_t file{0};   // its number, from 1; never given twice in the life of a table
  std::uint64_t begin{0};  // offset of the first byte; never 0, as each file begins with a header
  std::uint64_t end{0};    // offset of the last byte + 1
  std::uint64_t hash{0};   // of the bytes: the low half of XXH3-128

  [[nodiscard]] constexpr std::uint64_t size() const { return end - begin; }
  bool operator==(Extent const&) const = default;
};

// The most bytes of one command that its record carries as well: then one sync, that of the log, makes both durable, and
// the file follows.
inline constexpr std::uint64_t kCarriedBytesMax = 64U << 10U;

// The place of a value's bytes (Value::outside).
struct StoredValue {
  Extent extent{};
  std::uint64_t hash_high{0};  // in a command: the high half of its hash
  bool is_text{false};         // the value of a string; else of a buffer
  // In an answer: what its receiver gets.
  enum class As : std::uint8_t {
    bytes,       // the bytes
    place,       // "OFFSET LENGTH PATH": a reader on the same computer reads them himself
    descriptor,  // the number of the file; its descriptor, for reading, goes along (unix sockets only)
  };
  As as{As::bytes};
  void* owner{nullptr};  // in an answer: whose files they are; set by the engine
};

}  // namespace fastjournal
