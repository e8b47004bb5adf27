// The three places that name elements, attributes and options agree: the XSDs,
// the types' declarations and doc/table-reference.md.
#include <tinyxml2.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "config/fields.h"
#include "config/type_reader.h"

namespace fastjournal::config {

namespace {

std::string const kSource = FJ_SOURCE_DIR;

std::string text_of(std::string const& path) {
  std::ifstream file{kSource + "/" + path, std::ios::binary};
  BOOST_REQUIRE_MESSAGE(file.good(), path << " cannot be read");
  return {std::istreambuf_iterator<char>{file}, {}};
}

struct Xsd {
  explicit Xsd(std::string const& name) {
    BOOST_REQUIRE(document.LoadFile((kSource + "/xml-schemas/" + name).c_str()) == tinyxml2::XML_SUCCESS);
  }
  tinyxml2::XMLDocument document;
};

// The names of all elements or attributes that the XSD declares, at any depth.
void collect(tinyxml2::XMLElement const* in, std::string_view tag, std::set<std::string>& out) {
  for (auto const* at = in->FirstChildElement(); at != nullptr; at = at->NextSiblingElement()) {
    if (at->Name() == tag && at->Attribute("name") != nullptr) out.insert(at->Attribute("name"));
    collect(at, tag, out);
  }
}

// The option elements of table.xsd, each with the name of its simple type.
std::map<std::string, std::string> option_elements() {
  Xsd const xsd{"table.xsd"};
  tinyxml2::XMLElement const* table = xsd.document.RootElement()->FirstChildElement("xs:element");
  BOOST_REQUIRE(std::string_view{table->Attribute("name")} == "table");
  auto const* all = table->FirstChildElement("xs:complexType")->FirstChildElement("xs:all");
  std::map<std::string, std::string> out;
  for (auto const* at = all->FirstChildElement("xs:element"); at != nullptr;
       at = at->NextSiblingElement("xs:element")) {
    std::string const name = at->Attribute("name");
    if (name == "description" || name == "log" || name == "schema" || name == "aliases" || name == "feed" ||
        name == "listeners" || name == "wake-message" || name == "schedules")
      continue;
    BOOST_TEST((at->Attribute("minOccurs") != nullptr && std::string_view{at->Attribute("minOccurs")} == "0"), name);
    out[name] = at->Attribute("type");
  }
  return out;
}

// The words that a simple type of table.xsd allows.
std::vector<std::string> words_of(std::string const& type) {
  Xsd const xsd{"table.xsd"};
  std::vector<std::string> out;
  for (auto const* at = xsd.document.RootElement()->FirstChildElement("xs:simpleType"); at != nullptr;
       at = at->NextSiblingElement("xs:simpleType")) {
    if (at->Attribute("name") != type) continue;
    auto const* restriction = at->FirstChildElement("xs:restriction");
    for (auto const* word = restriction->FirstChildElement("xs:enumeration"); word != nullptr;
         word = word->NextSiblingElement("xs:enumeration"))
      out.emplace_back(word->Attribute("value"));
  }
  return out;
}

std::vector<TypeDeclaration> all_types() {
  std::vector<TypeDeclaration> out;
  for (std::string const name : {"journal", "keyvalue", "blob", "queue", "pipeline"}) {
    Result<TypeDeclaration> read = read_type(kSource + "/plugins/" + name + "/" + name + ".xml");
    BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
    out.push_back(std::move(read).value());
  }
  return out;
}

// The row of the reference's table that begins with `name`; empty if there is none.
std::string row_of_name(std::string const& reference, std::string const& name) {
  std::string const head = "\n| `" + name + "` |";
  std::size_t const at = reference.find(head);
  return at == std::string::npos ? std::string{} : reference.substr(at + 1, reference.find('\n', at + 1) - at - 1);
}

// `reference`: from the section of the type on.
void check_options(TypeDeclaration const& of, std::string const& reference) {
  for (OptionDeclaration const& option : of.options) {
    std::string const row = row_of_name(reference, option.name);
    BOOST_TEST_CONTEXT("option " << option.name << ": " << row) {
      BOOST_REQUIRE(!row.empty());
      std::string const type{option_type_words()[static_cast<std::size_t>(option.type)]};
      std::string const kind = option.type == OptionType::choice ? "`" + option.choices[0] + "`" : type;
      BOOST_TEST(row.find("| " + kind) != std::string::npos);
      BOOST_TEST(row.find(option.default_text.empty() ? "| none |" : "| `" + option.default_text + "` |") !=
                 std::string::npos);
      BOOST_TEST(row.find(option.changes_live ? "| yes |" : "| no |") != std::string::npos);
      for (std::int64_t const limit : {option.min, option.max}) {
        std::string const text = limit == 0 ? "0" : format_option(option.type, limit);
        if (limit != INT64_MIN && limit != INT64_MAX) BOOST_TEST(row.find(text) != std::string::npos, text);
      }
      for (std::string const& choice : option.choices)
        BOOST_TEST(row.find("`" + choice + "`") != std::string::npos, choice);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reference)

BOOST_AUTO_TEST_CASE(the_schema_has_the_options_that_the_types_declare) {
  std::map<std::string, std::string> const elements = option_elements();
  std::map<OptionType, std::string> const types{{OptionType::integer, "integer"},
                                                {OptionType::duration, "duration"},
                                                {OptionType::size, "size-element"},
                                                {OptionType::boolean, "boolean-element"}};
  std::set<std::string> declared;
  for (TypeDeclaration const& type : all_types())
    for (OptionDeclaration const& option : type.options) {
      auto const element = elements.find(option.name);
      BOOST_TEST_CONTEXT("option " << option.name << " of " << type.name) {
        BOOST_REQUIRE(element != elements.end());
        if (option.type == OptionType::choice)
          BOOST_TEST(words_of(element->second) == option.choices, boost::test_tools::per_element());
        else if (option.type != OptionType::text && option.type != OptionType::plan)
          BOOST_TEST(element->second == types.at(option.type));
      }
      declared.insert(option.name);
    }
  BOOST_TEST(elements.size() == declared.size());
}

BOOST_AUTO_TEST_CASE(everything_that_may_stand_in_a_file_is_described) {
  for (char const* const name : {"table.xsd", "table-type.xsd", "fastjournal.xsd", "users.xsd", "plan.xsd"}) {
    std::string const reference =
        text_of(std::string_view{name} == "plan.xsd" ? "doc/pipeline.md" : "doc/table-reference.md");
    Xsd const xsd{name};
    std::set<std::string> elements;
    std::set<std::string> attributes;
    collect(xsd.document.RootElement(), "xs:element", elements);
    collect(xsd.document.RootElement(), "xs:attribute", attributes);
    BOOST_TEST((!elements.empty() && !attributes.empty()));
    for (std::string const& element : elements)
      BOOST_TEST(
          (reference.find("`<" + element + ">`") != std::string::npos || !row_of_name(reference, element).empty()),
          "element " << element << " of " << name);
    for (std::string const& attribute : attributes)
      BOOST_TEST(!row_of_name(reference, attribute).empty(), "attribute " << attribute << " of " << name);
  }
}

BOOST_AUTO_TEST_CASE(the_options_are_described_as_they_are_declared) {
  std::string const all = text_of("doc/table-reference.md");
  for (TypeDeclaration const& type : all_types())
    check_options(type, all.substr(all.find("\n### Options of `" + type.name + "`")));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::config
