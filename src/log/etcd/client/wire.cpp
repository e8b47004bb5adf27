#include "log/etcd/client/wire.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>
#include <type_traits>
#include <utility>

#include "etcd/rpc.pb.h"
#include "log/etcd/client/channel.h"

namespace fastjournal::etcd::wire {
namespace {

struct Method {
  Kind kind;
  std::string_view path;
};

constexpr std::array<Method, 12> kMethods{{{Kind::range, "/etcdserverpb.KV/Range"},
                                           {Kind::put, "/etcdserverpb.KV/Put"},
                                           {Kind::erase, "/etcdserverpb.KV/DeleteRange"},
                                           {Kind::transaction, "/etcdserverpb.KV/Txn"},
                                           {Kind::compact, "/etcdserverpb.KV/Compact"},
                                           {Kind::grant, "/etcdserverpb.Lease/LeaseGrant"},
                                           {Kind::revoke, "/etcdserverpb.Lease/LeaseRevoke"},
                                           {Kind::keep_alive, "/etcdserverpb.Lease/LeaseKeepAlive"},
                                           {Kind::look, "/etcdserverpb.Maintenance/Status"},
                                           {Kind::members, "/etcdserverpb.Cluster/MemberList"},
                                           {Kind::watch, "/etcdserverpb.Watch/Watch"},
                                           {Kind::authenticate, "/etcdserverpb.Auth/Authenticate"}}};

// ---------------------------------------------------------------------------
// Requests

void fill(etcdserverpb::RangeRequest& out, Range const& range) {
  out.set_key(range.key);
  out.set_range_end(range.end);
  out.set_limit(range.limit);
  out.set_revision(range.revision);
  if (range.descending) out.set_sort_order(etcdserverpb::RangeRequest::DESCEND);
  out.set_serializable(range.is_serializable);
  out.set_keys_only(range.keys_only);
  out.set_count_only(range.count_only);
}

void fill(etcdserverpb::PutRequest& out, Put const& put) {
  out.set_key(put.key);
  out.set_value(put.value);
  out.set_lease(put.lease);
}

void fill(etcdserverpb::DeleteRangeRequest& out, Delete const& erase) {
  out.set_key(erase.key);
  out.set_range_end(erase.end);
}

void fill(etcdserverpb::Compare& out, Compare const& compare) {
  out.set_key(compare.key);
  switch (compare.is) {
    case Compare::Is::equal: out.set_result(etcdserverpb::Compare::EQUAL); break;
    case Compare::Is::greater: out.set_result(etcdserverpb::Compare::GREATER); break;
    case Compare::Is::less: out.set_result(etcdserverpb::Compare::LESS); break;
    case Compare::Is::not_equal: out.set_result(etcdserverpb::Compare::NOT_EQUAL); break;
  }
  switch (compare.what) {
    case Compare::What::create_revision:
      out.set_target(etcdserverpb::Compare::CREATE);
      out.set_create_revision(compare.number);
      break;
    case Compare::What::mod_revision:
      out.set_target(etcdserverpb::Compare::MOD);
      out.set_mod_revision(compare.number);
      break;
    case Compare::What::version:
      out.set_target(etcdserverpb::Compare::VERSION);
      out.set_version(compare.number);
      break;
    case Compare::What::lease:
      out.set_target(etcdserverpb::Compare::LEASE);
      out.set_lease(compare.number);
      break;
  }
}

void fill(etcdserverpb::RequestOp& out, Operation const& operation) {
  std::visit(
      [&out](auto const& one) {
        using One = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<One, Range>)
          fill(*out.mutable_request_range(), one);
        else if constexpr (std::is_same_v<One, Put>)
          fill(*out.mutable_request_put(), one);
        else
          fill(*out.mutable_request_delete_range(), one);
      },
      operation);
}

bool has_put(std::vector<Operation> const& operations) {
  return std::any_of(operations.begin(), operations.end(),
                     [](Operation const& one) { return std::holds_alternative<Put>(one); });
}

std::string bytes_of(google::protobuf::MessageLite const& message) { return message.SerializeAsString(); }

// One for each kind of request.
struct Encoder {
  Encoded operator()(Range const& range) const {
    etcdserverpb::RangeRequest out;
    fill(out, range);
    return {.kind = Kind::range, .message = bytes_of(out), .needs_leader = !range.is_serializable};
  }
  Encoded operator()(Put const& put) const {
    etcdserverpb::PutRequest out;
    fill(out, put);
    return {.kind = Kind::put, .message = bytes_of(out), .takes_space = true};
  }
  Encoded operator()(Delete const& erase) const {
    etcdserverpb::DeleteRangeRequest out;
    fill(out, erase);
    return {.kind = Kind::erase, .message = bytes_of(out)};
  }
  Encoded operator()(Transaction const& transaction) const {
    etcdserverpb::TxnRequest out;
    for (Compare const& one : transaction.compares) fill(*out.add_compare(), one);
    for (Operation const& one : transaction.then) fill(*out.add_success(), one);
    for (Operation const& one : transaction.otherwise) fill(*out.add_failure(), one);
    return {.kind = Kind::transaction,
            .message = bytes_of(out),
            .takes_space = has_put(transaction.then) || has_put(transaction.otherwise)};
  }
  Encoded operator()(Compact const& compact) const {
    etcdserverpb::CompactionRequest out;
    out.set_revision(compact.revision);
    return {.kind = Kind::compact, .message = bytes_of(out)};
  }
  Encoded operator()(Grant const& grant) const {
    etcdserverpb::LeaseGrantRequest out;
    out.set_ttl(grant.ttl_s);
    return {.kind = Kind::grant, .message = bytes_of(out), .takes_space = true};
  }
  Encoded operator()(Revoke const& revoke) const {
    etcdserverpb::LeaseRevokeRequest out;
    out.set_id(revoke.lease);
    return {.kind = Kind::revoke, .message = bytes_of(out)};
  }
  Encoded operator()(KeepAlive const& keep_alive) const {
    etcdserverpb::LeaseKeepAliveRequest out;
    out.set_id(keep_alive.lease);
    return {.kind = Kind::keep_alive, .message = bytes_of(out)};
  }
  Encoded operator()(Look const&) const {
    return {.kind = Kind::look, .message = bytes_of(etcdserverpb::StatusRequest{}), .needs_leader = false};
  }
  Encoded operator()(Members const&) const {
    return {.kind = Kind::members, .message = bytes_of(etcdserverpb::MemberListRequest{}), .needs_leader = false};
  }
};

// ---------------------------------------------------------------------------
// Answers

template <typename Message>
bool parse(Message& message, std::string_view bytes) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

Header header_of(etcdserverpb::ResponseHeader const& header) {
  return {header.cluster_id(), header.member_id(), header.revision(), header.raft_term()};
}

KeyValue pair_of(etcdserverpb::KeyValue& pair) {
  return {.key = std::move(*pair.mutable_key()),
          .value = std::move(*pair.mutable_value()),
          .create_revision = pair.create_revision(),
          .mod_revision = pair.mod_revision(),
          .version = pair.version(),
          .lease = pair.lease()};
}

RangeAnswer range_of(etcdserverpb::RangeResponse& range) {
  RangeAnswer answer{.pairs = {}, .more = range.more(), .count = range.count()};
  answer.pairs.reserve(static_cast<std::size_t>(range.kvs_size()));
  for (etcdserverpb::KeyValue& pair : *range.mutable_kvs()) answer.pairs.push_back(pair_of(pair));
  return answer;
}

// False: it has an answer that no request of ours has.
bool fill(TransactionAnswer& answer, etcdserverpb::TxnResponse& transaction) {
  answer.succeeded = transaction.succeeded();
  for (etcdserverpb::ResponseOp& one : *transaction.mutable_responses()) {
    switch (one.response_case()) {
      case etcdserverpb::ResponseOp::kResponseRange:
        answer.answers.emplace_back(range_of(*one.mutable_response_range()));
        break;
      case etcdserverpb::ResponseOp::kResponsePut: answer.answers.emplace_back(PutAnswer{}); break;
      case etcdserverpb::ResponseOp::kResponseDeleteRange:
        answer.answers.emplace_back(DeleteAnswer{one.response_delete_range().deleted()});
        break;
      case etcdserverpb::ResponseOp::RESPONSE_NOT_SET: return false;
    }
  }
  return true;
}

LookAnswer look_of(etcdserverpb::StatusResponse const& status) {
  LookAnswer answer{.version = status.version(),
                    .db_bytes = status.dbsize(),
                    .db_bytes_in_use = status.dbsizeinuse(),
                    .leader = status.leader(),
                    .has_no_space_alarm = false};
  // Texts of alarms: "memberID:8211f1d0f64f3269 alarm:NOSPACE ".
  for (std::string const& error : status.errors())
    if (error.find("alarm:NOSPACE") != std::string::npos) answer.has_no_space_alarm = true;
  return answer;
}

MembersAnswer members_of(etcdserverpb::MemberListResponse& list) {
  MembersAnswer answer;
  for (etcdserverpb::Member& one : *list.mutable_members()) {
    MembersAnswer::Member member{.id = one.id(), .name = std::move(*one.mutable_name()), .client_urls = {}};
    for (std::string& url : *one.mutable_clienturls()) member.client_urls.push_back(std::move(url));
    answer.members.push_back(std::move(member));
  }
  return answer;
}

// Parses a message, and fills in the header and what `body_of` makes of it.
template <typename Message, typename BodyOf>
bool take(std::string_view bytes, Answer& answer, BodyOf body_of) {
  Message message;
  if (!parse(message, bytes)) return false;
  answer.header = header_of(message.header());
  answer.body = body_of(message);
  return true;
}

// ---------------------------------------------------------------------------
// Errors

// A text of etcd, and what it says of the request that got it. They are compared from the beginning.
struct Error {
  std::string_view text;
  Outcome outcome;
  Refusal refusal;
};

constexpr std::array kErrors{
    Error{"etcdserver: mvcc: required revision has been compacted", Outcome::refused, Refusal::compacted},
    Error{"etcdserver: mvcc: required revision is a future revision", Outcome::refused, Refusal::future_revision},
    Error{"etcdserver: requested lease not found", Outcome::refused, Refusal::no_lease},
    Error{"etcdserver: mvcc: database space exceeded", Outcome::refused, Refusal::no_space},
    Error{"etcdserver: request is too large", Outcome::refused, Refusal::too_large},
    Error{"etcdserver: too many operations in txn request", Outcome::refused, Refusal::too_large},
    // The server did not read it. (That it cannot send an answer for its size has another text, and comes too late.)
    Error{"grpc: received message larger than max", Outcome::refused, Refusal::too_large},
    Error{"etcdserver: permission denied", Outcome::refused, Refusal::not_allowed},
    Error{"etcdserver: authentication failed", Outcome::refused, Refusal::not_allowed},
    Error{"etcdserver: user name is empty", Outcome::refused, Refusal::not_allowed},
    Error{"etcdserver: invalid auth token", Outcome::refused, Refusal::not_allowed},
    Error{"etcdserver: revision of auth store is old", Outcome::refused, Refusal::not_allowed},
    // Before anything is proposed.
    Error{"etcdserver: no leader", Outcome::unavailable, Refusal::none},
    Error{"etcdserver: too many requests", Outcome::unavailable, Refusal::none},
    Error{"etcdserver: not capable", Outcome::unavailable, Refusal::none},
    Error{"etcdserver: rpc not supported for learner", Outcome::unavailable, Refusal::none},
    Error{"raft proposal dropped", Outcome::unavailable, Refusal::none},
};

constexpr std::array<std::string_view, 3> kTokenErrors{
    "etcdserver: invalid auth token", "etcdserver: revision of auth store is old", "etcdserver: user name is empty"};

// With these codes etcd's own errors are refusals: of a check before the proposal, or by all members alike.
bool is_refusal(int status) {
  switch (status) {
    case grpc::kInvalidArgument:
    case grpc::kNotFound:
    case grpc::kAlreadyExists:
    case grpc::kPermissionDenied:
    case grpc::kFailedPrecondition:
    case grpc::kOutOfRange:
    case grpc::kUnauthenticated: return true;
    default: return false;
  }
}

}  // namespace

