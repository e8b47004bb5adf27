// Key/value tables through the C API, beside the real daemon.
#include <cstring>

#include "tests/unit/c_client/fixture.h"

namespace {

using namespace fastjournal::test;

struct ValuesFixture : Fixture {
  ValuesFixture() {
    daemon.write("tables/values.xml", "<table name=\"values\" model=\"keyvalue\"/>\n");
    restart();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(c_client_key_value)

BOOST_FIXTURE_TEST_CASE(values_are_set_read_counted_locked_and_deleted, ValuesFixture) {
  Owned<fj_connection> const connection = open();
  Owned<fj_connection> const another = open();
  fj_connection* const c = connection.get();
  std::string const key{"a\0\xff", 3};
  Owned<fj_message> const pair{fj_kv_pair_new("values", key.data(), key.size())};
  BOOST_TEST(fj_set_binary(pair.get(), "value", "\0\1", 2) == FJ_OK);
  int result = 0;
  uint64_t timestamp = 0;
  BOOST_REQUIRE_MESSAGE(fj_kv_set(c, pair.get(), &result, &timestamp) == FJ_OK, said());
  BOOST_TEST((result == FJ_KV_STORED && timestamp > 0));
  BOOST_TEST(fj_set_integer(pair.get(), "overwrite", 0) == FJ_OK);
  BOOST_TEST((fj_kv_set(c, pair.get(), &result, nullptr) == FJ_OK && result == FJ_KV_EXISTS));
  fj_message* got = nullptr;
  BOOST_REQUIRE_MESSAGE(fj_kv_get(c, "values", key.data(), key.size(), &got) == FJ_OK, said());
  Owned<fj_message> const shown{got};
  size_t size = 0;
  void const* const bytes = fj_kv_key(got, &size);
  BOOST_TEST((size == key.size() && std::memcmp(bytes, key.data(), size) == 0));
  BOOST_TEST((fj_get_kind(got, "value") == FJ_BINARY && std::string{fj_get_text(got, "type", nullptr)} == "buffer"));
  BOOST_TEST(fj_kv_get(c, "values", "none", FJ_NUL, &got) == FJ_NOT_FOUND);
  BOOST_TEST(got == nullptr);

  int64_t sum = 0;
  BOOST_TEST((fj_kv_add(c, "values", "n", 1, 5, &sum) == FJ_OK && sum == 5));
  BOOST_TEST((fj_kv_add(c, "values", "n", FJ_NUL, -7, &sum) == FJ_OK && sum == -2));
  BOOST_TEST(fj_kv_add(c, "values", key.data(), key.size(), 1, nullptr) == FJ_WRONG_STATE);

  int64_t lock_end = 0;
  BOOST_TEST((fj_kv_lock(c, "values", "n", 1, 60'000, &lock_end) == FJ_OK && lock_end > 0));
  BOOST_TEST(fj_kv_add(another.get(), "values", "n", 1, 1, nullptr) == FJ_IN_USE);
  BOOST_TEST(std::stoll(fj_error_fact("lock_end")) == lock_end);
  BOOST_TEST(fj_kv_unlock(c, "values", "n", 1) == FJ_OK);
  BOOST_TEST(fj_kv_unlock(c, "values", "n", 1) == FJ_WRONG_STATE);
  BOOST_TEST(fj_kv_lock(c, "values", "none", FJ_NUL, 1, nullptr) == FJ_NOT_FOUND);

  BOOST_TEST((fj_kv_delete(c, "values", "n", 1, &result) == FJ_OK && result == FJ_KV_DELETED));
  BOOST_TEST((fj_kv_delete(c, "values", "n", 1, &result) == FJ_OK && result == FJ_KV_ABSENT));
}

BOOST_FIXTURE_TEST_CASE(a_range_is_read_page_by_page, ValuesFixture) {
  Owned<fj_connection> const connection = open();
  fj_connection* const c = connection.get();
  for (int i = 0; i < 25; ++i) {
    std::string const key = "k" + std::to_string(100 + i);
    Owned<fj_message> const pair{fj_kv_pair_new("values", key.c_str(), FJ_NUL)};
    fj_set_integer(pair.get(), "value", i);
    BOOST_REQUIRE_MESSAGE(fj_kv_set(c, pair.get(), nullptr, nullptr) == FJ_OK, said());
  }
  Owned<fj_message> const other{fj_kv_pair_new("values", "other", FJ_NUL)};
  BOOST_REQUIRE(fj_kv_set(c, other.get(), nullptr, nullptr) == FJ_OK);
  Owned<fj_message> const range{fj_kv_range_new("values", "k")};
  fj_set_integer(range.get(), "count", 10);
  for (int round = 0; round < 2; ++round) {
    int64_t seen = 0;
    int pages = 0;
    fj_reply* reply = nullptr;
    while (fj_kv_page(c, range.get(), &reply) == FJ_OK) {
      Owned<fj_reply> const page{reply};
      ++pages;
      for (size_t i = 0; i < fj_reply_count(reply); ++i) {
        int64_t value = -1;
        BOOST_TEST(fj_get_integer(fj_reply_message(reply, i), "value", &value) == FJ_OK);
        BOOST_TEST(value == seen++);
      }
    }
    BOOST_TEST(fj_error_code() == FJ_NOT_FOUND, said());
    BOOST_TEST(fj_kv_page(c, range.get(), &reply) == FJ_NOT_FOUND);
    BOOST_TEST((seen == 25 && pages == 3));
    // From its beginning again.
    BOOST_TEST(fj_message_clear(range.get()) == FJ_OK);
    fj_set_text(range.get(), "prefix", "k", 1);
    fj_set_integer(range.get(), "count", 10);
  }
}

BOOST_FIXTURE_TEST_CASE(changes_are_noticed_also_over_a_restart, ValuesFixture) {
  Owned<fj_connection> const connection = open();
  Owned<fj_connection> const another = open();
  fj_connection* const c = connection.get();
  std::string const key{"\xff\0", 2};
  BOOST_REQUIRE_MESSAGE(fj_kv_watch(c, "values", key.data(), key.size(), FJ_KV_KEY) == FJ_OK, said());
  BOOST_REQUIRE_MESSAGE(fj_kv_watch(c, "values", "site:", FJ_NUL, FJ_KV_PREFIX) == FJ_OK, said());
  BOOST_REQUIRE_MESSAGE(fj_kv_watch(c, "values", "other", FJ_NUL, FJ_KV_KEY) == FJ_OK, said());
  BOOST_REQUIRE_MESSAGE(fj_kv_unwatch(c, "values", "other", FJ_NUL, FJ_KV_KEY) == FJ_OK, said());
  auto const notice = [&]() -> std::string {
    fj_message* got = nullptr;
    BOOST_REQUIRE_MESSAGE(fj_wait(c, 20'000, -1, &got) == FJ_OK, said());
    Owned<fj_message> const one{got};
    size_t size = 0;
    auto const* const bytes = static_cast<char const*>(fj_kv_key(got, &size));
    BOOST_REQUIRE(bytes != nullptr);
    char const* const result = fj_get_text(got, "result", nullptr);
    return std::to_string(fj_notice_kind(got)) + " " + std::string(bytes, size) + " " +
           (result == nullptr ? "" : result);
  };
  auto const change = [&](void const* at, size_t size) {
    BOOST_REQUIRE_MESSAGE(fj_kv_add(another.get(), "values", at, size, 1, nullptr) == FJ_OK, said());
  };
  std::string const changed = std::to_string(FJ_NOTICE_CHANGED);
  std::string const missed = std::to_string(FJ_NOTICE_MISSED);
  change("other", FJ_NUL);
  change(key.data(), key.size());
  BOOST_TEST(notice() == changed + " " + key + " stored");
  change("site:1", FJ_NUL);
  BOOST_TEST(notice() == changed + " site:1 stored");
  BOOST_REQUIRE(fj_kv_delete(another.get(), "values", "site:1", FJ_NUL, nullptr) == FJ_OK);
  BOOST_TEST(notice() == changed + " site:1 absent");
  restart();
  BOOST_TEST(notice() == missed + " " + key + " ");
  BOOST_TEST(notice() == missed + " site: ");
}

BOOST_AUTO_TEST_SUITE_END()
