// The records of a pipeline table: numbers, versions, bodies and codec. All are about documents (the object) but for
// plan, destination and retired, whose object is the plan, archived, and clock.
//
// Cells are a document's destinations: they are named by their place in the list of destinations of its source, and
// kOriginalCell is the one that stands for the children of an original (families.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "fastjournal/extent.h"
#include "fastjournal/table.h"
#include "model/body.h"
#include "model/plan/routes.h"
#include "plugins/pipeline/states.h"
#include "plugins/rows/records.h"

namespace fastjournal::pipeline {

enum class RecordType : std::uint8_t {
  plan = 1,         // begins, or is compacted
  document = 2,     // whole: begins, or is compacted
  changed = 3,      // its source has found another hash: everything begins anew
  lease = 4,        // cells are given to a worker, or have new terms
  status = 5,       // cells have another state, and no lease
  held = 6,         // leases of cells that were being sent ended: in doubt
  routed = 7,       // what a router chose
  declared = 8,     // how many children there are
  destination = 9,  // of a plan: paused, or open again
  forgotten = 10,   // a document is gone
  clock = 11,       // the clock was ahead
  retired = 12,     // an older plan without documents is gone
  archived = 13,    // ended documents are in a page outside the log; the object is the page
  drain = 14,       // of the newest plan: nothing new is taken, or it is again
};
// Version 2 of document: with `before`; 3: with the trace of a failure; 4: it is gone (kGoneHash), whatever else it has.
// Version 2 of changed: to that. Version 2 of plan: with `drain`; 3: with a source that tells of what is gone, and whether
// there is `drain`. Version 2 of status: with a trace, or a failure with one stays.
[[nodiscard]] constexpr std::uint8_t newest_version(std::uint8_t type) {
  switch (static_cast<RecordType>(type)) {
    case RecordType::document: return 4;
    case RecordType::plan: return 3;
    case RecordType::changed:
    case RecordType::status: return 2;
    default: return type >= 1 && type <= 14 ? 1 : 0;
  }
}

inline constexpr std::size_t kNameBytesMax = 4096;  // a URI, or the name of a child
inline constexpr std::size_t kHashBytesMax = 128;
inline constexpr std::size_t kMessageBytesMax = 1024;
inline constexpr std::uint16_t kOriginalCell = 0xFFFF;
// In place of a hash: its source does not have it any more. No source says it.
inline constexpr std::string_view kGoneHash{"\x01gone"};

inline constexpr auto kLastState = static_cast<State>(kStates - 1);

using Ordinals = std::vector<std::uint16_t>;
void ordinal_fields(auto& io, auto& ordinals) {
  io.list(
      ordinals, [&](auto& one) { io.number(one); }, plan::kDestinationsMax + 1);
}
void choice_fields(auto& io, auto& choice) {
  io.number(choice.router);
  ordinal_fields(io, choice.taken);
}

// The last failure.
struct Failure {
  std::string kind{};       // the class that the worker named
  std::string message{};    // with its trace (base/failure.h)
  std::uint8_t of_kind{0};  // failures of this class in a row
  std::int64_t until{0};    // of an error: when it is tried again
  bool operator==(Failure const&) const = default;
  static void fields(auto& io, auto& body) { io.text(body.kind).text(body.message).byte(body.of_kind).six(body.until); }
};
[[nodiscard]] inline bool has_trace(std::optional<Failure> const& failure) {
  return failure && failure::has_trace(failure->message);
}

struct CellBody {
  State state{State::processing};
  std::uint8_t attempts{0};  // failures, since it was found, arrived, or an operator requested it
  std::optional<Failure> failure{};
  enum class Lease : std::uint8_t { none, leased, in_doubt } held{Lease::none};
  rows::Leases::Terms lease{};  // unless `held` is none
  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kFailure = 1;
    constexpr std::uint8_t kLeased = 2;
    constexpr std::uint8_t kInDoubt = 4;
    io.byte(body.state, kLastState).byte(body.attempts);
    auto has = io.flags(std::uint8_t{kFailure | kLeased | kInDoubt});
    io.optional(body.failure, has(kFailure, body.failure.has_value()));
    bool const is_leased = has(kLeased, body.held == Lease::leased);
    bool const is_in_doubt = has(kInDoubt, body.held == Lease::in_doubt);
    io.must(!is_leased || !is_in_doubt);
    io.set(body.held, is_leased ? Lease::leased : is_in_doubt ? Lease::in_doubt : Lease::none);
    if (body.held != Lease::none) rows::lease_fields(io, body.lease);
  }
};

