// The bodies of HTTP in JSON: the object with a command's parameters, and a message as one flat object. Apart from
// json.h, whose form is that of another library: nested, and with strings unescaped twice.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/status.h"

namespace fastjournal::protocol {

// Adds the members of one object to the message: strings, numbers and booleans; names and strings are copied to its
// arena. `commands` of a TRANSACTION may be an array, and is taken as its text. Refused, with the member's name: null,
// other arrays, objects, a name given twice, integers beyond 64 bits, and
// names that no parameter has. Errors: `invalid`, `too_large`.
[[nodiscard]] Status parse_parameters(std::string_view body, Message& into);

// The commands of a TRANSACTION: an array of such objects, each with the member `command`, a string in upper case.
// `into`: one message for each, at most `most`; their memory is used again. Refused as above, with the number of the
// command.
[[nodiscard]] Status parse_commands(std::string_view array, std::size_t most, std::vector<Message>& into);

// {"command":"INSERTED","row":69688,...} without a line end. Integers and reals are numbers, binary is base64, bytes
// that are not UTF-8 become U+FFFD. A parameter called `command` becomes the member `parameter-command`, a name that
// no parameter has.
void append_object(Outgoing const& message, std::string& out);

// The fields of a problem (RFC 9457) beside the facts of its message.
struct HttpProblem {
  unsigned status{500};
  Code code{Code::invalid};
  std::string_view detail{};
  std::string_view command{};      // empty: unknown
  std::span<Param const> facts{};  // further members; those that are named above are left out
};
// The object with its line end.
void append_problem(HttpProblem const& problem, std::string& out);

}  // namespace fastjournal::protocol
