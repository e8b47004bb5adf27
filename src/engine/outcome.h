// The outcome of a command: one value, which every layer returns, from the decider to the session. The messages of its
// answer are in the Answer that its caller brought, so that their memory is used again. Without a refusal and without a
// message there is no answer.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "log/log.h"

namespace fastjournal::engine {

// The logs whose state an answer shows: it leaves once they are durable.
struct Basis {
  log::Log const* log{nullptr};  // of one table
  bool all{false};               // every log that serves
};

// An answer that would delay all others if it were made at once: it is told in parts, of this turn and later ones.
class LongAnswer {
 public:
  // Of tables whose figures are looked at: less than a millisecond.
  static constexpr std::size_t kTables = 64;
  virtual ~LongAnswer() = default;
  // The next messages, or none so far. Returns how many follow them, or will at least; 0: that was all.
  [[nodiscard]] virtual std::uint64_t tell(TimeMs now, Answer& answer) = 0;
  // Its memory.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

struct Outcome {
  Outcome() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): `return status;`
  Outcome(Status refusal, Basis rests_on = {}) : status(std::move(refusal)), basis(rests_on) {}
  // Answered later, by the ReplySink, if it is not refused now.
  [[nodiscard]] static Outcome later(Status refusal = {}) {
    Outcome outcome{std::move(refusal)};
    outcome.is_later = outcome.ok();
    return outcome;
  }
  [[nodiscard]] bool ok() const { return status.ok(); }

  Status status{};                            // not ok: the reason why it was refused
  Basis basis{};                              // also of a refusal
  bool is_later{false};                       // the answer comes by the ReplySink
  std::unique_ptr<LongAnswer> long_answer{};  // in place of the messages; null: these are all
};

}  // namespace fastjournal::engine