Encoded encode(Request const& request) { return std::visit(Encoder{}, request); }

std::string encode_authenticate(std::string_view user, std::string_view password) {
  etcdserverpb::AuthenticateRequest out;
  out.set_name(std::string{user});
  out.set_password(std::string{password});
  return bytes_of(out);
}

std::string_view path_of(Kind kind) { return kMethods[static_cast<std::size_t>(kind)].path; }

std::string_view name_of(Kind kind) {
  std::string_view const path = path_of(kind);
  return path.substr(path.rfind('/') + 1);
}

bool decode(Kind kind, std::string_view message, Answer& answer) {
  namespace pb = etcdserverpb;
  switch (kind) {
    case Kind::range: return take<pb::RangeResponse>(message, answer, [](auto& in) { return range_of(in); });
    case Kind::put: return take<pb::PutResponse>(message, answer, [](auto&) { return PutAnswer{}; });
    case Kind::erase:
      return take<pb::DeleteRangeResponse>(message, answer, [](auto& in) { return DeleteAnswer{in.deleted()}; });
    case Kind::transaction: {
      TransactionAnswer body;
      bool is_known = true;
      bool const is_read = take<pb::TxnResponse>(message, answer, [&](auto& in) {
        is_known = fill(body, in);
        return std::move(body);
      });
      return is_read && is_known;
    }
    case Kind::compact: return take<pb::CompactionResponse>(message, answer, [](auto&) { return CompactAnswer{}; });
    case Kind::grant:
      return take<pb::LeaseGrantResponse>(message, answer, [](auto& in) { return LeaseAnswer{in.id(), in.ttl()}; });
    case Kind::revoke: return take<pb::LeaseRevokeResponse>(message, answer, [](auto&) { return LeaseAnswer{}; });
    case Kind::keep_alive:
      return take<pb::LeaseKeepAliveResponse>(message, answer, [](auto& in) { return LeaseAnswer{in.id(), in.ttl()}; });
    case Kind::look: return take<pb::StatusResponse>(message, answer, [](auto& in) { return look_of(in); });
    case Kind::members: return take<pb::MemberListResponse>(message, answer, [](auto& in) { return members_of(in); });
    case Kind::watch:
    case Kind::authenticate: return false;
  }
  return false;
}

