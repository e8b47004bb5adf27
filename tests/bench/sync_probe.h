// The present rate at which this disk makes 4 KiB durable. Other figures are compared with it.
#pragma once

#include <filesystem>

namespace fastjournal::bench {

// pwrite + fdatasync of 4 KiB into a zero-filled file, one after the other, for about `seconds`. Returns the number per
// second; 0 if the folder cannot be written.
[[nodiscard]] double syncs_per_second(std::filesystem::path const& folder, double seconds);

}  // namespace fastjournal::bench
