#include "admin/figures.h"

namespace fastjournal::admin {
namespace {

// Metrics as parameters of one STATS message.
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

}  // namespace

void tell_daemon(OwnFigures& own, TimeMs now, Answer& answer) {
  answer.message("STATS").add("now", now.value);
  AnswerMetrics sink{answer};
  own.tell(sink);
  own.tell_texts(answer);
}

void tell_table(engine::HostedTable const& table, TimeMs now, Answer& answer) {
  answer.message("STATS").add("table", std::string_view{table.name});
  AnswerMetrics sink{answer};
  engine::tell_metrics(table, now, sink);
}

bool has_figures(engine::HostedTable const& table, access::Permit const& permit) {
  return table.table != nullptr && table.serves() && permit.has_on(Right::read, table.name);
}

}  // namespace fastjournal::admin
