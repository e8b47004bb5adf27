// What a pipeline table costs, alone and without a log: bytes of a live document at one and at two
// destinations, status events a second, and how long it takes to find ten stranded documents among very many that are
// complete.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstring>
#include <string>
#include <vector>

#include "tests/bench/measure.h"
#include "tests/unit/pipeline/harness.h"

namespace fastjournal::bench {
namespace pipeline_bench {

// The records of one step, which are applied and dropped.
class Step final : public Records {
 public:
  Place append(std::uint8_t type, std::uint8_t version, ObjectId object, std::size_t body_bytes) override {
    Lsn const lsn{end_};
    end_ += (32 + body_bytes + kLsnAlign - 1) / kLsnAlign * kLsnAlign;
    Stored& one = stored_.emplace_back();
    one.view = {TableId{1}, type, version, lsn, object.is_none() ? object_of(lsn) : object, {}};
    one.body.resize(body_bytes);
    ++count_;
    return {lsn, one.body};
  }
  void apply(Table& table, TimeMs now) {
    static NoObserver nobody;
    for (Stored& one : stored_) {
      one.view.body = one.body;
      if (!table.apply(one.view, {.live = true, .now = now, .base = Lsn{8}}, nobody))
        throw std::runtime_error("refused");
    }
    stored_.clear();
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t bytes() const { return end_; }

 private:
  struct Stored {
    RecordView view;
    std::vector<std::byte> body;
  };
  std::vector<Stored> stored_;
  std::uint64_t end_{8};
  std::uint64_t count_{0};
};

class Bench {
 public:
  // `history`: bytes for the last events.
  explicit Bench(std::string const& plan, std::string const& history)
      : type_(pipeline::test::pipeline_type()),
        table_(std::make_unique<pipeline::PipelineTable>(TableContext{TableId{1}, 7}, type_,
                                                         pipeline::test::declare(plan, {{"history", history}}))) {
    Answer answer;
    Decision decision{.now = now_, .start = 1, .records = step_, .answer = answer};
    while (table_->decide_timer(decision)) step_.apply(*table_, now_);
    step_.apply(*table_, now_);
  }

  Answer const& run(Message const& message) {
    Command command;
    for (std::size_t at = 0; at < type_->commands.size(); ++at)
      if (type_->commands[at].name == message.command) command.index = static_cast<std::uint16_t>(at);
    command.message = &message;
    command.connection = ConnectionId{1};
    command.worker = "worker";
    command.origin = "ip:192.0.2.1";
    answer_.clear();
    Decision decision{.now = now_, .start = 1, .records = step_, .answer = answer_};
    Verdict verdict = Verdict::done;
    do {
      verdict = table_->decide(command, decision);
      if (!decision.status.ok()) throw std::runtime_error(decision.status.text());
      step_.apply(*table_, now_);
      ++decision.step;
    } while (verdict == Verdict::again);
    return answer_;
  }
  std::uint64_t number(std::string_view name) const {
    for (Param const& param : answer_.params())
      if (param.name == name) return param.value.as_unsigned().value_or(0);
    return 0;
  }
  [[nodiscard]] pipeline::PipelineTable& table() { return *table_; }
  [[nodiscard]] Step const& step() const { return step_; }

 private:
  std::shared_ptr<TypeDeclaration const> type_;
  TimeMs now_{1'700'000'000'000};
  std::unique_ptr<pipeline::PipelineTable> table_;
  Step step_;
  Answer answer_;
};

constexpr std::size_t kUriBytes = 24;
constexpr std::size_t kHashBytes = 32;

std::string uri_of(std::uint64_t number) { return fmt::format("/{:023}", number); }

// Bytes of a live document at each of its destinations, beside URI and hash.
void memory(std::uint64_t documents, int destinations) {
  pipeline::test::PlanText plan;
  plan.source("s", destinations > 1 ? pipeline::test::kAll : 0);
  for (int at = 0; at < destinations; ++at) plan.idempotent("d" + std::to_string(at), "0");
  Bench bench{plan.text, "0"};
  std::uint64_t const before = bench.table().memory_bytes();
  std::string const hash(kHashBytes, 'h');
  for (std::uint64_t at = 0; at < documents; ++at) {
    Message found{"FOUND"};
    std::string const uri = uri_of(at);
    found.set("source", "s");
    found.set("uri", std::string_view{uri});
    found.set("hash", std::string_view{hash});
    found.set("hand_out", "0");
    bench.run(found);
  }
  std::uint64_t const texts = documents * (kUriBytes + kHashBytes);
  double const each = static_cast<double>(bench.table().memory_bytes() - before - texts) /
                      static_cast<double>(documents * static_cast<std::uint64_t>(destinations));
  fmt::print("{} documents at {} destination{}: {:.1f} bytes each, beside URI and hash; {:.0f} bytes of the log\n",
             documents, destinations, destinations == 1 ? "" : "s", each,
             static_cast<double>(bench.step().bytes()) / static_cast<double>(documents));
}

// FOUND, SENDING and SENT of each document.
void events_and_search(std::uint64_t documents, std::string const& history) {
  Bench bench{pipeline::test::PlanText{}.source("s").idempotent("d", "0").text, history};
  auto const start = Clock::now();
  for (std::uint64_t at = 0; at < documents; ++at) {
    bool const is_stranded = at % (documents / 10) == documents / 20;
    Message found{"FOUND"};
    std::string const uri = uri_of(at);
    found.set("source", "s");
    found.set("uri", std::string_view{uri});
    found.set("hash", "1");
    if (is_stranded) found.set("hand_out", "0");
    bench.run(found);
    if (is_stranded) continue;
    std::uint64_t const document = bench.number("document");
    std::uint64_t const token = bench.number("token");
    for (std::string_view const command : {std::string_view{"SENDING"}, std::string_view{"SENT"}}) {
      Message say{command};
      say.set("document", Value::of_unsigned(document));
      say.set("token", Value::of_unsigned(token));
      say.set("destination", "d");
      bench.run(say);
    }
  }
  double const took = seconds_since(start);
  fmt::print("{} documents found and sent: {:.0f} commands a second, {:.0f} records a second, without a log\n",
             documents, static_cast<double>(documents * 3) / took, static_cast<double>(bench.step().count()) / took);
  fmt::print("{} complete documents: {:.0f} bytes of memory each, with a URI of {} bytes\n", documents,
             static_cast<double>(bench.table().memory_bytes()) / static_cast<double>(documents), kUriBytes);
  Message stranded{"DOCUMENTS"};
  stranded.set("status", "stranded");
  auto const asked = Clock::now();
  std::size_t const shown = bench.run(stranded).heads().size();
  fmt::print("{} stranded of {}: found in {:.3f} ms\n", shown, documents, seconds_since(asked) * 1000);
}

}  // namespace pipeline_bench

int measure_pipeline(int count, char** words) {
  using namespace pipeline_bench;
  std::uint64_t documents = 1'000'000;
  std::uint64_t complete = 10'000'000;
  CLI::App app{"what a pipeline table costs, without a log"};
  app.add_option("--documents", documents, "live ones, for their memory")->capture_default_str();
  app.add_option("--complete", complete, "among which ten are stranded")->capture_default_str();
  std::uint64_t history = 4U << 20U;
  app.add_option("--history", history, "bytes for the last events; none while memory is measured")
      ->capture_default_str();
  CLI11_PARSE(app, count, words);
  for (int const destinations : {1, 2, 4}) memory(documents, destinations);
  events_and_search(complete, std::to_string(history));
  return 0;
}

}  // namespace fastjournal::bench
