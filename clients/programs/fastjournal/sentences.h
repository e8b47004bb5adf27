// Sentences about answers, used by several commands.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/message.h"

namespace fastjournal::cli {

// ", due 2026-11-21T12:00:00.000Z", or nothing.
[[nodiscard]] std::string due_text(Message const& answer);
// The parameter in the spelling of people, "?" if absent.
[[nodiscard]] std::string value_text(Message const& message, std::string_view name);

}  // namespace fastjournal::cli
