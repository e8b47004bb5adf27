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
    std::uint32_t& slot = slot_of(name);
    if (slot != kAbsent) {
      entries_[slot].value = value;
      return;
    }
    slot = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({std::string{name}, value});
  }

  [[nodiscard]] std::uint32_t find(std::string_view name) const {
    if (slots_.empty()) return kAbsent;
    std::size_t const mask = slots_.size() - 1;
    for (std::size_t at = hash(name) & mask;; at = (at + 1) & mask) {
      std::uint32_t const slot = slots_[at];
      if (slot == kAbsent) return kAbsent;
      if (entries_[slot].name == name) return entries_[slot].value;
    }
  }

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != kAbsent; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string name;
    std::uint32_t value;
  };

  // Names come from declarations, not from clients: a cheap mix is enough.
  static std::size_t hash(std::string_view name) {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    std::size_t const n = name.size();
    if (n >= 8) {
      std::memcpy(&head, name.data(), 8);
      std::memcpy(&tail, name.data() + n - 8, 8);
    } else if (n >= 4) {
      std::memcpy(&head, name.data(), 4);
      std::memcpy(&tail, name.data() + n - 4, 4);
    } else {
      for (char const c : name) head = head << 8U | static_cast<unsigned char>(c);
    }
    std::uint64_t const mixed = (head ^ (tail * 0x9E3779B97F4A7C15ULL) ^ n) * 0xD6E8FEB86659FD93ULL;
    return static_cast<std::size_t>(mixed >> 32U);
  }

  std::uint32_t& slot_of(std::string_view name) {
    std::size_t const mask = slots_.size() - 1;
    std::size_t at = hash(name) & mask;
    while (slots_[at] != kAbsent && entries_[slots_[at]].name != name) at = (at + 1) & mask;
    return slots_[at];
  }

  void rehash(std::size_t size) {
    slots_.assign(size, kAbsent);
    for (std::size_t i = 0; i < entries_.size(); ++i) slot_of(entries_[i].name) = static_cast<std::uint32_t>(i);
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace fastjournal
