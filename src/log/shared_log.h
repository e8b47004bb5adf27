// A log on other computers that several daemons (nodes) share. One of them owns it: it decides, and appends. The others
// follow: they are told what is appended, so that one of them can go on when the owner is gone. Driven by its server as
// other logs are (log_store.h), with what is here in addition.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fastjournal/record.h"
#include "fastjournal/status.h"
#include "log/log_store.h"

namespace fastjournal::log {

class RecordSink {
 public:
  // In the order of the log. Views are valid during the call. Not ok: the log cannot be followed.
  [[nodiscard]] virtual Status on_record(RecordView const& record) = 0;

 protected:
  ~RecordSink() = default;
};

// Follows the log: gets all that is in it, again and again if it must begin anew.
class Following : public RecordSink {
 public:
  // Nothing that was told before is there.
  virtual void on_reset(std::uint64_t store_id, Lsn base) = 0;

 protected:
  ~Following() = default;
};

struct Owner {
  std::string node{};      // empty: no node owns it, as far as is known
  std::string address{};   // where its clients reach it
  std::uint64_t token{0};  // of its ownership: rises with each owner

  bool operator==(Owner const&) const = default;
};

// A table that a node's files declare for the log. Nodes compare the digests: who takes the log over serves its tables as
// its own files say.
struct DeclaredTable {
  std::string name;
  std::uint64_t digest{0};

  bool operator==(DeclaredTable const&) const = default;
};

// One of those that share the log, as it last said of itself.
struct Node {
  std::string name;
  std::string address;
  Lsn applied{};              // all records below are in its memory
  std::uint64_t declared{0};  // digest of all that it declares; 0: it does not say
  std::string differs{};      // names of tables that it and this node do not declare alike: "jobs, mails and 3 more"

  bool operator==(Node const&) const = default;
};

class SharedLog : public LogStore {
 public:
  [[nodiscard]] bool is_local() const final { return false; }

  // Of this node.
  [[nodiscard]] virtual std::string const& node() const = 0;
  [[nodiscard]] virtual Owner owner() const = 0;
  // This node is the owner: only its records follow. Whether it may answer now, state() says.
  [[nodiscard]] virtual bool is_owned() const = 0;
  // Since the last on_reset everything was told that was there then.
  [[nodiscard]] virtual bool is_current() const = 0;
  // After it was fenced, once its owner has dropped all that it knew: begins to follow.
  virtual void follow_again(std::int64_t now_us) = 0;
  // Gives the log to any node that wants it; the fate of undurable records stays unknown. `until_us`: before that this
  // node does not take it again.
  virtual void step_down(std::int64_t until_us) = 0;
  // Whether it takes the log when it has no owner. At first it does.
  virtual void be_candidate(bool is_candidate) = 0;
  // The declarations of this node's files for the log; by name. The others are told.
  virtual void declare(std::vector<DeclaredTable> tables) = 0;
  // Those that are there now, by name; this one too. A few seconds old.
  [[nodiscard]] virtual std::vector<Node> const& nodes() const = 0;
};

}  // namespace fastjournal::log