struct DocumentBody {
  static constexpr auto kType = RecordType::document;
  ObjectId plan{};
  std::uint16_t source{0};
  ObjectId parent{};       // of a child
  ObjectId original{};     // likewise
  std::uint16_t maker{0};  // of a child: the step that made it
  std::string_view hash{};
  std::string_view name{};
  bool is_forgotten{false};                 // when it has arrived: its source does not remember, or has a newer version
  std::uint32_t generation{0};              // of an original: how often it has changed
  ObjectId before{};                        // its last version, which was missing somewhere
  std::optional<std::uint64_t> declared{};  // children
  std::vector<plan::Choice> choices{};
  std::uint16_t cell_count{0};
  std::vector<CellBody> cells{};  // so many, or none: all are as at the beginning
  std::optional<CellBody> original_cell{};

  [[nodiscard]] std::uint8_t version() const {
    if (hash == kGoneHash) return 4;
    bool const is_traced = std::ranges::any_of(cells, [](CellBody const& cell) { return has_trace(cell.failure); });
    if (is_traced || (original_cell && has_trace(original_cell->failure))) return 3;
    return before.is_none() ? 1 : 2;
  }
  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kChild = 1;
    constexpr std::uint8_t kDeclared = 2;
    constexpr std::uint8_t kOriginal = 4;
    constexpr std::uint8_t kForgotten = 8;
    constexpr std::uint8_t kFresh = 16;  // its cells are as at the beginning
    constexpr std::uint8_t kBefore = 32;
    auto has = io.flags(std::uint8_t{2 * kBefore - 1});
    io.id(body.plan).number(body.source).text(body.hash).text(body.name);
    bool const is_child = has(kChild, !body.parent.is_none());
    if (is_child) io.id(body.parent).id(body.original).number(body.maker);
    io.set(body.is_forgotten, has(kForgotten, body.is_forgotten)).number(body.generation);
    bool const has_before = has(kBefore, !body.before.is_none());
    if (has_before) io.id(body.before);
    if (has(kDeclared, body.declared.has_value())) io.number(io.there(body.declared));
    io.list(
        body.choices, [&](auto& choice) { choice_fields(io, choice); }, plan::kStepsMax);
    io.number(body.cell_count).must(body.cell_count <= plan::kDestinationsMax);
    if (!has(kFresh, body.cells.empty()))
      io.each(body.cells, body.cell_count, [&](auto& cell) { CellBody::fields(io, cell); });
    io.optional(body.original_cell, has(kOriginal, body.original_cell.has_value()));
    io.must(has_before != body.before.is_none() && is_child != body.parent.is_none());
    io.must(is_child != body.original.is_none() && !body.name.empty());
    io.must(body.name.size() <= kNameBytesMax && body.hash.size() <= kHashBytesMax);
  }
};

struct ChangedBody {
  static constexpr auto kType = RecordType::changed;
  std::string_view hash{};

  [[nodiscard]] std::uint8_t version() const { return hash == kGoneHash ? 2 : 1; }
  static void fields(auto& io, auto& body) { io.rest(body.hash).must(body.hash.size() <= kHashBytesMax); }
};

struct LeaseBody {
  static constexpr auto kType = RecordType::lease;
  Ordinals cells{};
  std::optional<State> to{};  // none: as they are
  rows::Leases::Terms terms{};
  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kUnchanged = 0xFF;
    std::uint8_t to = body.to ? static_cast<std::uint8_t>(*body.to) : kUnchanged;
    io.byte(to).must(to < kStates || to == kUnchanged);
    if (to != kUnchanged) io.set(body.to, static_cast<State>(to));
    ordinal_fields(io, body.cells);
    rows::lease_fields(io, body.terms);
    io.must(!body.cells.empty());
  }
};

struct StatusBody {
  static constexpr auto kType = RecordType::status;
  Ordinals cells{};
  State to{};
  std::uint8_t attempts{0};
  std::optional<Failure> failure{};
  bool keeps_failure{false};  // in place of one in the record

  [[nodiscard]] std::uint8_t version() const { return keeps_failure || has_trace(failure) ? 2 : 1; }
  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kInRecord = 1;
    constexpr std::uint8_t kKept = 2;
    io.byte(body.to, kLastState).byte(body.attempts);
    ordinal_fields(io, body.cells);
    std::uint8_t has = body.keeps_failure ? kKept : body.failure ? kInRecord : std::uint8_t{0};
    io.byte(has).set(body.keeps_failure, has == kKept).optional(body.failure, has == kInRecord);
    io.must(!body.cells.empty());
  }
};

struct HeldBody {
  static constexpr auto kType = RecordType::held;
  Ordinals cells{};
  std::int64_t at{0};
  static void fields(auto& io, auto& body) {
    io.six(body.at);
    ordinal_fields(io, body.cells);
    io.must(!body.cells.empty());
  }
};

