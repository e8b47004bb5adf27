// The forwarder's interfaces to the world, and its notes about a file. The shell implements both; so do tests.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clients/spool/core/aside.h"
#include "clients/spool/core/place.h"
#include "clients/spool/core/record.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::spool {

// A file, whatever its name is: names come again, and a number of a deleted file may as well. As its folder names it;
// what the system tells of the file may be another device, after a start, and no birth.
struct Instance {
  std::uint64_t device{0};
  std::uint64_t inode{0};
  std::int64_t birth_ns{0};

  friend auto operator<=>(Instance const&, Instance const&) = default;
};

// How far a file has been carried. Durable before anything depends on it: before the first row is sent, and before what
// is settled is erased.
struct Progress {
  Instance instance{};
  std::string client{};      // the name under which its rows are numbered
  std::uint64_t offset{0};   // everything before it is settled; never within the head of the file
  std::uint64_t ordinal{1};  // of the first row at or behind `offset`

  friend bool operator==(Progress const&, Progress const&) = default;
};

struct Listed {
  Instance instance{};
  Place place{};
  std::uint64_t size{0};
  bool is_ended{false};  // in the folder of files that are closing

  friend bool operator==(Listed const&, Listed const&) = default;
};

// Of rows: the sequences of each client, sorted.
using Identities = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

// The folder, on behalf of the one forwarder that has it. Errors name path and reason.
class Folder {
 public:
  virtual ~Folder() = default;

  // All files of rows, in no order.
  [[nodiscard]] virtual Result<std::vector<Listed>> list() = 0;
  // At most `bytes` from `offset`: appended to `to`. Fewer: the file ends there.
  [[nodiscard]] virtual Status read(Instance const& file, std::uint64_t offset, std::size_t bytes, std::string& to) = 0;
  // What was written so far is durable; also behind a failure.
  [[nodiscard]] virtual Status sync(Instance const& file) = 0;
  // Zeros, and the disk space is free.
  [[nodiscard]] virtual Status erase(Instance const& file, std::uint64_t from, std::uint64_t to) = 0;
  // Among the closing ones, without its write bits: producers leave it behind their next write. Of a file of another
  // user the bits stay, and producers leave it when they see its end themselves.
  [[nodiscard]] virtual Status end(Instance const& file) = 0;
  // No producer has it open; from then on none opens it.
  [[nodiscard]] virtual Result<bool> is_left(Instance const& file) = 0;
  [[nodiscard]] virtual Status remove(Instance const& file) = 0;
  // The same of a file whose rows cannot be read: it stays for people, under a name that is no file of rows.
  [[nodiscard]] virtual Status put_apart(Instance const& file) = 0;

  // All that was kept, one for each file.
  [[nodiscard]] virtual Result<std::vector<Progress>> kept() = 0;
  // Durable when it returns.
  [[nodiscard]] virtual Status keep(std::vector<Progress> const& progress) = 0;

  // Rows that a daemon does not take now, by table, in order; what is appended is durable.
  [[nodiscard]] virtual Result<std::vector<std::string>> held_tables() = 0;
  // Of the table's file, which is made if it is not there.
  [[nodiscard]] virtual Result<Seed> held_seed(std::string const& table) = 0;
  [[nodiscard]] virtual Status read_held(std::string const& table, std::uint64_t offset, std::size_t bytes,
                                         std::string& to) = 0;
  [[nodiscard]] virtual Status hold(std::string const& table, std::string_view records) = 0;
  // From behind the head. Durable, so that a row that was taken long ago is not sent again.
  [[nodiscard]] virtual Status erase_held(std::string const& table, std::uint64_t to) = 0;
  [[nodiscard]] virtual Status remove_held(std::string const& table) = 0;
  // A row that no daemon will take; durable. Into the file of its table, or that of kOtherTable if it has no proper
  // name or there are too many tables. `table` is a proper name, or kOtherTable.
  [[nodiscard]] virtual Status set_aside(std::string_view table, Aside const& aside) = 0;
  // An earlier forwarder may have died between holding a row, or setting it aside, and keeping its progress: the
  // identities of rows at or behind the kept ordinal of their file that are held, set aside, or being sent again. All of
  // them are durable when it returns, whatever became of the call that wrote them. A held row that was set aside as well
  // is erased by this call. It is the first one.
  [[nodiscard]] virtual Result<Identities> settled_before() = 0;
};

// The way to a daemon.
class Link {
 public:
  virtual ~Link() = default;
  [[nodiscard]] virtual bool is_up() const = 0;
  // Its answer comes by Forwarder::answered with this number; after Forwarder::lost none comes. `body`, unless it is empty:
  // the same as the body of a frame, but for the last two parameters.
  virtual void send(Message const& insert, std::string_view body, std::uint64_t number) = 0;
};

}  // namespace fastjournal::spool
