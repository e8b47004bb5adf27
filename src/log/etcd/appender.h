// Makes the records of an owner durable: pieces of the stream are put under the next numbers, as long as it is the
// owner and nothing is there. A few are under way at once; what is durable is the prefix without a gap.
//
// An answer that does not come says nothing: the same is sent again. If the number is taken then, by this owner and
// with the same bytes, the first try was done.
//
// Owned by EtcdLog; lives on its thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "log/etcd/client/cluster.h"
#include "log/etcd/entry.h"
#include "log/etcd/names.h"

namespace fastjournal::log::etcd {

namespace api = fastjournal::etcd;

struct AppendOptions {
  std::size_t entry_bytes{64U << 10U};  // of an entry, at most
  std::size_t window{4};                // entries under way
  std::int64_t timeout_us{1'000'000};   // of one try
  std::int64_t pause_us{50'000};        // after a try that failed
};

class Appender {
 public:
  Appender(api::Cluster& cluster, Names const& names, AppendOptions options)
      : cluster_(cluster), names_(names), options_(options) {}

  struct Owner {
    std::uint64_t token{0};
    std::uint64_t store_id{0};
    std::uint32_t start{0};
    std::uint64_t next_sequence{1};
    Lsn cut{};    // where the stream ends that it found
    Lsn begin{};  // and its own begins
  };
  // Nothing is under way.
  void begin(Owner const& owner);
  // It is no owner any more. Answers to what was sent are not for it.
  void end();

  // Bytes of whole records, behind those before. `group`: a group begins at their first byte.
  void add(std::string_view bytes, bool begins_group);
  // The stream goes on at `at`, or where it is if that is higher. False: something is not durable.
  [[nodiscard]] bool skip_to(Lsn at);
  // Sends what may be sent.
  void send(std::int64_t now_us);
  // False: it is none of its requests.
  [[nodiscard]] bool take(api::Answer const& answer, std::int64_t now_us);

  // Another one owns the log, or its lease is over.
  [[nodiscard]] bool is_fenced() const { return is_fenced_; }
  // The reason why nothing can be written; empty while all is well.
  [[nodiscard]] std::string const& trouble() const { return trouble_; }
  [[nodiscard]] Lsn durable() const { return durable_; }
  [[nodiscard]] Lsn end_lsn() const { return Lsn{begin_.value + waiting_.size() - taken_}; }
  // Not durable so far.
  [[nodiscard]] std::uint64_t open_bytes() const { return end_lsn().value - durable_.value; }
  // When send() is wanted without a cause; INT64_MAX: not before an answer.
  [[nodiscard]] std::int64_t next_us() const { return next_us_; }
  // Of the newest store that an answer told.
  [[nodiscard]] std::int64_t revision() const { return revision_; }

  // Entries that became durable, in order, each once: what Truncation keeps of them to find its base.
  struct Written {
    std::uint64_t sequence{0};
    Lsn lsn{};
    Lsn end{};
    Lsn group{};
  };
  [[nodiscard]] std::optional<Written> take_written();

 private:
  struct Sent {
    Written written{};
    std::string value{};
    api::RequestId request{0};  // 0: none is under way
    bool is_done{false};
  };

  void make_entry();
  void request(Sent& sent);
  void look_at_refused(Sent& sent, api::TransactionAnswer const& answer);

  api::Cluster& cluster_;
  Names const& names_;
  AppendOptions options_;
  Owner owner_{};
  std::uint64_t next_sequence_{1};
  bool is_first_{true};
  std::string waiting_;     // not in an entry so far, behind
  std::size_t taken_{0};    // bytes that are,
  Lsn begin_{};             // from this LSN on
  std::deque<Lsn> groups_;  // begins of groups in it
  std::deque<Sent> sent_;
  std::deque<Written> written_;
  Lsn durable_{};
  std::int64_t next_us_{INT64_MAX};
  std::int64_t paused_until_us_{INT64_MIN};
  std::int64_t revision_{0};
  bool is_fenced_{false};
  std::string trouble_;
};

}  // namespace fastjournal::log::etcd
