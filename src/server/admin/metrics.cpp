// METRICS: all figures of STATS, as text for a monitoring system; HEALTH: whether the daemon lives, and is of use.
#include <utility>

#include "server/admin/commands.h"
#include "server/admin/exposition.h"
#include "server/admin/figures.h"

namespace fastjournal::admin {
namespace {

class LongMetrics final : public engine::LongAnswer {
 public:
  // Pieces of the text in one part.
  static constexpr std::size_t kPieces = 4;

  LongMetrics(engine::Engine& engine, Exposition::Format format) : exposition(format), engine_(engine) {}

  std::uint64_t tell(TimeMs now, Answer& answer) override {
    for (std::size_t told = 0; told < kTables && at_ < tables.size(); ++told) {
      engine::HostedTable* const table = engine_.find_table(tables[at_++]);
      if (table != nullptr && table->serves()) engine::tell_metrics(*table, now, exposition.of_table(table->name));
    }
    if (at_ < tables.size()) return 1;
    if (!std::exchange(is_told_, true)) left_ = exposition.end();
    for (std::size_t taken = 0; taken < kPieces && left_ > 0; ++taken, --left_)
      answer.message("METRICS").add("text", std::string_view{exposition.take()});
    return left_;
  }
  std::uint64_t bytes() const override { return bytes_of(tables) + exposition.bytes(); }

  Exposition exposition;
  std::vector<std::string> tables;

 private:
  engine::Engine& engine_;
  std::size_t at_{0};
  bool is_told_{false};
  std::size_t left_{0};
};

}  // namespace

Command make_metrics(engine::Engine& engine, OwnFigures& own) {
  return {on_tables(engine, [&](engine::HostedTable const* table, Request const& request) -> Outcome {
    access::Permit const& permit = request.caller.permit;
    auto text = std::make_unique<LongMetrics>(
        engine, request.choice("format") == 1 ? Exposition::Format::openmetrics : Exposition::Format::text);
    if (table == nullptr && permit.has(Right::read)) {
      own.tell(text->exposition.of_daemon());
      own.tell_logs([&](std::string_view log) -> MetricSink& { return text->exposition.of_log(log); });
    }
    text->tables = names_of(engine, table, permit);
    Outcome outcome;
    outcome.long_answer = std::move(text);
    return outcome;
  })};
}

Command make_health(OwnFigures& own) {
  return {[&own](Request const& request) -> Outcome {
    bool const is_ready = request.choice("what") == 0;
    if (is_ready)
      if (Status status = own.readiness(); !status.ok()) return status;
    request.answer.message("HEALTHY").add("what", is_ready ? "ready" : "live");
    return {};
  }};
}

}  // namespace fastjournal::admin
