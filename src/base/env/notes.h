// Lines in the daemon's log. The daemon writes them there, the simulator drops or keeps them.
#pragma once

#include <string_view>

namespace fastjournal::env {

class Notes {
 public:
  virtual ~Notes() = default;
  // A warning.
  virtual void note(std::string_view text) = 0;
  virtual void inform(std::string_view text) = 0;
};

}  // namespace fastjournal::env
