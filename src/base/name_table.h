// A fixed set of short names with a look-up of a few nanoseconds: every message needs look-ups of its command,
// parameters and table. Built once, then read only. Names are copied. Values are those given to add.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace fastjournal {

class NameTable {
 public:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  // Replaces the value of an existing name.
  void add(std::string_view name, std::uint32_t value) {
    if ((entries_.size() + 1) * 2 > slots_.size()) rehash(slots_.empty() ? 16 : slots_.size() * 2);
    Ends const ends = ends_of(name);
    std::uint32_t& slot = slots_[place_of(ends, name)];
    if (slot != kAbsent) {
      entries_[slot].value = value;
      return;
    }
    slot = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({ends, value, std::string{name}});
  }

  [[nodiscard]] std::uint32_t find(std::string_view name) const {
    if (slots_.empty()) return kAbsent;
    std::uint32_t const slot = slots_[place_of(ends_of(name), name)];
    return slot == kAbsent ? kAbsent : entries_[slot].value;
  }

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != kAbsent; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  // The first and the last bytes of a name, which may overlap: all of one that has no more than 16.
  struct Ends {
    std::uint64_t head{0};
    std::uint64_t tail{0};
    std::size_t size{0};

    bool operator==(Ends const&) const = default;
  };
  struct Entry {
    Ends ends;
    std::uint32_t value;
    std::string name;
  };

  static Ends ends_of(std::string_view name) {
    Ends out;
    out.size = name.size();
    if (out.size >= 8) {
      std::memcpy(&out.head, name.data(), 8);
      std::memcpy(&out.tail, name.data() + out.size - 8, 8);
    } else if (out.size >= 4) {
      std::memcpy(&out.head, name.data(), 4);
      std::memcpy(&out.tail, name.data() + out.size - 4, 4);
    } else {
      for (char const c : name) out.head = out.head << 8U | static_cast<unsigned char>(c);
    }
    return out;
  }
  // Names come from declarations, not from clients: a cheap mix is enough.
  static std::size_t hash(Ends const& ends) {
    std::uint64_t const mixed = (ends.head ^ (ends.tail * 0x9E3779B97F4A7C15ULL) ^ ends.size) * 0xD6E8FEB86659FD93ULL;
    return static_cast<std::size_t>(mixed >> 32U);
  }

  // Where its slot is, or would be.
  [[nodiscard]] std::size_t place_of(Ends const& ends, std::string_view name) const {
    std::size_t const mask = slots_.size() - 1;
    for (std::size_t at = hash(ends) & mask;; at = (at + 1) & mask) {
      std::uint32_t const slot = slots_[at];
      if (slot == kAbsent) return at;
      Entry const& entry = entries_[slot];
      if (entry.ends == ends && (ends.size <= 16 || entry.name == name)) return at;
    }
  }

  void rehash(std::size_t size) {
    slots_.assign(size, kAbsent);
    for (std::size_t i = 0; i < entries_.size(); ++i)
      slots_[place_of(entries_[i].ends, entries_[i].name)] = static_cast<std::uint32_t>(i);
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace fastjournal
