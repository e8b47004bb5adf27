// A server to be measured: started by the bench on loopback, with fresh data on the same disk as the others, and ended
// by its process id.
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
  // What an acknowledgement guarantees with these settings.
  [[nodiscard]] virtual std::string durability() const = 0;
  // Whether only synced data is acknowledged.
  [[nodiscard]] virtual bool synced() const = 0;

  // Starts on fresh data, or on what a kill left. Throws std::runtime_error with the reason.
  virtual void start() = 0;
  // kill -9.
  virtual void kill() = 0;
  virtual void stop() = 0;

  // The address for clients, in the form of LineClient.
  [[nodiscard]] virtual std::string address() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Protocol> protocol() const = 0;
  // All processes of the server.
  [[nodiscard]] virtual std::vector<pid_t> processes() const = 0;
  [[nodiscard]] virtual std::filesystem::path folder() const = 0;
  // Whether rows of one key merge.
  [[nodiscard]] virtual bool merges() const { return true; }
  // Its connections speak TLS.
  [[nodiscard]] virtual bool is_encrypted() const { return false; }
  // Measured only where rows are inserted in batches.
  [[nodiscard]] virtual bool batches_only() const { return false; }
  // Whether dates are kept to the millisecond (beanstalkd: whole seconds).
  [[nodiscard]] virtual bool exact_dates() const { return true; }
};

// Resident memory of all its processes, with shared pages counted once.
[[nodiscard]] std::uint64_t resident_bytes(Peer const& peer);
// Processor time used so far, in seconds.
[[nodiscard]] double processor_seconds(Peer const& peer);
// Bytes of its folder on the disk.
[[nodiscard]] std::uint64_t disk_bytes(Peer const& peer);

// Throws std::runtime_error with the name of the package if the program is not installed.
enum class Kept : std::uint8_t { in_memory, written, synced };
[[nodiscard]] std::unique_ptr<Peer> make_beanstalkd(Kept kept);
[[nodiscard]] std::unique_ptr<Peer> make_redis();
// `copies`: rows that are sent together are inserted by one COPY.
[[nodiscard]] std::unique_ptr<Peer> make_postgres(bool copies);

struct OwnOptions {
  bool local{false};        // unix socket
  bool binary{false};       // msgpack
  bool wake{false};         // waiting workers are woken and ask; else rows are delivered
  bool has_key{true};       // else every insert is a new row
  std::string table;        // option elements of the table
  std::uint32_t tables{1};  // jobs, jobs1, jobs2, ...; only the first one is used
};
[[nodiscard]] std::unique_ptr<Peer> make_fastjournal(OwnOptions const& options);

// One daemon, by each way that leads into it: text over TCP, TLS, a unix socket, HTTP, and HTTP over TLS. It runs as long
// as one of them is there; start and stop of the first one are its own.
[[nodiscard]] std::vector<std::unique_ptr<Peer>> make_doors();
// One daemon with a queue, by the protocol of SQS and by its own HTTP, likewise.
[[nodiscard]] std::vector<std::unique_ptr<Peer>> make_sqs();

// A queue of the daemon, by the protocol of beanstalkd.
[[nodiscard]] std::unique_ptr<Peer> make_tubes();

}  // namespace fastjournal::bench
