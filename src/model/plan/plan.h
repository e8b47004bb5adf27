// A plan: the sources, steps and edges through which documents reach their destinations (doc/pipeline.md). A value,
// without files and without state: config/plan_reader.h reads one, checks.h says what is wrong with it, destinations.h
// computes where a document has to arrive.
//
// Words and rules are those of fault-tolerant indexing: a step is known by what running it twice would do (Kind), and by
// whether what leaves it is what came in (Effect).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fastjournal::plan {

inline constexpr std::size_t kStepsMax = 256;  // sources among them
inline constexpr std::size_t kStepNameBytesMax = 64;
inline constexpr std::uint32_t kVersionMax = 1'000'000'000;

enum class Kind : std::uint8_t {
  safe,        // nothing outside changes: may run again at any time
  idempotent,  // a second run changes nothing more
  potent,      // must run once only for a version of a document
};

enum class Effect : std::uint8_t {
  mutating,    // the document is altered, or children are made
  preserving,  // what leaves the step is what came in
};

// Which successors get a document that leaves a step. A step with one successor has none.
enum class Router : std::uint8_t {
  none,
  by_name,        // those that the step names: the same ones each time
  duplicate_all,  // each of them gets a copy
  round_robin,    // one of them by turns: another one after a crash
};

enum class Guarantee : std::uint8_t {
  at_most_once,   // recorded before it is sent: after a crash in doubt, and not sent again by itself
  at_least_once,  // recorded after it was sent: after a crash sent again
};

// How the contents of two versions of a document are compared.
enum class Hash : std::uint8_t { xxh3, sha256, none };

enum class OnTimeout : std::uint8_t { transient, permanent };

struct Retry {
  std::uint32_t max_attempts{3};  // failures of one class
  std::int64_t first_ms{1'000};
  std::uint32_t factor{2};
  std::int64_t max_ms{600'000};
  std::uint32_t jitter_percent{10};
  std::int64_t timeout_ms{300'000};        // of one run of a step
  std::int64_t cancel_timeout_ms{30'000};  // how long its worker may take to answer CANCEL
  OnTimeout on_timeout{OnTimeout::transient};

  bool operator==(Retry const&) const = default;
};

// A number of a step in Plan::steps.
using StepIndex = std::uint16_t;

// A source has the fields of the first and the last group only.
struct Step {
  std::string name;
  int line{0};  // in the file
  bool is_source{false};
  // of a source
  Hash hash{Hash::xxh3};
  bool remembers{true};        // knows a document that comes again
  bool keeps_versions{false};  // one that has changed stays beside its newer version until it has arrived
  bool tells_deleted{false};   // one that is gone from the source is deleted at all destinations
  // of a step
  Kind kind{Kind::safe};
  Effect effect{Effect::mutating};
  Guarantee guarantee{Guarantee::at_most_once};  // of an output
  bool any_path{false};                          // of an output: one delivery is enough, whatever its path
  Retry retry;
  // of both
  Router router{Router::none};
  std::uint32_t copies_max{1};    // by_name: how many successors a document may get
  std::vector<StepIndex> before;  // predecessors
  std::vector<StepIndex> after;   // successors, in the order of the file

  // Documents are duplicated here, in the same way each time.
  [[nodiscard]] bool duplicates() const {
    return router == Router::duplicate_all || (router == Router::by_name && copies_max > 1);
  }
  // Whether a document may leave by some of its successors only.
  [[nodiscard]] bool chooses() const { return router == Router::by_name || router == Router::round_robin; }
  // Arrivals here must be recorded.
  [[nodiscard]] bool is_output() const {
    return !is_source && (kind == Kind::potent || (kind == Kind::idempotent && after.empty()));
  }
};

struct Plan {
  std::string name;
  std::uint32_t version{1};
  bool fault_tolerant{true};
  bool strict{false};       // warnings are errors
  std::vector<Step> steps;  // in the order of the file

  [[nodiscard]] Step const& step(StepIndex index) const { return steps[index]; }
};

// Texts of the file, indexed by the enumerations.
inline constexpr std::string_view kKindWords[] = {"safe", "idempotent", "potent"};
inline constexpr std::string_view kEffectWords[] = {"mutating", "preserving"};
inline constexpr std::string_view kRouterWords[] = {"none", "by-name", "duplicate-all", "round-robin"};
inline constexpr std::string_view kGuaranteeWords[] = {"at-most-once", "at-least-once"};
inline constexpr std::string_view kHashWords[] = {"xxh3", "sha256", "none"};
inline constexpr std::string_view kVersionsWords[] = {"latest", "all"};  // by keeps_versions
inline constexpr std::string_view kDeletedWords[] = {"ignore", "tell"};  // by tells_deleted
inline constexpr std::string_view kOnTimeoutWords[] = {"transient", "permanent"};

template <typename Enum, std::size_t count>
[[nodiscard]] constexpr std::string_view word_of(std::string_view const (&words)[count], Enum value) {
  return words[static_cast<std::size_t>(value)];
}

}  // namespace fastjournal::plan
