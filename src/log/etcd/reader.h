// Reads a log in etcd and goes on reading: what is there at one revision, in pages, and from the next revision on what
// changes, by a watch. So nothing is missed and nothing comes twice. What was compacted away meanwhile makes it begin
// anew.
//
// Owned by EtcdLog; lives on its thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "log/etcd/client/cluster.h"
#include "log/etcd/entry.h"
#include "log/etcd/names.h"

namespace fastjournal::log::etcd {

namespace api = fastjournal::etcd;

// The keys beside entries.
struct Head {
  std::uint64_t store_id{0};
  Base base{};
  std::int64_t base_revision{0};  // mod_revision of its key; 0: it is not there
  std::optional<api::KeyValue> own{};
  std::uint32_t start{0};
  std::int64_t start_revision{0};  // mod_revision of its key; 0: it is not there
};

class ReaderSink {
 public:
  // Earlier news are void.
  virtual void on_begin(Head const& head) = 0;
  // In the order of sequences at first, then in that of revisions.
  virtual void on_entry(std::uint64_t sequence, std::string_view value) = 0;
  virtual void on_entry_gone(std::uint64_t sequence) = 0;
  virtual void on_own(std::optional<api::KeyValue> const& own) = 0;
  virtual void on_start(std::uint32_t start, std::int64_t revision) = 0;
  // All that was there when it began was told. From here on everything up to revision() was.
  virtual void on_current() = 0;

 protected:
  ~ReaderSink() = default;
};

class Reader {
 public:
  // `new_store_id`: of a log that is not there so far.
  Reader(api::Cluster& cluster, Names const& names, ReaderSink& sink, std::uint64_t new_store_id,
         std::int64_t timeout_us)
      : cluster_(cluster), names_(names), sink_(sink), new_store_id_(new_store_id), timeout_us_(timeout_us) {}

  // From the beginning, at this date.
  void begin(std::int64_t now_us);
  // An owner knows what comes: it is the only one who appends.
  void end();
  void tick(std::int64_t now_us);
  [[nodiscard]] bool take(api::Answer const& answer, std::int64_t now_us);
  [[nodiscard]] bool take(api::WatchNews const& news, std::int64_t now_us);
  [[nodiscard]] std::int64_t next_us() const { return next_us_; }
  // Everything up to here was told.
  [[nodiscard]] std::int64_t revision() const { return revision_; }
  [[nodiscard]] bool is_current() const { return state_ == State::watching; }
  // Why it does not get on, for people; empty while it does.
  [[nodiscard]] std::string const& trouble() const { return trouble_; }

 private:
  enum class State : std::uint8_t { idle, reading_head, making, reading_entries, watching };

  void ask_head();
  void ask_entries();
  void take_head(api::TransactionAnswer const& answer, std::int64_t revision);
  void take_entries(api::RangeAnswer const& answer);
  void again(std::int64_t now_us, std::string why);
  void tell(api::WatchNews::Event const& event);

  api::Cluster& cluster_;
  Names const& names_;
  ReaderSink& sink_;
  std::uint64_t new_store_id_;
  std::int64_t timeout_us_;
  State state_{State::idle};
  api::RequestId request_{0};
  api::WatchId watch_{0};
  std::int64_t revision_{0};
  std::string from_;  // key of the next entry to be read
  std::int64_t next_us_{INT64_MAX};
  std::string trouble_;
};

}  // namespace fastjournal::log::etcd
