// What the engine needs of a log, whatever engine is behind it (the file log
// of storage/, one day etcd). Records go into the open batch at once and get
// their LSN there; commit() at the end of the turn makes the batch durable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "fastjournal/types.h"

namespace fastjournal::core {

struct LogUsage {
  std::uint64_t disk_bytes{0};     // of all containers, used or spare
  std::uint64_t logical_bytes{0};  // end - base
  std::uint32_t containers{0};
  std::uint32_t containers_free{0};
  Lsn oldest_container_end{};  // copying forward what stands below it frees the oldest container
};

class Log {
 public:
  virtual ~Log() = default;

  // Makes sure that `bytes` of records fit before the next commit, container
  // headers and padding included. False: there is no room; nothing changed.
  // `removing` may use the space that is kept back for what removes.
  [[nodiscard]] virtual bool reserve(std::size_t bytes, bool removing) = 0;
  // Within what was reserved; the body is filled by the caller before the next call.
  virtual Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                                std::size_t body_bytes) = 0;
  // The records since the last end_group stand or fall together (DECISIONS 3).
  virtual void end_group(Promise promise) = 0;
  // Writes the open batch, and syncs if any group in it, or an earlier write
  // that was not synced, was promised `synced`. An error is fatal: nothing
  // more may be acknowledged (ARCHITECTURE 1, rule 4).
  [[nodiscard]] virtual Status commit() = 0;

  // The place of the next record.
  [[nodiscard]] virtual Lsn end_lsn() const = 0;
  // Everything below is durable / was given to the kernel.
  [[nodiscard]] virtual Lsn durable_lsn() const = 0;
  [[nodiscard]] virtual Lsn written_lsn() const = 0;
  // Nothing below is needed any more. Takes effect durably before a container is used again.
  virtual void set_base(Lsn base) = 0;
  [[nodiscard]] virtual Lsn base_lsn() const = 0;
  // How often this store was opened for writing, this time included; durable before open returned.
  [[nodiscard]] virtual std::uint32_t start() const = 0;
  [[nodiscard]] virtual LogUsage usage() const = 0;
};

}  // namespace fastjournal::core
