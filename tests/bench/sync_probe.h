// How fast this disk makes 4 KiB durable right now: the figure beside which
// every other is read.
#pragma once

#include <filesystem>

namespace fastjournal::bench {

// pwrite + fdatasync of 4 KiB into a zero-filled file, one after the other, for
// about `seconds`; times a second. 0 if the folder cannot be written.
[[nodiscard]] double syncs_per_second(std::filesystem::path const& folder, double seconds);

}  // namespace fastjournal::bench
