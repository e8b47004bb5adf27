// The rules of the house that do not concern layers: calls that are banned in the
// core, calls that are banned in tests, the opening comment and length of a file.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/house/source.h"

namespace fastjournal::house {

inline constexpr int kLinesMax = 700;

// Clocks, chance, threads, files, sockets, the environment and locales: the core
// (values in, values out) has none of them.
void check_core_calls(Source const& source, std::vector<Finding>& findings);

// The variables that the file declares as unordered (hash) segments.
[[nodiscard]] std::set<std::string> unordered_names(Source const& source);
// Walking such a segment: its order is not the same everywhere. A loop whose
// order nobody can see says so in a comment on its line or the one above:
// `// Any order: only counted.`
void check_unordered_loops(Source const& source, std::set<std::string> const& names, std::vector<Finding>& findings);

// A test waits for what it waits for, never for time to pass.
void check_no_sleep(Source const& source, std::vector<Finding>& findings);

// A file opens with a comment: what it is and why it stands apart. The one of
// X.cpp may stand in X.h: then X.cpp opens with that #include.
void check_opening(Source const& source, std::vector<Finding>& findings);

// For any text file.
void check_length(std::string_view path, std::string_view text, std::vector<Finding>& findings);
void check_no_marks(std::string_view path, std::string_view text, std::vector<Finding>& findings);

}  // namespace fastjournal::house
