// Requests and answers of cluster.h as etcd's messages, and what an error of etcd says about a request. Pure: bytes in,
// bytes out. The only door to protobuf, and what is generated of rpc.proto.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"
#include "log/etcd/client/cluster.h"

namespace fastjournal::etcd::wire {

// Which request it was, once it is bytes.
enum class Kind : std::uint8_t {
  range,
  put,
  erase,
  transaction,
  compact,
  grant,
  revoke,
  keep_alive,
  look,
  members,
  watch,
  authenticate
};

struct Encoded {
  Kind kind{};
  std::string message{};
  // A change that takes space: see judge().
  bool takes_space{false};
  // Sent with the wish to be refused at once by a member that knows of no leader, instead of a timeout whose outcome is
  // unknown.
  bool needs_leader{true};
};

[[nodiscard]] Encoded encode(Request const& request);
[[nodiscard]] std::string encode_authenticate(std::string_view user, std::string_view password);
// "/etcdserverpb.KV/Txn". A renewal of a lease is a stream in etcd; one of a single request and answer is a call.
[[nodiscard]] std::string_view path_of(Kind kind);
// For people: "Txn".
[[nodiscard]] std::string_view name_of(Kind kind);

// Fills in header and body. False: the message is no answer to this kind of request.
[[nodiscard]] bool decode(Kind kind, std::string_view message, Answer& answer);
// Nothing: it is no answer to an authentication.
[[nodiscard]] std::optional<std::string> decode_token(std::string_view message);

// Further results of Look, for a new connection.
struct Member {
  std::uint64_t cluster{0};
  std::uint64_t term{0};
  std::string version{};
  std::uint64_t leader{0};
  bool is_learner{false};
};
[[nodiscard]] std::optional<Member> decode_member(std::string_view message);
// Not ok: a version with known faults that can damage data (before 3.4.22, and 3.5.0 to 3.5.5, whose members can differ
// after a crash), or one that is unreadable.
[[nodiscard]] Status check_version(std::string_view version);

// ---------------------------------------------------------------------------
// Errors

// The meaning of a status for the request.
//
// Only what is certain is `refused` or `unavailable`: errors that etcd gives before it proposes a change to the
// cluster, and those with which all members refuse it alike. A timeout, a changed leader, a stopped server, and
// whatever is not in our list are `unknown`.
//
// `no_space` of a change that takes space is unknown, although it sounds definite: the member that finds the quota
// exceeded while it applies the change answers with this error, and has applied it (quotaApplierV3 in etcd's source,
// 3.4 to 3.6). The refusal is given nevertheless: by then it is decided, so that a read that follows shows which it
// was.
struct Verdict {
  Outcome outcome{Outcome::unknown};
  Refusal refusal{Refusal::none};
  bool has_no_leader{false};     // the member knows of none
  bool is_token_invalid{false};  // certainly not done; a new token may help
};
[[nodiscard]] Verdict judge(Kind kind, bool takes_space, int status, std::string_view text);
// Whether this is the answer to an authentication where none is needed.
[[nodiscard]] bool says_authentication_is_off(std::string_view text);

// ---------------------------------------------------------------------------
// Watching

// Creates a watch; `revision` 0: from now on. Revisions that are too large come in parts.
[[nodiscard]] std::string encode_watch(WatchWish const& wish, std::int64_t revision);

struct WatchMessage {
  std::int64_t revision{0};  // of its header
  bool is_created{false};
  bool is_canceled{false};
  std::int64_t compact_revision{0};  // not 0: revisions before this one are gone, and one of them was asked for
  std::string cancel_reason{};
  bool is_part{false};  // more events of the last revision may follow
  std::vector<WatchNews::Event> events{};
};
[[nodiscard]] std::optional<WatchMessage> decode_watch(std::string_view message);

}  // namespace fastjournal::etcd::wire
