#include "wire/http_site.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "wire/http_response.h"

namespace fastjournal::protocol {

HttpSite::HttpSite(HttpOptions options, std::span<HttpFile const> files) : options_(std::move(options)) {
  for (HttpFile const& file : files) {
    FJ_CHECK(file.path.starts_with('/') && is_field_value(file.content_type), "a file has a path and a type");
    files_.push_back({file, fmt::format("\"{:016x}\"", hash64(file.bytes))});
  }
}

HttpSite::Served const* HttpSite::file(std::string_view path) const {
  if (path == "/") path = "/index.html";
  for (Served const& served : files_)
    if (served.file.path == path) return &served;
  return nullptr;
}

}  // namespace fastjournal::protocol
