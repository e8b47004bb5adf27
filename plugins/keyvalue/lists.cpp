#include "plugins/keyvalue/lists.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace fastjournal::keyvalue {
namespace {

using Json = nlohmann::json;

// One list without anything nested in it. What is expected differs: the derived class takes the values.
class FlatReader : public nlohmann::json_sax<Json> {
 public:
  explicit FlatReader(std::string_view expected, std::size_t most) : expected_(expected), most_(most) {}

  [[nodiscard]] std::string const& problem() const { return problem_; }

  bool binary(binary_t&) override { return refuse("binary"); }
  bool start_object(std::size_t) override { return refuse("an object"); }
  bool start_array(std::size_t) override { return refuse("an array"); }
  bool end_object() override { return true; }
  bool end_array() override { return true; }
  bool key(string_t&) override { return refuse("an object"); }
  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("true or false"); }
  bool number_integer(number_integer_t) override { return refuse("a number"); }
  bool number_unsigned(number_unsigned_t) override { return refuse("a number"); }
  bool number_float(number_float_t, string_t const&) override { return refuse("a number"); }
  bool string(string_t&) override { return refuse("a text"); }
  bool parse_error(std::size_t at, std::string const&, nlohmann::detail::exception const&) override {
    return refuse_as("it is no JSON from byte " + std::to_string(at) + " on");
  }

 protected:
  bool refuse(std::string_view found) { return refuse_as(std::string{found} + " stands there"); }
  bool refuse_as(std::string const& what) {
    if (problem_.empty()) problem_ = what + "; expected " + std::string{expected_};
    return false;
  }
  // One more of this name.
  bool count(std::string const& key) {
    if (names_.size() == most_) return refuse_as("there are more than " + std::to_string(most_) + " in it");
    if (!names_.insert(key).second) return refuse_as("one of the keys stands there twice");
    return true;
  }

  bool is_open_{false};

 private:
  std::string_view expected_;
  std::size_t most_;
  std::string problem_;
  std::set<std::string> names_;
};

class KeysReader final : public FlatReader {
 public:
  KeysReader() : FlatReader("a JSON array of at most 1000 texts, each once", kKeysMax) {}
  bool start_array(std::size_t) override { return std::exchange(is_open_, true) ? refuse("an array") : true; }
  bool string(string_t& text) override {
    if (!is_open_) return refuse("a text");
    if (!count(text)) return false;
    keys.push_back(std::move(text));
    return true;
  }

  std::vector<std::string> keys;
};

class PairsReader final : public FlatReader {
 public:
  PairsReader() : FlatReader("a JSON object of at most 128 keys with texts, numbers, true, false or null", kPairsMax) {}
  bool start_object(std::size_t) override { return std::exchange(is_open_, true) ? refuse("an object") : true; }
  bool key(string_t& text) override {
    if (!count(text)) return false;
    pairs.emplace_back().key = std::move(text);
    return true;
  }
  bool null() override { return is_open_ || refuse("null"); }
  bool boolean(bool value) override { return take(ValueType::boolean, Value::of_boolean(value)); }
  bool number_integer(number_integer_t value) override { return take(ValueType::integer, Value::of_integer(value)); }
  bool number_unsigned(number_unsigned_t value) override { return take(ValueType::integer, Value::of_unsigned(value)); }
  bool number_float(number_float_t value, string_t const&) override {
    return take(ValueType::real, Value::of_real(value));
  }
  bool string(string_t& text) override {
    if (!take(ValueType::string, {})) return false;
    pairs.back().text = std::move(text);
    return true;
  }

  GivenPairs pairs;

 private:
  bool take(ValueType type, Value value) {
    if (!is_open_) return refuse("one value");
    pairs.back().type = type;
    pairs.back().value = value;
    return true;
  }
};

template <typename Reader>
bool read(std::string_view json, std::string_view name, Reader& reader, model::Parameters& parameters) {
  if (Json::sax_parse(json, &reader)) return true;
  parameters.refuse(Code::bad_parameter, name, std::string{name} + ": " + reader.problem());
  return false;
}

}  // namespace

std::vector<std::string> read_keys(std::string_view json, model::Parameters& parameters) {
  KeysReader reader;
  if (!read(json, "keys", reader, parameters)) return {};
  return std::move(reader.keys);
}

GivenPairs read_pairs(std::string_view json, model::Parameters& parameters) {
  PairsReader reader;
  if (!read(json, "pairs", reader, parameters)) return {};
  if (reader.pairs.empty()) parameters.refuse(Code::bad_parameter, "pairs", "pairs has no key; expected 1 at least");
  // Once they do not move any more.
  for (GivenPair& pair : reader.pairs)
    if (pair.type == ValueType::string) pair.value = Value::of_verbatim(pair.text);
  return std::move(reader.pairs);
}

}  // namespace fastjournal::keyvalue
