// The plugin loader with real shared objects (tests/support/plugins), each with one fault. Every fault is found before
// it can do harm, and the message names the file and the remedy.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include "platform/os/plugin_loader.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::os {
namespace {

std::filesystem::path const kBuilt = std::filesystem::path{FJ_BINARY_DIR} / "test-plugins";

std::string declaration(std::string const& name) {
  return "<table-type name=\"" + name +
         "\">\n  <description>A type for a test.</description>\n"
         "  <commands>\n    <command name=\"PROBE\" kind=\"read\" right=\"read\"><description>Does "
         "nothing.</description></command>\n"
         "  </commands>\n</table-type>\n";
}

// A folder with plugins, for one case.
struct PluginLoaderFolder {
  test::TemporaryFolder folder;

  void install_xml(std::string const& name, std::string const& text) const {
    std::ofstream{folder / (name + ".xml")} << text;
  }
  void install_so(std::string const& name) const {
    std::filesystem::copy_file(kBuilt / (name + ".so"), folder.path() / (name + ".so"));
  }
  void install(std::string const& name) const {
    install_so(name);
    install_xml(name, declaration(name));
  }
  [[nodiscard]] Result<LoadedType> load(std::string const& name) const { return load_type(folder.path(), name); }

  // Loading this plugin must be refused, with all of these words in the message.
  void refuse(std::string const& name, Code code, std::initializer_list<std::string> words) const {
    BOOST_TEST_CONTEXT(name) {
      Result<LoadedType> const loaded = load(name);
      BOOST_REQUIRE(!loaded.ok());
      BOOST_TEST((loaded.status().code() == code), loaded.status().text());
      for (std::string const& word : words)
        BOOST_TEST((loaded.status().message().find(word) != std::string::npos),
                   "\"" << word << "\" is missing in: " << loaded.status().message());
    }
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(plugin_loader)

BOOST_AUTO_TEST_CASE(a_good_plugin_is_loaded_with_its_declaration) {
  PluginLoaderFolder const plugins;
  plugins.install("good");
  Result<LoadedType> const loaded = plugins.load("good");
  BOOST_REQUIRE_MESSAGE(loaded.ok(), loaded.status().text());
  BOOST_TEST(std::string{loaded->plugin->name} == "good");
  BOOST_TEST(loaded->declaration->name == "good");
  BOOST_TEST(loaded->declaration->commands.at(0).name == "PROBE");
  auto const table = loaded->plugin->create({.id = fastjournal::TableId{1}}, loaded->declaration, nullptr);
  BOOST_TEST((table.status().code() == Code::not_supported));
}

BOOST_AUTO_TEST_CASE(a_folder_may_be_relative) {
  PluginLoaderFolder const plugins;
  plugins.install("good");
  auto const loaded = load_type(std::filesystem::relative(plugins.folder.path()), "good");
  BOOST_TEST(loaded.ok(), loaded.status().text());
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_named) {
  PluginLoaderFolder const plugins;
  plugins.refuse("good", Code::not_found, {"good.so", "install the plugin"});
  plugins.install_so("good");
  plugins.refuse("good", Code::not_found, {"good.xml", "install the plugin"});
}

BOOST_AUTO_TEST_CASE(a_plugin_that_was_cut_off_is_refused) {
  // What is behind the parts that are mapped, as names for a debugger, is not missed.
  for (std::uintmax_t const size : {0, 3, 64, 200, 1'000}) {
    PluginLoaderFolder const plugins;
    plugins.install("good");
    std::filesystem::resize_file(plugins.folder / "good.so", size);
    plugins.refuse("good", Code::bad_configuration, {"good.so", "install the plugin again"});
  }
}

BOOST_AUTO_TEST_CASE(a_name_that_leads_elsewhere_is_refused) {
  PluginLoaderFolder const plugins;
  for (std::string const name : {"", "../good", "a/b", "Good", "1good", "good.so", "a-b"})
    plugins.refuse(name, Code::bad_configuration, {"\"" + name + "\"", "expected"});
}

BOOST_AUTO_TEST_CASE(another_abi_is_refused_with_both_numbers_and_the_build) {
  PluginLoaderFolder const plugins;
  plugins.install("otherabi");
  plugins.refuse("otherabi", Code::bad_configuration,
                 {"otherabi.so", "ABI 4096", "ABI " + std::to_string(kPluginAbi), "a test's compiler", "install"});
}

BOOST_AUTO_TEST_CASE(a_descriptor_of_another_size_is_refused_with_both_sizes) {
  PluginLoaderFolder const plugins;
  plugins.install("othersize");
  plugins.refuse("othersize", Code::bad_configuration,
                 {"24 bytes", "expected " + std::to_string(sizeof(PluginDescriptor)), "build it again"});
}

BOOST_AUTO_TEST_CASE(a_plugin_under_another_name_is_refused) {
  PluginLoaderFolder const plugins;
  plugins.install("othername");
  plugins.refuse("othername", Code::bad_configuration, {"somebody", "expected othername"});
}

BOOST_AUTO_TEST_CASE(what_is_no_plugin_is_refused) {
  PluginLoaderFolder const plugins;
  plugins.install("nosymbol");
  plugins.refuse("nosymbol", Code::bad_configuration, {"nosymbol.so", kPluginSymbol});
  plugins.install("nothing");
  plugins.refuse("nothing", Code::bad_configuration, {"returns nothing"});
  plugins.install("nocreate");
  plugins.refuse("nocreate", Code::bad_configuration, {"create"});
  plugins.install("undefined");
  plugins.refuse("undefined", Code::bad_configuration, {"undefined.so", "fastjournal_defined_nowhere"});
  plugins.install_xml("text", declaration("text"));
  std::ofstream{plugins.folder / "text.so"} << "this is no program\n";
  plugins.refuse("text", Code::bad_configuration, {"text.so", "cannot be loaded"});
}

BOOST_AUTO_TEST_CASE(code_and_declaration_must_agree) {
  PluginLoaderFolder const plugins;
  plugins.install("refuses");
  plugins.refuse("refuses", Code::bad_configuration, {"refuses.so", "refuses.xml", "PROBE is unknown"});
  plugins.install_so("good");
  plugins.install_xml("good", declaration("bad"));
  plugins.refuse("good", Code::bad_configuration, {"good.xml:1", "bad"});
}

BOOST_AUTO_TEST_CASE(a_mistake_in_the_declaration_is_told_with_its_line) {
  PluginLoaderFolder const plugins;
  plugins.install_so("good");
  plugins.install_xml("good", "<table-type name=\"good\">\n  <nonsense/>\n</table-type>\n");
  plugins.refuse("good", Code::bad_configuration, {"good.xml:2"});
}

BOOST_AUTO_TEST_CASE(types_are_listed_by_name) {
  PluginLoaderFolder const plugins;
  plugins.install("othername");
  plugins.install("good");
  plugins.install_xml("lonely", declaration("lonely"));
  std::ofstream{plugins.folder / "README.so"} << "x";
  auto const names = list_types(plugins.folder.path());
  BOOST_REQUIRE(names.ok());
  BOOST_TEST(names.value() == (std::vector<std::string>{"good", "othername"}), boost::test_tools::per_element());

  auto const none = list_types(plugins.folder / "no-such-folder");
  BOOST_REQUIRE(!none.ok());
  BOOST_TEST((none.status().code() == Code::not_found));
  BOOST_TEST((none.status().message().find("no-such-folder") != std::string::npos));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::os
