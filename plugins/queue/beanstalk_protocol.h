// The protocol `beanstalkd`: its commands as those of this type, and answers in its words. doc/beanstalkd.md has the
// rules, and what differs.
//
// A command becomes none (use, watch), one (put), or several, one after the other: delete is ACCEPT of what this
// connection has reserved, and DELETE of anything else. One that may become several is consumed with its last answer,
// and read again for each.
//
// Answers come in the order of commands, and none has a number. So nothing is read while one is waited for. A `reserve`
// that waits is consumed with its command: a connection that has unread bytes is not read on, and its end is not seen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include "fastjournal/protocol.h"
#include "plugins/queue/beanstalk_tubes.h"

namespace fastjournal::queue::beanstalk {

inline constexpr std::string_view kEnd = "\r\n";
inline constexpr std::string_view kNotFound = "NOT_FOUND\r\n";
// A `reserve` waits no longer, as a command of the table.
inline constexpr std::int64_t kWaitMaxS = 365 * 86'400;
inline constexpr std::size_t kTubeNameBytesMax = 200;
// Of a command, with its end.
inline constexpr std::size_t kLineBytesMax = 224;
// Of all tubes that a connection watches: names with a byte between them, which wait in one command (Subscriptions).
inline constexpr std::size_t kWatchedBytesMax = 2048;
inline constexpr std::size_t kWatchedMax = 256;

class BeanstalkProtocol final : public Protocol {
 public:
  BeanstalkProtocol(std::size_t piece_bytes_max, std::shared_ptr<Tubes> tubes);
  BeanstalkProtocol(BeanstalkProtocol const&) = delete;
  BeanstalkProtocol& operator=(BeanstalkProtocol const&) = delete;
  ~BeanstalkProtocol() override;

  [[nodiscard]] Piece read(std::string_view unread, Message& message, std::string& out) override;
  [[nodiscard]] std::size_t whole_bytes(std::string_view) const override { return piece_bytes_max_; }
  [[nodiscard]] std::size_t kept_bytes() const override;
  void write(Outgoing const& message, std::string& out) override;
  void refuse(Status const& why, std::string& out) override;
  [[nodiscard]] bool is_answering() const override { return doing_ != Doing::nothing; }
  [[nodiscard]] bool ends() const override { return ends_; }

 private:
  // What the next answer is about.
  enum class Doing : std::uint8_t {
    nothing,
    put,
    reserve,
    reserve_job,
    accept,  // delete of a job that is reserved here
    remove,  // delete of any other
    release,
    bury,
    touch,
    kick,
    kick_buried,   // kick-job
    kick_delayed,  // the same, where it is not buried
    peek,
    stats_job,
    stats_tube,
    stats,
    figures,  // the rest of stats
    list,
    pause,
    look,    // whether a tube that nobody named has jobs
    resume,  // if it has none: it is a new one
  };
  // Of the queues that the table has.
  struct Sums {
    std::int64_t urgent{0};
    std::int64_t ready{0};
    std::int64_t reserved{0};
    std::int64_t delayed{0};
    std::int64_t buried{0};
    std::int64_t pause_left_ms{0};
    bool is_paused{false};
  };

  [[nodiscard]] Piece read_line(std::string_view unread, Message& message, std::string& out);
  [[nodiscard]] Piece carry_out(std::string_view line, std::string_view unread, Message& message, std::string& out);
  [[nodiscard]] Piece put(std::string_view rest, std::string_view unread, Message& message, std::string& out);
  [[nodiscard]] Piece reserve(std::int64_t timeout_s, Message& message);
  [[nodiscard]] Piece release(std::string_view rest, Message& message, std::string& out);
  [[nodiscard]] Piece bury(std::string_view rest, Message& message, std::string& out);
  [[nodiscard]] Piece kick(std::string_view rest, Message& message, std::string& out);
  // A command about one job, which the rest of the line names.
  [[nodiscard]] Piece about_job(Doing as, std::string_view rest, Message& message, std::string& out);
  [[nodiscard]] Piece peek_first(std::string_view status, Message& message);
  [[nodiscard]] Piece use(std::string_view name, Message& message, std::string& out);
  [[nodiscard]] Piece watch(std::string_view name, Message& message, std::string& out);
  [[nodiscard]] Piece ignore(std::string_view name, std::string& out);
  [[nodiscard]] Piece stats_tube(std::string_view name, Message& message, std::string& out);
  [[nodiscard]] Piece pause_tube(std::string_view rest, Message& message, std::string& out);
  [[nodiscard]] Piece list_watched(std::string& out);
  [[nodiscard]] Piece of_queues(Doing as, Message& message);

  // The next command of the line; it is consumed when that is answered.
  [[nodiscard]] Piece command(Doing as, Message& message);
  void fill(Doing as, Message& message);
  // The line is dealt with, and this is said.
  [[nodiscard]] Piece said(std::string_view answer, std::string& out);
  [[nodiscard]] Piece done();
  [[nodiscard]] std::size_t job_bytes_max() const {
    return piece_bytes_max_ - std::min(piece_bytes_max_, kLineBytesMax + 2);
  }
  void count(Op op) { ++tubes_->totals.ops[static_cast<std::size_t>(op)]; }
  // Nobody names the tube: whether it is there is asked first.
  [[nodiscard]] bool must_look(std::string_view name) const;
  void begin_waiting();
  void end_waiting();

  // -- answers --------------------------------------------------------------
  void write_error(Doing doing, std::string_view code, std::string& out);
  void write_nothing(Outgoing const& message, std::string& out);
  void write_job(std::string_view word, Outgoing const& message, std::string& out);
  void write_stats_job(Outgoing const& message, std::string& out);
  void write_stats_tube(std::string& out);
  void write_stats(Outgoing const& figures, std::string& out);
  void write_tubes(std::string& out);
  void write_queues(Doing doing, Outgoing const& message, std::string& out);
  // This ends the line in front.
  void answer(std::string_view text, std::string& out);

  std::size_t piece_bytes_max_;
  std::shared_ptr<Tubes> tubes_;
  Doing doing_{Doing::nothing};
  Doing next_{Doing::nothing};  // the next command of the line
  bool is_answered_{false};     // the line is dealt with
  bool is_consumed_{false};     // it went with its command, which waits: bytes that follow, and their end, are seen
  bool ends_{false};
  std::size_t line_bytes_{0};
  std::size_t skipped_{0};  // bytes of a body that is too large, which are still to come
  bool skips_line_{false};  // to the end of a line that is too long

  std::string used_{"default"};
  std::vector<std::string> watched_{"default"};
  std::size_t watched_bytes_{8};
  struct Job {
    std::uint64_t epoch{0};
    std::string tube{};
  };
  absl::flat_hash_map<std::uint64_t, Job> jobs_;  // that are reserved here
  bool is_producer_{false};
  bool is_worker_{false};
  bool is_waiting_{false};

  // Of the line.
  std::uint64_t job_{0};
  std::uint32_t priority_{0};
  std::int64_t delay_s_{0};
  std::string_view status_{};  // a literal
  std::string tube_;
  std::int64_t waits_s_{0};  // a time-out
  std::uint64_t kicks_{0};   // how many at most
  std::uint64_t kicked_{0};
  bool has_looked_{false};
  Sums sums_;
  std::string after_;               // the next page of queues
  std::vector<std::string> names_;  // of queues that have jobs
};

// For PluginProtocol.
[[nodiscard]] std::unique_ptr<Protocol> make_protocol(ProtocolPlace place, std::shared_ptr<void> const& shared);
[[nodiscard]] std::shared_ptr<void> share();

}  // namespace fastjournal::queue::beanstalk
