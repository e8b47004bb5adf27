// The declarations of the daemon's own commands, and the registry that joins them with their code. What each command
// does: tests/transcripts.
#include "server/admin/commands.h"
#include "config/type_reader.h"
#include "server/embedded.h"
#include "tests/support/nobody.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

namespace {

using namespace fastjournal;
using namespace fastjournal::admin;

struct Process final : LifeCycle {
  void stop(std::string_view reason) override { reasons.emplace_back(reason); }
  void restart(std::string_view reason) override { reasons.emplace_back(reason); }
  Status rotate_log() override { return rotated; }

  std::vector<std::string> reasons;
  Status rotated;
};

struct CommandsFixture {
  Status run(std::string_view name, Caller const& caller) {
    Message const message{name};
    answer.clear();
    return registry.run(registry.find(name), {.caller = caller, .message = message, .answer = answer}).status;
  }

  engine::TableTypes types;
  Registry registry{types};
  Process process;
  Answer answer;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(own_commands_of_the_daemon, CommandsFixture)

BOOST_AUTO_TEST_CASE(each_name_is_declared_once) {
  std::set<std::string_view> names;
  for (OwnCommand const& command : own_commands()) BOOST_TEST(names.insert(command.name()).second, command.name());
  names.clear();
  for (OwnAnswer const& one : own_answers()) BOOST_TEST(names.insert(one.name()).second, one.name());
}

// What the program has of daemon.xml, and reads when it is needed.
BOOST_AUTO_TEST_CASE(the_declarations_can_be_read) {
  Result<config::OwnDeclarations> const read = config::read_own(embedded().front().bytes);
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  BOOST_TEST(read->commands.size() == own_commands().size());
  BOOST_TEST(read->answers.size() == own_answers().size());
  for (OwnCommand const& command : own_commands()) {
    BOOST_TEST(command.declared.answers.empty() == (command.kind == OwnCommand::Kind::silent), command.name());
    BOOST_TEST(!(command.right && command.for_changes), command.name());
    for (ParameterDeclaration const& one : command.declared.parameters)
      for (auto const& bound : {one.min, one.max, one.default_value})
        BOOST_TEST((!bound || bound->option.empty() || bound->option == "transaction-timeout" ||
                    bound->option == "key-size-max"),
                   one.name);
  }
  for (OwnAnswer const& one : own_answers()) BOOST_TEST(!one.declared.description.empty(), one.name());
}

BOOST_AUTO_TEST_CASE(whoever_ends_the_daemon_needs_the_right_admin) {
  for (OwnCommand const& command : own_commands())
    if (command.life_cycle) BOOST_TEST((command.right == Right::admin), command.name());
}

BOOST_AUTO_TEST_CASE(a_communicatord_needs_no_right_for_the_life_cycle_only) {
  Message const message{"STOP"};
  registry.add("STOP", make_stop(process));
  registry.add("RELOAD", make_ignored());
  Caller const person{};
  Caller const communicatord{.communicator = true};
  BOOST_TEST((registry.right_for(registry.find("STOP"), person, message) == Right::admin));
  BOOST_TEST(!registry.right_for(registry.find("STOP"), communicatord, message).has_value());
  BOOST_TEST((registry.right_for(registry.find("RELOAD"), communicatord, message) == Right::admin));
}

BOOST_AUTO_TEST_CASE(a_row_listener_needs_the_right_to_read) {
  Message message{"LISTEN"};
  fastjournal::test::Nobody nobody;
  engine::Engine engine{types, nobody};
  registry.add("LISTEN", make_listen(engine));
  BOOST_TEST((registry.right_for(registry.find("LISTEN"), {}, message) == Right::work));
  message.set("mode", "row");
  BOOST_TEST((registry.right_for(registry.find("LISTEN"), {}, message) == Right::read));
}

BOOST_AUTO_TEST_CASE(persons_are_answered_and_a_communicatord_is_not) {
  registry.add("STOP", make_stop(process));
  registry.add("LOG_ROTATE", make_log_rotate(process));
  BOOST_TEST(run("STOP", {.peer = "unix:pid 7"}).ok());
  BOOST_REQUIRE(answer.heads().size() == 1U);
  BOOST_TEST(answer.heads().front().command == "STOPPING");
  BOOST_TEST(run("STOP", {.communicator = true}).ok());
  BOOST_TEST(answer.empty());
  BOOST_REQUIRE(process.reasons.size() == 2U);
  BOOST_TEST(process.reasons.front() == "the command STOP from unix:pid 7");
  process.rotated = {Code::io_error, "no such folder"};
  BOOST_TEST(!run("LOG_ROTATE", {}).ok());
  BOOST_TEST(answer.empty());
}

BOOST_AUTO_TEST_CASE(a_registry_knows_whether_a_command_has_no_code) {
  BOOST_TEST(!registry.is_complete());
  for (OwnCommand const& command : own_commands()) registry.add(command.name(), make_ignored());
  BOOST_TEST(registry.is_complete());
  BOOST_TEST(registry.find("INSERT") == Registry::kUnknown);
}

BOOST_AUTO_TEST_CASE(without_types_no_topic_is_listed) {
  auto const listen = std::ranges::find(own_commands(), "LISTEN", &OwnCommand::name);
  std::string names;
  for (ParameterDeclaration const& one : with_topics(listen->declared.parameters, types)) names += one.name + " ";
  BOOST_TEST(names == "table mode credit worker key key_binary prefix ");
}

BOOST_AUTO_TEST_SUITE_END()
