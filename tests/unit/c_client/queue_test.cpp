// Queue tables through the C API, beside the real daemon.
#include <cstdint>
#include <cstring>

#include "tests/unit/c_client/fixture.h"

namespace {

using namespace fastjournal::test;

struct QueuesFixture : Fixture {
  QueuesFixture() {
    daemon.write("tables/post.xml", "<table name=\"post\" model=\"queue\"><queues>orders failed</queues></table>\n");
    restart();
    connection = open();
    c = connection.get();
  }

  std::uint64_t send(std::string const& queue, std::string const& body) {
    Owned<fj_message> const message{fj_queue_message_new("post", queue.c_str())};
    fj_set_text(message.get(), "body", body.c_str(), body.size());
    int result = 0;
    uint64_t number = 0;
    BOOST_REQUIRE_MESSAGE(fj_queue_send(c, message.get(), &result, &number) == FJ_OK, said());
    BOOST_TEST(result == FJ_QUEUE_SENT);
    return number;
  }
  // Null: there is none.
  Owned<fj_message> acquire() {
    fj_queue_options options;
    fj_queue_options_init(&options);
    options.queue = "orders";
    options.worker = "from C";
    options.lease_ms = 30'000;
    fj_reply* reply = nullptr;
    BOOST_REQUIRE_MESSAGE(fj_queue_acquire(c, "post", &options, &reply) == FJ_OK, said());
    Owned<fj_reply> const owned{reply};
    return Owned<fj_message>{fj_reply_rows(reply) == 0 ? nullptr : fj_message_copy(fj_reply_row(reply, 0))};
  }
  // Any command; the first message of its answer.
  Owned<fj_message> call(char const* name, std::vector<std::pair<char const*, char const*>> const& params) {
    Owned<fj_message> const command{fj_message_new(name)};
    fj_set_text(command.get(), "table", "post", FJ_NUL);
    for (auto const& [key, value] : params) fj_set_text(command.get(), key, value, FJ_NUL);
    fj_reply* reply = nullptr;
    BOOST_REQUIRE_MESSAGE(fj_call(c, command.get(), &reply) == FJ_OK, said());
    Owned<fj_reply> const owned{reply};
    return Owned<fj_message>{fj_message_copy(fj_reply_message(reply, 0))};
  }

