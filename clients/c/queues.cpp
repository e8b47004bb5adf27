// Queue tables in the C API.
#include <algorithm>
#include <array>
#include <cstdint>

#include "clients/c/handles.h"
#include "clients/cpp/answers.h"
#include "clients/cpp/queues.h"

using namespace fastjournal;
using namespace fastjournal::c;
using namespace fastjournal::client;

Status fastjournal::c::send_of(fj_connection& handle, fj_message const& message) {
  return copy(handle, message, "SEND", "message", "a message to send is made by fj_queue_message_new; this one is ");
}

namespace {

Message& about_queue(fj_connection& handle, char const* command, char const* table, char const* queue) {
  Message& out = command_on(handle, command, table);
  out.set("queue", std::string_view{queue});
  return out;
}

int to_message(fj_connection* connection, char const* command, char const* table, std::uint64_t number) {
  return on_connection(connection, {{table, "table"}}, [&] {
    Message& message = command_on(*connection, command, table);
    message.set("message", Value::of_unsigned(number));
    return connection->connection->call(message).status();
  });
}

}  // namespace

extern "C" {

void fj_queue_options_init_sized(fj_queue_options* options, size_t size) { init_options(options, size); }

fj_message* fj_queue_message_new(char const* table, char const* queue) {
  return made<fj_message>({{table, "table"}}, [&] {
    return message_with("SEND", {{"table", table}, {"queue", queue}});
  });
}

int fj_queue_send(fj_connection* connection, fj_message const* message, int* result, uint64_t* number) {
  return on_connection(connection, {{message, "message"}}, [&]() -> Status {
    if (Status made = send_of(*connection, *message); !made.ok()) return made;
    Result<Sent> const sent = then(connection->connection->call_numbered(connection->scratch), Queues::sent_of);
    if (!sent.ok()) return sent.status();
    bool const is_duplicate = sent.value().result == SentResult::duplicate;
    if (result != nullptr) *result = is_duplicate ? FJ_QUEUE_DUPLICATE : FJ_QUEUE_SENT;
    if (number != nullptr) *number = sent.value().message;
    return {};
  });
}

int fj_queue_acquire(fj_connection* connection, char const* table, fj_queue_options const* options,
                     fj_reply** messages) {
  // Leased messages that are not delivered would rest until their leases end.
  return on_connection(connection, {{table, "table"}, cleared(messages, "messages")}, [&]() -> Status {
    fj_queue_options given;
    if (Status read = read_options(options, given); !read.ok()) return read;
    if (given.credit != 0) return refused("credit", "credit is of fj_queue_listen; expected 0");
    Message& acquire = command_on(*connection, "ACQUIRE", table);
    if (given.queue != nullptr) acquire.set("queue", std::string_view{given.queue});
    if (given.queues != nullptr) acquire.set("queues", std::string_view{given.queues});
    if (given.message != 0) acquire.set("message", Value::of_unsigned(given.message));
    if (given.count != 0) acquire.set_integer("count", given.count);
    if (given.wait_ms != 0) acquire.set_integer("wait", given.wait_ms);
    if (given.lease_ms != 0) acquire.set("lease", Value::of_unsigned(given.lease_ms));
    if (given.accept != 0) acquire.set_integer("accept", given.accept);
    if (given.worker != nullptr) acquire.set("worker", std::string_view{given.worker});
    return store(connection->connection->call(acquire), messages);
  });
}

void const* fj_queue_body(fj_message const* message, size_t* size) {
  for (char const* const name : {"body", "body_binary"})
    if (void const* const bytes = fj_get_binary(message, name, size)) return bytes;
  return nullptr;
}

int fj_queue_accept(fj_connection* connection, fj_message const* message) {
  return on_connection(connection, {{message, "message"}}, [&] {
    Message const& accept = command_about(*connection, "ACCEPT", *message, {"table", "message", "epoch"});
    return connection->connection->call(accept).status();
  });
}

int fj_queue_reject(fj_connection* connection, fj_message const* message, char const* error, int* fate) {
  return give_back(connection, "REJECT", message, error, -1, fate);
}

int fj_queue_listen(fj_connection* connection, char const* table, fj_queue_options const* options) {
  return on_connection(connection, {{table, "table"}}, [&]() -> Status {
    fj_queue_options given;
    if (Status read = read_options(options, given); !read.ok()) return read;
    if (given.count != 0 || given.wait_ms != 0 || given.accept != 0 || given.queues != nullptr || given.message != 0)
      return {Code::bad_parameter, "count, wait_ms, accept, queues and message are of fj_queue_acquire; expected 0"};
    Params params{{"mode", Value::of_text("deliver")}};
    if (given.queue != nullptr) params.push_back({"queue", Value::of_text(given.queue)});
    if (given.credit != 0) params.push_back({"credit", Value::of_integer(given.credit)});
    if (given.lease_ms != 0) params.push_back({"lease", Value::of_unsigned(given.lease_ms)});
    if (given.worker != nullptr) params.push_back({"worker", Value::of_text(given.worker)});
    return connection->connection->listen(table, params);
  });
}

int fj_queue_unlisten(fj_connection* connection, char const* table, char const* queue) {
  return on_connection(connection, {{table, "table"}}, [&] {
    Params params;
    if (queue != nullptr) params.push_back({"queue", Value::of_text(queue)});
    return connection->connection->unlisten(table, params);
  });
}

int fj_queue_park(fj_connection* connection, fj_message const* message, fj_give_back_options const* options,
                  int* fate) {
  fj_give_back_options given;
  int const read = guarded({}, [&] { return read_options(options, given); });
  if (read != FJ_OK) return read;
  if (given.delay_ms != 0 || given.permanent != 0)
    return guarded({}, [&] { return bad(given.delay_ms != 0 ? "delay_ms" : "permanent", "0, as it is parked"); });
  return give_back(connection, "PARK", message, given.error, -1, fate, given.error_trace, given.priority);
}

int fj_queue_peek(fj_connection* connection, char const* table, char const* queue, char const* status,
                  fj_reply** messages) {
  return on_connection(connection, {{table, "table"}, {queue, "queue"}, cleared(messages, "messages")}, [&] {
    Message& peek = about_queue(*connection, "PEEK", table, queue);
    if (status != nullptr) peek.set("status", std::string_view{status});
    return store(connection->connection->call(peek), messages);
  });
}

int fj_queue_delete(fj_connection* connection, char const* table, uint64_t number) {
  return to_message(connection, "DELETE", table, number);
}

int fj_queue_kick(fj_connection* connection, char const* table, uint64_t number) {
  return to_message(connection, "KICK", table, number);
}

int fj_queue_kick_all(fj_connection* connection, char const* table, char const* queue, uint64_t most,
                      uint64_t* kicked) {
  return on_connection(connection, {{table, "table"}, {queue, "queue"}}, [&]() -> Status {
    constexpr std::uint64_t kPageMax = 1000;
    std::uint64_t const wanted = most == 0 ? UINT64_MAX : most;
    std::uint64_t count = 0;
    for (bool more = true; more && count < wanted;) {
      Message& kick = about_queue(*connection, "KICK", table, queue);
      kick.set("count", Value::of_unsigned(std::min(kPageMax, wanted - count)));
      Result<Reply> const reply = connection->connection->call(kick);
      if (!reply.ok()) return reply.status();
      count += static_cast<std::uint64_t>(reply->first().integer("count").value_or(0));
      more = reply->first().integer("more").value_or(0) == 1;
    }
    if (kicked != nullptr) *kicked = count;
    return {};
  });
}

int fj_queue_pause(fj_connection* connection, char const* table, char const* queue, int64_t until, char const* reason) {
  return on_connection(connection, {{table, "table"}, {queue, "queue"}}, [&] {
    Message& pause = about_queue(*connection, "PAUSE", table, queue);
    if (until != 0) pause.set_integer("until", until);
    if (reason != nullptr) pause.set("reason", std::string_view{reason});
    return connection->connection->call(pause).status();
  });
}

int fj_queue_resume(fj_connection* connection, char const* table, char const* queue) {
  return on_connection(connection, {{table, "table"}, {queue, "queue"}}, [&] {
    return connection->connection->call(about_queue(*connection, "RESUME", table, queue)).status();
  });
}

}  // extern "C"
