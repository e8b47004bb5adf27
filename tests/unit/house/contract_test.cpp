// A plugin that was built against another contract must be refused, not crash
// the daemon: a change of the public headers raises kPluginAbi.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

#include "tests/unit/house/source.h"
#include "tests/unit/house/tree.h"

namespace fastjournal::house {
namespace {

// FNV-1a, as this program links nothing of ours.
std::string sum_of(std::string_view text) {
  std::uint64_t sum = 14695981039346656037ULL;
  for (char const c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return std::to_string(sum);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_changed_plugin_contract_has_a_new_number) {
  Tree const tree{FJ_SOURCE_DIR, FJ_BINARY_DIR};
  std::string code;
  std::string number;
  for (std::string const& path : tree.files({"src/include/fastjournal"}, {".h"})) {
    Source const source = read_source(path, tree.read(path));
    for (std::size_t i = 0; i < source.tokens.size(); ++i) {
      code += source.tokens[i].text + ' ';
      if (source.tokens[i].text == "kPluginAbi" && number.empty()) number = source.tokens.at(i + 2).text;
    }
  }
  std::string const now = number + " " + sum_of(code) + "\n";
  std::string const recorded = tree.read("tests/unit/house/contract.txt");
  BOOST_TEST(now == recorded,
             "src/include/fastjournal changed: raise kPluginAbi in table.h if a plugin built before "
             "could not be loaded any more, then write to tests/unit/house/contract.txt: "
                 << now);
}

}  // namespace fastjournal::house
