// The C API of blobs beside a scripted table: what from_c.c does, and what a careless caller does.
#include <fcntl.h>

#include <boost/test/unit_test.hpp>

#include <fastjournal/fastjournal.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "tests/unit/blob_client/fake_table.h"

extern "C" char const* blobs_from_c(char const* port, char const* datagrams, char const* data_file);

namespace fastjournal::client {
namespace {

using bcdb::Frame;
using bcdb::Op;
using bcdb::Outcome;
using Told = bcdb::Reply;

// Frozen: programs were compiled with them.
static_assert(sizeof(bcdb_key) == 16 && offsetof(bcdb_key, hash_id) == 8);
static_assert(sizeof(fj_blob_place) == 64 && offsetof(fj_blob_place, begin) == 16 &&
              offsetof(fj_blob_place, entry_time) == 32 && offsetof(fj_blob_place, own) == 48);
static_assert(sizeof(fj_blob_options) == 96 && offsetof(fj_blob_options, version) == 72 &&
              offsetof(fj_blob_options, blob_bytes_max) == 88);

}  // namespace

BOOST_AUTO_TEST_SUITE(c_blob)

BOOST_AUTO_TEST_CASE(a_program_in_c99_puts_finds_and_reads) {
  FakeTable table{[&](Peer& writing) {
    DataFile file = table.current_file(4);
    writing.meet(4);
    Frame put = writing.frame(Op::put);
    Told const place = file.add(writing.read(9));
    writing.answer(put, place);
    put = writing.frame(Op::put);
    static_cast<void>(writing.read(7));
    writing.answer(put, {.outcome = Outcome::no_space, .text = "over_limit: the quota"});
    for (int i = 0; i < 3; ++i) {
      put = writing.frame(Op::put);
      writing.answer(put, file.add(writing.read(static_cast<std::size_t>(put.length))));
    }
    Peer peer{table.listening(), table.datagram_socket()};
    peer.meet(4);
    for (int i = 0; i < 2; ++i) peer.answer(peer.frame(Op::query), place);
    Frame const fetch = peer.frame(Op::fetch);
    BOOST_TEST((fetch.offset == 4 && fetch.length == bcdb::kToItsEnd));
    peer.answer(fetch, {.begin = 4100, .end = 4105}, "bytes");
    peer.answer(peer.frame(Op::query), place);
    for (int i = 0; i < 2; ++i) peer.answer(peer.frame(Op::query), {.outcome = Outcome::absent});
    Frame const attach = peer.frame(Op::attach);
    int const descriptor = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    peer.send(bytes_of(Told{.op = Op::attach, .echo = attach.echo, .file = 4}), descriptor);
    ::close(descriptor);
    peer.on_datagram([&](std::string_view query) {
      std::string out;
      bcdb::write(
          bcdb::Response{.echo = bcdb::read_ask(query).echo, .entry_time = 1, .begin = place.begin, .end = place.end},
          false, out);
      return out;
    });
  }};
  char const* const problem = blobs_from_c(table.port().c_str(), table.datagrams().c_str(), table.link().c_str());
  BOOST_TEST((problem == nullptr ? std::string{} : std::string{problem}) == "");
  table.finish();
}

BOOST_AUTO_TEST_CASE(a_null_is_a_failure_everywhere) {
  fj_blob_options options;
  fj_blob_options_init(&options);
  options.read = "/nobody/there";
  fj_blobs* const blobs = fj_blobs_open(&options);
  BOOST_REQUIRE(blobs != nullptr);
  bcdb_key const key = bcdb_make_key("a", 0);
  bcdb_key const other = bcdb_make_key_with_secret("a", 0, "sixteen bytes ok");
  BOOST_TEST(other.hash_id != key.hash_id);
  BOOST_TEST(bcdb_make_key_with_secret("a", 1, nullptr).hash_id == key.hash_id);
  fj_blob_place place{};
  fj_blob* blob = nullptr;
  int descriptor = 7;
  BOOST_TEST(fj_blobs_open(nullptr) == nullptr);
  BOOST_TEST(fj_error_code() == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_put(nullptr, &key, "x", 1, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_put(blobs, nullptr, "x", 1, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_put(blobs, &key, nullptr, 1, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_send_put(blobs, &key, nullptr, 1) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_find(blobs, nullptr, &place) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_find_once(blobs, nullptr, &place) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_send_find(blobs, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_receive_put(nullptr, &place) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_receive_find(nullptr, &place) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_get(blobs, &key, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_read(blobs, nullptr, &blob) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_read(blobs, &place, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_view(blobs, nullptr, &blob) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_view(blobs, &place, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_fetch(blobs, &key, 0, 1, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_attach(blobs, nullptr, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_blob_attach(blobs, &descriptor, nullptr) == FJ_UNAVAILABLE);
  BOOST_TEST(descriptor == -1);
  BOOST_TEST(fj_blob_get(blobs, &key, &blob) == FJ_UNAVAILABLE);
  BOOST_TEST(fj_blob_put(blobs, &key, "x", 1, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(std::string{fj_error_fact("parameter")} == "write");
  BOOST_TEST((fj_blob_bytes(nullptr) == nullptr && fj_blob_size(nullptr) == 0));
  fj_blob_free(nullptr);
  fj_blobs_close(nullptr);
  fj_blobs_close(blobs);
}

BOOST_AUTO_TEST_CASE(options_of_other_versions_are_read_or_refused) {
  fj_blob_options options;
  fj_blob_options_init(&options);
  options.bytes = 3;
  BOOST_TEST(fj_blobs_open(&options) == nullptr);
  BOOST_TEST(std::string{fj_error_fact("parameter")} == "bytes");
  options.bytes = FJ_BLOB_RELAY;
  options.version = 1;
  BOOST_TEST(fj_blobs_open(&options) == nullptr);
  BOOST_TEST(fj_error_code() == FJ_BAD_PARAMETER);
  fj_blob_options_init_sized(&options, offsetof(fj_blob_options, version));  // of an older program
  fj_blobs* const blobs = fj_blobs_open(&options);
  BOOST_TEST(blobs != nullptr);
  fj_blobs_close(blobs);
  struct {
    fj_blob_options options;
    char more[8];
  } newer{};
  newer.options.size = sizeof newer;
  newer.more[3] = 1;
  BOOST_TEST(fj_blobs_open(&newer.options) == nullptr);
  BOOST_TEST(fj_error_code() == FJ_NOT_SUPPORTED);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::client
