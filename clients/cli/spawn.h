// What all commands that we start are given: arguments and environment as arrays of C.
#pragma once

#include <string>
#include <vector>

namespace fastjournal::cli {

// Null-terminated; borrows from the strings.
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& strings);
// Ours with these ("NAME=value"). Variables FJ_... of ours are left out: they are of an outer command's row or document.
[[nodiscard]] std::vector<std::string> environment_with(std::vector<std::string> const& variables);

}  // namespace fastjournal::cli
