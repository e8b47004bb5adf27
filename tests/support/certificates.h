// Certificates for tests of TLS, made while they run: files in the repository would expire.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fastjournal::test {

// A certificate and its key, in PEM.
struct Certificate {
  std::string certificate;
  std::string key;
};

struct CertificateWish {
  std::string common_name{"localhost"};
  std::vector<std::string> names{"localhost"};  // DNS
  std::vector<std::string> addresses{"127.0.0.1"};
  std::int64_t from_s{-3600};  // validity, from now
  std::int64_t to_s{3600};
  bool for_clients{false};
};

// Signs certificates. Each authority has a key and a name of its own.
class Authority {
 public:
  explicit Authority(std::string const& name = "A test's authority");
  ~Authority();
  Authority(Authority const&) = delete;
  Authority& operator=(Authority const&) = delete;

  // Its own certificate, in PEM.
  [[nodiscard]] std::string const& certificate() const;
  [[nodiscard]] Certificate issue(CertificateWish const& wish = {});
  [[nodiscard]] Certificate client(std::string const& common_name) {
    return issue({.common_name = common_name, .names = {}, .addresses = {}, .for_clients = true});
  }

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

// With the mode that a key must have.
void write_private(std::string const& path, std::string const& text);

}  // namespace fastjournal::test
