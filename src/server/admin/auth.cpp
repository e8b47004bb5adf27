// AUTH: a connection shows the token of a user, whose rights it has from then on. The answer comes when the token is
// verified.
#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

class Auth final : public Command {
 public:
  explicit Auth(Authenticating& authenticating) : authenticating_(authenticating) {}

  void run(Request& request) override {
    if (request.message.text("token").empty())
      request.status = Status{Code::missing_parameter, "AUTH needs the parameter token"}.with("parameter", "token");
    else
      authenticating_.authenticate(request);
  }

 private:
  Authenticating& authenticating_;
};

}  // namespace

CommandPtr make_auth(Authenticating& authenticating) { return std::make_unique<Auth>(authenticating); }

}  // namespace fastjournal::admin
