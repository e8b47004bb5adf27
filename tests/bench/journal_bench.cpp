// The cost of a journal alone, without log, protocol and network: operations a second on one core, and bytes of a
// waiting row besides its key and data. Also the longest single operation, as a growing table must not block the others
// for long. Times are processor times, so that they hardly change on a busy machine.
//
//   fj_measure journal [rows]   1,000,000 if absent; 40-byte keys, 200-byte data
//
// It runs again with 10,000 domains, and measures how long a tenant waits while another one floods the table.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "tests/bench/measure.h"
#include "tests/unit/journal/harness.h"

namespace fastjournal::bench {
namespace journal_bench {

using namespace fastjournal::journal;

// A log that keeps only the records of one step, in memory that is reused.
class NoLog final : public Records {
 public:
  Place append(std::uint8_t type, std::uint8_t version, ObjectId object, std::size_t body_bytes) override {
    if (used_ + body_bytes > bytes_.size()) bytes_.resize((used_ + body_bytes) * 2);
    Lsn const lsn{end_};
    end_ += (body_bytes + 24 + 7) / 8 * 8;
    step_.push_back({TableId{1},
                     type,
                     version,
                     lsn,
                     object.is_none() ? object_of(lsn) : object,
                     {bytes_.data() + used_, body_bytes}});
    used_ += body_bytes;
    return {lsn, {bytes_.data() + used_ - body_bytes, body_bytes}};
  }
  void apply(Journal& table, TimeMs now, TableObserver& observer) {
    for (RecordView const& record : step_)
      if (!table.apply(record, {.live = true, .now = now, .base = Lsn{8}}, observer)) std::abort();
    step_.clear();
    used_ = 0;
  }
  [[nodiscard]] Lsn end() const { return Lsn{end_}; }

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(1U << 20U);
  std::vector<RecordView> step_;
  std::size_t used_{0};
  std::uint64_t end_{4096};
};

class Bench {
 public:
  // Rows are put into the domains in turn; 0: a table without domains.
  Bench(std::uint32_t rows, std::uint32_t domains)
      : rows_(rows),
        domains_(domains),
        declaration_(domains == 0 ? journal::test::declare({{"processing-timeout", "365d"}})
                                  : journal::test::declare({{"processing-timeout", "365d"}, {"domain", "t"}},
                                                           {journal::test::column("t", ColumnType::uint32)})) {
    for (std::size_t i = 0; i < journal::test::journal_type()->commands.size(); ++i)
      names_.push_back(journal::test::journal_type()->commands[i].name);
  }

  void run() {
    std::printf("%u rows, 40-byte keys, 200-byte data, %u domains\n", rows_, domains_);
    measure("insert, due", rows_, [this](std::uint32_t i) { insert(i, 0); });
    memory();
    measure("merge, data replaced", rows_, [this](std::uint32_t i) { insert(scattered(i), 0); });
    measure("lease", rows_ / 4, [this](std::uint32_t) { lease(); });
    measure("done", rows_ / 4, [this](std::uint32_t i) { done(i); });
    held_.clear();
    measure("lease + done, one at a time", rows_ / 4, [this](std::uint32_t) {
      held_.clear();
      lease();
      done(0);
    });
    held_.clear();
    measure("insert + lease + done (3 operations)", rows_ / 2, [this](std::uint32_t i) {
      held_.clear();
      insert(rows_ + i, 0);
      lease();
      done(0);
    });
    drain();
    measure("insert, some time in the next hour", rows_,
            [this](std::uint32_t i) { insert(i, 1 + static_cast<std::int64_t>(scattered(i) % 3'600'000)); });
    memory();
    measure("rows that become due (16 calls of 16)", rows_ / 16, [this](std::uint32_t) {
      if (!table_.advance(now_, 16, alerts_)) now_ = table_.next_due();
    });
    drain();
    memory();
  }

  // Domain 0 has all rows from the beginning; one of domain 1 is inserted for each 100 that are finished.
  void flood() {
    constexpr std::uint32_t kRounds = 1000;
    std::printf("%u rows of one domain wait while another's come one by one\n", rows_);
    for (std::uint32_t i = 0; i < rows_; ++i) insert(i, 0, 0);
    std::uint32_t longest = 0;
    std::uint64_t sum = 0;
    double const began = seconds();
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      insert(rows_ + round, 0, 1);
      std::uint32_t handed_out = 0;
      for (std::uint32_t i = 0; i < 100; ++i) {
        held_.clear();
        lease();
        bool const other = is_of_domain(1);
        done(0);
        if (!other) continue;
        handed_out = i;
      }
      longest = std::max(longest, handed_out);
      sum += handed_out;
    }
    std::printf("%-42s %9.2f rows, at most %u (alone: 0)\n", "handed out before the other's row, mean",
                static_cast<double>(sum) / kRounds, longest);
    std::printf("%-42s %9.0f k/s\n", "lease + done meanwhile", kRounds * 100 / (seconds() - began) / 1000);
  }

