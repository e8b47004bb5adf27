// Connections and commands of the C API.
#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>

#include "clients/c/handles.h"
#include "clients/cpp/answers.h"
#include "clients/cpp/error_text.h"
#include "clients/cpp/journal.h"
#include "clients/cpp/queues.h"

using namespace fastjournal;
using namespace fastjournal::c;
using namespace fastjournal::client;

namespace {

constexpr std::uint32_t kInFlightMax = 1U << 20U;
constexpr std::uint64_t kMessageBytesMax = 1U << 30U;
constexpr std::uint64_t kDelayMsMax = std::uint64_t{100} * 365 * 24 * 3600 * 1000;
// What names a lease, of a row and of a message.
constexpr std::initializer_list<char const*> kOfLease{"table", "row", "message", "epoch"};

std::string text_or(char const* text, char const* otherwise) { return text == nullptr ? otherwise : text; }

Result<Options> options_of(fj_options const& given) {
  if (given.in_flight_max > kInFlightMax) return bad("in_flight_max", "1 to 1048576");
  if (given.message_bytes_max > kMessageBytesMax) return bad("message_bytes_max", "1 to 1073741824");
  if (given.reconnect > FJ_RECONNECT_NEVER) return bad("reconnect", "FJ_RECONNECT or FJ_RECONNECT_NEVER");
  Options out;
  out.server = text_or(given.server, out.server.c_str());
  out.ca_file = text_or(given.ca_file, "");
  out.certificate_file = text_or(given.certificate_file, "");
  out.key_file = text_or(given.key_file, "");
  out.token = text_or(given.token, "");
  if (given.time_limit_ms != 0) out.time_limit = Milliseconds{given.time_limit_ms};
  if (given.connect_limit_ms != 0) out.connect_limit = Milliseconds{given.connect_limit_ms};
  if (given.reconnect_ms != 0) out.back_off = {Milliseconds{given.reconnect_ms}};
  if (given.reconnect == FJ_RECONNECT_NEVER) out.back_off.clear();
  if (given.in_flight_max != 0) out.in_flight_max = given.in_flight_max;
  if (given.pushes_max != 0) out.pushes_max = given.pushes_max;
  if (given.message_bytes_max != 0) out.message_bytes_max = static_cast<std::size_t>(given.message_bytes_max);
  return out;
}

}  // namespace

Status fastjournal::c::store_integer(Result<Reply> const& answer, std::string_view name, int64_t* integer) {
  if (answer.ok() && integer != nullptr) *integer = answer->first().integer(name).value_or(0);
  return answer.status();
}

Status fastjournal::c::store(Result<Reply> answer, fj_reply** reply) {
  if (!answer.ok()) return answer.status();
  if (reply != nullptr) *reply = new fj_reply{std::move(answer).value()};
  return {};
}

Message& fastjournal::c::command_about(fj_connection& handle, char const* command, fj_message const& row,
                                       std::initializer_list<char const*> names) {
  Message& out = handle.begin(command);
  for (char const* const name : names)
    if (Value const* const value = row.message.find(name); value != nullptr) out.set(name, *value);
  return out;
}

Message& fastjournal::c::command_on(fj_connection& handle, char const* command, char const* table) {
  Message& out = handle.begin(command);
  out.set("table", std::string_view{table});
  return out;
}

int fastjournal::c::give_back(fj_connection* handle, char const* command, fj_message const* task, char const* error,
                              int64_t delay_ms, int* fate, char const* error_trace, std::uint32_t const* priority) {
  return on_connection(handle, {{task, "row"}}, [&]() -> Status {
    Message& message = command_about(*handle, command, *task, kOfLease);
    client::set_failure(message, text_or(error, ""), text_or(error_trace, ""));
    if (delay_ms >= 0) message.set("process_date", message.arena().copy("+" + std::to_string(delay_ms)));
    if (priority != nullptr) message.set("priority", Value::of_unsigned(*priority));
    // Of a row and of a message: the second has a fate more.
    Result<ReturnedMessage> const returned = then(client::report(*handle->connection, message), Queues::returned_of);
    if (!returned.ok()) return returned.status();
    static constexpr std::array kFates{FJ_RELEASED, FJ_DEAD, FJ_PARKED, FJ_DELETED};  // indexed by Fate
    if (fate != nullptr) *fate = kFates[static_cast<std::size_t>(returned.value().fate)];
    return {};
  });
}

Status fastjournal::c::copy(fj_connection& handle, fj_message const& given, char const* command, char const* parameter,
                            char const* text) {
  if (given.command != command) return refused(parameter, text + given.command);
  Message& out = handle.begin(command);
  for (Param const& param : given.message.params()) out.set(param.name, param.value);
  return {};
}

Status fastjournal::c::insert_of(fj_connection& handle, fj_message const& row) {
  return copy(handle, row, "INSERT", "row", "a row to put is made by fj_row_new; this message is ");
}

