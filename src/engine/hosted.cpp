#include "engine/hosted.h"

namespace fastjournal::engine {
namespace {

// Picks one out.
class OneMetric final : public MetricSink {
 public:
  explicit OneMetric(std::string_view wanted) : wanted_(wanted) {}
  void integer(Metric const& metric, std::int64_t value) override {
    if (metric.name != wanted_) return;
    value_ = value;
    is_told_ = true;
  }
  void real(Metric const&, double) override {}
  void histogram(Metric const&, Histogram const&) override {}
  [[nodiscard]] std::int64_t value() const { return value_; }
  [[nodiscard]] bool is_told() const { return is_told_; }

 private:
  std::string_view wanted_;
  std::int64_t value_{0};
  bool is_told_{false};
};

}  // namespace

Status away(HostedLog const& log, std::string_view table) {
  Status out{log.away.code(), "table " + std::string{table} + " is not available: " + log.away.message()};
  for (auto const& [name, value] : log.away.facts()) out = std::move(out).with(name, value);
  return std::move(out).with("table", std::string{table});
}

Status away(HostedTable const& table) {
  if (!table.log->serves) return away(*table.log, table.name);
  return Status{Code::unavailable,
                table.is_leaving ? "table " + table.name + " is being moved from log " + table.log->name + " to another"
                                 : "log " + table.log->name + " takes a table in"}
      .with("retry", "50")
      .with("table", table.name);
}

void tell_metrics(HostedTable const& table, TimeMs now, MetricSink& sink) {
  table.table->metrics(now, sink);
  if (table.outside != nullptr) table.outside->metrics(sink);
  auto const put = [&](Metric const& metric, std::uint64_t value) {
    sink.integer(metric, static_cast<std::int64_t>(value));
  };
  put({"listeners", "LISTENs that stand"}, table.subscriptions.listeners());
  if (table.can.watched != nullptr) put({"watchers", "keys and prefixes that clients watch"}, table.watchers.size());
  put({"waiting_commands", "commands that wait for work"}, table.subscriptions.waiting_commands());
  put({"announcements_missed", "announcements that a listener could not take", Metric::Kind::counter},
      table.subscriptions.announcements().missed());
  put({"commands", "commands that came", Metric::Kind::counter}, table.commands);
  put({"refused", "commands that were refused", Metric::Kind::counter}, table.refused);
  if (!table.exported.is_on) return;
  sink.integer({"exported_date", "of which time the export in the SQL database is"}, table.exported.date.value);
  put({"exports", "exports to the SQL database", Metric::Kind::counter}, table.exported.exports);
  put({"export_failures", "exports that failed", Metric::Kind::counter}, table.exported.failures);
}

std::int64_t metric_of(HostedTable const& table, TimeMs now, std::string_view name) {
  OneMetric sink{name};
  table.table->metrics(now, sink);
  return sink.value();
}

std::uint64_t rows_of(HostedTable const& table) {
  OneMetric sink{"rows"};
  table.table->metrics(TimeMs{}, sink);
  if (sink.is_told()) return static_cast<std::uint64_t>(sink.value());
  return table.table->oldest_lsn().is_none() ? 0 : 1;
}

std::uint64_t live_bytes(HostedLog& log) {
  log.needs.look();
  std::uint64_t const live = log.catalogue.live_bytes() + log.needs.live_bytes();
  return log.arriving == nullptr ? live : live + log.arriving->live_bytes();
}

}  // namespace fastjournal::engine
