// What commands say about answers, where more than one of them does.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/message.h"

namespace fastjournal::cli {

// ", due 2026-11-21T12:00:00.000Z", or nothing.
[[nodiscard]] std::string due_text(Message const& answer);
// The parameter as a person writes it, "?" if it is absent.
[[nodiscard]] std::string value_text(Message const& message, std::string_view name);

}  // namespace fastjournal::cli
