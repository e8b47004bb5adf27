// A message on its way out, borrowed from whoever sends it. Apart from
// Message because a sender has its parameters in an array already (an Answer,
// a literal) and must not pay for a Message.
#pragma once

#include <span>
#include <string_view>

#include "fastjournal/message.h"

namespace fastjournal::wire {

struct Outgoing {
  std::string_view from_server{};
  std::string_view from_service{};
  std::string_view server{};  // needs a service: without one the text form cannot carry it
  std::string_view service{};
  std::string_view command{};
  std::span<Param const> params{};  // no name twice; at most Message::kParamsMax
};

}  // namespace fastjournal::wire
