// Requests as bytes of etcd's messages and answers from them, read with the generated code itself; and what each error
// says about a request: most of all, whether it is certain that it was not done.
#include "log/etcd/client/wire.h"

#include <boost/test/unit_test.hpp>

#include "etcd/rpc.pb.h"
#include "log/etcd/client/channel.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::etcd;
using wire::Kind;
namespace pb = etcdserverpb;

template <typename Message>
Message decoded(std::string const& bytes) {
  Message message;
  BOOST_REQUIRE(message.ParseFromString(bytes));
  return message;
}

wire::Verdict judged(std::string_view text, int status, Kind kind = Kind::transaction, bool takes_space = true) {
  return wire::judge(kind, takes_space, status, text);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(etcd_wire)

BOOST_AUTO_TEST_CASE(each_request_has_its_method) {
  std::vector<std::pair<Request, std::string_view>> const requests{
      {Range{}, "/etcdserverpb.KV/Range"},           {Put{}, "/etcdserverpb.KV/Put"},
      {Delete{}, "/etcdserverpb.KV/DeleteRange"},    {Transaction{}, "/etcdserverpb.KV/Txn"},
      {Compact{}, "/etcdserverpb.KV/Compact"},       {Grant{}, "/etcdserverpb.Lease/LeaseGrant"},
      {Revoke{}, "/etcdserverpb.Lease/LeaseRevoke"}, {KeepAlive{}, "/etcdserverpb.Lease/LeaseKeepAlive"},
      {Look{}, "/etcdserverpb.Maintenance/Status"},  {Members{}, "/etcdserverpb.Cluster/MemberList"}};
  for (auto const& [request, path] : requests) BOOST_TEST(wire::path_of(wire::encode(request).kind) == path);
  BOOST_TEST(wire::path_of(Kind::watch) == "/etcdserverpb.Watch/Watch");
  BOOST_TEST(wire::path_of(Kind::authenticate) == "/etcdserverpb.Auth/Authenticate");
  BOOST_TEST(wire::name_of(Kind::transaction) == "Txn");
}

BOOST_AUTO_TEST_CASE(a_range_has_all_its_fields) {
  auto const out = decoded<pb::RangeRequest>(wire::encode(Range{"a", "b", 7, 3, true, true, true, true}).message);
  BOOST_TEST(out.key() == "a");
  BOOST_TEST(out.range_end() == "b");
  BOOST_TEST(out.revision() == 7);
  BOOST_TEST(out.limit() == 3);
  BOOST_TEST(out.serializable());
  BOOST_TEST(out.keys_only());
  BOOST_TEST(out.count_only());
  BOOST_TEST(out.sort_order() == pb::RangeRequest::DESCEND);
  BOOST_TEST(!wire::encode(Range{"a", "b", 7, 3, true, true, true, true}).needs_leader);
  BOOST_TEST(wire::encode(Range{"a"}).needs_leader);
}

BOOST_AUTO_TEST_CASE(a_transaction_has_comparisons_and_both_branches) {
  using What = etcd::Compare::What;
  using Is = etcd::Compare::Is;
  Transaction const transaction{.compares = {{"a", What::create_revision, Is::equal, 1},
                                             {"b", What::mod_revision, Is::greater, 2},
                                             {"c", What::version, Is::less, 3},
                                             {"d", What::lease, Is::not_equal, 4}},
                                .then = {Put{"k", std::string{"v\0w", 3}, 9}, Delete{"x", "y"}},
                                .otherwise = {Range{"r"}}};
  auto const out = decoded<pb::TxnRequest>(wire::encode(transaction).message);
  BOOST_REQUIRE(out.compare_size() == 4);
  BOOST_TEST(out.compare(0).target() == pb::Compare::CREATE);
  BOOST_TEST(out.compare(0).result() == pb::Compare::EQUAL);
  BOOST_TEST(out.compare(0).create_revision() == 1);
  BOOST_TEST(out.compare(1).target() == pb::Compare::MOD);
  BOOST_TEST(out.compare(1).result() == pb::Compare::GREATER);
  BOOST_TEST(out.compare(1).mod_revision() == 2);
  BOOST_TEST(out.compare(2).target() == pb::Compare::VERSION);
  BOOST_TEST(out.compare(2).result() == pb::Compare::LESS);
  BOOST_TEST(out.compare(2).version() == 3);
  BOOST_TEST(out.compare(3).target() == pb::Compare::LEASE);
  BOOST_TEST(out.compare(3).result() == pb::Compare::NOT_EQUAL);
  BOOST_TEST(out.compare(3).lease() == 4);
  BOOST_TEST(out.compare(3).key() == "d");
  BOOST_REQUIRE(out.success_size() == 2);
  BOOST_TEST(out.success(0).request_put().value() == (std::string{"v\0w", 3}));
  BOOST_TEST(out.success(0).request_put().lease() == 9);
  BOOST_TEST(out.success(1).request_delete_range().range_end() == "y");
  BOOST_REQUIRE(out.failure_size() == 1);
  BOOST_TEST(out.failure(0).request_range().key() == "r");
}

BOOST_AUTO_TEST_CASE(puts_and_grants_take_space_and_nothing_else_does) {
  BOOST_TEST(wire::encode(Put{}).takes_space);
  BOOST_TEST(wire::encode(Grant{}).takes_space);
  BOOST_TEST(wire::encode(Transaction{.then = {Delete{"a"}, Put{"b"}}}).takes_space);
  BOOST_TEST(wire::encode(Transaction{.otherwise = {Put{"b"}}}).takes_space);
  BOOST_TEST(!wire::encode(Transaction{.then = {Delete{"a"}, Range{"b"}}}).takes_space);
  BOOST_TEST(!wire::encode(Delete{}).takes_space);
}

BOOST_AUTO_TEST_CASE(answers_are_read_with_their_header) {
  pb::TxnResponse in;
  in.mutable_header()->set_cluster_id(0xFFFFFFFFFFFFFFF1U);
  in.mutable_header()->set_member_id(2);
  in.mutable_header()->set_revision(3);
  in.mutable_header()->set_raft_term(4);
  in.set_succeeded(true);
  pb::RangeResponse& range = *in.add_responses()->mutable_response_range();
  range.set_more(true);
  range.set_count(8);
  pb::KeyValue& pair = *range.add_kvs();
  pair.set_key("k");
  pair.set_value("v");
  pair.set_create_revision(10);
  pair.set_mod_revision(11);
  pair.set_version(12);
  pair.set_lease(13);
  in.add_responses()->mutable_response_put();
  in.add_responses()->mutable_response_delete_range()->set_deleted(5);
  Answer answer;
  BOOST_REQUIRE(wire::decode(Kind::transaction, in.SerializeAsString(), answer));
  BOOST_TEST(answer.header.cluster == 0xFFFFFFFFFFFFFFF1U);
  BOOST_TEST(answer.header.member == 2U);
  BOOST_TEST(answer.header.revision == 3);
  BOOST_TEST(answer.header.term == 4U);
  auto const& body = std::get<TransactionAnswer>(answer.body);
  BOOST_TEST(body.succeeded);
  BOOST_REQUIRE(body.answers.size() == 3U);
  auto const& read = std::get<RangeAnswer>(body.answers[0]);
  BOOST_TEST((read.pairs == std::vector<KeyValue>{{"k", "v", 10, 11, 12, 13}}));
  BOOST_TEST(read.more);
  BOOST_TEST(read.count == 8);
  BOOST_TEST(std::get<DeleteAnswer>(body.answers[2]).deleted == 5);
}

BOOST_AUTO_TEST_CASE(a_look_tells_of_the_member) {
  pb::StatusResponse in;
  in.mutable_header()->set_cluster_id(77);
  in.set_version("3.4.23");
  in.set_dbsize(100);
  in.set_dbsizeinuse(60);
  in.set_leader(9);
  Answer answer;
  BOOST_REQUIRE(wire::decode(Kind::look, in.SerializeAsString(), answer));
  auto const& look = std::get<LookAnswer>(answer.body);
  BOOST_TEST(look.version == "3.4.23");
  BOOST_TEST(look.db_bytes == 100);
  BOOST_TEST(look.db_bytes_in_use == 60);
  BOOST_TEST(look.leader == 9U);
  BOOST_TEST(!look.has_no_space_alarm);
  in.add_errors("memberID:8211f1d0f64f3269 alarm:NOSPACE ");
  in.set_islearner(true);
  BOOST_REQUIRE(wire::decode(Kind::look, in.SerializeAsString(), answer));
  BOOST_TEST(std::get<LookAnswer>(answer.body).has_no_space_alarm);
  BOOST_TEST(wire::decode_member(in.SerializeAsString())->is_learner);
  BOOST_TEST(wire::decode_member(in.SerializeAsString())->cluster == 77U);
}

BOOST_AUTO_TEST_CASE(what_is_no_message_is_no_answer) {
  Answer answer;
  for (int kind = 0; kind <= static_cast<int>(Kind::authenticate); ++kind)
    BOOST_TEST(!wire::decode(static_cast<Kind>(kind), "\xFF\xFF\xFF", answer));
  BOOST_TEST(!wire::decode_token("\xFF").has_value());
  BOOST_TEST(!wire::decode_watch("\xFF").has_value());
  BOOST_TEST(!wire::decode_member("\xFF").has_value());
  // A nested transaction, which is never asked for.
  BOOST_TEST(!wire::decode(Kind::transaction, std::string{"\x1A\x02\x22\x00", 4}, answer));
}

BOOST_AUTO_TEST_CASE(unsafe_versions_are_refused) {
  for (char const* const right : {"3.4.22", "3.4.23", "3.4.99", "3.5.6", "3.5.21", "3.6.0", "3.6.0-rc.1", "4.0.0"})
    BOOST_TEST(wire::check_version(right).ok(), right);
  for (char const* const wrong : {"3.4.21", "3.3.27", "2.3.8", "3.5.0", "3.5.0-alpha", "3.5.5", "", "3.4", "3.4.x",
                                  "3.4.22x", "3..22", "v3.4.23", "not_decided"})
    BOOST_TEST((wire::check_version(wrong).code() == Code::not_supported), wrong);
  BOOST_TEST(wire::check_version("3.5.3").message() ==
             "version 3.5.3 has known faults that can damage data; expected is 3.5.6 or later, or 3.4 from 3.4.22 on");
}

// ---------------------------------------------------------------------------
// Errors

BOOST_AUTO_TEST_CASE(errors_before_a_proposal_and_those_of_all_members_are_refusals) {
  struct Row {
    char const* text;
    int status;
    Refusal refusal;
  };
  for (Row const& row :
       {Row{"etcdserver: mvcc: required revision has been compacted", grpc::kOutOfRange, Refusal::compacted},
        Row{"etcdserver: mvcc: required revision is a future revision", grpc::kOutOfRange, Refusal::future_revision},
        Row{"etcdserver: requested lease not found", grpc::kNotFound, Refusal::no_lease},
        Row{"etcdserver: request is too large", grpc::kInvalidArgument, Refusal::too_large},
        Row{"etcdserver: too many operations in txn request", grpc::kInvalidArgument, Refusal::too_large},
        Row{"grpc: received message larger than max (2097153 vs. 2097152)", grpc::kResourceExhausted,
            Refusal::too_large},
        Row{"etcdserver: permission denied", grpc::kPermissionDenied, Refusal::not_allowed},
        Row{"etcdserver: authentication failed, invalid user ID or password", grpc::kInvalidArgument,
            Refusal::not_allowed},
        Row{"etcdserver: duplicate key given in txn request", grpc::kInvalidArgument, Refusal::other},
        Row{"unknown method Txn", grpc::kUnimplemented, Refusal::other}}) {
    BOOST_TEST((judged(row.text, row.status).outcome == Outcome::refused), row.text);
    BOOST_TEST((judged(row.text, row.status).refusal == row.refusal), row.text);
  }
}

BOOST_AUTO_TEST_CASE(unavailable_is_only_what_was_certainly_not_proposed) {
  for (char const* const text : {"etcdserver: no leader", "etcdserver: too many requests", "etcdserver: not capable",
                                 "etcdserver: rpc not supported for learner", "raft proposal dropped"})
    BOOST_TEST((judged(text, 14).outcome == Outcome::unavailable), text);
  BOOST_TEST(judged("etcdserver: no leader", 14).has_no_leader);
  BOOST_TEST(!judged("etcdserver: not capable", 14).has_no_leader);
}

BOOST_AUTO_TEST_CASE(everything_else_is_unknown) {
  struct Row {
    char const* text;
    int status;
  };
  for (Row const& row :
       {Row{"etcdserver: leader changed", 14}, Row{"etcdserver: request timed out", 14},
        Row{"etcdserver: request timed out, possibly due to previous leader failure", 14},
        Row{"etcdserver: request timed out, possibly due to connection lost", 14},
        Row{"etcdserver: request timed out, waiting for the applied index took too long", 14},
        Row{"etcdserver: server stopped", 14}, Row{"etcdserver: request cancelled", 2},
        Row{"etcdserver: corrupt cluster", 15}, Row{"context deadline exceeded", 4}, Row{"context canceled", 1},
        Row{"transport is closing", 14}, Row{"grpc: trying to send message larger than max (9 vs. 8)", 8},
        Row{"something new", 3}, Row{"", 13}, Row{"", -1}})
    BOOST_TEST((judged(row.text, row.status).outcome == Outcome::unknown), row.text);
}

BOOST_AUTO_TEST_CASE(no_space_is_certain_only_of_what_takes_none) {
  char const* const text = "etcdserver: mvcc: database space exceeded";
  BOOST_TEST((judged(text, 8, Kind::put, true).outcome == Outcome::unknown));
  BOOST_TEST((judged(text, 8, Kind::put, true).refusal == Refusal::no_space));
  BOOST_TEST((judged(text, 8, Kind::erase, false).outcome == Outcome::refused));
  BOOST_TEST((judged(text, 8, Kind::erase, false).refusal == Refusal::no_space));
}

BOOST_AUTO_TEST_CASE(a_renewal_without_a_leader_may_have_been_done) {
  wire::Verdict const verdict = judged("etcdserver: no leader", 14, Kind::keep_alive, false);
  BOOST_TEST((verdict.outcome == Outcome::unknown));
  BOOST_TEST(verdict.has_no_leader);
}

BOOST_AUTO_TEST_CASE(errors_of_tokens_are_told_from_those_of_rights) {
  for (char const* const text : {"etcdserver: invalid auth token", "etcdserver: revision of auth store is old",
                                 "etcdserver: user name is empty"})
    BOOST_TEST(judged(text, 16).is_token_invalid, text);
  BOOST_TEST(!judged("etcdserver: permission denied", 7).is_token_invalid);
  BOOST_TEST(wire::says_authentication_is_off("etcdserver: authentication is not enabled"));
}

BOOST_AUTO_TEST_SUITE_END()
