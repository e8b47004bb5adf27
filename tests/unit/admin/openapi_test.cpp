// The document of the HTTP door tells what the declarations tell: every command once, parameters, rights and answers.
#include "server/admin/openapi.h"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>
#include <set>

#include "server/admin/commands.h"
#include "server/admin/declarations.h"
#include "tests/unit/engine/tally.h"

namespace {

using namespace fastjournal;
using nlohmann::json;

struct OpenapiFixture {
  OpenapiFixture() {
    add_type("tally");
    document = json::parse(admin::make_openapi(types));
  }
  void add_type(std::string const& name) {
    types.emplace(name, std::make_unique<engine::TableType>(engine::test::tally_plugin(), engine::test::tally_type()));
  }
  json const& post(std::string const& command) { return document.at("paths").at("/v1/" + command).at("post"); }
  json const& body(std::string const& command) {
    return post(command).at("requestBody").at("content").at("application/json").at("schema");
  }
  json const& answer(std::string const& command) {
    return post(command).at("responses").at("200").at("content").at("application/json").at("schema");
  }

  engine::TableTypes types;
  json document;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(openapi, OpenapiFixture)

BOOST_AUTO_TEST_CASE(every_command_that_is_answered_is_a_path) {
  for (admin::OwnCommand const& command : admin::own_commands())
    BOOST_TEST(document.at("paths").contains("/v1/" + std::string{command.name()}) ==
                   (command.kind != admin::OwnCommand::Kind::silent),
               command.name());
  for (auto const& [name, type] : types)
    for (CommandDeclaration const& command : type->declaration()->commands) {
      BOOST_TEST(body(command.name).at("additionalProperties").is_object() == command.takes_columns, command.name);
      for (ParameterDeclaration const& parameter : command.parameters)
        BOOST_TEST(body(command.name).at("properties").contains(parameter.name), parameter.name);
    }
}

BOOST_AUTO_TEST_CASE(every_reference_leads_somewhere) {
  std::size_t seen = 0;
  auto const walk = [&](auto const& self, json const& node) -> void {
    if (node.is_object() && node.contains("$ref")) {
      ++seen;
      std::string const path = node.at("$ref").get<std::string>().substr(1);
      BOOST_TEST(document.contains(json::json_pointer{path}), path);
    }
    if (node.is_structured())
      for (json const& child : node) self(self, child);
  };
  walk(walk, document);
  BOOST_TEST(seen > 10U);
}

BOOST_AUTO_TEST_CASE(commands_of_the_daemon_are_told_as_those_of_types) {
  json const count = body("WAITERS").at("properties").at("count");
  BOOST_TEST(count.at("type") == "integer");
  BOOST_TEST(count.at("maximum") == 1000);
  BOOST_TEST(count.at("default") == 100);
  BOOST_TEST((body("LISTEN").at("properties").at("mode").at("enum") == json{"wake", "row", "deliver"}));
  BOOST_TEST((body("LOWER").at("required") == json{"name"}));
  BOOST_TEST((answer("TABLES") == json{{"type", "array"}, {"items", {{"$ref", "#/components/schemas/TABLE"}}}}));
  BOOST_TEST((answer("LOWER") == json{{"$ref", "#/components/schemas/LOWERED"}}));
  // The answers of its commands come behind it, in the same array.
  BOOST_TEST((answer("COMMIT").at("anyOf").back() == json{{"type", "array"}, {"items", {{"type", "object"}}}}));
}

// All who ask for it share one text in memory.
BOOST_AUTO_TEST_CASE(it_is_written_once) {
  int written = 0;
  admin::Command const command = admin::make_openapi_command([&] {
    ++written;
    return admin::make_openapi(types);
  });
  std::set<void const*> texts;
  for (int asked = 0; asked < 100; ++asked) {
    Message const message{"OPENAPI"};
    admin::Caller const caller{.connection = ConnectionId{static_cast<std::uint64_t>(asked)}};
    Answer answer;
    BOOST_REQUIRE(command.run({.caller = caller, .message = message, .answer = answer}).ok());
    BOOST_REQUIRE(answer.has_stored());
    StoredValue const& text = *answer.params().front().value.stored;
    admin::SharedText const* const shared = admin::shared_text_of(text);
    BOOST_REQUIRE(shared != nullptr);
    BOOST_TEST(text.extent.size() == (*shared)->size());
    texts.insert((*shared)->data());
  }
  BOOST_TEST(written == 1);
  BOOST_TEST(texts.size() == 1U);
}

BOOST_AUTO_TEST_CASE(rights_are_told) {
  BOOST_TEST(post("STATS").at("description") == "Needs the right read.");
  BOOST_TEST(post("HEALTH").at("description") == "Needs no right.");
  BOOST_TEST(post("STOP").at("description") == "Needs the right admin.");
}

BOOST_AUTO_TEST_CASE(a_command_of_two_types_takes_the_body_of_either) {
  std::string const name = types.begin()->second->declaration()->commands.front().name;
  add_type("twin");
  document = json::parse(admin::make_openapi(types));
  BOOST_TEST(body(name).at("anyOf").size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
