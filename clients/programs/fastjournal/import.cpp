// The verb `import`: an old server's jobs become messages of a queue table, each once. How it gets them is in imports/.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "clients/cpp/secret_file.h"
#include "clients/programs/fastjournal/imports/run.h"
#include "clients/programs/fastjournal/progress.h"
#include "clients/programs/fastjournal/stop.h"
#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {
namespace {

constexpr DurationMs kStopImportAfter{10'000};

Result<std::string> source_password(std::string const& file) {
  if (file.empty()) {
    char const* const given = std::getenv("REDISCLI_AUTH");
    return std::string{given == nullptr ? "" : given};
  }
  Result<std::string> const text = client::read_secret(file);
  if (!text.ok()) return text.status();
  return text->substr(0, text->find_first_of("\r\n"));
}

Message counts_of(std::string const& queue, imports::Counts const& counts, bool dry_run) {
  Message out(dry_run ? "THERE" : "MOVED");
  out.set("queue", out.arena().copy(queue));
  out.set("ready", Value::of_unsigned(counts.ready));
  out.set("delayed", Value::of_unsigned(counts.delayed));
  out.set("parked", Value::of_unsigned(counts.parked));
  if (!dry_run) {
    out.set("known", Value::of_unsigned(counts.known));
    out.set("refused", Value::of_unsigned(counts.refused));
  }
  out.set("reserved", Value::of_unsigned(counts.reserved));
  return out;
}

Message refusal_of(imports::Refusal const& one) {
  Message out("REFUSED");
  out.set("queue", out.arena().copy(one.queue));
  out.set("job", out.arena().copy(one.job));
  out.set("code", row_of(one.why.code()).wire_name);
  out.set("message", out.arena().copy(one.why.message()));
  return out;
}

struct Import {
  OptionSet& to;
  Text source{to, "SOURCE", "beanstalkd://HOST[:PORT], or redis://[USER@]HOST[:PORT][/DB]", required};
  TableName table{to, "TABLE", "the queue table that gets the jobs", required};
  Text framework{to, "--from", "of Redis: whose jobs they are", one_of("rq celery sidekiq")};
  WordList queues{to, "--queue,--tube", "this queue or tube only (repeatable)", repeated("NAME")};
  Text password_file{to, "--password-file", "of Redis: a file with the password, which only its owner may read",
                     called("FILE")};
  Flag dry_run{to, "--dry-run", "only counts what there is"};

  [[nodiscard]] std::string contradiction(Globals const& /*all*/) const {
    Result<imports::Address> const from = imports::read_address(source);
    if (!from.ok()) return from.status().message();
    bool const is_redis = from->kind == imports::Kind::redis;
    if (is_redis && framework.empty())
      return "of Redis: --from rq, --from celery or --from sidekiq says whose jobs they are";
    if (!is_redis && !framework.empty()) return "--from is of Redis only";
    if (!is_redis && !password_file.empty()) return "--password-file is of Redis only";
    return {};
  }

  ExitCode run(Call& call) {
    imports::Wish wish{.from = imports::read_address(source).value(),
                       .table = call.table,
                       .queues = queues,
                       .framework = framework,
                       .dry_run = dry_run.is_on,
                       .limit = call.time_limit()};
    Result<std::string> password = source_password(password_file);
    if (!password.ok()) return call.misuse(password.status().message());
    wish.password = std::move(password).value();
    Stop stop{kStopImportAfter};
    if (!stop.ok()) return call.complain({Code::io_error, "cannot wait for signals"});
    StatusLine line{call.console};
    imports::Target target{call.connection(), call.table};
    imports::Run one{std::move(wish), target, [&] { return stop.is_asked(); },
                     [&](imports::Run const& so_far) { line.show(fmt::format("{} moved", so_far.jobs())); }};
    Status const status =
        one.wish.from.kind == imports::Kind::redis ? imports::import_redis(one) : imports::import_beanstalkd(one);
    line.clear();
    return report(call, one, status, stop.is_asked());
  }

  ExitCode report(Call& call, imports::Run const& one, Status const& status, bool is_stopped) const {
    std::vector<Message> rows;
    for (auto const& [queue, counts] : one.queues()) rows.push_back(counts_of(queue, counts, one.wish.dry_run));
    call.show(rows);
    std::vector<Message> refused;
    for (imports::Refusal const& refusal : one.refusals()) refused.push_back(refusal_of(refusal));
    if (!refused.empty() && !call.json) call.console.out << "\nrefused:\n";
    call.show(refused);
    for (std::string const& note : one.notes()) call.note(note);
    if (!status.ok()) {
      call.console.out << std::flush;
      // Advice is about the daemon.
      bool is_of_source = false;
      for (auto const& [name, value] : status.facts()) is_of_source = is_of_source || name == "source";
      if (is_of_source) call.tell(status, {}, {});
      ExitCode const code = is_of_source ? exit_code_of(status.code()) : call.complain(status);
      if (one.jobs() > 0) call.note(fmt::format("{} were moved; the same command goes on", one.jobs()));
      return code;
    }
    if (is_stopped) {
      call.note("it was stopped; the same command goes on");
      return ExitCode::refused;
    }
    if (!refused.empty()) return ExitCode::refused;
    if (!rows.empty()) return ExitCode::ok;
    if (!call.json) call.console.out << "there are no jobs\n";
    return ExitCode::nothing;
  }
};

constexpr Verb kImport[]{
    {"import", "move the jobs of a beanstalkd, or of RQ, Celery or Sidekiq in Redis, to a queue table, each once",
     Needs::connection, declare<Import>,
     "fastjournal import beanstalkd://127.0.0.1:11300 tubes --dry-run\n"
     "fastjournal import redis://127.0.0.1:6379/0 jobs --from rq --queue high --queue low",
     "Each job is deleted at the source when it is in the table, synced. One that is refused stays as it was, and is\n"
     "told. Whatever is cut off, the same command goes on, and no job comes twice; let only one run at a time. A "
     "password\n"
     "of Redis is in --password-file or the environment variable REDISCLI_AUTH. doc/beanstalkd.md and "
     "doc/coming-from.md\n"
     "say what becomes of what, and the limits."},
};

}  // namespace

Verbs import_verbs() { return kImport; }

}  // namespace fastjournal::cli
