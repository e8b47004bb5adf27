// libFuzzer target for what key/value tables read out of parameters: JSON lists of keys and of pairs, and patterns. The
// first byte chooses. Besides "no crash, no byte read outside" it checks the limits of lists, and that the work of a
// pattern is bounded whatever it is.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fastjournal/message.h"
#include "model/parameters.h"
#include "plugins/keyvalue/lists.h"
#include "plugins/keyvalue/pattern.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::keyvalue;

void read_lists(std::string_view json) {
  Message const message{"SET"};
  model::Parameters of_keys{message};
  std::vector<std::string> const keys = read_keys(json, of_keys);
  FJ_CHECK(keys.size() <= kKeysMax && (of_keys.ok() || keys.empty()), "a refused list has no keys");
  FJ_CHECK((std::set<std::string>{keys.begin(), keys.end()}.size() == keys.size()), "each once");
  model::Parameters of_pairs{message};
  GivenPairs const pairs = read_pairs(json, of_pairs);
  FJ_CHECK(pairs.size() <= kPairsMax, "a list has an end");
  for (GivenPair const& pair : pairs)
    FJ_CHECK(pair.type != ValueType::string || pair.value.bytes.data() == pair.text.data(), "a text is its own");
}

void match(std::string_view bytes) {
  std::size_t const end = std::min(bytes.find('\0'), bytes.size());
  Pattern pattern;
  if (!pattern.read(bytes.substr(0, std::min(end, kRegexBytesMax))).empty()) return;
  std::string_view const key = bytes.substr(end);
  for (int i = 0; i < 4 && !pattern.has_worked_enough(); ++i)
    if (pattern.matches(key)) FJ_CHECK(key.starts_with(pattern.prefix()), "what matches begins with the prefix");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 1) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 1, size - 1};
  if (data[0] % 2 == 0)
    read_lists(bytes);
  else
    match(bytes);
  return 0;
}
