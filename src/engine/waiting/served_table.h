// A table as those see it who serve its waiting clients: borrowed from the engine for the duration of a call. The
// interfaces through which they are answered, and through which commands are run for them, stand here too.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/outcome.h"
#include "engine/waiting/subscriptions.h"
#include "engine/waiting/wake_messages.h"
#include "engine/waiting/watchers.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/declaration.h"
#include "fastjournal/extent.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "log/log.h"

namespace fastjournal::work {

struct ServedTable {
  std::string_view name;
  TypeDeclaration const& type;
  std::uint32_t delivering;  // index of the command that LISTEN mode deliver runs; NameTable::kAbsent if there is none
  TableDeclaration const& declaration;
  Capabilities const& can;
  log::Log const& log;
  Subscriptions& subscriptions;
  Watchers& watchers;
  WakeMessages* wakes;  // null: the table declares no wake-message
};

// Receives later answers and pushes. Like every answer they may be sent once the log on which they rest is durable.
class ReplySink : public Keeper {
 public:
  // The answer to a waiting command, in place of the direct one.
  virtual void answer(ConnectionId connection, Message const& command, Answer& answer,
                      engine::Outcome const& outcome) = 0;
  // The answer to a command that ends a transaction in several logs. Nothing else of its connection was carried out
  // meanwhile.
  virtual void end_commit(ConnectionId, Message const&, Answer&, engine::Outcome const&) {}
  // Pushes; not while is_full. `due` is when they became due, for measuring lateness; 0: not measured, as they were due
  // before there was a listener.
  virtual void push(log::Log const& rests_on, ConnectionId connection, Answer& messages, TimeMs due,
                    ListenMode mode) = 0;
  // This topic of a table that declares the wake-message has work that no worker takes. `type`: of the table.
  virtual void tell_wake(log::Log const&, WakeMessage const&, TypeDeclaration const&, std::string_view) {}
  // True while the connection has more unsent output than its limit. The sink says when that has ended.
  [[nodiscard]] virtual bool is_full(ConnectionId connection) = 0;

 protected:
  ~ReplySink() = default;
};

// The result of a decision.
struct Decided {
  Status status{};  // not ok: the command was refused
  Verdict verdict{Verdict::done};
  TimeMs wait_until{};
  std::string_view wait_topic{};
  bool waits_for_several{false};         // topics, between blanks
  std::array<std::uint64_t, 4> carry{};  // of a command that waits: Decision::carry
  Take take{Take::no};
  std::unique_ptr<WatchRequest> watch{};  // of its connection, from now on
};

// The place of a command that needs bytes read before it continues (Verdict::fetch).
struct Fetching {
  Extent wanted{};  // file 0: none
  std::uint32_t step{0};
  std::array<std::uint64_t, 4> carry{};  // Decision::carry
};

// Runs commands of the table that is served. `over`: the command waits no longer. `carry`: as it was when it began to wait.
class Runner {
 public:
  [[nodiscard]] virtual Decided run(Command const& command, bool over, std::array<std::uint64_t, 4> const& carry,
                                    Answer& answer) = 0;

 protected:
  ~Runner() = default;
};

// An empty list is answered too.
inline void say_something(TypeDeclaration const& type, std::string_view table, Answer& answer, Status const& status) {
  if (!answer.empty() || !status.ok() || type.empty_answer.empty()) return;
  answer.message(type.empty_answer).add("table", table);
}

}  // namespace fastjournal::work
