#include "clients/programs/fastjournal/blob_maintenance.h"

#include <ostream>
#include <string>

#include <fmt/format.h>

#include "clients/programs/fastjournal/progress.h"

namespace fastjournal::cli {

namespace {

constexpr client::Milliseconds kLookEvery{250};

std::uint64_t maintenance_number(Message const& message, std::string_view name) {
  Value const* const value = message.find(name);
  return value == nullptr ? 0 : value->as_unsigned().value_or(0);
}

class Maintainer {
 public:
  Maintainer(Invocation const& invocation, Console& console, client::Connection& connection)
      : one_(invocation), console_(console), connection_(connection) {}

  ExitCode run();

 private:
  ExitCode complain(Status const& status) { return cli::complain(one_, console_, status); }
  Result<Message> stats();
  ExitCode await(std::uint64_t file, std::uint64_t given_up);
  ExitCode say_ended(Message const& stats, std::uint64_t file, std::uint64_t given_up);

  Invocation const& one_;
  Console& console_;
  client::Connection& connection_;
};

Result<Message> Maintainer::stats() {
  Result<client::Reply> reply = connection_.call("STATS", {{"table", Value::of_text(one_.table)}});
  if (!reply.ok()) return reply.status();
  return std::move(reply->messages.front());
}

ExitCode Maintainer::run() {
  BlobOptions const& blob = one_.blob;
  std::uint64_t given_up = 0;
  if (blob.wait) {
    Result<Message> const before = stats();
    if (!before.ok()) return complain(before.status());
    given_up = maintenance_number(before.value(), "maintenances_given_up");
  }
  Message command("MAINTAIN");
  command.set("table", one_.table);
  if (blob.age) command.set_integer("age", blob.age->value);
  if (blob.size) command.set("size", Value::of_unsigned(*blob.size));
  if (blob.unreferenced) command.set_integer("unreferenced", blob.unreferenced->value);
  if (blob.cancel) command.set_integer("cancel", 1);
  Result<client::Reply> const reply = connection_.call(command);
  // Not now, says the daemon, which is there.
  if (reply.status().code() == Code::unavailable && connection_.is_connected()) {
    tell(one_, console_, reply.status(), {}, {});
    return ExitCode::refused;
  }
  if (!reply.ok()) return complain(reply.status());
  Message const& answer = reply->first();
  std::string_view const result = answer.text("result");
  std::uint64_t const total = maintenance_number(answer, "total");
  if (one_.json)
    console_.out << render_json(answer) << std::flush;
  else if (result == "begun")
    console_.out << fmt::format("maintenance of {} began: {} blobs, into data file {}\n", one_.table, total,
                                maintenance_number(answer, "file"))
                 << std::flush;
  else if (result == "running")
    console_.out << fmt::format("maintenance of {} runs already: {} of {} blobs are in data file {}\n", one_.table,
                                maintenance_number(answer, "done"), total, maintenance_number(answer, "file"))
                 << std::flush;
  else if (result == "cancelled")
    console_.out << fmt::format("maintenance of {} is given up: nothing is lost\n", one_.table);
  if (result == "idle") {
    if (!one_.json) console_.err << "no maintenance of " << one_.table << " runs\n";
    return ExitCode::nothing;
  }
  return blob.wait ? await(maintenance_number(answer, "file"), given_up) : ExitCode::ok;
}

ExitCode Maintainer::await(std::uint64_t file, std::uint64_t given_up) {
  StatusLine line(console_);
  for (;;) {
    Result<Message> const now = stats();
    if (!now.ok()) {
      line.clear();
      return complain(now.status());
    }
    if (maintenance_number(now.value(), "maintenance_running") == 0) {
      line.clear();
      return say_ended(now.value(), file, given_up);
    }
    line.show(fmt::format("maintenance of {}: {} of {} blobs, {} MiB", one_.table,
                          maintenance_number(now.value(), "maintenance_done_blobs"),
                          maintenance_number(now.value(), "maintenance_total_blobs"),
                          maintenance_number(now.value(), "maintenance_bytes_done") >> 20U));
    // A pause; whether the connection is there, the next look tells.
    static_cast<void>(connection_.wait_push(kLookEvery));
  }
}

ExitCode Maintainer::say_ended(Message const& stats, std::uint64_t file, std::uint64_t given_up) {
  bool const is_exchanged = maintenance_number(stats, "file_number") == file;
  bool const has_failed = !is_exchanged && maintenance_number(stats, "maintenances_given_up") != given_up;
  if (has_failed) {
    tell(one_, console_, {Code::io_error, "the maintenance is given up, and nothing is lost"}, {},
         "`fastjournal alerts " + one_.table + "` says why");
    return ExitCode::refused;
  }
  if (one_.json) {
    Message out("MAINTAINING");
    out.set("table", one_.table);
    out.set("result", is_exchanged ? "exchanged" : "cancelled");
    out.set("file", Value::of_unsigned(maintenance_number(stats, "file_number")));
    out.set("blobs", Value::of_unsigned(maintenance_number(stats, "rows")));
    out.set("bytes", Value::of_unsigned(maintenance_number(stats, "blob_bytes")));
    console_.out << render_json(out);
  } else if (is_exchanged) {
    console_.out << fmt::format("data file {} is in use: {} blobs, {} bytes; the old one goes in a minute\n", file,
                                maintenance_number(stats, "rows"), maintenance_number(stats, "blob_bytes"));
  } else {
    console_.err << "the maintenance of " << one_.table << " was cancelled\n";
  }
  return is_exchanged ? ExitCode::ok : ExitCode::nothing;
}

}  // namespace

ExitCode maintain_blobs(Invocation const& invocation, Console& console, client::Connection& connection) {
  return Maintainer(invocation, console, connection).run();
}

}  // namespace fastjournal::cli
