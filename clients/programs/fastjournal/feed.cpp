#include "clients/programs/fastjournal/feed.h"

#include <signal.h>

#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "clients/programs/fastjournal/signals.h"
#include "clients/programs/feed/follower.h"
#include "config/type_reader.h"
#include "log/catalogue.h"
#include "platform/os/installation.h"

namespace fastjournal::cli {
namespace {

using client::Follower;

class FeedPrinter {
 public:
  FeedPrinter(Invocation const& invocation, Console& console, std::string const& plugins)
      : one_(invocation), console_(console), names_(config::read_record_names(plugins)["journal"]) {}

  void print(RecordView const& record, bool restated) {
    if (one_.digest || is_full()) return;
    ++printed_;
    if (one_.json) {
      Message message{"RECORD"};
      message.set("table", one_.table);
      message.set("lsn", Value::of_unsigned(record.lsn.value));
      message.set("object", Value::of_unsigned(record.object.value));
      message.set("type", Value::of_unsigned(record.type));
      if (std::string const is = name_of(record); !is.empty()) message.set("is", is);
      message.set("version", Value::of_unsigned(record.version));
      message.set("restated", Value::of_boolean(restated));
      message.set("catalogue", Value::of_boolean(record.table == TableId::catalogue));
      message.set("body", Value::of_binary(as_text(record.body)));
      console_.out << render_json(message);
      return;
    }
    if (printed_ == 1) console_.out << "             LSN           object  record           bytes\n";
    std::string const is = name_of(record);
    console_.out << fmt::format("{:>16} {:>16}  {:<14} {:>7}{}\n", record.lsn.value, record.object.value,
                                is.empty() ? fmt::format("type {}", record.type) : is, record.body.size(),
                                restated ? "  restated" : "");
  }

  [[nodiscard]] bool is_full() const { return one_.count && printed_ >= *one_.count; }

  // On standard output if requested; otherwise on standard error, apart from the results.
  void sum_up(replica::Replica const& replica) {
    replica::Counters const& counters = replica.counters();
    if (!one_.digest) {
      note(one_, console_,
           fmt::format("at LSN {}; {} records, {} datagrams, {} gaps, {} fetches, {} snapshots",
                       replica.position().value, counters.records, counters.datagrams, counters.gaps, counters.fetches,
                       counters.snapshots));
      return;
    }
    std::string const digest = fmt::format("{:016x}", replica.digest());
    Message message{"DIGEST"};
    message.set("table", one_.table);
    message.set("lsn", Value::of_unsigned(replica.position().value));
    message.set("digest", digest);
    message.set("records", Value::of_unsigned(counters.records));
    message.set("datagrams", Value::of_unsigned(counters.datagrams));
    message.set("gaps", Value::of_unsigned(counters.gaps));
    message.set("fetches", Value::of_unsigned(counters.fetches));
    message.set("snapshots", Value::of_unsigned(counters.snapshots));
    console_.out << (one_.json ? render_json(message) : render_sheet(message));
  }

 private:
  [[nodiscard]] std::string name_of(RecordView const& record) const {
    if (record.table == TableId::catalogue) return std::string{log::Catalogue::name_of(record.type)};
    auto const name = names_.find(record.type);
    return name == names_.end() ? std::string{} : name->second;
  }

  Invocation const& one_;
  Console& console_;
  config::RecordNames names_;  // only journals have feeds so far
  std::uint64_t printed_{0};
};

}  // namespace

ExitCode feed(Invocation const& invocation, Console& console) {
  client::FollowOptions options;
  options.connection = connection_options(invocation);
  options.table = invocation.table;
  options.address = invocation.address;
  options.interface = invocation.interface;
  options.plugins = invocation.plugins.empty() ? os::installed_plugins() : invocation.plugins;
  std::string const plugins = options.plugins;
  SignalQueue signals{SIGINT, SIGTERM, SIGHUP};
  Result<std::unique_ptr<Follower>> const opened = Follower::open(std::move(options));
  if (!opened.ok()) return complain(invocation, console, opened.status());
  Follower& follower = *opened.value();
  FeedPrinter printer{invocation, console, plugins};
  follower.on_record([&](RecordView const& record, bool restated) { printer.print(record, restated); });
  Status status = follower.catch_up();
  console.out.flush();
  while (status.ok() && invocation.follow && !printer.is_full() && console.out) {
    status = follower.wait(client::kForever, signals.fd());
    console.out.flush();
    if (signals.next() != 0) break;
  }
  if (!status.ok()) return complain(invocation, console, status);
  printer.sum_up(follower.replica());
  return ExitCode::ok;
}

}  // namespace fastjournal::cli
