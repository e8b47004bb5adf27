// The keys of one log in etcd, below its prefix. Described only here.
//
//   conf      of the log: its store id (decimal); made once
//   own       who decides: node and address, on a lease. Its mod_revision is the owner's token
//   start     how often the log was taken over (decimal); no lease
//   base      what is needed: "SEQUENCE LSN CATALOGUE", the first entry, where reading begins in it, and the catalogue's base
//   cleared   the last owner that removed what it found behind a gap (its mod_revision is above that owner's token)
//   nodes/N   of node N, on its lease: "address=A applied=LSN declared=DIGEST" (roll_call.h)
//   declares/N  the tables that its files declare for the log, on the same lease: a line "NAME DIGEST" each, by name
//   l/N       entry N (entry.h), 16 hexadecimal digits, from 1 on without gaps
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "log/etcd/client/cluster.h"

namespace fastjournal::log::etcd {

namespace api = fastjournal::etcd;

class Names {
 public:
  // "/fastjournal/shared/"
  explicit Names(std::string prefix) : prefix_(std::move(prefix)) {}

  [[nodiscard]] std::string const& prefix() const { return prefix_; }
  // Behind all of them.
  [[nodiscard]] std::string end() const { return next(prefix_); }
  [[nodiscard]] std::string conf() const { return prefix_ + "conf"; }
  [[nodiscard]] std::string own() const { return prefix_ + "own"; }
  [[nodiscard]] std::string start() const { return prefix_ + "start"; }
  [[nodiscard]] std::string base() const { return prefix_ + "base"; }
  [[nodiscard]] std::string cleared() const { return prefix_ + "cleared"; }
  [[nodiscard]] std::string nodes() const { return prefix_ + "nodes/"; }
  [[nodiscard]] std::string nodes_end() const { return next(nodes()); }
  [[nodiscard]] std::string declares(std::string_view node) const {
    return fmt::format("{}declares/{}", prefix_, node);
  }
  [[nodiscard]] std::string entry(std::uint64_t sequence) const {
    return fmt::format("{}l/{:016x}", prefix_, sequence);
  }
  [[nodiscard]] std::string entries_end() const { return next(prefix_ + "l/"); }
  // The owner with this token is it still.
  [[nodiscard]] api::Compare is_owner(std::uint64_t token) const {
    return {own(), api::Compare::What::mod_revision, api::Compare::Is::equal, static_cast<std::int64_t>(token)};
  }
  // None: it is no entry's key.
  [[nodiscard]] std::optional<std::uint64_t> sequence_of(std::string_view key) const;

 private:
  // The first key that does not begin like this one.
  [[nodiscard]] static std::string next(std::string begin) {
    ++begin.back();
    return begin;
  }

  std::string prefix_;
};

inline std::optional<std::uint64_t> Names::sequence_of(std::string_view key) const {
  constexpr std::string_view kEntries = "l/";
  if (key.size() != prefix_.size() + kEntries.size() + 16 || !key.starts_with(prefix_)) return std::nullopt;
  key.remove_prefix(prefix_.size());
  if (!key.starts_with(kEntries)) return std::nullopt;
  std::uint64_t out = 0;
  for (char const digit : key.substr(kEntries.size())) {
    int const value = digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
    if (value < 0) return std::nullopt;
    out = out << 4U | static_cast<std::uint64_t>(value);
  }
  return out;
}

}  // namespace fastjournal::log::etcd