struct RoutedBody {
  static constexpr auto kType = RecordType::routed;
  plan::Choice choice{};
  Ordinals dropped{};
  static void fields(auto& io, auto& body) {
    choice_fields(io, body.choice);
    ordinal_fields(io, body.dropped);
  }
};

struct DeclaredBody {
  static constexpr auto kType = RecordType::declared;
  std::uint64_t children{0};
  static void fields(auto& io, auto& body) { io.number(body.children); }
};

enum class Mode : std::uint8_t {
  open,
  probing,  // too much failed there: one document in a while, until one arrives
  shut,     // by an operator
};
inline constexpr auto kLastMode = Mode::shut;
inline constexpr std::array<std::string_view, 3> kModeNames{"open", "probing", "shut"};

struct DestinationBody {
  static constexpr auto kType = RecordType::destination;
  std::uint16_t destination{0};
  Mode mode{Mode::open};
  std::string_view reason{};
  // Cells whose last failure is not counted.
  struct Spared {
    ObjectId document{};
    std::uint16_t cell{0};
    bool operator==(Spared const&) const = default;
  };
  std::vector<Spared> spared{};
  static void fields(auto& io, auto& body) {
    io.number(body.destination).byte(body.mode, kLastMode).text(body.reason);
    io.list(body.spared, [&](auto& one) { io.id(one.document).number(one.cell); });
  }
};

using ForgottenBody = model::EmptyBody<RecordType::forgotten>;
using RetiredBody = model::EmptyBody<RecordType::retired>;

struct ClockBody {
  static constexpr auto kType = RecordType::clock;
  std::int64_t from{0};
  std::int64_t to{0};
  static void fields(auto& io, auto& body) { io.six(body.from).six(body.to).must(body.to <= body.from); }
};

struct ArchivedBody {
  static constexpr auto kType = RecordType::archived;
  Extent extent{};
  // Common fields.
  struct Pattern {
    ObjectId plan{};
    std::uint16_t source{0};
    std::vector<State> states{};  // of its cells: sent or dropped
    bool operator==(Pattern const&) const = default;
  };
  std::vector<Pattern> patterns{};
  struct One {
    ObjectId document{};    // none: it is not there any more
    std::uint64_t name{0};  // a hash (archive.h)
    std::uint16_t pattern{0};
  };
  std::vector<One> all{};  // by its place in the page
  static void fields(auto& io, auto& body) {
    io.number(body.extent.file).number(body.extent.begin).number(body.extent.end).fixed(body.extent.hash);
    io.list(body.patterns, [&](auto& pattern) {
      io.id(pattern.plan).number(pattern.source);
      io.list(
          pattern.states, [&](auto& state) { io.byte(state, kLastState); }, plan::kDestinationsMax);
    });
    io.list(body.all, [&](auto& one) {
      std::uint64_t pattern = one.document.is_none() ? 0 : std::uint64_t{one.pattern} + 1;
      io.number(pattern).must(pattern <= body.patterns.size());
      if (pattern == 0) return;
      io.set(one.pattern, pattern - 1).id(one.document).fixed(one.name).must(!one.document.is_none());
    });
    io.must(body.extent.file != 0 && body.extent.begin < body.extent.end);
  }
};

// Nothing new is taken, and nothing that has changed.
struct DrainBody {
  std::int64_t since{0};
  std::string_view by{};
  std::string_view reason{};
  static void fields(auto& io, auto& body) { io.six(body.since).text(body.by).text(body.reason); }
};
// None: it is over.
struct DrainingBody {
  static constexpr auto kType = RecordType::drain;
  std::optional<DrainBody> drain{};
  static void fields(auto& io, auto& body) {
    bool drains = body.drain.has_value();
    io.byte(drains, true).optional(body.drain, drains);
  }
};

struct PlanBody {
  static constexpr auto kType = RecordType::plan;
  // Destinations that are not open.
  struct Paused {
    std::uint16_t destination{0};
    Mode mode{Mode::open};
    std::string_view reason{};
  };
  std::vector<Paused> paused{};
  std::string_view text{};           // model/plan/codec.h
  std::optional<DrainBody> drain{};  // of the newest plan
  bool tells_deleted{false};         // a source of `text` does

  [[nodiscard]] std::uint8_t version() const { return tells_deleted ? 3 : drain ? 2 : 1; }
  static void fields(auto& io, auto& body) {
    io.set(body.tells_deleted, io.version() > 2);
    bool drains = io.version() == 2 || body.drain.has_value();
    if (io.version() > 2) io.byte(drains, true);
    io.optional(body.drain, drains);
    auto const paused = [&](auto& one) { io.number(one.destination).byte(one.mode, kLastMode).text(one.reason); };
    io.list(body.paused, paused, plan::kDestinationsMax).rest(body.text).must(!body.text.empty());
  }
};

}  // namespace fastjournal::pipeline
