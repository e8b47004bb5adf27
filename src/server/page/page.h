// The page that HTTP listeners serve to browsers: the files of this folder, which the build puts into the program, so
// that it needs no files where it runs and no version of them can be a wrong one.
#pragma once

#include <span>

#include "wire/http_site.h"

namespace fastjournal::page {

// They live as long as the program.
[[nodiscard]] std::span<protocol::HttpFile const> files();

}  // namespace fastjournal::page
