#include "clients/programs/fastjournal/log_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

#include "clients/programs/fastjournal/progress.h"
#include "clients/programs/logs/dump.h"
#include "clients/programs/logs/places.h"
#include "clients/programs/logs/resize.h"
#include "clients/programs/logs/salvage.h"
#include "clients/programs/logs/verify.h"
#include "config/type_reader.h"
#include "platform/os/installation.h"
#include "platform/os/open_files.h"
#include "platform/os/random.h"

namespace fastjournal::cli {
namespace {

// Suffix of output until it is complete; a fixed name, as of backups (dated_backups.h).
constexpr char kUnfinished[] = ".partial";

// Reports an error of a log's folder; returns its exit code.
ExitCode complain_of(Invocation const& one, Console& console, std::string const& folder, Status const& status) {
  std::string_view advice;
  if (status.code() == Code::in_use)
    advice = "stop the daemon first; or `fastjournal backup` a log that is in use, and work on the copy";
  if (status.code() == Code::damaged)
    advice = "`fastjournal log dump` shows where, `fastjournal log salvage` keeps what is left";
  tell(one, console, status, folder, advice);
  return exit_code_of_files(status.code());
}

class LogRunner {
 public:
  LogRunner(Invocation const& invocation, Console& console) : one_(invocation), console_(console) {}

  ExitCode run();

 private:
  Status find_logs();
  Status load_types();
  ExitCode verify(std::string const& folder);
  ExitCode dump(std::string const& folder);
  ExitCode resize(std::string const& folder);
  ExitCode salvage(std::string const& folder);
  void show_salvaged(tools::Salvaged const& salvaged, std::string const& target);
  ExitCode each(ExitCode (LogRunner::*what)(std::string const&));
  void show(Message const& facts, std::vector<Message> const& tables);
  // `bytes_before`: container size before a resize.
  void show_log(std::string const& log, tools::LogFacts const& found, std::optional<std::uint64_t> bytes_before);
  void say(std::string const& text) { note(one_, console_, text); }
  tools::Progress progress(tools::Place const& place) {
    return progress_on(console_, "fastjournal " + one_.verb + ": " + place.text());
  }

