// Shared by the tests of protocols: golden vectors, the seed of random tests, and messages to compare.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "fastjournal/protocol.h"
#include "tests/support/seed.h"

namespace fastjournal::protocol::test {

inline std::string from_hex(std::string_view hex) {
  auto const digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) out += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return out;
}

// The lines of a golden file, each parsed as JSON.
inline std::vector<nlohmann::json> load_vectors(std::string const& name) {
  std::ifstream file{std::string{FJ_SOURCE_DIR} + "/tests/golden/wire/" + name};
  std::vector<nlohmann::json> out;
  for (std::string line; std::getline(file, line);) out.push_back(nlohmann::json::parse(line));
  BOOST_REQUIRE_MESSAGE(out.size() > 100, "golden file " << name << " is missing or short");
  return out;
}

inline std::string hex_field(nlohmann::json const& vector, char const* name) {
  return from_hex(vector.at(name).get<std::string>());
}

inline std::uint64_t seed() { return fastjournal::test::seed_or(20240229U); }

inline std::map<std::string, std::string> texts_of(Message const& message) {
  std::map<std::string, std::string> out;
  for (Param const& param : message.params()) out[std::string{param.name}] = std::string{param.value.bytes};
  return out;
}

inline std::map<std::string, std::string> params_of(nlohmann::json const& vector) {
  std::map<std::string, std::string> out;
  for (auto const& [name, value] : vector.at("params").items()) out[name] = from_hex(value.get<std::string>());
  return out;
}

inline Outgoing outgoing_of(Message const& message) {
  return {message.from_server, message.from_service, message.server,
          message.service,     message.command,      message.params()};
}

inline bool same(Value const& a, Value const& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Value::Kind::text:
    case Value::Kind::binary: return a.bytes == b.bytes;
    case Value::Kind::boolean: return a.boolean == b.boolean;
    case Value::Kind::real: return a.real == b.real;
    default: return a.integer == b.integer;
  }
}

class Random {
 public:
  explicit Random(std::uint64_t seed_value) : engine_(seed_value) {}

  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>{0, limit - 1}(engine_); }
  std::uint64_t word() { return engine_(); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::string text(std::string_view alphabet, std::size_t size_max) {
    std::string out;
    for (std::size_t left = below(size_max + 1); left > 0; --left) out += alphabet[below(alphabet.size())];
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace fastjournal::protocol::test
