#include "server/admin/figures.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fastjournal::admin {
namespace {

// Metrics as parameters of one STATS message.
class AnswerMetrics final : public MetricSink {
 public:
  // `last_minute` null: its histograms are not looked at with each round.
  AnswerMetrics(Answer& answer, TimeMs now, engine::LastMinute* last_minute)
      : answer_(answer), now_(now), last_minute_(last_minute) {}
  void integer(Metric const& metric, std::int64_t value) override { answer_.add(metric.name, value); }
  void real(Metric const& metric, double value) override { answer_.add(metric.name, Value::of_real(value)); }
  void histogram(Metric const& metric, Histogram const& values) override {
    engine::tell_parts(metric, values, [this](std::string const& name, std::uint64_t value) {
      answer_.add(answer_.keep(name), value);
    });
    std::string const name = last_minute_ == nullptr ? std::string{} : engine::last_minute_name(metric.name);
    if (name.empty()) return;
    if (std::optional<std::uint64_t> const p99 = last_minute_->p99(metric.name, values, now_))
      answer_.add(answer_.keep(name), *p99);
  }

 private:
  Answer& answer_;
  TimeMs now_;
  engine::LastMinute* last_minute_;
};

}  // namespace

void tell_daemon(OwnFigures& own, TimeMs now, Answer& answer) {
  answer.message("STATS").add("now", now.value);
  AnswerMetrics sink{answer, now, nullptr};
  own.tell(sink);
  own.tell_texts(answer);
}

void tell_table(engine::HostedTable& table, TimeMs now, Answer& answer) {
  answer.message("STATS").add("table", std::string_view{table.name});
  AnswerMetrics sink{answer, now, &table.last_minute};
  engine::tell_metrics(table, now, sink);
}

std::vector<std::string> names_of(engine::Engine& engine, engine::HostedTable const* one,
                                  access::Permit const& permit) {
  std::vector<std::string> out;
  for (auto const& table : engine.tables())
    if ((one == nullptr || one == table.get()) && has_figures(*table, permit)) out.push_back(table->name);
  return out;
}

bool has_figures(engine::HostedTable const& table, access::Permit const& permit) {
  return table.table != nullptr && table.serves() && permit.has_on(Right::read, table.name);
}

}  // namespace fastjournal::admin
