// A server that is measured: started by the bench on loopback with fresh data
// beside the others' on the same disk, and ended by its process number.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/protocol.h"

namespace fastjournal::bench {

class Peer {
 public:
  virtual ~Peer() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  // What an acknowledgement means with these settings.
  [[nodiscard]] virtual std::string durability() const = 0;
  // It acknowledges only what is synced.
  [[nodiscard]] virtual bool synced() const = 0;

  // On fresh data, or on what a kill left. Throws std::runtime_error with the reason.
  virtual void start() = 0;
  // kill -9.
  virtual void kill() = 0;
  virtual void stop() = 0;

  // Where a client connects: as LineClient takes it.
  [[nodiscard]] virtual std::string address() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Protocol> protocol() const = 0;
  // All its processes.
  [[nodiscard]] virtual std::vector<pid_t> processes() const = 0;
  [[nodiscard]] virtual std::filesystem::path folder() const = 0;
  // Rows of one key become one.
  [[nodiscard]] virtual bool merges() const { return true; }
  // It is of interest only where rows are inserted in batches.
  [[nodiscard]] virtual bool batches_only() const { return false; }
  // Dates are kept to the millisecond (beanstalkd: whole seconds).
  [[nodiscard]] virtual bool exact_dates() const { return true; }
};

// Memory that is really there, of all its processes (their shared pages counted once).
[[nodiscard]] std::uint64_t resident_bytes(Peer const& peer);
// Processor time used so far, in seconds.
[[nodiscard]] double processor_seconds(Peer const& peer);
// Bytes that its folder takes on the disk.
[[nodiscard]] std::uint64_t disk_bytes(Peer const& peer);

// Throws std::runtime_error when the program is not installed: says which package has it.
[[nodiscard]] std::unique_ptr<Peer> make_beanstalkd(bool with_log);
[[nodiscard]] std::unique_ptr<Peer> make_redis();
// `copies`: rows that are sent together enter by one COPY.
[[nodiscard]] std::unique_ptr<Peer> make_postgres(bool copies);

struct OwnOptions {
  bool local{false};        // unix socket
  bool binary{false};       // msgpack
  bool wake{false};         // workers that wait are woken and ask; else rows are delivered
  bool has_key{true};       // else every insert is a row of its own
  std::string table;        // option elements of the table
  std::uint32_t tables{1};  // jobs, jobs1, jobs2, ...; only the first one is worked with
};
[[nodiscard]] std::unique_ptr<Peer> make_fastjournal(OwnOptions const& options);

}  // namespace fastjournal::bench
