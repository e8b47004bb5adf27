// AUTH: a connection shows the token of a user, whose rights it has from then on. The answer comes when the token is
// verified.
#include "server/admin/commands.h"

namespace fastjournal::admin {
Command make_auth(Authenticating& authenticating) {
  return {[&authenticating](Request const& request) -> Outcome {
    if (request.message.text("token").empty())
      return Status{Code::missing_parameter, "AUTH needs the parameter token"}.with("parameter", "token");
    return authenticating.authenticate(request);
  }};
}

}  // namespace fastjournal::admin
