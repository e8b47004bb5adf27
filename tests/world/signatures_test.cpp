// Signed messages against the whole server in the simulator: whose rights they have, of what time they must be, what a
// reload changes, and that no signing key is ever told.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/support/signing.h"
#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim::signatures_test {
namespace {

constexpr std::string_view kAnnsKey = "the-signing-key-of-ann";
constexpr std::string_view kBobsKey = "the-signing-key-of-bob";

// "USER DATE SCOPE REQUEST SIGNATURE|message", one a line, and its answers as text.
class SignedLines final : public Protocol {
 public:
  Piece read(std::string_view unread, Message& message, std::string&) override {
    std::size_t const end = unread.find('\n');
    if (end == std::string_view::npos) return {};
    std::string_view line = unread.substr(0, end);
    Piece out{.kind = Kind::message, .consumed = end + 1, .bytes = end};
    if (std::size_t const bar = line.find('|'); bar != std::string_view::npos) {
      std::string_view words = line.substr(0, bar);
      for (std::string_view* const part :
           {&signature_.user, &signature_.date, &signature_.scope, &signature_.request, &signature_.signature}) {
        *part = words.substr(0, words.find(' '));
        words.remove_prefix(std::min(part->size() + 1, words.size()));
      }
      out.signature = &signature_;
      line.remove_prefix(bar + 1);
    }
    BOOST_REQUIRE(protocol::parse_line(line, message).ok());
    return out;
  }
  std::size_t whole_bytes(std::string_view) const override { return 1U << 16U; }
  void write(Outgoing const& message, std::string& out) override {
    BOOST_REQUIRE(protocol::append_line(message, out).ok());
  }
  void refuse(Status const& why, std::string& out) override { out += why.text() + "\n"; }

 private:
  Signature signature_;
};

struct Signers {
  Signers() {
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/bare.xml").ok());
    world.set_users(users(kAnnsKey));
    Status const status = world.start();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
    speak("closed", {});
    speak("open", {Right::add});
  }

  // ann signs and may read, bob signs and may add to bare, eve has neither key nor token, dan has a token's rights.
  static access::Users users(std::string_view anns) {
    access::Users out;
    BOOST_REQUIRE(out.add({.name = "ann",
                           .grants = {{.rights = {Right::read}}},
                           .token = {},
                           .signing_key = access::SigningKey::read(anns)}));
    BOOST_REQUIRE(out.add({.name = "bob",
                           .grants = {{.rights = {Right::add, Right::work}, .tables = {"bare"}}},
                           .token = {},
                           .signing_key = access::SigningKey::read(kBobsKey)}));
    BOOST_REQUIRE(out.add({.name = "eve", .grants = {{.rights = kAllRights}}, .token = {}}));
    return out;
  }

  // The client's connections speak SignedLines.
  void speak(std::string const& client, Rights rights) {
    world.give_rights(client, rights);
    std::uint32_t number = SimNetwork::kAdministrator + 1;
    while (world.server().listeners().of(number).address != "unix:/run/" + client) ++number;
    world.server().listeners().add(number,
                                   {"unix:/run/" + client, rights, [] { return std::make_unique<SignedLines>(); }});
  }

  struct Way {
    std::int64_t old_s{0};
    std::string_view day{};  // of the scope; empty: that of the date
  };
  std::string signed_by(std::string_view user, std::string_view key, std::string_view line, Way const& way) {
    std::string const date = test::signing_date(world.clock().wall_us() - way.old_s * 1'000'000);
    std::string const scope =
        (way.day.empty() ? date.substr(0, 8) : std::string{way.day}) + "/eu-west-1/sqs/aws4_request";
    std::string const request(64, 'a');
    return std::string{user} + " " + date + " " + scope + " " + request + " " +
           test::aws_signature_of(key, date, scope, request) + "|" + std::string{line};
  }
  std::string ask(std::string const& client, std::string_view line) {
    world.send(client, line);
    world.settle();
    std::string out;
    while (std::optional<std::string> const one = world.take_line(client)) out += (out.empty() ? "" : "|") + *one;
    for (std::string_view const key : {kAnnsKey, kBobsKey}) BOOST_TEST(!has(out, key));
    return out;
  }
  std::string ask_as(std::string const& client, std::string_view user, std::string_view key, std::string_view line) {
    return ask(client, signed_by(user, key, line, {}));
  }
  // "wrong", "old", or the whole answer.
  std::string refusal_of(std::string const& answer) {
    std::size_t const at = answer.find(";signature=");
    if (at == std::string::npos || !has(answer, "code=not_allowed")) return answer;
    return answer.substr(at + 11, answer.find(';', at + 1) - at - 11);
  }