  Owned<fj_connection> connection;
  fj_connection* c{nullptr};
};

std::string body_of(fj_message const* message) {
  size_t size = 0;
  void const* const bytes = fj_queue_body(message, &size);
  return bytes == nullptr ? "none" : std::string{static_cast<char const*>(bytes), size};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(c_client_queue)

BOOST_FIXTURE_TEST_CASE(a_message_is_sent_acquired_renewed_and_accepted, QueuesFixture) {
  Owned<fj_message> const message{fj_queue_message_new("post", "orders")};
  BOOST_TEST(fj_set_binary(message.get(), "body_binary", "\0\xff", 2) == FJ_OK);
  BOOST_TEST(fj_set_text(message.get(), "properties", "{}", FJ_NUL) == FJ_OK);
  BOOST_TEST(fj_set_text(message.get(), "client", "till-1", FJ_NUL) == FJ_OK);
  BOOST_TEST(fj_set_integer(message.get(), "sequence", 1) == FJ_OK);
  int result = 0;
  uint64_t number = 0;
  BOOST_REQUIRE_MESSAGE(fj_queue_send(c, message.get(), &result, &number) == FJ_OK, said());
  BOOST_TEST((result == FJ_QUEUE_SENT && number > 0));
  BOOST_TEST((fj_queue_send(c, message.get(), &result, nullptr) == FJ_OK && result == FJ_QUEUE_DUPLICATE));
  Owned<fj_message> const taken = acquire();
  BOOST_REQUIRE(taken != nullptr);
  BOOST_TEST(body_of(taken.get()) == std::string("\0\xff", 2));
  BOOST_TEST(std::string{fj_get_text(taken.get(), "properties", nullptr)} == "{}");
  BOOST_TEST(acquire() == nullptr);
  int64_t before = 0;
  int64_t lease_end = 0;
  fj_get_integer(taken.get(), "lease_end", &before);
  BOOST_REQUIRE_MESSAGE(fj_touch(c, taken.get(), 60'000, &lease_end) == FJ_OK, said());
  BOOST_TEST(lease_end > before);
  BOOST_TEST(fj_queue_accept(c, taken.get()) == FJ_OK);
  BOOST_TEST(fj_queue_accept(c, taken.get()) == FJ_UNKNOWN_ROW);
  // A message without a body has none; an empty one is there.
  Owned<fj_message> const bare{fj_queue_message_new("post", "orders")};
  BOOST_REQUIRE_MESSAGE(fj_queue_send(c, bare.get(), nullptr, nullptr) == FJ_OK, said());
  BOOST_TEST(fj_queue_body(acquire().get(), nullptr) == nullptr);
  send("orders", "");
  BOOST_TEST(body_of(acquire().get()) == "");
  BOOST_TEST(fj_queue_body(nullptr, nullptr) == nullptr);
}

BOOST_FIXTURE_TEST_CASE(a_message_is_released_dead_or_parked, QueuesFixture) {
  int fate = 0;
  send("orders", "one");
  BOOST_REQUIRE_MESSAGE(fj_release(c, acquire().get(), nullptr, -1, &fate) == FJ_OK, said());
  BOOST_TEST(fate == FJ_RELEASED);
  Owned<fj_message> const again = acquire();
  int64_t deliveries = -1;
  BOOST_TEST((fj_get_integer(again.get(), "deliveries", &deliveries) == FJ_OK && deliveries == 0));
  BOOST_TEST((fj_queue_reject(c, again.get(), "never", &fate) == FJ_OK && fate == FJ_PARKED));
  BOOST_TEST(fj_queue_reject(c, again.get(), nullptr, nullptr) == FJ_NOT_LEASED);
  call("DECLARE", {{"queue", "orders"}, {"dead_letters", "failed"}});
  send("orders", "two");
  BOOST_TEST((fj_queue_reject(c, acquire().get(), "never", &fate) == FJ_OK && fate == FJ_DEAD));
  Owned<fj_message> const dead = call("BROWSE", {{"queue", "failed"}, {"body", "1"}});
  BOOST_TEST(body_of(dead.get()) == "two");
  BOOST_TEST(std::string{fj_get_text(dead.get(), "error", nullptr)} == "never");
  send("orders", "three");
  fj_give_back_options options;
  fj_give_back_options_init(&options);
  options.error = "not now";
  BOOST_TEST((fj_give_back(c, acquire().get(), &options, &fate) == FJ_OK && fate == FJ_RELEASED), said());
  send("orders", "four");
  std::string const huge = "a\xff" + std::string(40U << 20U, 'x');
  options.error = huge.c_str();
  options.error_trace = "at line 7";
  options.permanent = 1;
  Owned<fj_message> const third = acquire();
  BOOST_TEST((fj_give_back(c, third.get(), &options, &fate) == FJ_OK && fate == FJ_DEAD), said());
  int64_t number = 0;
  BOOST_TEST(fj_get_integer(third.get(), "message", &number) == FJ_OK);
  Owned<fj_message> const why = call("WHY", {{"message", std::to_string(number).c_str()}});
  BOOST_TEST(std::string{fj_get_text(why.get(), "error_trace", nullptr)} == "at line 7");
}

BOOST_FIXTURE_TEST_CASE(a_message_is_parked_looked_at_kicked_and_deleted, QueuesFixture) {
  auto const peek = [&](char const* status) {
    fj_reply* reply = nullptr;
    BOOST_REQUIRE_MESSAGE(fj_queue_peek(c, "post", "orders", status, &reply) == FJ_OK, said());
    Owned<fj_reply> const owned{reply};
    return Owned<fj_message>{fj_reply_rows(reply) == 0 ? nullptr : fj_message_copy(fj_reply_row(reply, 0))};
  };
  BOOST_TEST(peek(nullptr) == nullptr);
  std::uint64_t const number = send("orders", "one");
  BOOST_TEST(body_of(peek(nullptr).get()) == "one");
  Owned<fj_message> const taken = acquire();
  BOOST_TEST(fj_queue_delete(c, "post", number) == FJ_WRONG_STATE);
  fj_give_back_options options;
  fj_give_back_options_init(&options);
  options.error = "who ordered this?";
  uint32_t priority = 0;
  options.priority = &priority;
  int fate = 0;
  BOOST_REQUIRE_MESSAGE(fj_queue_park(c, taken.get(), &options, &fate) == FJ_OK, said());
  BOOST_TEST(fate == FJ_PARKED);
  BOOST_TEST(fj_queue_park(c, taken.get(), nullptr, nullptr) == FJ_NOT_LEASED);
  int64_t shown = -1;
  BOOST_TEST((fj_get_integer(peek("parked").get(), "priority", &shown) == FJ_OK && shown == 0));
  BOOST_TEST(std::string{fj_get_text(peek("parked").get(), "error", nullptr)} == options.error);
  BOOST_TEST(fj_queue_kick(c, "post", number) == FJ_OK);
  BOOST_TEST(fj_queue_kick(c, "post", number) == FJ_WRONG_STATE);
  // A message is released with a priority, too; without one it keeps its own.
  priority = 9;
  options.error = nullptr;
  BOOST_REQUIRE_MESSAGE(fj_give_back(c, acquire().get(), &options, &fate) == FJ_OK, said());
  BOOST_REQUIRE_MESSAGE(fj_give_back(c, acquire().get(), nullptr, &fate) == FJ_OK, said());
  BOOST_TEST((fj_get_integer(peek("due").get(), "priority", &shown) == FJ_OK && shown == 9));
  priority = 256;
  BOOST_TEST(fj_give_back(c, acquire().get(), &options, &fate) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_kick(c, "post", number) == FJ_OK);
  BOOST_TEST(fj_queue_delete(c, "post", number) == FJ_OK);
  BOOST_TEST(fj_queue_delete(c, "post", number) == FJ_UNKNOWN_ROW);
}

BOOST_FIXTURE_TEST_CASE(those_of_a_queue_are_kicked_page_by_page, QueuesFixture) {
  constexpr int kMessages = 1200;
  Owned<fj_pipeline> const pipeline{fj_pipeline_new(c, 64, nullptr, nullptr)};
  for (int i = 0; i < kMessages; ++i) {
    Owned<fj_message> const message{fj_queue_message_new("post", "orders")};
    fj_set_from_now(message.get(), "process_date", 3'600'000);
    BOOST_REQUIRE_MESSAGE(fj_pipeline_put(pipeline.get(), message.get()) == FJ_OK, said());
  }
  BOOST_REQUIRE_MESSAGE(fj_pipeline_finish(pipeline.get()) == FJ_OK, said());
  uint64_t kicked = 0;
  BOOST_TEST((fj_queue_kick_all(c, "post", "orders", 2, &kicked) == FJ_OK && kicked == 2), said());
  BOOST_TEST((fj_queue_kick_all(c, "post", "orders", 1100, &kicked) == FJ_OK && kicked == 1100), said());
  BOOST_TEST((fj_queue_kick_all(c, "post", "orders", 0, &kicked) == FJ_OK && kicked == kMessages - 1102), said());
  BOOST_TEST((fj_queue_kick_all(c, "post", "orders", 0, &kicked) == FJ_OK && kicked == 0), said());
  BOOST_TEST(fj_queue_kick_all(c, "post", "none", 0, nullptr) == FJ_NOT_FOUND);
}

BOOST_FIXTURE_TEST_CASE(a_paused_queue_hands_out_nothing_and_several_are_asked_at_once, QueuesFixture) {
  Owned<fj_message> const leased{fj_queue_message_new("post", "orders")};
  fj_set_unsigned(leased.get(), "lease", 90'000);
  fj_set_integer(leased.get(), "priority", 3);
  uint64_t first = 0;
  BOOST_REQUIRE_MESSAGE(fj_queue_send(c, leased.get(), nullptr, &first) == FJ_OK, said());
  std::uint64_t const second = send("failed", "two");
  auto const take = [&](fj_queue_options const& options) -> uint64_t {
    fj_reply* reply = nullptr;
    BOOST_REQUIRE_MESSAGE(fj_queue_acquire(c, "post", &options, &reply) == FJ_OK, said());
    Owned<fj_reply> const owned{reply};
    uint64_t number = 0;
    if (fj_reply_rows(reply) != 0) fj_get_unsigned(fj_reply_row(reply, 0), "message", &number);
    return number;
  };
  fj_queue_options several;
  fj_queue_options_init(&several);
  several.queues = "failed orders";
  fj_queue_options alone;
  fj_queue_options_init(&alone);
  alone.queue = "orders";
  BOOST_REQUIRE_MESSAGE(fj_queue_pause(c, "post", "orders", 0, "inventory") == FJ_OK, said());
  Owned<fj_message> const queue = call("QUEUES", {{"queue", "orders"}});
  BOOST_TEST(std::string{fj_get_text(queue.get(), "pause_reason", nullptr)} == "inventory");
  BOOST_TEST(take(alone) == 0);
  // Of both by priority, where they are not paused.
  BOOST_TEST(take(several) == second);
  BOOST_TEST(fj_queue_kick(c, "post", second) == FJ_OK);
  BOOST_REQUIRE_MESSAGE(fj_queue_resume(c, "post", "orders") == FJ_OK, said());
  BOOST_TEST(take(several) == first);
  int64_t lease_end = 0;
  Owned<fj_message> const read = call("READ", {{"message", std::to_string(first).c_str()}});
  BOOST_TEST((fj_get_integer(read.get(), "lease", &lease_end) == FJ_OK && lease_end == 90'000));
  // Paused until a date, its messages are had one by one.
  BOOST_TEST(fj_queue_kick(c, "post", first) == FJ_OK);
  BOOST_REQUIRE_MESSAGE(fj_queue_pause(c, "post", "orders", INT64_C(4102444800000), nullptr) == FJ_OK, said());
  int64_t until = 0;
  Owned<fj_message> const paused = call("QUEUES", {{"queue", "orders"}});
  BOOST_TEST((fj_get_integer(paused.get(), "paused_until", &until) == FJ_OK && until == INT64_C(4102444800000)));
  fj_queue_options one;
  fj_queue_options_init(&one);
  one.message = first;
  BOOST_TEST(take(one) == first);
}

BOOST_FIXTURE_TEST_CASE(messages_are_routed_and_delivered_also_over_a_restart, QueuesFixture) {
  call("DECLARE", {{"exchange", "news"}, {"kind", "topic"}});
  call("BIND", {{"exchange", "news"}, {"queue", "orders"}, {"routing_key", "italy.#"}});
  fj_queue_options options;
  fj_queue_options_init(&options);
  options.queue = "orders";
  options.credit = 2;
  BOOST_REQUIRE_MESSAGE(fj_queue_listen(c, "post", &options) == FJ_OK, said());
  Owned<fj_message> const message{fj_queue_message_new("post", nullptr)};
  fj_set_text(message.get(), "exchange", "news", FJ_NUL);
  fj_set_text(message.get(), "routing_key", "italy.rome", FJ_NUL);
  fj_set_text(message.get(), "body", "rain", FJ_NUL);
  BOOST_REQUIRE_MESSAGE(fj_queue_send(c, message.get(), nullptr, nullptr) == FJ_OK, said());
  auto const next = [&] {
    fj_message* got = nullptr;
    BOOST_REQUIRE_MESSAGE(fj_wait(c, 20'000, -1, &got) == FJ_OK, said());
    BOOST_TEST(fj_notice_kind(got) == FJ_NOTICE_DELIVERED);
    return Owned<fj_message>{got};
  };
  BOOST_TEST(body_of(next().get()) == "rain");
  restart();
  // It has no grace: what was delivered is delivered again.
  Owned<fj_message> const again = next();
  int64_t redelivered = 0;
  BOOST_TEST((fj_get_integer(again.get(), "redelivered", &redelivered) == FJ_OK && redelivered == 1));
  BOOST_TEST(fj_queue_accept(c, again.get()) == FJ_OK);
  BOOST_TEST(fj_queue_unlisten(c, "post", "orders") == FJ_OK);
  send("orders", "for nobody");
  fj_message* none = nullptr;
  BOOST_TEST((fj_wait(c, 0, -1, &none) == FJ_TIMED_OUT && none == nullptr));
}

BOOST_FIXTURE_TEST_CASE(many_messages_are_sent_by_a_pipeline, QueuesFixture) {
  Owned<fj_pipeline> const pipeline{fj_pipeline_new(c, 64, nullptr, nullptr)};
  for (int i = 0; i < 500; ++i) {
    Owned<fj_message> const message{fj_queue_message_new("post", i == 7 ? "none" : "orders")};
    BOOST_REQUIRE_MESSAGE(fj_pipeline_put(pipeline.get(), message.get()) == FJ_OK, said());
  }
  BOOST_TEST(fj_pipeline_finish(pipeline.get()) == FJ_NOT_FOUND);
  int64_t messages = 0;
  Owned<fj_message> const orders = call("QUEUES", {{"queue", "orders"}});
  BOOST_TEST((fj_get_integer(orders.get(), "messages", &messages) == FJ_OK && messages == 499));
}

BOOST_FIXTURE_TEST_CASE(what_is_missing_or_out_of_place_is_refused, QueuesFixture) {
  fj_reply* reply = nullptr;
  fj_queue_options options;
  fj_queue_options_init(&options);
  options.credit = 1;
  BOOST_TEST(fj_queue_acquire(c, "post", &options, &reply) == FJ_BAD_PARAMETER);
  options.accept = 1;
  BOOST_TEST(fj_queue_listen(c, "post", &options) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_acquire(c, "post", nullptr, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_acquire(c, nullptr, nullptr, &reply) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_accept(c, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_reject(c, nullptr, nullptr, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_send(c, nullptr, nullptr, nullptr) == FJ_BAD_PARAMETER);
  Owned<fj_message> const row{fj_row_new("post")};
  BOOST_TEST(fj_queue_send(c, row.get(), nullptr, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_message_new(nullptr, "orders") == nullptr);
  BOOST_TEST(fj_queue_unlisten(nullptr, "post", nullptr) == FJ_BAD_PARAMETER);
  fj_queue_options_init(&options);
  options.queues = "orders";
  BOOST_TEST(fj_queue_listen(c, "post", &options) == FJ_BAD_PARAMETER);
  fj_give_back_options given;
  fj_give_back_options_init(&given);
  given.delay_ms = 1;
  BOOST_TEST(fj_queue_park(c, row.get(), &given, nullptr) == FJ_BAD_PARAMETER);
  uint32_t const priority = 1;
  given.delay_ms = 0;
  given.permanent = 1;
  given.priority = &priority;
  BOOST_TEST(fj_give_back(c, row.get(), &given, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_park(c, nullptr, nullptr, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_peek(c, "post", nullptr, nullptr, &reply) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_peek(c, "post", "orders", nullptr, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_peek(c, "post", "orders", "acquired", &reply) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_delete(c, nullptr, 1) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_kick(c, "post", 1) == FJ_UNKNOWN_ROW);
  BOOST_TEST(fj_queue_kick_all(c, "post", nullptr, 0, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_pause(c, "post", nullptr, 0, nullptr) == FJ_BAD_PARAMETER);
  BOOST_TEST(fj_queue_resume(c, "post", nullptr) == FJ_BAD_PARAMETER);
}

BOOST_AUTO_TEST_SUITE_END()
