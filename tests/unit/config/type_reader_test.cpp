// The result of reading a good TYPE.xml, value by value. The refusals are in golden_test.cpp.
#include <boost/test/unit_test.hpp>

#include "config/type_reader.h"
#include "tests/unit/config/scratch_folder.h"

namespace fastjournal::config {

BOOST_AUTO_TEST_SUITE(type_reader)

BOOST_AUTO_TEST_CASE(commands_and_options_arrive) {
  ScratchFolder const folder;
  Result<TypeDeclaration> const read = read_type(folder.write("tree.xml", R"(<table-type name="tree">
  <description>Trees.</description>
  <commands>
    <command name="PUT" kind="add" right="add" columns="true" answers="PUT_DONE">
      <description>Plants.</description>
      <parameter name="table" type="string" required="true">Which.</parameter>
      <parameter name="until" type="date">When.</parameter>
      <parameter name="high" type="integer" min="1" max="height" default="2">How high.</parameter>
      <parameter name="rest" type="duration" min="1ms" max="1d">How long.</parameter>
      <parameter name="name" type="string" max="1KiB" kept="2">Its name.</parameter>
      <parameter name="kind" type="string" choices="oak fir">Which.</parameter>
      <parameter name="dry" type="flag" default="0">1: only a look.</parameter>
    </command>
    <command name="CUT" kind="remove" right="manage"><description>Fells.</description></command>
  </commands>
  <answers>
    <answer name="PUT_DONE" columns="true"><description>It grows.</description>
      <parameter name="row" type="integer">Which.</parameter>
    </answer>
  </answers>
  <options>
    <option name="height" type="integer" default="3" min="-1" max="9" live="false">How high.</option>
    <option name="rest" type="duration" default="2d" min="1ms">How long.</option>
    <option name="kind" type="choice" default="fir" choices="oak fir">Which.</option>
  </options>
</table-type>)"));
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  TypeDeclaration const& type = read.value();
  BOOST_TEST(type.name == "tree");
  BOOST_TEST(type.description == "Trees.");
  BOOST_REQUIRE(type.commands.size() == 2);
  CommandDeclaration const& put = type.commands[0];
  BOOST_TEST(put.name == "PUT");
  BOOST_TEST((put.kind == CommandKind::add));
  BOOST_TEST((put.right == Right::add));
  BOOST_TEST((type.commands[1].right == Right::manage));
  BOOST_TEST(put.takes_columns);
  BOOST_TEST(put.answers == "PUT_DONE");
  BOOST_TEST(put.description == "Plants.");
  BOOST_REQUIRE(put.parameters.size() == 7);
  BOOST_TEST((put.parameters[0].required && !put.parameters[1].required));
  BOOST_TEST(put.parameters[1].type == "date");
  BOOST_TEST(put.parameters[1].description == "When.");
  BOOST_TEST((!put.parameters[1].min && !put.parameters[1].max && !put.parameters[1].default_value));
  ParameterDeclaration const& high = put.parameters[2];
  BOOST_TEST((high.min == Bound{1} && high.max == Bound{0, "height"} && high.default_value == Bound{2}));
  BOOST_TEST((put.parameters[3].min == Bound{1} && put.parameters[3].max == Bound{86'400'000}));
  BOOST_TEST((put.parameters[4].max == Bound{1024} && put.parameters[4].kept == 2));
  BOOST_TEST(put.parameters[5].choices == (std::vector<std::string>{"oak", "fir"}), boost::test_tools::per_element());
  BOOST_TEST((put.parameters[6].is_flag() && put.parameters[6].type == "integer" && !high.is_flag()));
  BOOST_TEST((type.commands[1].kind == CommandKind::remove && !type.commands[1].takes_columns));
  BOOST_REQUIRE(type.answers.size() == 1);
  BOOST_TEST((type.answers[0].name == "PUT_DONE" && type.answers[0].has_columns));
  BOOST_TEST(type.answers[0].parameters.at(0).name == "row");
  BOOST_REQUIRE(type.options.size() == 3);
  BOOST_TEST((type.options[0].min == -1 && type.options[0].max == 9 && !type.options[0].changes_live));
  BOOST_TEST(
      (type.options[1].type == OptionType::duration && type.options[1].min == 1 && type.options[1].changes_live));
  BOOST_TEST(type.options[1].default_text == "2d");
  BOOST_TEST(type.options[2].choices == (std::vector<std::string>{"oak", "fir"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::config
