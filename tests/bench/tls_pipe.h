// TLS of the driver, between its bytes and the socket's. OpenSSL's own, over memory, so that the driver's loop is the same
// with and without it. The certificate is not verified: the daemon is the bench's own.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tests/support/line_client.h"

struct ssl_ctx_st;
struct ssl_st;

namespace fastjournal::bench {

class TlsPipe {
 public:
  // Shakes hands, and waits for that; throws std::runtime_error if it fails.
  explicit TlsPipe(test::LineClient& client);
  ~TlsPipe();
  TlsPipe(TlsPipe const&) = delete;
  TlsPipe& operator=(TlsPipe const&) = delete;

  // Appends what must be sent for `plain`, which is empty afterwards.
  void seal(std::string& plain, std::string& wire);
  // Appends what the received bytes say. False: the stream is broken or has ended.
  bool open(std::string_view received, std::string& plain);

 private:
  void take(std::string& wire);

  ssl_ctx_st* context_;
  ssl_st* ssl_;
};

}  // namespace fastjournal::bench