extern "C" {

void fj_options_init_sized(fj_options* options, size_t size) { init_options(options, size); }
void fj_next_options_init_sized(fj_next_options* options, size_t size) { init_options(options, size); }
void fj_give_back_options_init_sized(fj_give_back_options* options, size_t size) { init_options(options, size); }
void fj_listen_options_init_sized(fj_listen_options* options, size_t size) { init_options(options, size); }

fj_connection* fj_open(fj_options const* options) {
  return made<fj_connection>({}, [&]() -> Result<std::unique_ptr<fj_connection>> {
    fj_options given;
    if (Status read = read_options(options, given); !read.ok()) return read;
    Result<Options> wanted = options_of(given);
    if (!wanted.ok()) return wanted.status();
    auto handle = std::make_unique<fj_connection>();
    if (given.client != nullptr) {
      wanted->client = given.client;
      if (wanted->client.empty() || wanted->client.size() > kClientBytesMax) return bad("client", "1 to 128 bytes");
    }
    if (given.on_connection != nullptr)
      wanted->on_connection = [tell = given.on_connection, context = given.context](Status const& status) {
        tell(context, static_cast<int>(status.code()), status.message().c_str());
      };
    Result<std::unique_ptr<Connection>> opened = Connection::open(std::move(wanted).value());
    if (!opened.ok()) return opened.status();
    handle->connection = std::move(opened).value();
    return handle;
  });
}

void fj_close(fj_connection* connection) {
  if (connection != nullptr && !connection->in_call) delete connection;
}

char const* fj_client_name(fj_connection const* connection) {
  return connection == nullptr ? nullptr : connection->connection->client().c_str();
}

uint64_t fj_connects(fj_connection const* connection) {
  return connection == nullptr ? 0 : connection->connection->connects();
}

uint64_t fj_pushes_dropped(fj_connection const* connection) {
  return connection == nullptr ? 0 : connection->connection->pushes_dropped();
}

int fj_call(fj_connection* connection, fj_message const* command, fj_reply** reply) {
  if (reply != nullptr) *reply = nullptr;
  return on_connection(connection, {{command, "command"}},
                       [&] { return store(connection->connection->call(command->message), reply); });
}

int fj_put(fj_connection* connection, fj_message const* row, int* result, uint64_t* number) {
  return on_connection(connection, {{row, "row"}}, [&]() -> Status {
    if (Status made = insert_of(*connection, *row); !made.ok()) return made;
    Result<Put> const put = then(connection->connection->call_numbered(connection->scratch), Journal::put_of);
    if (!put.ok()) return put.status();
    static constexpr std::array kResults{FJ_INSERTED, FJ_MERGED, FJ_BEHIND, FJ_DUPLICATE, FJ_STALE};  // as PutResult
    // Told of a transaction alone, with its COMMIT.
    if (put->result == PutResult::expired) return {Code::expired, "the row expired"};
    if (result != nullptr) *result = kResults[static_cast<std::size_t>(put.value().result)];
    if (number != nullptr) *number = put.value().row;
    return {};
  });
}

int fj_next(fj_connection* connection, char const* table, fj_next_options const* options, fj_reply** rows) {
  // Leased rows that are not delivered would rest until their leases end.
  return on_connection(connection, {{table, "table"}, cleared(rows, "rows")}, [&]() -> Status {
    fj_next_options given;
    if (Status read = read_options(options, given); !read.ok()) return read;
    Message& next = command_on(*connection, "NEXT", table);
    if (given.count != 0) next.set_integer("count", given.count);
    if (given.wait_ms != 0) next.set_integer("wait", given.wait_ms);
    if (given.lease_ms != 0) next.set("lease", Value::of_unsigned(given.lease_ms));
    if (given.domain != nullptr) next.set("domain", std::string_view{given.domain});
    if (given.worker != nullptr) next.set("worker", std::string_view{given.worker});
    return store(connection->connection->call(next), rows);
  });
}

int fj_touch(fj_connection* connection, fj_message const* row, uint64_t lease_ms, int64_t* lease_end) {
  return on_connection(connection, {{row, "row"}}, [&]() -> Status {
    Message& touch = command_about(*connection, "TOUCH", *row, kOfLease);
    if (lease_ms != 0) touch.set("lease", Value::of_unsigned(lease_ms));
    return store_integer(connection->connection->call(touch), "lease_end", lease_end);
  });
}

int fj_done(fj_connection* connection, fj_message const* row) {
  return on_connection(connection, {{row, "row"}}, [&] {
    return connection->connection->call(command_about(*connection, "DONE", *row, {"table", "row", "epoch"})).status();
  });
}

int fj_done_and_next(fj_connection* connection, fj_message const* row, fj_reply** rows) {
  return on_connection(connection, {{row, "row"}, cleared(rows, "rows")}, [&] {
    Message& message = command_about(*connection, "DONE", *row, {"table", "row", "epoch"});
    message.set_integer("next", 1);
    return store(connection->connection->call(message), rows);
  });
}

int fj_release(fj_connection* connection, fj_message const* row, char const* error, int64_t delay_ms, int* fate) {
  return give_back(connection, "RELEASE", row, error, delay_ms, fate);
}

int fj_fail(fj_connection* connection, fj_message const* row, char const* error, int* fate) {
  return give_back(connection, "FAIL", row, error, -1, fate);
}

int fj_give_back(fj_connection* connection, fj_message const* task, fj_give_back_options const* options, int* fate) {
  fj_give_back_options given;
  int const read = guarded({}, [&] { return read_options(options, given); });
  if (read != FJ_OK) return read;
  bool const is_message = task != nullptr && task->message.has("message");
  char const* const command = given.permanent == 0 ? "RELEASE" : is_message ? "REJECT" : "FAIL";
  if (given.permanent != 0 && given.delay_ms != 0)
    return guarded({}, [] { return bad("delay_ms", "0, as permanent is set"); });
  if (given.permanent != 0 && given.priority != nullptr)
    return guarded({}, [] { return bad("priority", "NULL, as permanent is set"); });
  if (given.delay_ms > kDelayMsMax) return guarded({}, [] { return bad("delay_ms", "0 to 3153600000000"); });
  std::int64_t const delay_ms = given.delay_ms == 0 ? -1 : static_cast<std::int64_t>(given.delay_ms);
  return give_back(connection, command, task, given.error, delay_ms, fate, given.error_trace, given.priority);
}

int fj_why(fj_connection* connection, fj_message const* which, fj_reply** reasons) {
  return on_connection(connection, {{which, "which"}, cleared(reasons, "reasons")}, [&] {
    Message& why = command_about(*connection, "WHY", *which, {"table", "row"});
    if (!why.has("row"))
      for (Param const& param : which->message.params()) why.set(param.name, param.value);
    return store(connection->connection->call(why), reasons);
  });
}

int fj_listen(fj_connection* connection, char const* table, fj_listen_options const* options) {
  return on_connection(connection, {{table, "table"}}, [&]() -> Status {
    fj_listen_options given;
    if (Status read = read_options(options, given); !read.ok()) return read;
    static constexpr std::array<std::string_view, 3> kModes{"wake", "row", "deliver"};
    if (given.mode >= kModes.size()) return bad("mode", "FJ_WAKE, FJ_EACH or FJ_DELIVER");
    Params params{{"mode", Value::of_text(kModes[given.mode])}};
    if (given.credit != 0) params.push_back({"credit", Value::of_integer(given.credit)});
    if (given.domain != nullptr) params.push_back({"domain", Value::of_text(given.domain)});
    if (given.worker != nullptr) params.push_back({"worker", Value::of_text(given.worker)});
    return connection->connection->listen(table, params);
  });
}

int fj_unlisten(fj_connection* connection, char const* table, char const* domain) {
  return on_connection(connection, {{table, "table"}}, [&] {
    Params params;
    if (domain != nullptr) params.push_back({"domain", Value::of_text(domain)});
    return connection->connection->unlisten(table, params);
  });
}

int fj_keep(fj_connection* connection, fj_message const* subscription) {
  return on_connection(connection, {{subscription, "subscription"}}, [&]() -> Status {
    if (subscription->command != "WATCH" && subscription->command != "LISTEN")
      return bad("subscription", "WATCH or LISTEN, not " + subscription->command);
    connection->connection->keep(subscription->message);
    return {};
  });
}

int fj_wait(fj_connection* connection, int64_t limit_ms, int wake_fd, fj_message** notice) {
  return on_connection(connection, {cleared(notice, "notice")}, [&]() -> Status {
    Milliseconds const limit = limit_ms < 0 ? kForever : Milliseconds{limit_ms};
    Result<Message> const push = connection->connection->wait_push(limit, wake_fd < 0 ? -1 : wake_fd);
    if (!push.ok()) return push.status();
    if (Status refusal = refusal_of(push.value()); !refusal.ok()) return refusal;
    *notice = shown_of(push.value()).release();
    return {};
  });
}

int fj_notice_kind(fj_message const* notice) {
  if (notice == nullptr) return FJ_NOTICE_OTHER;
  if (notice->command == "ROW" || notice->command == "MESSAGE") return FJ_NOTICE_DELIVERED;
  if (notice->command == "CHANGED") {
    if (notice->message.has("missed")) return FJ_NOTICE_MISSED;
    return notice->message.text("result") == "unlistened" ? FJ_NOTICE_UNWATCHED : FJ_NOTICE_CHANGED;
  }
  if (notice->command != "LISTEN") return FJ_NOTICE_OTHER;
  if (notice->message.has("row") || notice->message.has("message")) return FJ_NOTICE_DUE;
  return notice->message.has("missed") ? FJ_NOTICE_MISSED : FJ_NOTICE_WORK;
}

}  // extern "C"
