// Progress reports of tools: a log may take minutes.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace fastjournal::tools {

// The step ("reading"), the bytes done and the maximum. A step may be repeated, from 0.
using Progress = std::function<void(std::string_view step, std::uint64_t done, std::uint64_t total)>;

}  // namespace fastjournal::tools
