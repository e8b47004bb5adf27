// METRICS: all figures of STATS, as text for a monitoring system; HEALTH: whether the daemon lives, and is of use.
#include <utility>

#include "server/admin/commands.h"
#include "server/admin/exposition.h"
#include "server/admin/figures.h"

namespace fastjournal::admin {
namespace {

class MetricsParts final : public Parts {
 public:
  // Pieces of the text in one part.
  static constexpr std::size_t kPieces = 4;

  MetricsParts(engine::Engine& engine, Exposition::Format format) : exposition(format), engine_(engine) {}

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
    auto parts = std::make_unique<MetricsParts>(
        engine_, format == "openmetrics" ? Exposition::Format::openmetrics : Exposition::Format::text);
    if (choice.table == nullptr && permit.has(Right::read)) {
      own_.tell(parts->exposition.of_daemon());
      own_.tell_logs([&](std::string_view log) -> MetricSink& { return parts->exposition.of_log(log); });
    }
    parts->tables = names_of(engine_, choice.table, permit);
    request.parts = std::move(parts);
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
