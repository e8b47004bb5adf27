// Many commands in flight, of the C API.
#include "clients/c/handles.h"

using namespace fastjournal;
using namespace fastjournal::c;
using namespace fastjournal::client;

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
      int const code = told(answer.status());
      if (tell != nullptr) tell(context, nr, code, nullptr);
      return;
    }
    fj_reply shown{std::move(answer).value()};
    if (tell != nullptr) tell(context, nr, FJ_OK, &shown);
    handle.connection->recycle(std::move(shown.reply));
  }

  fj_connection& handle;
  fj_on_answer tell;
  void* context;
  Status first_failure;
  Pipeline pipeline;
};

namespace {

template <typename Do>
int on_pipeline(fj_pipeline* pipeline, AllNeeded needed, Do const& act) {
  if (pipeline == nullptr) return guarded({{pipeline, "pipeline"}}, [] { return Status{}; });
  return on_connection(&pipeline->handle, needed, act);
}

}  // namespace

extern "C" {

fj_pipeline* fj_pipeline_new(fj_connection* connection, uint32_t depth, fj_on_answer on_answer, void* context) {
  return made<fj_pipeline>({{connection, "connection"}}, [&]() -> Result<std::unique_ptr<fj_pipeline>> {
    std::size_t const depth_max = connection->connection->options().in_flight_max;
    if (depth == 0 || depth > depth_max)
      return refused("depth", "depth: expected 1 to " + std::to_string(depth_max) + ", in_flight_max");
    return std::make_unique<fj_pipeline>(*connection, depth, on_answer, context);
  });
}

int fj_pipeline_put(fj_pipeline* pipeline, fj_message const* row) {
  return on_pipeline(pipeline, {{row, "row"}}, [&]() -> Status {
    fj_connection& handle = pipeline->handle;
    if (Status made = row->command == "SEND" ? send_of(handle, *row) : insert_of(handle, *row); !made.ok()) return made;
    handle.connection->number(handle.scratch);
    return pipeline->pipeline.send(handle.scratch);
  });
}

int fj_pipeline_send(fj_pipeline* pipeline, fj_message const* command) {
  return on_pipeline(pipeline, {{command, "command"}}, [&] { return pipeline->pipeline.send(command->message); });
}

int fj_pipeline_flush(fj_pipeline* pipeline) {
  return on_pipeline(pipeline, {}, [&] { return pipeline->handle.connection->flush(); });
}

int fj_pipeline_finish(fj_pipeline* pipeline) {
  return on_pipeline(pipeline, {}, [&] {
    pipeline->pipeline.finish();
    return std::exchange(pipeline->first_failure, Status{});
  });
}

void fj_pipeline_free(fj_pipeline* pipeline) {
  if (pipeline == nullptr || pipeline->handle.in_call) return;
  // Tickets that are not received would use up the connection's.
  on_connection(&pipeline->handle, {}, [&] {
    pipeline->pipeline.finish();
    return Status{};
  });
  delete pipeline;
}

}  // extern "C"
