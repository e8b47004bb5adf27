// The C API against the real daemon: what from_c.c does, and what a careless caller or a killed daemon does to it.
#include <boost/test/unit_test.hpp>

#include <fastjournal/fastjournal.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/certificates.h"
#include "tests/support/in_child.h"
#include "tests/unit/c_client/fixture.h"

namespace {

// Allocations of this thread until one fails; negative: none does.
thread_local long allowed = -1;

void* allocated(std::size_t size) {
  if (allowed == 0) return nullptr;
  if (allowed > 0) --allowed;
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

// The library's allocations end here, too.
void* operator new(std::size_t size) {
  if (void* const out = allocated(size); out != nullptr) return out;
  throw std::bad_alloc{};
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return allocated(size); }
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept { return allocated(size); }
[[gnu::noinline]] void operator delete(void* at) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete[](void* at) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete[](void* at, std::size_t) noexcept { std::free(at); }

namespace {

using namespace fastjournal::test;

Owned<fj_message> job(std::string const& name) {
  Owned<fj_message> out{fj_row_new("jobs")};
  BOOST_REQUIRE(fj_set_text(out.get(), "name", name.data(), name.size()) == FJ_OK);
  return out;
}

Owned<fj_reply> next(fj_connection* connection, uint32_t wait_ms = 0) {
  fj_next_options options;
  fj_next_options_init(&options);
  options.wait_ms = wait_ms;
  fj_reply* out = nullptr;
  BOOST_REQUIRE_MESSAGE(fj_next(connection, "jobs", &options, &out) == FJ_OK, said());
  return Owned<fj_reply>{out};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(c_client)

BOOST_FIXTURE_TEST_CASE(a_program_in_c99_puts_works_and_is_refused, Fixture) {
  ChildProcess program{{FJ_BINARY_DIR "/bin/client_from_c", daemon.tcp()}};
  BOOST_TEST(program.wait(std::chrono::minutes{1}).value_or(-1) == 0, program.output());
}

BOOST_FIXTURE_TEST_CASE(a_child_of_fork_is_refused_and_its_parent_goes_on, Fixture) {
  Owned<fj_connection> connection = open();
  Owned<fj_message> const row = job("one");
  int const code = run_in_child([&] {
    fj_reply* reply = nullptr;
    int const put = fj_put(connection.get(), row.get(), nullptr, nullptr);
    int const called = fj_call(connection.get(), row.get(), &reply);
    connection.reset();
    return put == FJ_NOT_SUPPORTED && called == FJ_NOT_SUPPORTED ? 0 : 1;
  });
  BOOST_TEST(code == 0);
  BOOST_TEST(fj_put(connection.get(), row.get(), nullptr, nullptr) == FJ_OK, said());
  BOOST_TEST(fj_connects(connection.get()) == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_null_is_a_failure_everywhere, Fixture) {
  Owned<fj_connection> const connection = open();
  fj_connection* const c = connection.get();
  Owned<fj_message> const row = job("one");
  fj_message* const m = row.get();
  fj_reply* reply = nullptr;
  fj_message* notice = nullptr;
  int64_t integer = 42;
  uint64_t number = 42;
  double real = 42;
  Owned<fj_pipeline> const pipeline{fj_pipeline_new(c, 1, nullptr, nullptr)};
  BOOST_TEST(fj_message_new(nullptr) == nullptr);
  BOOST_TEST(std::string{fj_error_fact("parameter")} == "command");
  BOOST_TEST(fj_row_new(nullptr) == nullptr);
  BOOST_TEST(fj_message_copy(nullptr) == nullptr);
  BOOST_TEST(fj_kv_pair_new(nullptr, "k", 1) == nullptr);
  BOOST_TEST(fj_kv_pair_new("values", nullptr, 1) == nullptr);
  BOOST_TEST(fj_kv_range_new(nullptr, nullptr) == nullptr);
  BOOST_TEST(fj_kv_key(nullptr, nullptr) == nullptr);
  BOOST_TEST(fj_pipeline_new(nullptr, 1, nullptr, nullptr) == nullptr);
  for (int const code : {
           fj_message_clear(nullptr),
           fj_set_text(nullptr, "a", "b", 1),
           fj_set_text(m, nullptr, "b", 1),
           fj_set_text(m, "a", nullptr, 1),
           fj_set_text(m, "a", nullptr, FJ_NUL),
           fj_set_binary(m, "a", nullptr, 1),
           fj_set_binary(m, nullptr, "b", 1),
           fj_set_integer(nullptr, "a", 1),
           fj_set_unsigned(nullptr, "a", 1),
           fj_set_real(nullptr, "a", 1),
           fj_set_boolean(nullptr, "a", 1),
           fj_set_from_now(nullptr, "a", 1),
           fj_set_from_now(m, nullptr, 1),
           fj_set_from_now(m, "process_date", -1),
           fj_get_integer(nullptr, "a", &integer),
           fj_get_integer(m, nullptr, &integer),
           fj_get_integer(m, "name", nullptr),
           fj_get_integer(m, "name", &integer),
           fj_get_unsigned(nullptr, "a", &number),
           fj_get_real(nullptr, "a", &real),
           fj_call(nullptr, m, &reply),
           fj_call(c, nullptr, &reply),
           fj_put(nullptr, m, nullptr, nullptr),
           fj_put(c, nullptr, nullptr, nullptr),
           fj_next(nullptr, "jobs", nullptr, &reply),
           fj_next(c, nullptr, nullptr, &reply),
           fj_next(c, "jobs", nullptr, nullptr),
           fj_touch(nullptr, m, 0, nullptr),
           fj_touch(c, nullptr, 0, nullptr),
           fj_done(nullptr, m),
           fj_done(c, nullptr),
           fj_done_and_next(c, nullptr, &reply),
           fj_done_and_next(c, m, nullptr),
           fj_release(nullptr, m, nullptr, -1, nullptr),
           fj_release(c, nullptr, nullptr, -1, nullptr),
           fj_fail(c, nullptr, nullptr, nullptr),
           fj_give_back(nullptr, m, nullptr, nullptr),
           fj_give_back(c, nullptr, nullptr, nullptr),
           fj_why(c, nullptr, &reply),
           fj_why(c, m, nullptr),
           fj_listen(nullptr, "jobs", nullptr),
           fj_listen(c, nullptr, nullptr),
           fj_unlisten(nullptr, "jobs", nullptr),
           fj_unlisten(c, nullptr, nullptr),
           fj_keep(nullptr, m),
           fj_keep(c, nullptr),
           fj_keep(c, m),
           fj_wait(nullptr, 0, -1, &notice),
           fj_wait(c, 0, -1, nullptr),
           fj_kv_set(nullptr, m, nullptr, nullptr),
           fj_kv_set(c, nullptr, nullptr, nullptr),
           fj_kv_set(c, m, nullptr, nullptr),
           fj_kv_get(nullptr, "values", "k", 1, &notice),
           fj_kv_get(c, nullptr, "k", 1, &notice),
           fj_kv_get(c, "values", nullptr, 1, &notice),
           fj_kv_get(c, "values", nullptr, FJ_NUL, &notice),
           fj_kv_get(c, "values", "k", 1, nullptr),
           fj_kv_delete(nullptr, "values", "k", 1, nullptr),
           fj_kv_delete(c, nullptr, "k", 1, nullptr),
           fj_kv_add(c, "values", nullptr, 1, 1, nullptr),
           fj_kv_page(nullptr, m, &reply),
           fj_kv_page(c, nullptr, &reply),
           fj_kv_page(c, m, &reply),
           fj_kv_page(c, m, nullptr),
           fj_kv_lock(c, nullptr, "k", 1, 1, nullptr),
           fj_kv_unlock(nullptr, "values", "k", 1),
           fj_kv_watch(c, nullptr, "k", 1, FJ_KV_KEY),
           fj_kv_watch(c, "values", nullptr, 1, FJ_KV_KEY),
           fj_kv_watch(c, "values", "k", 1, 2),
           fj_kv_unwatch(nullptr, "values", "k", 1, FJ_KV_PREFIX),
           fj_pipeline_put(nullptr, m),
           fj_pipeline_put(pipeline.get(), nullptr),
           fj_pipeline_send(nullptr, m),
           fj_pipeline_send(pipeline.get(), nullptr),
           fj_pipeline_flush(nullptr),
           fj_pipeline_finish(nullptr),
       })
    BOOST_TEST(code == FJ_BAD_PARAMETER, said());
  BOOST_TEST((integer == 42 && number == 42 && real == 42 && reply == nullptr && notice == nullptr));
  BOOST_TEST(fj_message_name(nullptr) == nullptr);
  BOOST_TEST(fj_get_kind(nullptr, "a") == FJ_ABSENT);
  BOOST_TEST(fj_get_text(nullptr, "a", nullptr) == nullptr);
  BOOST_TEST(fj_get_text(m, nullptr, nullptr) == nullptr);
  BOOST_TEST(fj_get_binary(m, "absent", nullptr) == nullptr);
  BOOST_TEST(fj_param_count(nullptr) == 0U);
  BOOST_TEST(fj_param_name(m, 2) == nullptr);
  BOOST_TEST(fj_is_column(nullptr) == 0);
  BOOST_TEST((fj_is_column("name") == 1 && fj_is_column("lease_end") == 0));
  BOOST_TEST((fj_reply_count(nullptr) == 0U && fj_reply_rows(nullptr) == 0U && fj_reply_resent(nullptr) == 0));
  BOOST_TEST((fj_reply_message(nullptr, 0) == nullptr && fj_reply_row(nullptr, 0) == nullptr));
  BOOST_TEST(fj_client_name(nullptr) == nullptr);
  BOOST_TEST((fj_connects(nullptr) == 0U && fj_pushes_dropped(nullptr) == 0U));
  BOOST_TEST(fj_notice_kind(nullptr) == FJ_NOTICE_OTHER);
  BOOST_TEST(fj_error_fact(nullptr) == nullptr);
  BOOST_TEST((std::string{fj_code_name(-1)} == "unknown" && std::string{fj_code_name(30)} == "unknown"));
  fj_message_free(nullptr);
  fj_reply_free(nullptr);
  fj_pipeline_free(nullptr);
  fj_close(nullptr);
  fj_options_init_sized(nullptr, 100);
  // The connection is as good as before.
  BOOST_TEST(fj_put(c, m, nullptr, nullptr) == FJ_OK, said());
}

BOOST_FIXTURE_TEST_CASE(options_are_checked, Fixture) {
  std::string const server = daemon.local();
  auto const refused = [&](fj_options const& options) {
    Owned<fj_connection> const none{fj_open(&options)};
    return none == nullptr ? fj_error_code() : FJ_OK;
  };
  fj_options options;
  fj_options_init(&options);
  options.server = server.c_str();
  BOOST_TEST(refused(options) == FJ_OK);
  options.size = 3;
  BOOST_TEST(refused(options) == FJ_BAD_PARAMETER);
  options.size = sizeof options;
  options.in_flight_max = (1U << 20U) + 1;
  BOOST_TEST(refused(options) == FJ_BAD_PARAMETER);
  BOOST_TEST(std::string{fj_error_fact("parameter")} == "in_flight_max");
  options.in_flight_max = 0;
  options.message_bytes_max = UINT64_MAX;
  BOOST_TEST(refused(options) == FJ_BAD_PARAMETER);
  options.message_bytes_max = 0;
  options.reconnect = 2;
  BOOST_TEST(refused(options) == FJ_BAD_PARAMETER);
  options.reconnect = 0;
  std::string const name(129, 'x');
  options.client = name.c_str();
  BOOST_TEST(refused(options) == FJ_BAD_PARAMETER);
  options.client = "";
  BOOST_TEST(refused(options) == FJ_BAD_PARAMETER);
  options.client = nullptr;
  options.server = "nowhere";
  BOOST_TEST(refused(options) == FJ_BAD_PARAMETER);
  options.server = "unix:/no/such/socket";
  BOOST_TEST(refused(options) == FJ_UNAVAILABLE);
  BOOST_TEST(said().find("/no/such/socket") != std::string::npos, said());

  // Those of an older program end earlier, those of a newer one later.
  options.server = server.c_str();
  options.size = offsetof(fj_options, ca_file);
  BOOST_TEST(refused(options) == FJ_OK);
  struct {
    fj_options known;
    int newer[4];
  } newer{};
  newer.known.size = sizeof newer;
  newer.known.server = server.c_str();
  BOOST_TEST(refused(newer.known) == FJ_OK);
  newer.newer[3] = 1;
  BOOST_TEST(refused(newer.known) == FJ_NOT_SUPPORTED);
}

BOOST_FIXTURE_TEST_CASE(sizes_beyond_the_limits_are_refused_and_nothing_is_read, Fixture) {
  Owned<fj_connection> const connection = open();
  Owned<fj_message> const row = job("large");
  BOOST_TEST(fj_set_text(row.get(), "payload", "x", SIZE_MAX - 1) == FJ_TOO_LARGE);
  BOOST_TEST(fj_set_binary(row.get(), "payload", "x", SIZE_MAX) == FJ_TOO_LARGE);
  BOOST_TEST(fj_set_text(row.get(), "payload", "x", std::size_t{1} << 40U) == FJ_TOO_LARGE);
  std::string const large(20U * 1024 * 1024, 'x');
  // More than a message of the daemon may have; three of them are more than one of this library may.
  BOOST_TEST(fj_set_text(row.get(), "payload", large.data(), large.size()) == FJ_OK);
  int const code = fj_put(connection.get(), row.get(), nullptr, nullptr);
  BOOST_TEST(code == FJ_TOO_LARGE, said());
  BOOST_TEST(fj_set_text(row.get(), "payload", large.data(), large.size()) == FJ_OK);
  BOOST_TEST(fj_set_text(row.get(), "payload", large.data(), large.size()) == FJ_OK);
  BOOST_TEST(fj_set_text(row.get(), "payload", large.data(), large.size()) == FJ_TOO_LARGE);
  BOOST_TEST(fj_message_clear(row.get()) == FJ_OK);
  for (int i = 0; i < 254; ++i)
    BOOST_REQUIRE(fj_set_integer(row.get(), ("column" + std::to_string(i)).c_str(), i) == FJ_OK);
  BOOST_TEST(fj_set_integer(row.get(), "one_more", 1) == FJ_TOO_LARGE);
  BOOST_TEST(fj_set_integer(row.get(), "column7", 1) == FJ_OK);
  std::string const name(100'000, 'n');
  BOOST_TEST(fj_message_clear(row.get()) == FJ_OK);
  BOOST_TEST(fj_set_integer(row.get(), name.c_str(), 1) == FJ_OK);
  BOOST_TEST(fj_put(connection.get(), row.get(), nullptr, nullptr) != FJ_OK);
  // The connection is usable.
  BOOST_TEST(fj_put(connection.get(), job("small").get(), nullptr, nullptr) == FJ_OK, said());
  BOOST_TEST(names(connection.get()).size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(every_kind_of_value_comes_back, Fixture) {
  daemon.write("tables/typed.xml",
               "<table name=\"typed\" model=\"journal\" row-key=\"id\"><schema>"
               "<column name=\"id\" type=\"int64\" required=\"true\"/><column name=\"u\" type=\"uint64\"/>"
               "<column name=\"r\" type=\"float64\"/><column name=\"t\" type=\"string\"/>"
               "<column name=\"b\" type=\"buffer\"/><column name=\"f\" type=\"bool\"/></schema></table>");
  restart();
  Owned<fj_connection> const connection = open();
  Owned<fj_message> const row{fj_row_new("typed")};
  std::string const bytes{"\0\xff\n;\"\0", 6};
  std::string const text = "gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x98";
  BOOST_TEST(fj_set_integer(row.get(), "id", INT64_MIN) == FJ_OK);
  BOOST_TEST(fj_set_unsigned(row.get(), "u", UINT64_MAX) == FJ_OK);
  BOOST_TEST(fj_set_real(row.get(), "r", -0.1) == FJ_OK);
  BOOST_TEST(fj_set_text(row.get(), "t", text.c_str(), FJ_NUL) == FJ_OK);
  BOOST_TEST(fj_set_binary(row.get(), "b", bytes.data(), bytes.size()) == FJ_OK);
  BOOST_TEST(fj_set_boolean(row.get(), "f", 7) == FJ_OK);
  BOOST_TEST(fj_set_from_now(row.get(), "expiration_date", 60'000) == FJ_OK);
  BOOST_REQUIRE_MESSAGE(fj_put(connection.get(), row.get(), nullptr, nullptr) == FJ_OK, said());
  fj_reply* reply = nullptr;
  BOOST_REQUIRE_MESSAGE(fj_next(connection.get(), "typed", nullptr, &reply) == FJ_OK, said());
  Owned<fj_reply> const work{reply};
  Owned<fj_message> const got{fj_message_copy(fj_reply_row(reply, 0))};
  int64_t integer = 0;
  uint64_t number = 0;
  double real = 0;
  size_t size = 0;
  BOOST_TEST((fj_get_integer(got.get(), "id", &integer) == FJ_OK && integer == INT64_MIN));
  BOOST_TEST(fj_get_unsigned(got.get(), "id", &number) == FJ_BAD_PARAMETER);
  BOOST_TEST((fj_get_unsigned(got.get(), "u", &number) == FJ_OK && number == UINT64_MAX));
  BOOST_TEST(fj_get_integer(got.get(), "u", &integer) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_get_integer(got.get(), "absent", &integer) == FJ_NOT_FOUND);
  BOOST_TEST((fj_get_real(got.get(), "r", &real) == FJ_OK && real == -0.1));
  BOOST_TEST(fj_get_kind(got.get(), "t") == FJ_TEXT);
  BOOST_TEST(fj_get_text(got.get(), "t", nullptr) == text);
  BOOST_TEST(fj_get_kind(got.get(), "b") == FJ_BINARY);
  void const* const at = fj_get_binary(got.get(), "b", &size);
  BOOST_REQUIRE((at != nullptr && size == bytes.size()));
  BOOST_TEST(std::memcmp(at, bytes.data(), size + 1) == 0);  // with its NUL
  BOOST_TEST((fj_get_integer(got.get(), "f", &integer) == FJ_OK && integer == 1));
  BOOST_TEST(fj_get_text(got.get(), "u", nullptr) == nullptr);
  BOOST_TEST(fj_done(connection.get(), got.get()) == FJ_OK, said());
}

BOOST_FIXTURE_TEST_CASE(each_row_is_in_once_though_the_daemon_is_killed_in_the_middle, Fixture) {
  constexpr int kRows = 20'000;
  // A new daemon, whose table has no key: a row that came twice would be one more.
  daemon.kill(SIGKILL);
  static_cast<void>(daemon.wait());
  std::filesystem::remove_all(daemon.folder() / "data");
  daemon.write_table("jobs", "<grace>10s</grace>", false);
  BOOST_REQUIRE(daemon.start());
  std::vector<std::string> heard;
  fj_options options{};
  options.context = &heard;
  options.on_connection = [](void* context, int code, char const* text) {
    static_cast<std::vector<std::string>*>(context)->push_back(std::string{fj_code_name(code)} + " " + text);
  };
  Owned<fj_connection> const connection = open(options);
  uint64_t answers = 0;
  Owned<fj_pipeline> pipeline{fj_pipeline_new(
      connection.get(), 2048,
      [](void* context, uint64_t, int code, fj_reply const* reply) {
        if (code == FJ_OK && fj_reply_count(reply) == 1) ++*static_cast<uint64_t*>(context);
      },
      &answers)};
  for (int i = 0; i < kRows; ++i) {
    if (i % 5'000 == 2'500) restart();
    Owned<fj_message> const row = job(std::to_string(i));
    BOOST_REQUIRE_MESSAGE(fj_pipeline_put(pipeline.get(), row.get()) == FJ_OK, said());
  }
  BOOST_TEST(fj_pipeline_finish(pipeline.get()) == FJ_OK, said());
  BOOST_TEST(answers == static_cast<uint64_t>(kRows));
  BOOST_TEST(fj_connects(connection.get()) >= 4U);
  BOOST_TEST(names(connection.get()).size() == static_cast<std::size_t>(kRows));
  BOOST_TEST(heard.size() % 2 == 0U);
  BOOST_TEST(heard.front().starts_with("closed the connection to "), heard.front());
  BOOST_TEST(heard.back() == "ok ");
}

BOOST_FIXTURE_TEST_CASE(a_command_that_must_not_be_repeated_ends_with_closed, Fixture) {
  Owned<fj_connection> const connection = open();
  BOOST_TEST(fj_put(connection.get(), job("one").get(), nullptr, nullptr) == FJ_OK);
  Owned<fj_reply> const work = next(connection.get());
  daemon.kill(SIGSTOP);
  Owned<fj_pipeline> const pipeline{fj_pipeline_new(connection.get(), 8, nullptr, nullptr)};
  Owned<fj_message> remove{fj_message_new("DELETE")};
  fj_set_text(remove.get(), "table", "jobs", FJ_NUL);
  uint64_t row = 0;
  BOOST_TEST(fj_get_unsigned(fj_reply_row(work.get(), 0), "row", &row) == FJ_OK);
  fj_set_unsigned(remove.get(), "row", row);
  BOOST_TEST(fj_pipeline_send(pipeline.get(), remove.get()) == FJ_OK);
  auto const begin = std::chrono::steady_clock::now();
  BOOST_TEST(fj_pipeline_flush(pipeline.get()) == FJ_OK);
  // It does not wait for an answer of the daemon, which is stopped.
  BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds{15}));
  restart();
  BOOST_TEST(fj_pipeline_finish(pipeline.get()) == FJ_CLOSED);
  BOOST_TEST(said().find("whether DELETE was carried out") != std::string::npos, said());
  // DONE may be repeated, and the lease outlives the restart.
  BOOST_TEST(fj_done(connection.get(), fj_reply_row(work.get(), 0)) == FJ_OK, said());
}

BOOST_FIXTURE_TEST_CASE(without_reconnection_a_loss_is_told_and_a_time_limit_is_kept, Fixture) {
  fj_options options{};
  options.reconnect = FJ_RECONNECT_NEVER;
  Owned<fj_connection> const connection = open(options);
  options.reconnect = FJ_RECONNECT;
  options.time_limit_ms = 50;
  Owned<fj_connection> const brief = open(options);
  daemon.kill(SIGSTOP);
  BOOST_TEST(fj_put(brief.get(), job("late").get(), nullptr, nullptr) == FJ_TIMED_OUT);
  daemon.kill(SIGKILL);
  static_cast<void>(daemon.wait());
  BOOST_TEST(fj_put(connection.get(), job("one").get(), nullptr, nullptr) == FJ_CLOSED, said());
  BOOST_TEST(fj_put(brief.get(), job("one").get(), nullptr, nullptr) != FJ_OK, said());
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
}

BOOST_FIXTURE_TEST_CASE(listeners_are_told_in_each_mode_and_again_after_a_restart, Fixture) {
  Owned<fj_connection> const listener = open();
  Owned<fj_connection> const producer = open();
  auto const wait = [&](int64_t limit_ms) {
    fj_message* notice = nullptr;
    int const code = fj_wait(listener.get(), limit_ms, -1, &notice);
    BOOST_TEST((code == FJ_OK) == (notice != nullptr));
    return Owned<fj_message>{notice};
  };
  auto const listen = [&](uint32_t mode, uint32_t credit) {
    fj_listen_options options;
    fj_listen_options_init(&options);
    options.mode = mode;
    options.credit = credit;
    BOOST_TEST(fj_listen(listener.get(), "jobs", &options) == FJ_OK, said());
  };
  BOOST_TEST(fj_listen(listener.get(), "jobs", nullptr) == FJ_OK, said());
  BOOST_TEST(wait(0) == nullptr);
  BOOST_TEST(fj_error_code() == FJ_TIMED_OUT);
  BOOST_TEST(fj_put(producer.get(), job("a").get(), nullptr, nullptr) == FJ_OK);
  BOOST_TEST(fj_notice_kind(wait(10'000).get()) == FJ_NOTICE_WORK);
  BOOST_TEST(fj_done(listener.get(), fj_reply_row(next(listener.get()).get(), 0)) == FJ_OK, said());

  listen(FJ_EACH, 0);
  BOOST_TEST(fj_put(producer.get(), job("b").get(), nullptr, nullptr) == FJ_OK);
  Owned<fj_message> const due = wait(10'000);
  BOOST_TEST(fj_notice_kind(due.get()) == FJ_NOTICE_DUE);
  BOOST_TEST(fj_get_text(due.get(), "name", nullptr) == std::string{"b"});
  BOOST_TEST(fj_done(listener.get(), fj_reply_row(next(listener.get()).get(), 0)) == FJ_OK, said());

  restart();
  BOOST_TEST(fj_put(producer.get(), job("c").get(), nullptr, nullptr) == FJ_OK, said());
  BOOST_TEST(fj_get_text(wait(10'000).get(), "name", nullptr) == std::string{"c"});

  listen(FJ_DELIVER, 2);
  Owned<fj_message> const row = wait(10'000);
  BOOST_TEST(fj_notice_kind(row.get()) == FJ_NOTICE_DELIVERED);
  BOOST_TEST(fj_done(listener.get(), row.get()) == FJ_OK, said());
  BOOST_TEST(fj_unlisten(listener.get(), "jobs", nullptr) == FJ_OK, said());
  BOOST_TEST(fj_unlisten(listener.get(), "jobs", nullptr) == FJ_WRONG_STATE);
  fj_listen_options options;
  fj_listen_options_init(&options);
  options.mode = 3;
  BOOST_TEST(fj_listen(listener.get(), "jobs", &options) == FJ_BAD_PARAMETER);
}

BOOST_FIXTURE_TEST_CASE(a_callback_cannot_call_its_own_connection, Fixture) {
  Owned<fj_connection> const connection = open();
  struct Context {
    fj_connection* connection;
    fj_pipeline* pipeline;
    std::vector<int> codes;
  } context{connection.get(), nullptr, {}};
  fj_pipeline* const pipeline = fj_pipeline_new(
      connection.get(), 4,
      [](void* at, uint64_t, int, fj_reply const*) {
        auto& here = *static_cast<Context*>(at);
        here.codes.push_back(fj_put(here.connection, nullptr, nullptr, nullptr));
        here.codes.push_back(fj_pipeline_finish(here.pipeline));
        fj_pipeline_free(here.pipeline);
        fj_close(here.connection);
      },
      &context);
  context.pipeline = pipeline;
  BOOST_TEST(fj_pipeline_put(pipeline, job("one").get()) == FJ_OK);
  BOOST_TEST(fj_pipeline_finish(pipeline) == FJ_OK);
  BOOST_TEST(context.codes == (std::vector<int>{FJ_WRONG_STATE, FJ_WRONG_STATE}), boost::test_tools::per_element());
  fj_pipeline_free(pipeline);
  BOOST_TEST(fj_pipeline_new(connection.get(), 0, nullptr, nullptr) == nullptr);
  BOOST_TEST(fj_pipeline_new(connection.get(), 4097, nullptr, nullptr) == nullptr);
  BOOST_TEST(fj_error_code() == FJ_BAD_PARAMETER);
  // A pipeline that is freed with commands in flight leaves the connection whole.
  for (int i = 0; i < 3; ++i) {
    Owned<fj_pipeline> const dropped{fj_pipeline_new(connection.get(), 4096, nullptr, nullptr)};
    for (int nr = 0; nr < 4096; ++nr)
      BOOST_REQUIRE_MESSAGE(fj_pipeline_put(dropped.get(), job("x").get()) == FJ_OK, said());
  }
  BOOST_TEST(names(connection.get()).size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_late_worker_learns_who_has_the_row, Fixture) {
  Owned<fj_connection> const connection = open();
  BOOST_TEST(fj_put(connection.get(), job("one").get(), nullptr, nullptr) == FJ_OK);
  Owned<fj_reply> const first = next(connection.get());
  Owned<fj_message> const late{fj_message_copy(fj_reply_row(first.get(), 0))};
  BOOST_TEST(fj_release(connection.get(), late.get(), nullptr, -1, nullptr) == FJ_OK);
  fj_next_options options;
  fj_next_options_init(&options);
  options.worker = "quick";
  fj_reply* reply = nullptr;
  BOOST_TEST(fj_next(connection.get(), "jobs", &options, &reply) == FJ_OK);
  Owned<fj_reply> const second{reply};
  BOOST_TEST(fj_done(connection.get(), late.get()) == FJ_STALE_EPOCH);
  BOOST_TEST(fj_error_fact("holder") == std::string{"quick"});
  BOOST_TEST(fj_put(connection.get(), job("two").get(), nullptr, nullptr) == FJ_OK);
  BOOST_TEST(fj_done_and_next(connection.get(), fj_reply_row(reply, 0), &reply) == FJ_OK, said());
  Owned<fj_reply> const third{reply};
  BOOST_TEST(fj_get_text(fj_reply_row(reply, 0), "name", nullptr) == std::string{"two"});
  // A failure of another thread is its own.
  std::thread{[] { BOOST_TEST((fj_error_code() == FJ_OK && *fj_error_text() == '\0')); }}.join();
}

BOOST_FIXTURE_TEST_CASE(a_certificate_a_token_and_their_refusal, Fixture) {
  Authority authority;
  Certificate const server = authority.issue();
  Certificate const mine = authority.client("anna");
  daemon.write("ca.pem", authority.certificate());
  for (auto const& [name, one] : {std::pair{"server", &server}, {"anna", &mine}}) {
    daemon.write(std::string{name} + ".pem", one->certificate);
    write_private(daemon.folder() / (std::string{name} + ".key"), one->key);
  }
  daemon.write("fastjournal.xml",
               "<fastjournal><listen address=\"127.0.0.1:0\" tls=\"true\"/><tls certificate=\"server.pem\" "
               "key=\"server.key\" client-ca=\"ca.pem\" client-certificates=\"required\"/></fastjournal>\n");
  daemon.listens_as_configured = true;
  restart();
  std::string const address = daemon.addresses().front();
  std::string const ca = (daemon.folder() / "ca.pem").string();
  std::string const certificate = (daemon.folder() / "anna.pem").string();
  std::string const key = (daemon.folder() / "anna.key").string();
  fj_options options{};
  options.server = address.c_str();
  options.ca_file = ca.c_str();
  options.certificate_file = certificate.c_str();
  options.key_file = key.c_str();
  {
    Owned<fj_connection> const connection = open(options);
    BOOST_TEST(fj_put(connection.get(), job("one").get(), nullptr, nullptr) == FJ_OK, said());
  }
  options.token = "wrong";
  options.size = sizeof options;
  BOOST_TEST(fj_open(&options) == nullptr);
  BOOST_TEST(fj_error_code() == FJ_NOT_ALLOWED, said());
  options.token = nullptr;
  options.ca_file = nullptr;
  BOOST_TEST(fj_open(&options) == nullptr);
  BOOST_TEST(said().find("certificate") != std::string::npos, said());
}

// Whatever a program has caught, a text of it arrives, and the row is leased no longer.
BOOST_FIXTURE_TEST_CASE(failures_of_any_bytes_arrive_with_their_traces, Fixture) {
  Owned<fj_connection> const connection = open();
  fj_connection* const c = connection.get();
  std::string const huge = "a\xff" + std::string(40U << 20U, 'x');
  std::string const trace = "at line 7\n\xed\xa0\x80" + std::string(80'000, 'y');
  fj_give_back_options options;
  fj_give_back_options_init(&options);
  options.error = huge.c_str();
  options.error_trace = trace.c_str();
  fj_give_back_options later = options;
  later.delay_ms = 3'600'000;
  fj_give_back_options never = options;
  never.permanent = 1;
  fj_give_back_options only_trace;
  fj_give_back_options_init(&only_trace);
  only_trace.error_trace = trace.c_str();
  std::string const kept = "a?" + std::string(1022, 'x');
  std::string const kept_trace = "at line 7\n???" + std::string(64 * 1024 - 13, 'y');
  struct Case {
    std::string name;
    std::function<int(fj_message const*, int*)> give;
    int fate;
    std::string error;
    std::string trace;
  };
  std::vector<Case> const cases{
      {"release", [&](fj_message const* row, int* fate) { return fj_release(c, row, huge.c_str(), 3'600'000, fate); },
       FJ_RELEASED, kept, ""},
      {"fail", [&](fj_message const* row, int* fate) { return fj_fail(c, row, huge.c_str(), fate); }, FJ_PARKED, kept,
       ""},
      {"later", [&](fj_message const* row, int* fate) { return fj_give_back(c, row, &later, fate); }, FJ_RELEASED, kept,
       kept_trace},
      {"never", [&](fj_message const* row, int* fate) { return fj_give_back(c, row, &never, fate); }, FJ_PARKED, kept,
       kept_trace},
      {"trace", [&](fj_message const* row, int* fate) { return fj_give_back(c, row, &only_trace, fate); }, FJ_RELEASED,
       "", kept_trace},
      {"nothing", [&](fj_message const* row, int* fate) { return fj_give_back(c, row, nullptr, fate); }, FJ_RELEASED,
       "", ""}};
  for (Case const& one : cases) {
    BOOST_TEST_CONTEXT(one.name) {
      BOOST_REQUIRE_MESSAGE(fj_put(c, job(one.name).get(), nullptr, nullptr) == FJ_OK, said());
      Owned<fj_reply> const work = next(c);
      BOOST_REQUIRE(fj_reply_rows(work.get()) == 1U);
      fj_message const* const row = fj_reply_row(work.get(), 0);
      BOOST_REQUIRE(std::string{fj_get_text(row, "name", nullptr)} == one.name);
      int fate = 0;
      BOOST_TEST(one.give(row, &fate) == FJ_OK, said());
      BOOST_TEST(fate == one.fate);
      Owned<fj_message> const peek{fj_message_new("PEEK")};
      fj_set_text(peek.get(), "table", "jobs", FJ_NUL);
      fj_set_text(peek.get(), "name", one.name.c_str(), FJ_NUL);
      fj_reply* shown = nullptr;
      BOOST_REQUIRE_MESSAGE(fj_call(c, peek.get(), &shown) == FJ_OK, said());
      Owned<fj_reply> const answer{shown};
      auto const text_of = [&](char const* name) {
        char const* const text = fj_get_text(fj_reply_message(shown, 0), name, nullptr);
        return std::string{text == nullptr ? "" : text};
      };
      BOOST_TEST((text_of("error") == one.error), text_of("error").substr(0, 40));
      BOOST_TEST((text_of("error_trace") == one.trace), text_of("error_trace").substr(0, 40));
      Owned<fj_message> const away{fj_message_new("DELETE")};
      fj_set_text(away.get(), "table", "jobs", FJ_NUL);
      fj_set_text(away.get(), "name", one.name.c_str(), FJ_NUL);
      BOOST_TEST(fj_call(c, away.get(), nullptr) == FJ_OK, said());
    }
  }
  never.delay_ms = 1;
  BOOST_TEST(fj_give_back(c, job("x").get(), &never, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(std::string{fj_error_fact("parameter")} == "delay_ms");
  later.delay_ms = UINT64_MAX;
  BOOST_TEST(fj_give_back(c, job("x").get(), &later, nullptr) == FJ_BAD_PARAMETER);
}

// Memory that ends anywhere is a failure: no exception, no end of the process, and the next connection works.
BOOST_FIXTURE_TEST_CASE(too_little_memory_is_a_failure_everywhere, Fixture) {
  std::string const server = daemon.local();
  fj_options options;
  fj_options_init(&options);
  options.server = server.c_str();
  std::string const payload(5'000, 'p');  // beyond the first block of a message
  bool ended = false;
  int failures = 0;
  for (long budget = 0; !ended && budget < 3'000; ++budget) {
    bool failed = false;
    auto const seen = [&](bool good) {
      failed = failed || !good;
      return good;
    };
    Owned<fj_connection> connection;
    Owned<fj_message> row;
    Owned<fj_reply> work;
    fj_reply* reply = nullptr;
    fj_message* notice = nullptr;
    allowed = budget;
    connection.reset(fj_open(&options));
    fj_connection* const c = connection.get();
    if (seen(c != nullptr)) {
      row.reset(fj_row_new("jobs"));
      seen(row != nullptr && fj_set_text(row.get(), "name", "one", FJ_NUL) == FJ_OK);
      seen(fj_set_text(row.get(), "payload", payload.data(), payload.size()) == FJ_OK);
      seen(fj_put(c, row.get(), nullptr, nullptr) == FJ_OK);
      Owned<fj_pipeline> const pipeline{fj_pipeline_new(c, 2, nullptr, nullptr)};
      if (seen(pipeline != nullptr))
        for (int i = 0; i < 3; ++i) seen(fj_pipeline_put(pipeline.get(), row.get()) == FJ_OK);
      seen(fj_pipeline_finish(pipeline.get()) == FJ_OK);
      seen(fj_listen(c, "jobs", nullptr) == FJ_OK);
      if (seen(fj_wait(c, 100, -1, &notice) == FJ_OK)) fj_message_free(notice);
      seen(fj_next(c, "jobs", nullptr, &reply) == FJ_OK);
      work.reset(reply);
      if (fj_reply_rows(reply) == 1) {
        seen(fj_reply_row(reply, 0) != nullptr && fj_done(c, fj_reply_row(reply, 0)) == FJ_OK);
      }
      seen(fj_done(c, nullptr) != FJ_NO_SPACE);
    }
    allowed = -1;
    ended = !failed;
    failures += failed ? 1 : 0;
  }
  BOOST_TEST(ended);
  BOOST_TEST(failures > 50);
  BOOST_TEST_MESSAGE(failures << " budgets of memory were too small");
  Owned<fj_connection> const connection = open();
  BOOST_TEST(fj_put(connection.get(), job("after").get(), nullptr, nullptr) == FJ_OK, said());
}

BOOST_AUTO_TEST_SUITE_END()
