// The verbs `log ...`: operations on the files of logs. They use the daemon's own code for logs
// (clients/programs/logs), so that files are read by the code that wrote them; it works on env::Disk, so that the
// simulator can damage the logs.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

#include "clients/programs/fastjournal/progress.h"
#include "clients/programs/fastjournal/verbs.h"
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
ExitCode complain_of_log(Call& call, tools::Place const& place, Status const& status) {
  std::string_view advice;
  if (status.code() == Code::in_use)
    advice = "stop the daemon first; or `fastjournal backup` a log that is in use, and work on the copy";
  if (status.code() == Code::damaged)
    advice = "`fastjournal log dump` shows where, `fastjournal log salvage` keeps what is left";
  call.tell(status, place.text(), advice);
  return exit_code_of_files(status.code());
}

tools::Progress progress_of(Call& call, tools::Place const& place) {
  return progress_on(call.console, "fastjournal " + std::string{call.verb} + ": " + place.text());
}

// A line of what was found, which says what it is.
void show_found(Call& call, Message const& line) {
  call.console.out << (call.json ? render_json(line, true) : render_line(line));
}

// `bytes_before`: segment size before a resize.
void show_log(Call& call, std::string const& log, tools::LogFacts const& found,
              std::optional<std::uint64_t> bytes_before) {
  log::file::RecoveryReport const& report = found.report;
  std::string const store = fmt::format("{:016x}", report.store_id);
  std::string const digest = engine::digest_text(found.digest);
  Message facts("LOG");
  facts.set("log", log);
  facts.set("store", store);
  facts.set_integer("start", report.start);
  facts.set("containers", Value::of_unsigned(report.segments));
  if (bytes_before) facts.set("container_bytes_before", Value::of_unsigned(*bytes_before));
  facts.set("container_bytes", Value::of_unsigned(found.segment_bytes));
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
  for (std::string const& note : report.notes) call.note(note);
  facts.set("digest", digest);
  if (call.json)
    call.console.out << render_json(facts);
  else
    call.console.out << render_sheet(facts);
  if (!call.json && !tables.empty()) call.console.out << '\n';
  call.show(tables, "log");
  if (!call.json && !tables.empty()) call.console.out << '\n';
}

// With the types of their tables: `run_on` one log after the other.
ExitCode run_on_logs(
    Call& call, std::vector<std::string> const& folders, std::string const& plugins,
    std::function<ExitCode(tools::Place const& place, engine::TableTypes const& types)> const& run_on) {
  Result<engine::TableTypes> const types = tools::load_types(plugins);
  if (!types.ok()) return call.misuse(types.status().message());
  // One file for each segment.
  os::allow_most_open_files();
  ExitCode worst = ExitCode::ok;
  for (std::string const& folder : folders) worst = std::max(worst, run_on(tools::place_of(folder), types.value()));
  return worst;
}

struct LogVerify {
  OptionSet& to;
  Plugins plugins{to};
  WordList folders{to, "FOLDER", "folders of logs: DATA/NAME, with container-..."};
  Text config{to, "--config", "all logs that this configuration file of the daemon declares", called("FILE"),
              excludes(folders)};

  std::string contradiction(Globals const& /*all*/) const {
    return folders.empty() && config.empty() ? "log verify needs the folder of a log, or --config FILE" : "";
  }

  ExitCode run(Call& call) {
    tools::Configured logs{.logs = folders, .plugins = plugins};
    if (!config.empty()) {
      Result<tools::Configured> configured = tools::read_configured(config);
      if (!configured.ok()) return call.misuse(configured.status().message());
      logs = std::move(configured).value();
      if (!plugins.empty()) logs.plugins = plugins;
    }
    return run_on_logs(call, logs.logs, logs.plugins, [&](tools::Place const& place, engine::TableTypes const& types) {
      Result<tools::LogFacts> const found = tools::verify(*place.disk, place.name, types, progress_of(call, place));
      if (!found.ok()) return complain_of_log(call, place, found.status());
      show_log(call, place.text(), found.value(), {});
      return ExitCode::ok;
    });
  }
};

