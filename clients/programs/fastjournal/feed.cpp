// What a table has to tell, as it comes. listen: what a listener is told. feed: each record of the change feed, or the
// digest of all.
#include <signal.h>

#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/signals.h"
#include "clients/programs/fastjournal/verbs.h"
#include "clients/programs/feed/follower.h"
#include "config/type_reader.h"
#include "log/catalogue.h"
#include "platform/os/installation.h"

namespace fastjournal::cli {
namespace {

using client::Follower;

struct FeedOptions {
  OptionSet& to;
  Flag follow{to, "--follow", "go on with the change feed (UDP) until a signal comes"};
  Flag digest{to, "--digest", "print no records, but at the end the digest of what was applied here"};
  Text address{to, "--address", "where datagrams come to (default: where the table's <feed> sends them)"};
  Text interface { to, "--interface", "IPv4 address of the network card where a group is joined" };
  Number<> count{to, "--count", "end after so many records", WholeNumbers{1}};
  Plugins plugins{to};
};

class FeedPrinter {
 public:
  FeedPrinter(FeedOptions const& given, Call& call, std::string const& plugins)
      : one_(given), call_(call), names_(config::read_record_names(plugins)["journal"]) {}

  void print(RecordView const& record, bool restated) {
    if (one_.digest || is_full()) return;
    ++printed_;
    if (call_.json) {
      Message message{"RECORD"};
      message.set("table", call_.table);
      message.set("lsn", Value::of_unsigned(record.lsn.value));
      message.set("object", Value::of_unsigned(record.object.value));
      message.set("type", Value::of_unsigned(record.type));
      if (std::string const is = name_of(record); !is.empty()) message.set("is", is);
      message.set("version", Value::of_unsigned(record.version));
      message.set("restated", Value::of_boolean(restated));
      message.set("catalogue", Value::of_boolean(record.table == TableId::catalogue));
      message.set("body", Value::of_binary(as_text(record.body)));
      call_.console.out << render_json(message);
      return;
    }
    if (printed_ == 1) call_.console.out << "             LSN           object  record           bytes\n";
    std::string const is = name_of(record);
    call_.console.out << fmt::format("{:>16} {:>16}  {:<14} {:>7}{}\n", record.lsn.value, record.object.value,
                                     is.empty() ? fmt::format("type {}", record.type) : is, record.body.size(),
                                     restated ? "  restated" : "");
  }

  [[nodiscard]] bool is_full() const { return one_.count && printed_ >= *one_.count; }

  // On standard output if requested; otherwise on standard error, apart from the results.
  void sum_up(replica::Replica const& replica) {
    replica::Counters const& counters = replica.counters();
    if (!one_.digest) {
      call_.note(fmt::format("at LSN {}; {} records, {} datagrams, {} gaps, {} fetches, {} snapshots",
                             replica.position().value, counters.records, counters.datagrams, counters.gaps,
                             counters.fetches, counters.snapshots));
      return;
    }
    std::string const digest = fmt::format("{:016x}", replica.digest());
    Message message{"DIGEST"};
    message.set("table", call_.table);
    message.set("lsn", Value::of_unsigned(replica.position().value));
    message.set("digest", digest);
    message.set("records", Value::of_unsigned(counters.records));
    message.set("datagrams", Value::of_unsigned(counters.datagrams));
    message.set("gaps", Value::of_unsigned(counters.gaps));
    message.set("fetches", Value::of_unsigned(counters.fetches));
    message.set("snapshots", Value::of_unsigned(counters.snapshots));
    call_.console.out << (call_.json ? render_json(message) : render_sheet(message));
  }

 private:
  [[nodiscard]] std::string name_of(RecordView const& record) const {
    if (record.table == TableId::catalogue) return std::string{log::Catalogue::name_of(record.type)};
    auto const name = names_.find(record.type);
    return name == names_.end() ? std::string{} : name->second;
  }

  FeedOptions const& one_;
  Call& call_;
  config::RecordNames names_;  // only journals have feeds so far
  std::uint64_t printed_{0};
};

struct Listen {
  OptionSet& to;
  Text mode{to, "--mode", daemon::listen::mode};
  Number<std::uint32_t> credit{to, "--credit", daemon::listen::credit.as("with --mode deliver: so many rows at once")};
  Text domain{to, "--domain", journal::next::domain};
  Number<> count{to, "--count", "end after so many messages", WholeNumbers{1}};
  Duration wait{to, "--wait", "end when nothing came for so long"};

  ExitCode run(Call& call) {
    client::Connection& connection = call.connection();
    Buffers buffers{connection};
    Message given;
    to.fill(given);
    if (Status const status = connection.listen(call.table, given.params()); !status.ok()) return call.complain(status);
    client::Milliseconds const limit = wait ? client::Milliseconds{wait->value} : client::kForever;
    bool heard = false;
    for (std::uint64_t left = count.value_or(UINT64_MAX); left > 0; --left) {
      Result<Message> pushed = connection.wait_push(limit);
      if (!pushed.ok() && pushed.status().code() == Code::timed_out) return heard ? ExitCode::ok : ExitCode::nothing;
      if (!pushed.ok()) return call.complain(pushed.status());
      if (Status const decoded = buffers.decode(pushed.value(), call.table); !decoded.ok())
        return call.complain(decoded);
      call.show_line(pushed.value());
      call.console.out << std::flush;
      heard = true;
    }
    return ExitCode::ok;
  }
};

struct Feed {
  OptionSet& to;
  TableName table{to};
  FeedOptions given{to};

  ExitCode run(Call& call) {
    client::FollowOptions options;
    options.connection = connection_options(call);
    options.table = call.table;
    options.address = given.address.str();
    options.interface = given.interface.str();
    options.plugins = given.plugins.empty() ? os::installed_plugins() : given.plugins.str();
    std::string const plugins = options.plugins;
    SignalQueue signals{SIGINT, SIGTERM, SIGHUP};
    Result<std::unique_ptr<Follower>> const opened = Follower::open(std::move(options));
    if (!opened.ok()) return call.complain(opened.status());
    Follower& follower = *opened.value();
    FeedPrinter printer{given, call, plugins};
    follower.on_record([&](RecordView const& record, bool restated) { printer.print(record, restated); });
    Status status = follower.catch_up();
    call.console.out.flush();
    while (status.ok() && given.follow && !printer.is_full() && call.console.out) {
      status = follower.wait(client::kForever, signals.fd());
      call.console.out.flush();
      if (signals.next() != 0) break;
    }
    if (!status.ok()) return call.complain(status);
    printer.sum_up(follower.replica());
    return ExitCode::ok;
  }
};

constexpr Verb kFollowVerbs[]{
    {"listen", "print what a listener is told, as it comes", Needs::table, declare<Listen>,
     "fastjournal listen pages --mode row --wait 1m"},
    {"feed", "print a table's records: what it holds, then each change as it is durable", Needs::daemon, declare<Feed>,
     "fastjournal feed pages --follow",
     "`fastjournal call DIGEST table=TABLE` on the administrator's socket tells its digest, to compare."},
};

}  // namespace

Verbs follow_verbs() { return kFollowVerbs; }

}  // namespace fastjournal::cli