  Invocation const& one_;
  Console& console_;
  std::vector<std::string> folders_;
  std::string plugins_;
  engine::TableTypes types_;
};

Status LogRunner::find_logs() {
  plugins_ = one_.plugins;
  if (one_.config.empty()) {
    folders_ = one_.words;
    return {};
  }
  Result<tools::Configured> configured = tools::read_configured(one_.config);
  if (!configured.ok()) return configured.status();
  folders_ = configured->logs;
  if (plugins_.empty()) plugins_ = configured->plugins;
  return {};
}

Status LogRunner::load_types() {
  Result<engine::TableTypes> types = tools::load_types(plugins_);
  if (!types.ok()) return types.status();
  types_ = std::move(types).value();
  return {};
}

void LogRunner::show(Message const& facts, std::vector<Message> const& tables) {
  if (one_.json) {
    console_.out << render_json(facts);
    for (Message const& table : tables) console_.out << render_json(table);
    return;
  }
  console_.out << render_sheet(facts);
  if (!tables.empty()) console_.out << '\n' << render_table(tables, console_.look, "log") << '\n';
}

void LogRunner::show_log(std::string const& log, tools::LogFacts const& found,
                         std::optional<std::uint64_t> bytes_before) {
  log::file::RecoveryReport const& report = found.report;
  std::string const store = fmt::format("{:016x}", report.store_id);
  std::string const digest = engine::digest_text(found.digest);
  Message facts("LOG");
  facts.set("log", log);
  facts.set("store", store);
  facts.set_integer("start", report.start);
  facts.set("containers", Value::of_unsigned(report.containers));
  if (bytes_before) facts.set("container_bytes_before", Value::of_unsigned(*bytes_before));
  facts.set("container_bytes", Value::of_unsigned(found.container_bytes));
  facts.set("scanned_bytes", Value::of_unsigned(report.bytes_scanned));
  facts.set("batches", Value::of_unsigned(report.batches));
  facts.set("records", Value::of_unsigned(report.records));
  std::uint64_t ignored = 0;
  std::vector<Message> tables;
  for (tools::Recovered::TableFacts const& table : found.tables) {
    ignored += static_cast<std::uint64_t>(table.records_ignored);
    Message line("TABLE");
    line.set("log", log);
    line.set("table", table.name);
    line.set("type", table.type);
    line.set_integer("number", static_cast<std::uint32_t>(table.id));
    line.set_integer("rows", table.rows);
    line.set_integer("records_of_gone_rows", table.records_ignored);
    tables.push_back(std::move(line));
  }
  facts.set("ignored_of_gone_rows", Value::of_unsigned(ignored));
  facts.set("ignored_of_dropped_tables", Value::of_unsigned(found.records_of_no_table));
  facts.set("base_lsn", Value::of_unsigned(report.base.value));
  facts.set("end_lsn", Value::of_unsigned(report.end.value));
  facts.set("stopped_cleanly", report.clean ? "yes" : "no");
  if (report.cut) {
    facts.set("cut_at", Value::of_unsigned(report.cut_at.value));
    facts.set("cut_because", report.cut_reason);
  }
  for (std::string const& note : report.notes) say(note);
  facts.set("digest", digest);
  show(facts, tables);
}

ExitCode LogRunner::verify(std::string const& folder) {
  tools::Place const place = tools::place_of(folder);
  Result<tools::LogFacts> const found = tools::verify(*place.disk, place.name, types_, progress(place));
  if (!found.ok()) return complain_of(one_, console_, place.text(), found.status());
  show_log(place.text(), found.value(), {});
  return ExitCode::ok;
}

ExitCode LogRunner::resize(std::string const& folder) {
  tools::Place const place = tools::place_of(folder);
  std::string const other = place.name + tools::kResizeSuffix;
  bool const was_there = place.disk->list(other).ok();
  Result<tools::Resized> const resized =
      tools::resize(*place.disk, place.name, *one_.container_bytes, types_, os::random_bits(), progress(place));
  if (!resized.ok()) {
    ExitCode const code = complain_of(one_, console_, place.text(), resized.status());
    if (!was_there && place.disk->list(other).ok())
      say(place.text() + tools::kResizeSuffix + " holds what was written, and nothing that is needed: remove it");
    return code;
  }
  if (!resized->changed()) say("the containers have this size already; nothing was changed");
  if (!resized->left_behind.ok())
    say("the old log could not be removed, and is no longer needed: " + resized->left_behind.text());
  show_log(place.text(), resized->log, resized->container_bytes_before);
  return ExitCode::ok;
}

ExitCode LogRunner::dump(std::string const& folder) {
  tools::Place const place = tools::place_of(folder);
  tools::DumpRequest wish;
  wish.from = Lsn{one_.from_lsn.value_or(0)};
  wish.to = Lsn{one_.to_lsn.value_or(UINT64_MAX)};
  wish.table = one_.table;
  wish.container = one_.container;
  wish.body_bytes = one_.body_bytes.value_or(wish.body_bytes);
  wish.names = config::read_record_names(plugins_.empty() ? os::installed_plugins() : plugins_);
  Result<bool> const damaged = tools::dump(*place.disk, place.name, wish, [this](Message const& line) {
    console_.out << (one_.json ? render_json(line, true) : render_line(line));
  });
  if (!damaged.ok()) return complain_of(one_, console_, place.text(), damaged.status());
  return damaged.value() ? ExitCode::damaged : ExitCode::ok;
}

// The losses first, then the salvaged data.
void LogRunner::show_salvaged(tools::Salvaged const& salvaged, std::string const& target) {
  auto const say = [this](Message const& line) {
    console_.out << (one_.json ? render_json(line, true) : render_line(line));
  };
  for (std::string const& odd : salvaged.odd_containers) {
    Message line("CONTAINER");
    line.set("problem", odd);
    say(line);
  }
  for (tools::Gap const& gap : salvaged.lost) {
    Message line("LOST");
    if (!gap.container.empty()) line.set("container", gap.container);
    if (!gap.container.empty()) line.set("offset", Value::of_unsigned(gap.offset));
    line.set("lsn", Value::of_unsigned(gap.begin.value));
    line.set("end", Value::of_unsigned(gap.end.value));
    line.set("reason", gap.reason);
    say(line);
  }
  for (tools::Salvaged::LeftOut const& left : salvaged.left_out) {
    Message line("LEFT_OUT");
    if (!left.name.empty()) line.set("table", left.name);
    line.set("number", Value::of_unsigned(static_cast<std::uint32_t>(left.table)));
    line.set("records", Value::of_unsigned(left.records));
    line.set("reason", left.reason);
    say(line);
  }
  for (tools::Recovered::TableFacts const& table : salvaged.result.tables) {
    Message line("TABLE");
    line.set("table", table.name);
    line.set_integer("rows", table.rows);
    line.set_integer("records_of_lost_rows", table.records_ignored);
    say(line);
  }
  std::string const digest = engine::digest_text(salvaged.result.digest);
  Message line("SALVAGED");
  line.set("log", target);
  line.set("lost_bytes", Value::of_unsigned(salvaged.lost_bytes));
  line.set("batches", Value::of_unsigned(salvaged.batches));
  line.set("records", Value::of_unsigned(salvaged.records_kept));
  line.set("digest", digest);
  say(line);
}

ExitCode LogRunner::salvage(std::string const& folder) {
  tools::Place const place = tools::place_of(folder);
  tools::Place const target = tools::place_of(one_.to);
  std::string const unfinished = target.name + kUnfinished;
  for (std::string const& name : {target.name, unfinished})
    if (target.disk->list(name).ok()) {
      return misuse(one_, console_, name + " is there already: --to wants a new folder");
    }
  Result<tools::Salvaged> const salvaged =
      tools::salvage(*place.disk, place.name, *target.disk, unfinished, types_, os::random_bits(), progress(place));
  Status status = salvaged.status();
  if (status.ok()) status = target.disk->rename(unfinished, target.name);
  if (status.ok()) status = target.disk->sync_folder("");
  if (!status.ok()) {
    ExitCode const code = complain_of(one_, console_, place.text(), status);
    if (target.disk->list(unfinished).ok())
      say(target.text() + kUnfinished + " holds what was written and is no log: remove it");
    return code;
  }
  show_salvaged(salvaged.value(), target.text());
  return ExitCode::ok;
}

ExitCode LogRunner::each(ExitCode (LogRunner::*what)(std::string const&)) {
  ExitCode worst = ExitCode::ok;
  for (std::string const& folder : folders_) worst = std::max(worst, (this->*what)(folder));
  return worst;
}

ExitCode LogRunner::run() {
  Status status = find_logs();
  if (status.ok() && one_.verb != "log dump") status = load_types();
  if (!status.ok()) {
    return misuse(one_, console_, status.message());
  }
  // One file for each container.
  os::allow_most_open_files();
  if (one_.verb == "log dump") return each(&LogRunner::dump);
  if (one_.verb == "log salvage") return each(&LogRunner::salvage);
  if (one_.verb == "log resize") return each(&LogRunner::resize);
  return each(&LogRunner::verify);
}

}  // namespace

ExitCode run_log(Invocation const& invocation, Console& console) { return LogRunner{invocation, console}.run(); }

}  // namespace fastjournal::cli
