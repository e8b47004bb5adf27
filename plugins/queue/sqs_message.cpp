#include "plugins/queue/sqs_message.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "wire/digest.h"

namespace fastjournal::queue::sqs {
namespace {

constexpr std::string_view kDataType = "DataType";
constexpr std::string_view kStringValue = "StringValue";
constexpr std::string_view kBinaryValue = "BinaryValue";

struct Attribute {
  std::string type{};
  std::string value{};  // its bytes
  bool is_binary{false};
};

Error wrong(std::string_view name, std::string_view why) {
  return {Fault::invalid_value,
          fmt::format("The message attribute {} is invalid. Reason: {}",
                      Json(name.substr(0, 64)).dump(-1, ' ', true, Json::error_handler_t::replace), why)};
}

bool is_attribute_name(std::string_view name) {
  auto const fits = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  std::string lower{name.substr(0, 7)};
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return !name.empty() && name.size() <= kAttributeNameBytesMax && std::ranges::all_of(name, fits) &&
         name.front() != '.' && name.back() != '.' && name.find("..") == std::string_view::npos &&
         !lower.starts_with("aws.") && lower != "amazon.";
}

bool is_type(std::string_view type, std::string_view base) {
  constexpr std::size_t kTypeBytesMax = 256;
  return type.size() <= kTypeBytesMax && (type == base || (type.starts_with(base) && type[base.size()] == '.'));
}

// What its sender, or a stored property, says. Empty: it is none.
std::optional<Attribute> read(Json const& said) {
  if (said.is_string()) return Attribute{.type = "String", .value = said.get<std::string>()};
  if (said.is_number()) return Attribute{.type = "Number", .value = said.dump()};
  Json const* const type = member(said, kDataType);
  if (type == nullptr || !type->is_string()) return std::nullopt;
  Attribute out{
      .type = type->get<std::string>(), .value = {}, .is_binary = is_type(type->get<std::string>(), "Binary")};
  Json const* const value = member(said, out.is_binary ? kBinaryValue : kStringValue);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  if (!out.is_binary)
    out.value = value->get<std::string>();
  else if (!decode_base64(value->get_ref<std::string const&>(), out.value))
    return std::nullopt;
  return out;
}

Json shown(Attribute const& attribute) {
  Json out{{kDataType, attribute.type}};
  if (attribute.is_binary) {
    std::string text;
    append_base64(attribute.value, text);
    out[kBinaryValue] = text;
  } else {
    out[kStringValue] = attribute.value;
  }
  return out;
}

void append_counted(std::string_view bytes, std::string& out) {
  auto const size = static_cast<std::uint32_t>(bytes.size());
  for (unsigned const shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(size >> shift & 0xFFU);
  out += bytes;
}

std::string_view front(std::string_view& text) {
  std::size_t const end = std::min(text.find('.'), text.size());
  std::string_view const out = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return out;
}

template <typename T>
bool read_hex(std::string_view text, T& into) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), into, 16);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

std::uint32_t mark_of(std::string_view queue) { return static_cast<std::uint32_t>(hash64(queue)); }

}  // namespace

bool is_text(std::string_view text) {
  if (!is_utf8(text)) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 && c != '\t' && c != '\n' && c != '\r') return false;
    // U+FFFE and U+FFFF.
    if (c == 0xEF && text.substr(i + 1, 1) == "\xBF" && static_cast<unsigned char>(text[i + 2]) >= 0xBE) return false;
  }
  return true;
}

std::optional<Error> take_attributes(Json const& attributes, std::string_view prefix, Json& properties) {
  if (!attributes.is_object()) return Error{Fault::malformed, "attributes of a message are no object"};
  if (attributes.size() > kAttributesMax)
    return Error{Fault::invalid_value,
                 fmt::format("Number of message attributes [{}] exceeds the allowed maximum [{}].", attributes.size(),
                             kAttributesMax)};
  for (auto const& [name, said] : attributes.items()) {
    if (!is_attribute_name(name))
      return wrong(name, "Its name must have 1 to 256 letters, digits, '-', '_' or '.', and not begin with AWS.");
    std::optional<Attribute> const attribute = read(said);
    if (!attribute || !said.is_object())
      return wrong(name, "It must have DataType, and StringValue or, for Binary, BinaryValue.");
    if (!attribute->is_binary && !is_type(attribute->type, "String") && !is_type(attribute->type, "Number"))
      return wrong(name, "Its DataType must begin with String, Number or Binary.");
    if (attribute->value.empty()) return wrong(name, "Its value is empty.");
    if (!attribute->is_binary && !is_text(attribute->value)) return wrong(name, "Its value has invalid characters.");
    std::string const key = std::string{prefix} + name;
    if (attribute->type == "String")
      properties[key] = attribute->value;
    else
      properties[key] = shown(*attribute);
  }
  return std::nullopt;
}

std::string digest_of(Json const& attributes) {
  std::string all;
  for (auto const& [name, said] : attributes.items()) {
    std::optional<Attribute> const attribute = read(said);
    if (!attribute) continue;
    append_counted(name, all);
    append_counted(attribute->type, all);
    all += attribute->is_binary ? '\2' : '\1';
    append_counted(attribute->value, all);
  }
  return protocol::md5_hex(all);
}

bool is_wanted(std::string_view name, std::vector<std::string> const& wanted) {
  return std::ranges::any_of(wanted, [name](std::string_view pattern) {
    if (pattern == "All" || pattern == ".*" || pattern == name) return true;
    if (!pattern.ends_with('*')) return false;
    pattern.remove_suffix(pattern.ends_with(".*") ? 2 : 1);
    return name.starts_with(pattern);
  });
}

Json attributes_in(std::string_view properties, std::vector<std::string> const& wanted) {
  Json out = Json::object();
  if (properties.empty() || wanted.empty()) return out;
  Json const all = read_object(properties);
  for (auto const& [name, said] : all.items()) {
    if (!is_attribute_name(name) || !is_wanted(name, wanted)) continue;
    std::optional<Attribute> attribute = read(said);
    if (!attribute) attribute = Attribute{.type = "String", .value = said.dump()};
    if (attribute->is_binary || is_text(attribute->value)) out[name] = shown(*attribute);
  }
  return out;
}

std::string system_property(std::string_view properties, std::string_view name) {
  if (properties.find(name) == std::string_view::npos) return {};
  Json const all = read_object(properties);
  std::optional<Error> none;
  return text_of(all, name, none).value_or("");
}

std::string body_in(Outgoing const& message) {
  std::string_view const text = text_in(message, "body");
  if (is_text(text) && !text.empty()) return std::string{text};
  std::string out;
  append_base64(text.empty() ? text_in(message, "body_binary") : text, out);
  return out;
}

std::string id_of(std::uint64_t message) {
  return fmt::format("fa570000-{:04x}-4000-8000-{:012x}", message >> 48U, message & 0xFFFF'FFFF'FFFFU);
}
std::string sequence_of(std::uint64_t message) { return fmt::format("{:020}", message); }

std::string handle_of(std::uint64_t message, std::uint64_t epoch, std::string_view queue) {
  return fmt::format("{:x}.{:x}.{:x}", message, epoch, mark_of(queue));
}

std::optional<Handle> read_handle(std::string_view text, std::string_view queue) {
  Handle out;
  if (!read_hex(front(text), out.message) || !read_hex(front(text), out.epoch) || !read_hex(front(text), out.queue) ||
      !text.empty() || out.queue != mark_of(queue))
    return std::nullopt;
  return out;
}

}  // namespace fastjournal::queue::sqs