struct LogResize {
  OptionSet& to;
  Plugins plugins{to};
  Text folder{to, "FOLDER", "folder of a log: DATA/NAME, with container-...", required, alone};
  Size segment_bytes{to, "--container-size",
                     "of each file: 512KiB to 4GiB; less is rounded up, and all to whole blocks", required};

  ExitCode run(Call& call) {
    return run_on_logs(call, {folder}, plugins, [&](tools::Place const& place, engine::TableTypes const& types) {
      std::string const other = place.name + tools::kResizeSuffix;
      bool const was_there = place.disk->list(other).ok();
      Result<tools::Resized> const resized =
          tools::resize(*place.disk, place.name, *segment_bytes, types, os::random_bits(), progress_of(call, place));
      if (!resized.ok()) {
        ExitCode const code = complain_of_log(call, place, resized.status());
        if (!was_there && place.disk->list(other).ok())
          call.note(place.text() + tools::kResizeSuffix +
                    " holds what was written, and nothing that is needed: remove it");
        return code;
      }
      if (!resized->changed()) call.note("the segments have this size already; nothing was changed");
      if (!resized->left_behind.ok())
        call.note("the old log could not be removed, and is no longer needed: " + resized->left_behind.text());
      show_log(call, place.text(), resized->log, resized->segment_bytes_before);
      return ExitCode::ok;
    });
  }
};

struct LogSalvage {
  OptionSet& to;
  Plugins plugins{to};
  Text folder{to, "FOLDER", "folder of the damaged log; it is only read", required, alone};
  Text target_folder{to, "--to", "folder to be made", called("FOLDER"), required};

  ExitCode run(Call& call) {
    return run_on_logs(call, {folder}, plugins, [&](tools::Place const& place, engine::TableTypes const& types) {
      tools::Place const target = tools::place_of(target_folder);
      std::string const unfinished = target.name + kUnfinished;
      for (std::string const& name : {target.name, unfinished})
        if (target.disk->list(name).ok()) return call.misuse(name + " is there already: --to wants a new folder");
      Result<tools::Salvaged> const salvaged = tools::salvage(*place.disk, place.name, *target.disk, unfinished, types,
                                                              os::random_bits(), progress_of(call, place));
      Status status = salvaged.status();
      if (status.ok()) status = target.disk->rename(unfinished, target.name);
      if (status.ok()) status = target.disk->sync_folder("");
      if (!status.ok()) {
        ExitCode const code = complain_of_log(call, place, status);
        if (target.disk->list(unfinished).ok())
          call.note(target.text() + kUnfinished + " holds what was written and is no log: remove it");
        return code;
      }
      show_salvaged(call, salvaged.value(), target.text());
      return ExitCode::ok;
    });
  }

  // The losses first, then the salvaged data.
  static void show_salvaged(Call& call, tools::Salvaged const& salvaged, std::string const& target) {
    for (std::string const& odd : salvaged.odd_segments) {
      Message line("CONTAINER");
      line.set("problem", odd);
      show_found(call, line);
    }
    for (tools::Gap const& gap : salvaged.lost) {
      Message line("LOST");
      if (!gap.segment.empty()) line.set("container", gap.segment);
      if (!gap.segment.empty()) line.set("offset", Value::of_unsigned(gap.offset));
      line.set("lsn", Value::of_unsigned(gap.begin.value));
      line.set("end", Value::of_unsigned(gap.end.value));
      line.set("reason", gap.reason);
      show_found(call, line);
    }
    for (tools::Salvaged::LeftOut const& left : salvaged.left_out) {
      Message line("LEFT_OUT");
      if (!left.name.empty()) line.set("table", left.name);
      line.set("number", Value::of_unsigned(static_cast<std::uint32_t>(left.table)));
      line.set("records", Value::of_unsigned(left.records));
      line.set("reason", left.reason);
      show_found(call, line);
    }
    for (tools::Recovered::TableFacts const& table : salvaged.result.tables) {
      Message line("TABLE");
      line.set("table", table.name);
      line.set_integer("rows", table.rows);
      line.set_integer("records_of_lost_rows", table.records_ignored);
      show_found(call, line);
    }
    std::string const digest = engine::digest_text(salvaged.result.digest);
    Message line("SALVAGED");
    line.set("log", target);
    line.set("lost_bytes", Value::of_unsigned(salvaged.lost_bytes));
    line.set("batches", Value::of_unsigned(salvaged.batches));
    line.set("records", Value::of_unsigned(salvaged.records_kept));
    line.set("digest", digest);
    show_found(call, line);
  }
};

