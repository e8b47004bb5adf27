// STATS: the figures of the daemon and of each table.
#include "admin/commands.h"

namespace fastjournal::admin {
namespace {

// A table's metrics as parameters of one STATS message.
class AnswerMetrics final : public MetricSink {
 public:
  explicit AnswerMetrics(Answer& answer) : answer_(answer) {}
  void integer(Metric const& metric, std::int64_t value) override { answer_.add(metric.name, value); }
  void real(Metric const& metric, double value) override { answer_.add(metric.name, Value::of_real(value)); }
  void histogram(Metric const& metric, Histogram const& values) override {
    engine::tell_parts(metric, values, [this](std::string const& name, std::uint64_t value) {
      answer_.add(answer_.keep(name), value);
    });
  }

 private:
  Answer& answer_;
};

class Stats final : public Command {
 public:
  Stats(engine::Engine& engine, OwnFigures& own) : engine_(engine), own_(own) {}

  void run(Request& request) override {
    TableChoice const choice = choose_table(engine_, request);
    if (!choice.is_valid) return;
    access::Permit const& permit = request.caller.permit;
    if (choice.table == nullptr && permit.has(Right::read)) {
      request.answer.message("STATS").add("now", request.now.value);
      AnswerMetrics sink{request.answer};
      own_.tell(sink);
      own_.tell_texts(request.answer);
    }
    for (auto const& table : engine_.tables()) {
      bool const is_meant = choice.table == nullptr || table.get() == choice.table;
      if (table->table == nullptr || !table->log->serves || !is_meant || !permit.has_on(Right::read, table->name))
        continue;
      request.answer.message("STATS").add("table", std::string_view{table->name});
      AnswerMetrics sink{request.answer};
      engine::tell_metrics(*table, request.now, sink);
    }
    if (request.answer.empty())
      request.status = Status{Code::not_found, "there is no table on which you have the right read"};
  }

 private:
  engine::Engine& engine_;
  OwnFigures& own_;
};

}  // namespace

CommandPtr make_stats(engine::Engine& engine, OwnFigures& own) { return std::make_unique<Stats>(engine, own); }

}  // namespace fastjournal::admin
