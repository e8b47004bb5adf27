// The commands of a TRANSACTION: several messages in one value.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::protocol {

// Binary: frames (framer.h), one behind the other. Text: a JSON array (http_json.h), or such frames in base64, where a
// message can carry no binary. `into`: one message for each, at most `most`; they borrow from the value, or from
// `decoded`. Errors: `invalid`, `too_large`, `over_limit`, `bad_parameter`, with the number of the command.
[[nodiscard]] Status read_commands(Value const& value, std::size_t most, std::string& decoded,
                                   std::vector<Message>& into);

}  // namespace fastjournal::protocol
