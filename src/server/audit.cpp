#include "server/audit.h"

#include <algorithm>
#include <utility>

namespace fastjournal::server {
namespace {

// Of a client's text: it must not look like more than one field.
std::string shown(std::string_view text) {
  std::string out{text.substr(0, 64)};
  for (char& c : out)
    if (c <= ' ' || c > '~') c = '?';
  return out.empty() ? "-" : out;
}

std::string who(Session const& session, access::User const* user) {
  return " user=" + (user == nullptr ? "-" : user->name) + " origin=" + session.origin + " peer=" + shown(session.peer);
}

}  // namespace

void Audit::command(Session const& session, access::User const* user, Message const& message, std::string_view table,
                    Status const& status) {
  std::string text = "audit: command=" + shown(message.command) + " table=" + shown(table) + who(session, user) +
                     " result=" + std::string{row_of(status.code()).wire_name};
  if (status.ok())
    notes_.inform(text);
  else
    note_refused(std::move(text));
}

void Audit::login_failed(Session const& session, std::string_view claimed, std::string_view what, Status const& why,
                         std::string_view signature) {
  note_refused("audit: login failed, command=" + shown(what) + " claimed=" + shown(claimed) +
               who(session, session.who.user.get()) +
               (signature.empty() ? "" : " signature=" + std::string{signature}) +
               " result=" + std::string{row_of(why.code()).wire_name});
}

void Audit::note_refused(std::string text) {
  std::int64_t const now_us = time_.monotonic_us();
  if (used_until_us_ - now_us > (kRefusedAtOnce - 1) * kStepUs) {
    ++left_out_;
    return;
  }
  used_until_us_ = std::max(used_until_us_, now_us) + kStepUs;
  if (left_out_ != 0) text += " (" + std::to_string(left_out_) + " such lines before it were left out)";
  left_out_ = 0;
  notes_.note(text);
}

}  // namespace fastjournal::server