struct LogDump {
  OptionSet& to;
  Text folder{to, "FOLDER", "folder of a log: DATA/NAME, with container-...", required, alone};
  TableName table{to, "--table", "records of this table only: its name, or its number (0: the catalogue)"};
  Text segment{to, "--segment,--container", "this segment only: its number"};
  Number<> from{to, "--from", "from this LSN on"};
  Number<> end{to, "--to", "up to this LSN"};
  Number<std::uint32_t> body_bytes{to, "--bytes", "of each record's body, in hexadecimal (default 64)",
                                   WholeNumbers{0, UINT32_MAX}};

  ExitCode run(Call& call) {
    os::allow_most_open_files();
    tools::Place const place = tools::place_of(folder);
    tools::DumpRequest wish{.from = Lsn{from.value_or(0)},
                            .to = Lsn{end.value_or(UINT64_MAX)},
                            .table = call.table,
                            .segment = segment,
                            .names = config::read_record_names(os::installed_plugins())};
    wish.body_bytes = body_bytes.value_or(wish.body_bytes);
    Result<bool> const damaged =
        tools::dump(*place.disk, place.name, wish, [&call](Message const& line) { show_found(call, line); });
    if (!damaged.ok()) return complain_of_log(call, place, damaged.status());
    return damaged.value() ? ExitCode::damaged : ExitCode::ok;
  }
};

constexpr Verb kLogVerbs[]{
    {"log verify", "read logs as a start of the daemon does, and change nothing", Needs::nothing, declare<LogVerify>,
     "fastjournal log verify --config /etc/fastjournal/fastjournal.xml",
     "Prints what was scanned and recovered, what was ignored and why, where a torn tail would be cut, the rows of\n"
     "each table and the digest, which is that of the daemon's command DIGEST in the same state. Needs the plugins of\n"
     "the tables; names and columns stand in the log itself."},
    {"log dump", "show segments, batches and records, also of a damaged log", Needs::nothing, declare<LogDump>,
     "fastjournal log dump /var/lib/fastjournal/shared --table pages | less",
     "Lines CONTAINER, BATCH and RECORD; DAMAGE where something that was durable cannot be read; REST where nothing "
     "is\nwritten, or is needed. Needs no plugins. Exit code 7 if there is damage."},
    {"log salvage", "write what is left of a damaged log into a new one", Needs::nothing, declare<LogSalvage>,
     "fastjournal log salvage /var/lib/fastjournal/shared --to /var/tmp/shared",
     "Refuses a log that is sound. Prints what is lost and what was left out. Rows whose records are lost are lost; "
     "rows\nwhose DONE or DELETE is lost come back and are worked on again; what was merged into a row, or said about "
     "its\ndate, may be lost. doc/log-tools.md says more. Use a backup instead if there is one. Needs the plugins of "
     "the tables."},
    {"log resize", "write a log anew, with segments of another size", Needs::nothing, declare<LogResize>,
     "fastjournal log resize /var/lib/fastjournal/shared --container-size 64MiB",
     "Writes FOLDER.resize, reads it again, compares the digests, and exchanges the two names in one step; then the "
     "old\nlog is removed. Needs room for a second log. Interrupted at any moment, a whole log stands under FOLDER: "
     "remove\nFOLDER.resize and begin again. Needs the plugins of the tables. The size in the daemon's configuration "
     "counts for\nnew logs only."},
};

}  // namespace

Verbs log_verbs() { return kLogVerbs; }

}  // namespace fastjournal::cli
