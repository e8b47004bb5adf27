// How far a tool is, told while it works: logs may be larger than patience.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace fastjournal::tools {

// What is being done ("reading"), and how many bytes of at most how many. A step may come again, from 0.
using Progress = std::function<void(std::string_view step, std::uint64_t done, std::uint64_t total)>;

}  // namespace fastjournal::tools