 private:
  [[nodiscard]] bool is_of_domain(std::uint64_t wanted) const {
    for (Param const& param : answer_.params())
      if (param.name == "t") return param.value.unsigned_integer == wanted;
    return false;
  }

  std::uint32_t scattered(std::uint32_t i) const {
    return static_cast<std::uint32_t>(std::uint64_t{i} * 2'654'435'761U % rows_);
  }

  template <typename Operation>
  void measure(char const* name, std::uint64_t count, Operation&& operation) {
    double const began = seconds();
    double before = began;
    double longest = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      operation(i);
      if (i % 16 == 15) {  // reading the clock costs as much as some of these operations
        double const after = seconds();
        longest = std::max(longest, after - before);
        before = after;
      }
    }
    std::printf("%-42s %9.0f k/s   longest 16: %7.2f ms\n", name,
                static_cast<double>(count) / (seconds() - began) / 1000, longest * 1000);
  }
  static double seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
  }

  void memory() {
    std::uint64_t const rows = table_.state().rows().size();
    if (rows == 0) {
      std::printf("%-42s %9.0f KiB\n", "memory when empty", static_cast<double>(table_.memory_bytes()) / 1024);
      return;
    }
    // Data: 1 byte for presence, 2 of length, 200 of text; most domains' numbers take two more.
    std::printf("%-42s %9.1f bytes\n", "memory of a row beside key and data",
                static_cast<double>(table_.memory_bytes()) / static_cast<double>(rows) - 240 - (domains_ == 0 ? 3 : 5));
  }

  Verdict command(Message const& message) {
    while (table_.next_due() <= now_ && table_.advance(now_, 4096, alerts_)) {
    }
    Command command{index(message.command), &message, ConnectionId{1}, "127.0.0.1:51234#17"};
    answer_.clear();
    Decision decision{.now = now_, .start = 1, .records = log_, .answer = answer_};
    Verdict const verdict = table_.decide(command, decision);
    if (!decision.status.ok()) {
      std::printf("%s\n", decision.status.text().c_str());
      std::abort();
    }
    log_.apply(table_, now_, alerts_);
    return verdict;
  }
  std::uint16_t index(std::string_view name) const {
    for (std::size_t i = 0;; ++i)
      if (names_[i] == name) return static_cast<std::uint16_t>(i);
  }

  void insert(std::uint32_t i, std::int64_t after) { insert(i, after, domains_ == 0 ? 0 : i % domains_); }
  void insert(std::uint32_t i, std::int64_t after, std::uint32_t domain) {
    char key[48];
    std::snprintf(key, sizeof key, "http://www.example.com/pages/%011u", i);
    if (i % 64 == 0) now_ = now_ + DurationMs{after == 0 ? 1 : 0};
    message_.clear();
    message_.command = "INSERT";
    message_.set("k", std::string_view{key, 40});
    message_.set("v", std::string_view{data_});
    if (domains_ != 0) message_.set_integer("t", domain);
    if (after != 0) message_.set_integer("process_date", now_.value + after);
    command(message_);
  }
  void lease() {
    message_.clear();
    message_.command = "NEXT";
    if (command(message_) != Verdict::done || answer_.heads()[0].command != "ROW") std::abort();
    held_.emplace_back(answer_.params()[1].value.unsigned_integer, answer_.params()[2].value.unsigned_integer);
  }
  void done(std::uint32_t i) {
    message_.clear();
    message_.command = "DONE";
    message_.set("row", Value::of_unsigned(held_[i].first));
    message_.set("epoch", Value::of_unsigned(held_[i].second));
    command(message_);
  }
  void drain() {
    now_ = now_ + DurationMs{7'200'000};
    measure("the wheel's rest becomes due (16 x 64)", table_.state().places().future() / 64 + 1,
            [this](std::uint32_t) { table_.advance(now_, 64, alerts_); });
    while (table_.advance(now_, 4096, alerts_)) {
    }
    measure("until it is empty", table_.state().rows().size(), [this](std::uint32_t) {
      held_.clear();
      lease();
      done(0);
    });
  }

  std::uint32_t rows_;
  std::uint32_t domains_;
  std::vector<std::string> names_;
  std::shared_ptr<TableDeclaration const> declaration_;
  Journal table_{TableContext{TableId{1}}, journal::test::journal_type(), declaration_};
  NoLog log_;
  journal::test::Alerts alerts_;
  Answer answer_;
  Message message_;
  TimeMs now_{1'700'000'000'000};
  std::string data_ = std::string(200, 'd');
  std::vector<std::pair<std::uint64_t, std::uint64_t>> held_;
};

}  // namespace journal_bench

int measure_journal(int count, char** words) {
  using namespace journal_bench;
  auto const rows = count > 1 ? static_cast<std::uint32_t>(std::strtoul(words[1], nullptr, 10)) : 1'000'000U;
  Bench{rows, 0}.run();
  std::printf("\n");
  Bench{rows, 10'000U}.run();
  std::printf("\n");
  Bench{rows, 2}.flood();
  return 0;
}

}  // namespace fastjournal::bench
