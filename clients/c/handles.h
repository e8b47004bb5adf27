// The handles of fastjournal/fastjournal.h.
#pragma once

#pragma GCC visibility push(default)  // of all that the header declares
#include "clients/c/include/fastjournal/fastjournal.h"
#pragma GCC visibility pop

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/c/failures.h"
#include "clients/cpp/client.h"

// Its names and values end with a NUL that is not counted.
struct fj_message {
  std::string command;
  fastjournal::Message message;
  std::size_t bytes{0};  // of the parameters that were set since the last clear
  // Of a range: where its next page begins.
  std::string after{};
  bool has_ended{false};

  explicit fj_message(std::string_view name) : command(name), message(command) {}
  [[nodiscard]] fastjournal::Status set(std::string_view name, fastjournal::Value value);
};

struct fj_reply {
  explicit fj_reply(fastjournal::client::Reply from) : reply(std::move(from)), shown(reply.messages.size()) {}

  fastjournal::client::Reply reply;
  mutable std::vector<std::unique_ptr<fj_message>> shown;  // made when they are asked for
};

struct fj_connection {
  // The scratch as a command without parameters.
  fastjournal::Message& begin(char const* command) {
    scratch.clear();
    scratch.command = command;
    return scratch;
  }

  std::unique_ptr<fastjournal::client::Connection> connection;
  fastjournal::Message scratch{};  // the command that is sent
  bool in_call{false};
  bool broken{false};  // memory ended within a call: it is unknown what was half done
};

namespace fastjournal::c {

[[nodiscard]] std::unique_ptr<fj_message> shown_of(Message const& message);
// With these texts as parameters; one that is null is left out.
[[nodiscard]] Result<std::unique_ptr<fj_message>> message_with(
    char const* command, std::initializer_list<std::pair<char const*, char const*>> texts);

// As guarded(), for a connection that can be used now.
template <typename Do>
int on_connection(fj_connection* handle, AllNeeded needed, Do const& act) noexcept {
  return guarded({{handle, "connection"}}, [&]() -> Status {
    if (handle->in_call) return {Code::wrong_state, "a callback may not call the connection that it is about"};
    if (handle->broken) return {Code::closed, "there was too little memory in a call before: close this connection"};
    handle->in_call = true;
    try {
      Status given = check(needed);
      Status status = given.ok() ? act() : std::move(given);
      handle->in_call = false;
      return status;
    } catch (...) {
      handle->in_call = false;
      handle->broken = true;
      throw;
    }
  });
}

// All of these make a command in `scratch`.
// With those of the parameters that `row` has.
[[nodiscard]] Message& command_about(fj_connection& handle, char const* command, fj_message const& row,
                                     std::initializer_list<char const*> names);
[[nodiscard]] Message& command_on(fj_connection& handle, char const* command, char const* table);
// A copy of `given`, the caller's `parameter`. bad_parameter, with this text and its name: it is another command.
[[nodiscard]] Status copy(fj_connection& handle, fj_message const& given, char const* command, char const* parameter,
                          char const* text);
// The INSERT of a row, and the SEND of a message.
[[nodiscard]] Status insert_of(fj_connection& handle, fj_message const& row);
[[nodiscard]] Status send_of(fj_connection& handle, fj_message const& message);

// The answer becomes the caller's. `reply` may be null.
[[nodiscard]] Status store(Result<client::Reply> answer, fj_reply** reply);
// The same of a parameter of it; 0 if it is not there.
[[nodiscard]] Status store_integer(Result<client::Reply> const& answer, std::string_view name, int64_t* integer);
// A command about a leased row or message whose answer says its fate. Pointers but `task` may be null.
int give_back(fj_connection* handle, char const* command, fj_message const* task, char const* error, int64_t delay_ms,
              int* fate, char const* error_trace = nullptr, std::uint32_t const* priority = nullptr);
// FJ_NUL: it ends with a NUL.
[[nodiscard]] Result<std::string_view> key_of(void const* key, std::size_t size);

}  // namespace fastjournal::c
