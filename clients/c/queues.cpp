// Queue tables in the C API.
#include <array>

#include "clients/c/handles.h"
#include "clients/cpp/queues.h"

namespace {

using fastjournal::Code;
using fastjournal::Message;
using fastjournal::Result;
using fastjournal::Status;
using fastjournal::Value;
using fastjournal::c::command_on;
using fastjournal::c::made;
using fastjournal::c::missing;
using fastjournal::c::on_connection;
using fastjournal::c::read_options;
using fastjournal::client::Params;
using fastjournal::client::Queues;
using fastjournal::client::Reply;
using fastjournal::client::Sent;

}  // namespace

Status fastjournal::c::send_of(fj_connection& handle, fj_message const* message) {
  if (message == nullptr) return missing("message");
  if (message->command != "SEND")
    return Status{Code::bad_parameter,
                  "a message to send is made by fj_queue_message_new; this one is " + message->command}
        .with("parameter", "message");
  copy(handle, message);
  return {};
}

extern "C" {

void fj_queue_options_init_sized(fj_queue_options* options, size_t size) {
  fastjournal::c::init_options(options, size);
}

fj_message* fj_queue_message_new(char const* table, char const* queue) {
  return made<fj_message>([&](fj_message*& out) -> Status {
    if (table == nullptr) return missing("table");
    auto message = std::make_unique<fj_message>("SEND");
    if (Status set = message->set("table", Value::of_text(table)); !set.ok()) return set;
    if (queue != nullptr)
      if (Status set = message->set("queue", Value::of_text(queue)); !set.ok()) return set;
    out = message.release();
    return {};
  });
}

int fj_queue_send(fj_connection* connection, fj_message const* message, int* result, uint64_t* number) {
  return on_connection(connection, [&]() -> Status {
    if (Status made = fastjournal::c::send_of(*connection, message); !made.ok()) return made;
    Result<Reply> const reply = connection->connection->call_numbered(connection->scratch);
    if (!reply.ok()) return reply.status();
    Result<Sent> const sent = Queues::sent_of(reply.value().first());
    if (!sent.ok()) return sent.status();
    bool const is_duplicate = sent.value().result == fastjournal::client::SentResult::duplicate;
    if (result != nullptr) *result = is_duplicate ? FJ_QUEUE_DUPLICATE : FJ_QUEUE_SENT;
    if (number != nullptr) *number = sent.value().message;
    return {};
  });
}

int fj_queue_acquire(fj_connection* connection, char const* table, fj_queue_options const* options,
                     fj_reply** messages) {
  if (messages != nullptr) *messages = nullptr;
  return on_connection(connection, [&]() -> Status {
    if (table == nullptr) return missing("table");
    // Leased messages that nobody gets would rest until their leases end.
    if (messages == nullptr) return missing("messages");
    fj_queue_options given;
    if (Status read = read_options(options, given); !read.ok()) return read;
    if (given.credit != 0)
      return Status{Code::bad_parameter, "credit is of fj_queue_listen; expected 0"}.with("parameter", "credit");
    Message& acquire = command_on(*connection, "ACQUIRE", table);
    if (given.queue != nullptr) acquire.set("queue", std::string_view{given.queue});
    if (given.count != 0) acquire.set_integer("count", given.count);
    if (given.wait_ms != 0) acquire.set_integer("wait", given.wait_ms);
    if (given.lease_ms != 0) acquire.set("lease", Value::of_unsigned(given.lease_ms));
    if (given.accept != 0) acquire.set_integer("accept", given.accept);
    if (given.worker != nullptr) acquire.set("worker", std::string_view{given.worker});
    return fastjournal::c::store(connection->connection->call(acquire), messages);
  });
}

void const* fj_queue_body(fj_message const* message, size_t* size) {
  for (char const* const name : {"body", "body_binary"})
    if (void const* const bytes = fj_get_binary(message, name, size)) return bytes;
  return nullptr;
}

int fj_queue_accept(fj_connection* connection, fj_message const* message) {
  return on_connection(connection, [&]() -> Status {
    if (message == nullptr) return missing("message");
    Message const& accept =
        fastjournal::c::command_about(*connection, "ACCEPT", *message, {"table", "message", "epoch"});
    return connection->connection->call(accept).status();
  });
}

int fj_queue_reject(fj_connection* connection, fj_message const* message, char const* error, int* fate) {
  return fastjournal::c::give_back(connection, "REJECT", message, error, -1, fate);
}

int fj_queue_listen(fj_connection* connection, char const* table, fj_queue_options const* options) {
  return on_connection(connection, [&]() -> Status {
    if (table == nullptr) return missing("table");
    fj_queue_options given;
    if (Status read = read_options(options, given); !read.ok()) return read;
    if (given.count != 0 || given.wait_ms != 0 || given.accept != 0)
      return {Code::bad_parameter, "count, wait_ms and accept are of fj_queue_acquire; expected 0"};
    Params params{{"mode", Value::of_text("deliver")}};
    if (given.queue != nullptr) params.push_back({"queue", Value::of_text(given.queue)});
    if (given.credit != 0) params.push_back({"credit", Value::of_integer(given.credit)});
    if (given.lease_ms != 0) params.push_back({"lease", Value::of_unsigned(given.lease_ms)});
    if (given.worker != nullptr) params.push_back({"worker", Value::of_text(given.worker)});
    return connection->connection->listen(table, params);
  });
}

int fj_queue_unlisten(fj_connection* connection, char const* table, char const* queue) {
  return on_connection(connection, [&]() -> Status {
    if (table == nullptr) return missing("table");
    Params params;
    if (queue != nullptr) params.push_back({"queue", Value::of_text(queue)});
    return connection->connection->unlisten(table, params);
  });
}

}  // extern "C"
