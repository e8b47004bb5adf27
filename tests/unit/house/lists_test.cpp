// Lists that several jobs need stand once: packages to install, parts that a build may do without, parts of the night.
#include <boost/test/unit_test.hpp>

#include <regex>
#include <set>
#include <string>

#include "tests/unit/house/tree.h"

namespace fastjournal::house {
namespace {

struct Lists {
  Tree tree{FJ_SOURCE_DIR, FJ_BINARY_DIR};

  // What the group finds in a text.
  static std::set<std::string> all(std::string const& text, char const* pattern) {
    std::regex const expression{pattern};
    std::set<std::string> out;
    for (std::sregex_iterator at{text.begin(), text.end(), expression}; at != std::sregex_iterator{}; ++at)
      out.insert((*at)[1]);
    return out;
  }
  [[nodiscard]] std::set<std::string> found(char const* path, char const* pattern) const {
    return all(tree.read(path), pattern);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lists, Lists)

// scripts/packages.sh reads them where Debian's own tools do.
BOOST_AUTO_TEST_CASE(what_the_product_is_built_from_stands_in_debian_control_alone) {
  std::string const control = tree.read("debian/control");
  std::size_t const begin = control.find("\n# build:");
  std::size_t const end = control.find("\n# The packages;");
  BOOST_REQUIRE((begin != std::string::npos && end != std::string::npos));
  std::set<std::string> packages = all(control.substr(begin, end - begin), "\n ([a-z0-9.+-]+),");
  BOOST_TEST(packages.size() >= 20U);
  packages.erase("cmake");    // the program
  packages.erase("pkgconf");  // which debian/tests need too
  for (std::string const& path : tree.files({"mk", ".ci", ".github", "scripts"}, {"mk", "run", ".yml", ".sh"})) {
    std::set<std::string> const words = all(tree.read(path), "([a-z0-9.+-]+)");
    for (std::string const& package : packages)
      BOOST_TEST(!words.contains(package), path << " names " << package << " again");
  }
}

BOOST_AUTO_TEST_CASE(the_image_is_made_of_our_packages) {
  std::set<std::string> const ours = found("debian/control", "\nPackage: ([a-z0-9-]+)");
  std::set<std::string> const named = found("scripts/image.sh", "\n(for name in [a-z -]+; do)");
  BOOST_REQUIRE_EQUAL(named.size(), 1U);
  for (std::string const& word : all(*named.begin(), "([a-z-]+)"))
    if (word.starts_with("fastjournal")) BOOST_TEST(ours.contains(word), word);
}

BOOST_AUTO_TEST_CASE(each_part_that_may_be_left_out_is_left_out_at_night) {
  std::set<std::string> parts = {"etcd", "http", "sql"};
  std::set<std::string> const types = found("cmake/options.cmake", "set\\(fj_all_types ([a-z ]+)\\)");
  BOOST_REQUIRE_EQUAL(types.size(), 1U);
  parts.merge(all(*types.begin(), "([a-z]+)"));
  BOOST_TEST(parts == found("CMakePresets.json", "\"without-([a-z]+)\""), boost::test_tools::per_element());
  BOOST_TEST(parts == found("scripts/nightly.sh", "without-([a-z]+)"), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::house
