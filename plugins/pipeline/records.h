// The records of a pipeline table: numbers, versions, bodies and codec. All are about documents (the object) but for
// plan, destination and retired, whose object is the plan, archived, and clock.
//
// Cells are a document's destinations: they are named by their place in the list of destinations of its source, and
// kOriginalCell is the one that stands for the children of an original (families.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/extent.h"
#include "fastjournal/table.h"
#include "model/plan/routes.h"
#include "plugins/pipeline/states.h"
#include "plugins/rows/leases.h"

namespace fastjournal::pipeline {

enum class RecordType : std::uint8_t {
  plan = 1,         // begins, or is copied forward
  document = 2,     // whole: begins, or is copied forward
  changed = 3,      // its source has found another hash: everything begins anew
  lease = 4,        // cells are given to a worker, or have new terms
  status = 5,       // cells have another state, and are in nobody's hands
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
inline constexpr std::size_t kClassBytesMax = 64;  // of errors
inline constexpr std::size_t kMessageBytesMax = 1024;
inline constexpr std::uint16_t kOriginalCell = 0xFFFF;
// In place of a hash: its source does not have it any more. No source says it.
inline constexpr std::string_view kGoneHash{"\x01gone"};

using Ordinals = std::vector<std::uint16_t>;

// What is known of the last failure.
struct Failure {
  std::string kind{};       // the class that the worker named
  std::string message{};    // with its trace (base/failure.h)
  std::uint8_t of_kind{0};  // failures of this class in a row
  std::int64_t until{0};    // of an error: when it is tried again
  bool operator==(Failure const&) const = default;
};

struct CellBody {
  State state{State::processing};
  std::uint8_t attempts{0};  // failures, since it was found, arrived, or a person wished it
  std::optional<Failure> failure{};
  enum class Hands : std::uint8_t { nobodys, leased, in_doubt } hands{Hands::nobodys};
  rows::Leases::Terms lease{};  // of those that are not nobody's
};

struct DocumentBody {
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
};

struct LeaseBody {
  Ordinals cells{};
  std::optional<State> to{};  // none: as they are
  rows::Leases::Terms terms{};
};

struct StatusBody {
  Ordinals cells{};
  State to{};
  std::uint8_t attempts{0};
  std::optional<Failure> failure{};
  bool keeps_failure{false};  // in place of one in the record
};

struct HeldBody {
  Ordinals cells{};
  std::int64_t at{0};
};

struct RoutedBody {
  plan::Choice choice{};
  Ordinals dropped{};
};

enum class Mode : std::uint8_t {
  open,
  probing,  // too much failed there: one document in a while, until one arrives
  shut,     // by a person
};
inline constexpr std::array<std::string_view, 3> kModeNames{"open", "probing", "shut"};

struct DestinationBody {
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
};

struct ClockBody {
  std::int64_t from{0};
  std::int64_t to{0};
};

struct ArchivedBody {
  Extent extent{};
  // What several of them have in common.
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
};

// Nothing new is taken, and nothing that has changed.
struct DrainBody {
  std::int64_t since{0};
  std::string_view by{};
  std::string_view reason{};
};

struct PlanBody {
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
};

// Each appends one record and returns its place. `object` none: it begins.
Lsn append_plan(Records& records, ObjectId object, PlanBody const& body);
Lsn append_document(Records& records, ObjectId object, DocumentBody const& body);
Lsn append_changed(Records& records, ObjectId document, std::string_view hash);
Lsn append_lease(Records& records, ObjectId document, LeaseBody const& body);
Lsn append_status(Records& records, ObjectId document, StatusBody const& body);
Lsn append_held(Records& records, ObjectId document, HeldBody const& body);
Lsn append_routed(Records& records, ObjectId document, RoutedBody const& body);
Lsn append_declared(Records& records, ObjectId document, std::uint64_t children);
Lsn append_destination(Records& records, ObjectId plan, DestinationBody const& body);
Lsn append_forgotten(Records& records, ObjectId document);
Lsn append_clock(Records& records, ClockBody const& body);
Lsn append_retired(Records& records, ObjectId plan);
Lsn append_archived(Records& records, ObjectId page, ArchivedBody const& body);
// None: it is over.
Lsn append_drain(Records& records, ObjectId plan, std::optional<DrainBody> const& body);

// Canonical bytes, for the digest, and for the size of a record.
void write_plan(std::string& out, PlanBody const& body);
void write_document(std::string& out, DocumentBody const& body);
void write_archived(std::string& out, ArchivedBody const& body);

// False: malformed. Texts are of `bytes`.
[[nodiscard]] bool read_plan(std::string_view bytes, std::uint8_t version, PlanBody& body);
[[nodiscard]] bool read_document(std::string_view bytes, DocumentBody& body);
[[nodiscard]] bool read_lease(std::string_view bytes, LeaseBody& body);
[[nodiscard]] bool read_status(std::string_view bytes, StatusBody& body);
[[nodiscard]] bool read_held(std::string_view bytes, HeldBody& body);
[[nodiscard]] bool read_routed(std::string_view bytes, RoutedBody& body);
[[nodiscard]] bool read_declared(std::string_view bytes, std::uint64_t& children);
[[nodiscard]] bool read_destination(std::string_view bytes, DestinationBody& body);
[[nodiscard]] bool read_clock(std::string_view bytes, ClockBody& body);
[[nodiscard]] bool read_archived(std::string_view bytes, ArchivedBody& body);
[[nodiscard]] bool read_drain(std::string_view bytes, std::optional<DrainBody>& body);

}  // namespace fastjournal::pipeline
