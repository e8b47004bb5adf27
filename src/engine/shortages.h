// Shortages of disk space and of memory: while one lasts, what adds is refused, and one alert tells the administrator. It
// is raised once for a shortage, not for each refusal: a record for each would use up what is short.
#pragma once

#include "engine/alerting.h"
#include "engine/memory.h"
#include "engine/tables.h"

namespace fastjournal::engine {

class Shortages {
 public:
  Shortages(Tables const& tables, Memory const& memory, Alerting& alerting)
      : tables_(tables), memory_(memory), alerting_(alerting) {}
  Shortages(Shortages const&) = delete;
  Shortages& operator=(Shortages const&) = delete;

  // A reservation in this log failed; the refusal of a command.
  void note_disk(HostedLog& log, TimeMs now);
  [[nodiscard]] Status refuse_disk(HostedLog& log, TimeMs now);
  // An addition while Memory refuses them.
  [[nodiscard]] Status refuse_memory(TimeMs now);
  // Lowers the alerts once the shortages are over; true while one is up: ask again in a second.
  [[nodiscard]] bool check(TimeMs now);

 private:
  Tables const& tables_;
  Memory const& memory_;
  Alerting& alerting_;
  TimeMs memory_refused_at_{};
};

}  // namespace fastjournal::engine
