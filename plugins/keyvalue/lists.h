// Several keys, or pairs, in one parameter: JSON, as that is what every client can write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/message.h"
#include "model/parameters.h"
#include "plugins/keyvalue/facts.h"

namespace fastjournal::keyvalue {

inline constexpr std::size_t kKeysMax = 1'000;  // of one GET
inline constexpr std::size_t kPairsMax = 128;   // of one SET

// ["a", "b"]: each once, in their order.
[[nodiscard]] std::vector<std::string> read_keys(std::string_view json, model::Parameters& parameters);

struct GivenPair {
  std::string key;
  ValueType type{ValueType::nothing};
  Value value{};  // its text is `text`
  std::string text;
};
using GivenPairs = std::vector<GivenPair>;
// {"a": "text", "b": 1, "c": 1.5, "d": true, "e": null}: each key once, in their order.
[[nodiscard]] GivenPairs read_pairs(std::string_view json, model::Parameters& parameters);

}  // namespace fastjournal::keyvalue
