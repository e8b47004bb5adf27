// See peer_list.h.
#include "platform/reactor/peer_list.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fastjournal::reactor {
namespace {

static_assert(sizeof(gid_t) == sizeof(std::uint32_t) && sizeof(uid_t) == sizeof(std::uint32_t));

// Beside the first one, which has its place among the credentials. Empty: none, or the kernel does not tell.
std::vector<std::uint32_t> more_groups_of(int socket) {
  std::vector<std::uint32_t> out(64);
  // As many as it has; their number does not change after the peer has connected.
  for (int tries = 0; tries < 2; ++tries) {
    auto size = static_cast<socklen_t>(out.size() * sizeof out[0]);
    bool const told = ::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, out.data(), &size) == 0;
    if (!told && errno != ERANGE) break;
    out.resize(size / sizeof out[0]);
    if (told) return out;
  }
  return {};
}

bool has_any(std::vector<std::uint32_t> const& listed, std::span<std::uint32_t const> of_user) {
  return std::ranges::any_of(of_user, [&listed](std::uint32_t one) { return std::ranges::count(listed, one) != 0; });
}

}  // namespace

bool PeerList::admits(std::uint32_t user, std::span<std::uint32_t const> groups_of_user, std::uint32_t own) const {
  if (is_for_everybody() || user == 0 || user == own) return true;
  return has_any(users, {&user, 1}) || has_any(groups, groups_of_user);
}

bool PeerList::admits_peer_of(int socket) const {
  if (is_for_everybody()) return true;
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return false;
  return admits_sender(who) || (!groups.empty() && admits(who.uid, more_groups_of(socket), ::geteuid()));
}

bool PeerList::admits_sender(ucred const& sender) const {
  std::array<std::uint32_t, 1> const first{sender.gid};
  return admits(sender.uid, first, ::geteuid());
}

void NotAllowed::count(std::string_view peer, std::string_view address) {
  ++loop_.counters().not_allowed;
  if (!warning_.is_due()) return;
  loop_.warn(
      fmt::format("users are refused whom the lists of their socket do not name ({} times so far), now {} at {}; name "
                  "them in its users or groups if they may come",
                  loop_.counters().not_allowed, peer, address));
}

}  // namespace fastjournal::reactor
