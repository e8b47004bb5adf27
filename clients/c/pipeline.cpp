// Many commands in flight, of the C API.
#include "clients/c/handles.h"

namespace {

using fastjournal::Code;
using fastjournal::Message;
using fastjournal::Result;
using fastjournal::Status;
using fastjournal::c::made;
using fastjournal::c::missing;
using fastjournal::c::on_connection;
using fastjournal::client::Pipeline;
using fastjournal::client::Reply;

}  // namespace

struct fj_pipeline {
  fj_pipeline(fj_connection& on, std::uint32_t depth, fj_on_answer tell_answer, void* its_context)
      : handle(on),
        tell(tell_answer),
        context(its_context),
        pipeline(*on.connection, depth, [this](std::uint64_t nr, Result<Reply> reply) { take(nr, std::move(reply)); }) {
  }

  void take(std::uint64_t nr, Result<Reply> answer) {
    if (!answer.ok()) {
      if (first_failure.ok()) first_failure = answer.status();
      int const code = fastjournal::c::told(answer.status());
      if (tell != nullptr) tell(context, nr, code, nullptr);
      return;
    }
    fj_reply shown{std::move(answer).value()};
    if (tell != nullptr) tell(context, nr, FJ_OK, &shown);
    handle.connection->recycle(std::move(shown.reply));
  }

  // `build` leaves the command in the handle's scratch, or returns another message.
  template <typename Build>
  int send(Build const& build) {
    return on_connection(&handle, [&]() -> Status {
      Message const* message = nullptr;
      if (Status built = build(message); !built.ok()) return built;
      return pipeline.send(*message);
    });
  }

  fj_connection& handle;
  fj_on_answer tell;
  void* context;
  Status first_failure;
  Pipeline pipeline;
};

extern "C" {

fj_pipeline* fj_pipeline_new(fj_connection* connection, uint32_t depth, fj_on_answer on_answer, void* context) {
  return made<fj_pipeline>([&](fj_pipeline*& out) -> Status {
    if (connection == nullptr) return missing("connection");
    std::size_t const depth_max = connection->connection->options().in_flight_max;
    if (depth == 0 || depth > depth_max)
      return Status{Code::bad_parameter, "depth: expected 1 to " + std::to_string(depth_max) + ", in_flight_max"}.with(
          "parameter", "depth");
    out = new fj_pipeline{*connection, depth, on_answer, context};
    return {};
  });
}

int fj_pipeline_put(fj_pipeline* pipeline, fj_message const* row) {
  if (pipeline == nullptr) return fastjournal::c::guarded([] { return missing("pipeline"); });
  return pipeline->send([&](Message const*& message) {
    message = &pipeline->handle.scratch;
    bool const is_message = row != nullptr && row->command == "SEND";
    Status made =
        is_message ? fastjournal::c::send_of(pipeline->handle, row) : fastjournal::c::insert_of(pipeline->handle, row);
    if (made.ok()) pipeline->handle.connection->number(pipeline->handle.scratch);
    return made;
  });
}

int fj_pipeline_send(fj_pipeline* pipeline, fj_message const* command) {
  if (pipeline == nullptr) return fastjournal::c::guarded([] { return missing("pipeline"); });
  return pipeline->send([&](Message const*& message) -> Status {
    if (command == nullptr) return missing("command");
    message = &command->message;
    return {};
  });
}

int fj_pipeline_flush(fj_pipeline* pipeline) {
  if (pipeline == nullptr) return fastjournal::c::guarded([] { return missing("pipeline"); });
  return on_connection(&pipeline->handle, [&] { return pipeline->handle.connection->flush(); });
}

int fj_pipeline_finish(fj_pipeline* pipeline) {
  if (pipeline == nullptr) return fastjournal::c::guarded([] { return missing("pipeline"); });
  return on_connection(&pipeline->handle, [&] {
    pipeline->pipeline.finish();
    return std::exchange(pipeline->first_failure, Status{});
  });
}

void fj_pipeline_free(fj_pipeline* pipeline) {
  if (pipeline == nullptr || pipeline->handle.in_call) return;
  // Tickets that nobody receives would use up the connection's.
  on_connection(&pipeline->handle, [&]() -> Status {
    pipeline->pipeline.finish();
    return {};
  });
  delete pipeline;
}

}  // extern "C"
