// METRICS: all figures of STATS, as text for a monitoring system; HEALTH: whether the daemon lives, and is of use.
#include "admin/commands.h"
#include "admin/exposition.h"
#include "admin/figures.h"

namespace fastjournal::admin {
namespace {

class Metrics final : public Command {
 public:
  Metrics(engine::Engine& engine, OwnFigures& own) : engine_(engine), own_(own) {}

  void run(Request& request) override {
    std::string_view const format = request.message.text("format");
    if (!format.empty() && format != "text" && format != "openmetrics") {
      request.status = bad_parameter("format", "format is text or openmetrics");
      return;
    }
    TableChoice const choice = choose_table(engine_, request);
    if (!choice.is_valid) return;
    access::Permit const& permit = request.caller.permit;
    Exposition exposition;
    if (choice.table == nullptr && permit.has(Right::read)) {
      own_.tell(exposition.of_daemon());
      own_.tell_logs([&](std::string_view log) -> MetricSink& { return exposition.of_log(log); });
    }
    for (auto const& table : engine_.tables())
      if ((choice.table == nullptr || choice.table == table.get()) && has_figures(*table, permit))
        engine::tell_metrics(*table, request.now, exposition.of_table(table->name));
    exposition.write(format == "openmetrics" ? Exposition::Format::openmetrics : Exposition::Format::text,
                     [&](std::string_view piece) { request.answer.message("METRICS").add("text", piece); });
  }

 private:
  engine::Engine& engine_;
  OwnFigures& own_;
};

class Health final : public Command {
 public:
  explicit Health(OwnFigures& own) : own_(own) {}

  void run(Request& request) override {
    std::string_view const what = request.message.text("what");
    if (!what.empty() && what != "live" && what != "ready") {
      request.status = bad_parameter("what", "what is live (this daemon answers) or ready (all of its logs serve)");
      return;
    }
    if (what != "live") request.status = own_.readiness();
    if (request.status.ok()) request.answer.message("HEALTHY").add("what", what.empty() ? "ready" : what);
  }

 private:
  OwnFigures& own_;
};

}  // namespace

CommandPtr make_metrics(engine::Engine& engine, OwnFigures& own) { return std::make_unique<Metrics>(engine, own); }

CommandPtr make_health(OwnFigures& own) { return std::make_unique<Health>(own); }

}  // namespace fastjournal::admin
