// Common to all HTTP connections of a listener: names, limits, and the files of a page. Made once, read only.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fastjournal::protocol {

struct HttpFile {
  std::string_view path{};          // "/index.html", which is also "/"
  std::string_view content_type{};  // printable ASCII
  std::string_view bytes{};
};

struct HttpOptions {
  std::size_t body_bytes_max{std::size_t{1} << 20U};  // as of a line: JSON of 32 MiB takes the loop 0.4 s
  bool is_tls{false};                                 // the scheme of our own origin is https
  std::vector<std::string> names{};                   // hosts beside IP addresses and localhost, without ports
};

class HttpSite {
 public:
  // The files live as long as the program: a page that is built in.
  explicit HttpSite(HttpOptions options, std::span<HttpFile const> files = {});

  struct Served {
    HttpFile file;
    std::string etag;
  };

  [[nodiscard]] HttpOptions const& options() const { return options_; }
  // Null: no such file.
  [[nodiscard]] Served const* file(std::string_view path) const;

 private:
  HttpOptions options_;
  std::vector<Served> files_;
};

}  // namespace fastjournal::protocol
