// XML as such: a truncated or damaged file is never read as a complete one and does no harm, nearly correct names get a
// suggestion, and problems are reported in the order of the file.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "config/well_formed.h"
#include "config/xml.h"
#include "tests/unit/config/scratch_folder.h"

namespace fastjournal::config {

namespace {

constexpr std::string_view kWhole =
    "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?>\n<!-- c --><a b=\"1\" c='&#65;'>\n<b/>t &amp; "
    "<![CDATA[<x>]]><c></c >\n</a>";

bool is_well_formed(std::string_view text) {
  Problems problems{"file"};
  return check_well_formed(text, problems);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(xml)

BOOST_AUTO_TEST_CASE(no_cut_of_a_file_is_well_formed) {
  BOOST_TEST(is_well_formed(kWhole));
  BOOST_TEST(is_well_formed(std::string{kWhole} + " <!-- after -->\r\n"));
  for (std::size_t size = 0; size < kWhole.size(); ++size) BOOST_TEST(!is_well_formed(kWhole.substr(0, size)), size);
}

BOOST_AUTO_TEST_CASE(what_is_well_formed_is_read_by_the_parser_too) {
  ScratchFolder const folder;
  for (std::size_t at = 0; at < kWhole.size(); ++at)
    for (char const byte : {'<', '>', '&', '"', '\'', '/', ' ', 'x', '\0', '\x80'}) {
      std::string text{kWhole};
      text[at] = byte;
      if (!is_well_formed(text)) continue;
      Problems problems{"file"};
      BOOST_TEST(Document::read(folder.write("f.xml", text), problems).has_value(), text);
    }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_too_large_is_refused) {
  ScratchFolder const folder;
  Problems problems{"file"};
  BOOST_TEST(
      !Document::read(folder.write("f.xml", "<a>" + std::string(Document::kFileBytesMax, ' ') + "</a>"), problems)
           .has_value());
  BOOST_TEST(problems.status().message().find("expected at most 1048576") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(elements_nested_too_deep_are_refused) {
  std::string deep;
  for (int i = 0; i < 60; ++i) deep.append("<a>");
  BOOST_TEST(!is_well_formed(deep));
}

BOOST_AUTO_TEST_CASE(elements_with_too_many_attributes_are_refused) {
  std::string many = "<a";
  for (int i = 0; i < 100; ++i) many += " b" + std::to_string(i) + "=\"\"";
  BOOST_TEST(is_well_formed(many + "/>"));
  BOOST_TEST(!is_well_formed(many + " c=\"\"/>"));
}

BOOST_AUTO_TEST_CASE(files_with_too_many_elements_are_refused_where_they_begin) {
  std::string text = "<a>";
  for (std::size_t i = 0; i + 1 < kElementsMax; ++i) text += "<b/>";
  BOOST_TEST(is_well_formed(text + "</a>"));
  BOOST_TEST(!is_well_formed(text + "<b/></a>"));
}

// Without the limit, 600,000 unknown elements kept a daemon busy for two seconds.
BOOST_AUTO_TEST_CASE(nothing_is_looked_for_beyond_the_first_problems) {
  ScratchFolder const folder;
  std::string text = "<a>\n";
  for (int i = 0; i < 9000; ++i) text += "<unknown/>\n";
  Problems problems{"file"};
  std::optional<Document> const document = Document::read(folder.write("f.xml", text + "</a>"), problems);
  BOOST_REQUIRE(document.has_value());
  document->root().expect({.attributes = {}, .children = {{"first", Times::one}}});
  std::string const told = problems.status().message();
  BOOST_TEST(std::count(told.begin(), told.end(), '\n') == static_cast<std::ptrdiff_t>(Problems::kMax));
  // The missing element comes after these problems, so it is not looked for.
  BOOST_TEST(told.find("missing element <first>") == std::string::npos);
  BOOST_TEST(told.ends_with("file: and more; these 20 first"));
}

// Comparing each unknown element with all known ones, and not only the first few, would take a minute.
BOOST_AUTO_TEST_CASE(what_lies_behind_the_first_problems_costs_nothing, *boost::unit_test::timeout(30)) {
  ScratchFolder const folder;
  std::string const stem(60, 'n');
  std::string text = "<a>\n";
  for (int i = 0; i < 9000; ++i) text += "<" + stem + std::to_string(i % 10) + "/>\n";
  std::vector<std::string> known;
  for (int i = 100; i < 300; ++i) known.push_back(std::string(60, 'm') + std::to_string(i));
  std::vector<Part> parts;
  for (std::string const& name : known) parts.push_back({name, Times::any});
  Problems problems{"file"};
  std::optional<Document> const document = Document::read(folder.write("f.xml", text + "</a>"), problems);
  BOOST_REQUIRE(document.has_value());
  document->root().expect({.attributes = {}, .children = parts});
  BOOST_TEST(problems.is_full());
}

// Anything done for each pair of elements would take minutes.
BOOST_AUTO_TEST_CASE(what_a_file_costs_grows_as_the_file_does, *boost::unit_test::timeout(30)) {
  ScratchFolder const folder;
  std::string const name(500'000, 'n');
  std::string text = "<a>\n<" + name + "/>";
  for (char const* element : {"<first/>\n", "<second/>\n", "<secund/>\n"})
    for (int i = 0; i < 3000; ++i) text += element;
  Problems problems{"file"};
  std::optional<Document> const document = Document::read(folder.write("f.xml", text + "</a>"), problems);
  BOOST_REQUIRE(document.has_value());
  document->root().expect({.attributes = {}, .children = {{"first", Times::any}, {"second", Times::maybe}}});
  std::string const told = problems.status().message();
  BOOST_TEST(told.find("unknown element <" + name.substr(0, 20)) != std::string::npos);
  BOOST_TEST(told.find("element <second> again in <a> (the first is on line 3002)") != std::string::npos);
  BOOST_TEST(told.ends_with("file: and more; these 20 first"));
}

BOOST_AUTO_TEST_CASE(a_name_that_is_nearly_right_is_recognised) {
  std::vector<std::string_view> const names{"required", "default", "min-value", "max-value", "log"};
  BOOST_TEST(near_miss("requierd", names) == "; did you mean \"required\"?");
  BOOST_TEST(near_miss("defualt", names) == "; did you mean \"default\"?");
  BOOST_TEST(near_miss("maxvalue", names) == "; did you mean \"max-value\"?");
  BOOST_TEST(near_miss("lok", names) == "; did you mean \"log\"?");
  BOOST_TEST(near_miss("colour", names) == "");
  BOOST_TEST(near_miss("xyz", names) == "");
}

BOOST_AUTO_TEST_CASE(problems_come_by_line_and_are_bounded) {
  Problems problems{"f.xml"};
  BOOST_TEST(problems.status().ok());
  problems.add(7, "late");
  problems.add(2, "early");
  problems.add(7, "later");
  BOOST_TEST(problems.status().message() == "f.xml:2: early\nf.xml:7: late\nf.xml:7: later");
  for (int i = 0; i < 100; ++i) problems.add(9, "again");
  BOOST_TEST(problems.status().message().ends_with("\nf.xml: and more; these 20 first"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::config
