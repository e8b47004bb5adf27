// Lines in the daemon's log about who did what: every command that needs the right admin, those with manage of a user,
// and every login that failed. Any client can cause many refusals: such lines are limited, and the
// next one says how many were left out. Owned by the server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/env/notes.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "server/session/session.h"
#include "server/time_keeper.h"

namespace fastjournal::server {

class Audit {
 public:
  // Of what was refused: so many lines at once, then one in this time.
  static constexpr std::int64_t kRefusedAtOnce = 10;
  static constexpr std::int64_t kStepUs = 1'000'000;

  Audit(env::Notes& notes, TimeKeeper& time) : notes_(notes), time_(time) {}

  // `user`: who sent it; null: not logged in. `status`: of its answer; ok for one that waits.
  // `table`: that of the command.
  void command(Session const& session, access::User const* user, Message const& message, std::string_view table,
               Status const& status);
  // `claimed`: who it said that it is; empty: it did not. `what`: AUTH, or the command that came with the token or the
  // signature. `signature`: what is wrong with that; empty: there is none.
  void login_failed(Session const& session, std::string_view claimed, std::string_view what, Status const& why,
                    std::string_view signature = {});

 private:
  void note_refused(std::string text);

  env::Notes& notes_;
  TimeKeeper& time_;
  std::int64_t used_until_us_{0};
  std::uint64_t left_out_{0};
};

}  // namespace fastjournal::server