  static bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

  World world{1};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(signatures, Signers)

BOOST_AUTO_TEST_CASE(a_signed_message_has_the_rights_of_its_user_and_the_next_one_has_not) {
  BOOST_TEST(has(ask("closed", "STATS"), "code=not_allowed"));
  BOOST_TEST(has(ask_as("closed", "ann", kAnnsKey, "STATS"), "connections_ever="));
  BOOST_TEST(has(ask("closed", "STATS"), "code=not_allowed"));
  BOOST_TEST(has(ask_as("closed", "bob", kBobsKey, "INSERT table=bare;name=a"), "INSERTED"));
  BOOST_TEST(has(ask_as("closed", "bob", kBobsKey, "STATS table=bare"), "right=read;table=bare;user=bob"));
  BOOST_TEST(has(ask_as("closed", "ann", kAnnsKey, "INSERT table=bare;name=b"), "right=add;table=bare;user=ann"));
}

BOOST_AUTO_TEST_CASE(a_wrong_one_is_refused_without_telling_why_and_noted_with_the_reason) {
  std::string const wrong = ask_as("closed", "ann", kBobsKey, "STATS");
  BOOST_TEST(refusal_of(wrong) == "wrong");
  BOOST_TEST(has(world.notes().back(), "audit: login failed, command=STATS claimed=ann user=- origin="));
  BOOST_TEST(has(world.notes().back(), " signature=wrong result=not_allowed"));
  BOOST_TEST(ask_as("closed", "eve", kAnnsKey, "STATS") == wrong);
  BOOST_TEST(has(world.notes().back(), "claimed=eve"));
  BOOST_TEST(has(world.notes().back(), " signature=no_key "));
  BOOST_TEST(ask_as("closed", "AKIDEXAMPLE", kAnnsKey, "STATS") == wrong);
  BOOST_TEST(has(world.notes().back(), " signature=unknown_user "));
  for (std::string const& note : world.notes()) BOOST_TEST((!has(note, kAnnsKey) && !has(note, kBobsKey)), note);
  std::string const stats = ask("admin", "STATS");
  BOOST_TEST(has(stats, ";logins_accepted=0;"), stats);
  BOOST_TEST(has(stats, ";logins_refused=3;"), stats);
}

BOOST_AUTO_TEST_CASE(part_of_a_right_signature_is_a_wrong_one) {
  std::string const line = signed_by("ann", kAnnsKey, "STATS", {});
  std::size_t const bar = line.find('|');
  for (std::size_t const left : {0, 1, 32, 63})
    BOOST_TEST(refusal_of(ask("closed", line.substr(0, bar - 64 + left) + line.substr(bar))) == "wrong");
}

BOOST_AUTO_TEST_CASE(dates_are_those_of_the_wall_clock) {
  world.advance(DurationMs{3'600'000});
  auto const at = [this](std::int64_t old_s) {
    return refusal_of(ask("closed", signed_by("ann", kAnnsKey, "STATS", {.old_s = old_s})));
  };
  BOOST_TEST(has(at(899), "connections_ever="));
  BOOST_TEST(has(at(-899), "connections_ever="));
  BOOST_TEST(at(901) == "old");
  BOOST_TEST(at(-901) == "old");
  BOOST_TEST(at(86'400) == "old");
  world.advance(DurationMs{60'000});
  std::string const before = signed_by("ann", kAnnsKey, "STATS", {});
  world.set_clock(DurationMs{1'000'000});
  world.settle();
  BOOST_TEST(refusal_of(ask("closed", before)) == "old");
  BOOST_TEST(has(at(0), "connections_ever="));
}

BOOST_AUTO_TEST_CASE(the_scope_is_of_the_day_of_the_date) {
  BOOST_TEST(refusal_of(ask("closed", signed_by("ann", kAnnsKey, "STATS", {.day = "20200101"}))) == "wrong");
}

BOOST_AUTO_TEST_CASE(where_a_listener_gives_rights_only_users_with_keys_must_sign_rightly) {
  BOOST_TEST(has(ask_as("open", "AKIDEXAMPLE", "whatever", "INSERT table=bare;name=a"), "INSERTED"));
  BOOST_TEST(has(ask_as("open", "eve", "whatever", "INSERT table=bare;name=b"), "INSERTED"));
  BOOST_TEST(has(ask_as("open", "eve", "whatever", "STATS"), "code=not_allowed"));  // nobody's, not eve's rights
  BOOST_TEST(has(ask_as("open", "ann", kAnnsKey, "INSERT table=bare;name=c"), "INSERTED"));
  BOOST_TEST(has(ask_as("open", "ann", kAnnsKey, "STATS"), "connections_ever="));
  BOOST_TEST(refusal_of(ask_as("open", "ann", kBobsKey, "INSERT table=bare;name=d")) == "wrong");
}

BOOST_AUTO_TEST_CASE(a_reload_applies_to_the_next_message) {
  BOOST_TEST(has(ask_as("closed", "ann", kAnnsKey, "STATS"), "connections_ever="));
  world.set_users(users("another-key-of-ann"));
  std::string const told = ask("admin", "RELOAD");
  BOOST_TEST(has(told, "user ann changed;count=1"), told);
  BOOST_TEST(!has(told, "another-key"));
  BOOST_TEST(refusal_of(ask_as("closed", "ann", kAnnsKey, "STATS")) == "wrong");
  BOOST_TEST(has(ask_as("closed", "ann", "another-key-of-ann", "STATS"), "connections_ever="));
  world.set_users(access::Users{});
  BOOST_TEST(has(ask("admin", "RELOAD"), "user ann removed"));
  BOOST_TEST(refusal_of(ask_as("closed", "ann", "another-key-of-ann", "STATS")) == "wrong");
}

BOOST_AUTO_TEST_CASE(a_message_that_waits_ends_when_its_signer_is_changed) {
  BOOST_TEST(ask_as("closed", "bob", kBobsKey, "NEXT table=bare;wait=60000;request=1") == "");
  access::Users next;
  BOOST_REQUIRE(next.add({.name = "ann", .grants = {{.rights = {Right::read}}}, .token = {}}));
  world.set_users(std::move(next));
  BOOST_TEST(has(ask("admin", "RELOAD"), "user bob removed"));
  world.settle();
  BOOST_TEST(world.is_closed("closed"));
}

BOOST_AUTO_TEST_CASE(failures_are_limited_but_not_for_who_signed_from_there) {
  BOOST_TEST(has(ask_as("closed", "ann", kAnnsKey, "STATS"), "connections_ever="));
  for (int i = 0; i < 5; ++i) BOOST_TEST(refusal_of(ask_as("closed", "nobody", kAnnsKey, "STATS")) == "wrong");
  BOOST_TEST(has(ask_as("closed", "nobody", kAnnsKey, "STATS"), "code=over_limit"));
  BOOST_TEST(has(ask_as("closed", "bob", kBobsKey, "INSERT table=bare;name=a"), "code=over_limit"));
  BOOST_TEST(has(ask_as("closed", "ann", kAnnsKey, "STATS"), "connections_ever="));
  world.advance(DurationMs{5'000});
  BOOST_TEST(has(ask_as("closed", "bob", kBobsKey, "INSERT table=bare;name=a"), "INSERTED"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::signatures_test