std::optional<std::string> decode_token(std::string_view message) {
  etcdserverpb::AuthenticateResponse in;
  if (!parse(in, message)) return std::nullopt;
  return std::move(*in.mutable_token());
}

std::optional<Member> decode_member(std::string_view message) {
  etcdserverpb::StatusResponse in;
  if (!parse(in, message)) return std::nullopt;
  return Member{.cluster = in.header().cluster_id(),
                .term = in.header().raft_term(),
                .version = std::move(*in.mutable_version()),
                .leader = in.leader(),
                .is_learner = in.islearner()};
}

Status check_version(std::string_view version) {
  std::array<int, 3> numbers{};
  char const* at = version.data();
  char const* const end = at + version.size();
  for (std::size_t part = 0; part < numbers.size(); ++part) {
    auto const [next, error] = std::from_chars(at, end, numbers[part]);
    bool const is_last = part + 1 == numbers.size();
    // "3.6.0-rc.1" is read as 3.6.0.
    if (error != std::errc{} || (is_last ? next != end && *next != '-' && *next != '+' : next == end || *next != '.'))
      return {Code::not_supported,
              "version \"" + std::string{version.substr(0, 64)} + "\" cannot be read; expected is one as 3.4.23"};
    at = is_last ? next : next + 1;
  }
  std::tuple const parts{numbers[0], numbers[1], numbers[2]};
  if (parts < std::tuple{3, 4, 22})
    return {Code::not_supported,
            "version " + std::string{version} +
                " has known faults that can damage data; expected is 3.4.22 or later, but not 3.5.0 to 3.5.5"};
  if (parts >= std::tuple{3, 5, 0} && parts <= std::tuple{3, 5, 5})
    return {Code::not_supported,
            "version " + std::string{version} +
                " has known faults that can damage data; expected is 3.5.6 or later, or 3.4 from 3.4.22 on"};
  return {};
}

