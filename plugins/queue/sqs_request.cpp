#include "plugins/queue/sqs_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"

namespace fastjournal::queue::sqs {
namespace {

constexpr std::string_view kTargetPrefix = "AmazonSQS.";
constexpr std::size_t kActionBytesMax = 64;
// Of "SendMessageBatchRequestEntry.1.MessageAttribute.2.Value.StringValue", and some more.
constexpr std::size_t kNamePartsMax = 8;

bool is_word(std::string_view text) {
  auto const fits = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= kActionBytesMax && std::ranges::all_of(text, fits);
}

Error malformed(std::string why) { return {Fault::malformed, std::move(why)}; }

// ---------------------------------------------------------------------------
// key=value pairs

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// application/x-www-form-urlencoded. Empty: a '%' without two digits behind it.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      int const high = digit_of(text[i + 1]);
      int const low = digit_of(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// The names of lists in pairs, what they are called in JSON, and what their elements are.
struct ListName {
  enum class Of : std::uint8_t { values, names_and_values, keys_and_values };
  std::string_view in_query;
  std::string_view in_json;
  Of of;
};
constexpr std::array kLists{
    ListName{"Attribute", "Attributes", ListName::Of::names_and_values},
    ListName{"AttributeName", "AttributeNames", ListName::Of::values},
    ListName{"ChangeMessageVisibilityBatchRequestEntry", "Entries", ListName::Of::values},
    ListName{"DeleteMessageBatchRequestEntry", "Entries", ListName::Of::values},
    ListName{"MessageAttribute", "MessageAttributes", ListName::Of::names_and_values},
    ListName{"MessageAttributeName", "MessageAttributeNames", ListName::Of::values},
    ListName{"MessageSystemAttribute", "MessageSystemAttributes", ListName::Of::names_and_values},
    ListName{"MessageSystemAttributeName", "MessageSystemAttributeNames", ListName::Of::values},
    ListName{"SendMessageBatchRequestEntry", "Entries", ListName::Of::values},
    ListName{"Tag", "Tags", ListName::Of::keys_and_values},
    ListName{"TagKey", "TagKeys", ListName::Of::values},
};

// Of a name with dots: what stands behind each of them.
struct Node {
  std::optional<std::string> text{};
  std::map<std::string, Node, std::less<>> children{};
};

// Numbered from 1, in their order.
std::vector<Node const*> elements_of(Node const& list) {
  std::vector<std::pair<std::uint32_t, Node const*>> found;
  for (auto const& [key, node] : list.children) {
    std::uint32_t number = 0;
    auto const [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error == std::errc{} && end == key.data() + key.size()) found.emplace_back(number, &node);
  }
  std::ranges::sort(found);
  std::vector<Node const*> out;
  for (auto const& [number, node] : found) out.push_back(node);
  return out;
}

Json tree_of(Node const& node);

Json list_of(Node const& list, ListName::Of of) {
  if (of == ListName::Of::values) {
    Json out = Json::array();
    for (Node const* const element : elements_of(list)) out.push_back(tree_of(*element));
    return out;
  }
  char const* const key = of == ListName::Of::keys_and_values ? "Key" : "Name";
  Json out = Json::object();
  for (Node const* const element : elements_of(list)) {
    auto const name = element->children.find(key);
    auto const value = element->children.find("Value");
    if (name != element->children.end() && name->second.text)
      out[*name->second.text] = value == element->children.end() ? Json("") : tree_of(value->second);
  }
  return out;
}

Json tree_of(Node const& node) {
  if (node.children.empty()) return node.text.value_or("");
  Json out = Json::object();
  for (auto const& [name, child] : node.children) {
    auto const* const list = std::ranges::find(kLists, name, &ListName::in_query);
    if (list != kLists.end() && !child.children.empty())
      out[std::string{list->in_json}] = list_of(child, list->of);
    else
      out[name] = tree_of(child);
  }
  return out;
}

bool put(Node& root, std::string_view name, std::string text) {
  Node* at = &root;
  for (std::size_t parts = 0; !name.empty(); ++parts) {
    if (parts == kNamePartsMax) return false;
    std::size_t const end = std::min(name.find('.'), name.size());
    at = &at->children[std::string{name.substr(0, end)}];
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  at->text = std::move(text);
  return true;
}

// ---------------------------------------------------------------------------
// JSON

// The tree of a text, which ends at the first value beyond the limits: Json::parse with a callback reads on, and looks for
// what it leaves out among all that it has.
class TreeReader final : public nlohmann::json_sax<Json> {
 public:
  explicit TreeReader(Json& root) : root_(root) {}

  [[nodiscard]] bool is_too_large() const { return is_too_large_; }

  bool null() override { return take(nullptr); }
  bool boolean(bool value) override { return take(value); }
  bool number_integer(number_integer_t value) override { return take(value); }
  bool number_unsigned(number_unsigned_t value) override { return take(value); }
  bool number_float(number_float_t value, string_t const& /*text*/) override { return take(value); }
  bool string(string_t& value) override { return take(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*elements*/) override { return nest(Json::object()); }
  bool start_array(std::size_t /*elements*/) override { return nest(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return count();
  }
  bool parse_error(std::size_t /*at*/, std::string const& /*token*/, Json::exception const& /*error*/) override {
    return false;
  }

 private:
  bool count() {
    is_too_large_ = is_too_large_ || ++values_ > kValuesMax;
    return !is_too_large_;
  }
  // Null: beyond the limits.
  Json* add(Json value) {
    if (!count()) return nullptr;
    Json* at = &root_;
    if (!open_.empty()) {
      Json& into = *open_.back();
      at = into.is_array() ? &into.emplace_back() : &into[key_];
    }
    *at = std::move(value);
    return at;
  }
  bool take(Json value) { return add(std::move(value)) != nullptr; }
  bool nest(Json value) {
    is_too_large_ = is_too_large_ || open_.size() == kDepthMax;
    Json* const added = add(std::move(value));
    if (added != nullptr) open_.push_back(added);
    return added != nullptr;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json& root_;
  std::vector<Json*> open_;  // no element moves while something in it is open: it is the last one
  std::string key_;
  std::size_t values_{0};
  bool is_too_large_{false};
};

}  // namespace

// ---------------------------------------------------------------------------
// Requests

std::variant<Request, Error> read_json(std::string_view target, std::string_view body) {
  if (!target.starts_with(kTargetPrefix) || !is_word(target.substr(kTargetPrefix.size())))
    return Error{Fault::invalid_action, "X-Amz-Target is not AmazonSQS.ACTION"};
  Request out{.action = std::string{target.substr(kTargetPrefix.size())}, .parameters = {}, .is_json = true};
  out.parameters = Json::object();
  TreeReader reader{out.parameters};
  if (!body.empty() && !Json::sax_parse(body, &reader)) out.parameters = nullptr;
  if (reader.is_too_large())
    return malformed(
        fmt::format("the body has more than {} values, or is nested deeper than {}", kValuesMax, kDepthMax));
  if (!out.parameters.is_object()) return malformed("the body is no JSON object with the action's parameters");
  return out;
}

Json read_object(std::string_view text) {
  Json out;
  TreeReader reader{out};
  return Json::sax_parse(text, &reader) && out.is_object() ? out : Json::object();
}

std::variant<Request, Error> read_query(std::string_view path, std::string_view body) {
  Node root;
  for (std::size_t pairs = 0; !body.empty(); ++pairs) {
    if (pairs == kValuesMax) return malformed(fmt::format("the body has more than {} parameters", kValuesMax));
    std::size_t const end = std::min(body.find('&'), body.size());
    std::string_view const pair = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (pair.empty()) continue;
    std::size_t const equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = decoded(pair.substr(0, equals));
    std::optional<std::string> value = decoded(pair.substr(std::min(equals + 1, pair.size())));
    if (!name || !value || !is_utf8(*name) || !is_utf8(*value))
      return malformed("the body is not of key=value pairs with '&' between them, in UTF-8, encoded as forms are");
    if (!put(root, *name, std::move(*value)))
      return malformed(fmt::format("a parameter's name has more than {} parts", kNamePartsMax));
  }
  auto const action = root.children.find("Action");
  if (action == root.children.end() || !action->second.text)
    return Error{Fault::missing_action, "The request must contain the parameter Action, or the field X-Amz-Target."};
  if (!is_word(*action->second.text)) return Error{Fault::invalid_action, "Action is no name of an action"};
  Request out{.action = *action->second.text, .parameters = Json::object(), .is_json = false};
  if (root.children.erase("Action") > 0 && !root.children.empty()) out.parameters = tree_of(root);
  // CreateQueue spells this one in its own way.
  if (auto tags = out.parameters.find("Tags"); tags != out.parameters.end() && out.action == "CreateQueue")
    out.parameters["tags"] = *tags;
  if (std::string_view const name = name_in_url(path); !name.empty() && !out.parameters.contains("QueueUrl"))
    out.parameters["QueueUrl"] = path;
  return out;
}

// ---------------------------------------------------------------------------
// Parameters

Json const* member(Json const& of, std::string_view name) {
  if (!of.is_object()) return nullptr;
  auto const found = of.find(name);
  return found == of.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> text_of(Json const& of, std::string_view name, std::optional<Error>& wrong) {
  Json const* const value = member(of, name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get_ref<std::string const&>();
  wrong = malformed(fmt::format("{} is no string", name));
  return std::nullopt;
}

std::optional<std::int64_t> number_of(Json const& of, std::string_view name, std::int64_t min, std::int64_t max,
                                      std::optional<Error>& wrong) {
  Json const* const value = member(of, name);
  if (value == nullptr) return std::nullopt;
  std::int64_t number = 0;
  bool is_one = false;
  if (value->is_number_integer()) {
    number = value->get<std::int64_t>();
    is_one = !value->is_number_unsigned() || value->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX);
  } else if (value->is_string()) {
    std::string const& text = value->get_ref<std::string const&>();
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    is_one = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  }
  if (is_one && number >= min && number <= max) return number;
  wrong = invalid_value(name, value->dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 64),
                        fmt::format("Must be an integer from {} to {}.", min, max));
  return std::nullopt;
}

std::vector<std::string> texts_of(Json const& of, std::string_view name, std::optional<Error>& wrong) {
  std::vector<std::string> out;
  Json const* const list = member(of, name);
  if (list == nullptr) return out;
  bool is_fine = list->is_array();
  for (Json const& element : *list) {
    if (!is_fine || !element.is_string()) {
      is_fine = false;
      break;
    }
    out.push_back(element.get<std::string>());
  }
  if (!is_fine) wrong = malformed(fmt::format("{} is no list of strings", name));
  return out;
}

std::string_view name_in_url(std::string_view url) {
  url = url.substr(0, std::min(url.find_first_of("?#"), url.size()));
  std::size_t const slash = url.rfind('/');
  return slash == std::string_view::npos ? url : url.substr(slash + 1);
}

std::string_view name_in_arn(std::string_view arn) {
  if (!arn.starts_with("arn:")) return {};
  return arn.substr(arn.rfind(':') + 1);
}

bool is_queue_name(std::string_view name) {
  constexpr std::size_t kMax = 80;
  if (name.empty() || name.size() > kMax) return false;
  std::string_view const front = is_fifo(name) ? name.substr(0, name.size() - 5) : name;
  auto const fits = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !front.empty() && std::ranges::all_of(front, fits);
}

}  // namespace fastjournal::queue::sqs