Verdict judge(Kind kind, bool takes_space, int status, std::string_view text) {
  Verdict verdict;
  verdict.has_no_leader = text.starts_with("etcdserver: no leader");
  verdict.is_token_invalid = std::any_of(kTokenErrors.begin(), kTokenErrors.end(),
                                         [text](std::string_view error) { return text.starts_with(error); });
  auto const known =
      std::find_if(kErrors.begin(), kErrors.end(), [text](Error const& one) { return text.starts_with(one.text); });
  if (known != kErrors.end()) {
    verdict.outcome = known->outcome;
    verdict.refusal = known->refusal;
  } else if ((is_refusal(status) && text.starts_with("etcdserver: ")) || status == grpc::kUnimplemented) {
    verdict.outcome = Outcome::refused;
    verdict.refusal = Refusal::other;
  }
  if (verdict.refusal == Refusal::no_space && takes_space) verdict.outcome = Outcome::unknown;
  // A stream may be ended with this error at any time, and the request may have reached the leader that is gone by now.
  if (verdict.has_no_leader && kind == Kind::keep_alive) verdict.outcome = Outcome::unknown;
  return verdict;
}

bool says_authentication_is_off(std::string_view text) {
  return text.starts_with("etcdserver: authentication is not enabled");
}

std::string encode_watch(WatchWish const& wish, std::int64_t revision) {
  etcdserverpb::WatchRequest out;
  etcdserverpb::WatchCreateRequest& create = *out.mutable_create_request();
  create.set_key(wish.key);
  create.set_range_end(wish.end);
  create.set_start_revision(revision);
  create.set_progress_notify(true);
  create.set_fragment(true);
  return bytes_of(out);
}

std::optional<WatchMessage> decode_watch(std::string_view message) {
  etcdserverpb::WatchResponse in;
  if (!parse(in, message)) return std::nullopt;
  WatchMessage out{.revision = in.header().revision(),
                   .is_created = in.created(),
                   .is_canceled = in.canceled(),
                   .compact_revision = in.compact_revision(),
                   .cancel_reason = std::move(*in.mutable_cancel_reason()),
                   .is_part = in.fragment(),
                   .events = {}};
  out.events.reserve(static_cast<std::size_t>(in.events_size()));
  for (etcdserverpb::Event& event : *in.mutable_events())
    out.events.push_back(
        {.is_deleted = event.type() == etcdserverpb::Event::DELETE, .pair = pair_of(*event.mutable_kv())});
  return out;
}

}  // namespace fastjournal::etcd::wire
