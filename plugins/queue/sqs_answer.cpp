#include "plugins/queue/sqs_answer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fastjournal::queue::sqs {
namespace {

constexpr std::string_view kNamespace = "xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\"";

// Lists of answers: each element is one of these, without an element around all of them.
struct ElementName {
  std::string_view in_json;
  std::string_view in_xml;
};
constexpr std::array kElements{
    ElementName{"Messages", "Message"},
    ElementName{"QueueUrls", "QueueUrl"},
    ElementName{"queueUrls", "QueueUrl"},
    ElementName{"Results", "ListMessageMoveTasksResultEntry"},
};
// Objects that are lists of names and values.
struct MapName {
  std::string_view in_json;
  std::string_view in_xml;
  std::string_view key;
};
constexpr std::array kMaps{
    MapName{"Attributes", "Attribute", "Name"},
    MapName{"MessageAttributes", "MessageAttribute", "Name"},
    MapName{"Tags", "Tag", "Key"},
};

void append_text(std::string_view text, std::string& out) {
  for (char const c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\r': out += "&#xD;"; break;
      default: out += c;
    }
  }
}

void append(std::string_view name, Json const& value, std::string_view action, std::string& out);

void append_members(Json const& object, std::string_view action, std::string& out) {
  for (auto const& [name, value] : object.items()) append(name, value, action, out);
}

void append_element(std::string_view name, Json const& value, std::string_view action, std::string& out) {
  fmt::format_to(std::back_inserter(out), "<{}>", name);
  if (value.is_object())
    append_members(value, action, out);
  else
    append_text(value.is_string() ? value.get<std::string>() : value.dump(), out);
  fmt::format_to(std::back_inserter(out), "</{}>", name);
}

void append(std::string_view name, Json const& value, std::string_view action, std::string& out) {
  if (auto const* const map = std::ranges::find(kMaps, name, &MapName::in_json);
      map != kMaps.end() && value.is_object()) {
    for (auto const& [key, one] : value.items()) {
      fmt::format_to(std::back_inserter(out), "<{}>", map->in_xml);
      append_element(map->key, key, action, out);
      append_element("Value", one, action, out);
      fmt::format_to(std::back_inserter(out), "</{}>", map->in_xml);
    }
    return;
  }
  if (!value.is_array()) return append_element(name, value, action, out);
  auto const* const list = std::ranges::find(kElements, name, &ElementName::in_json);
  std::string const element = list != kElements.end() ? std::string{list->in_xml}
                              : name == "Failed"      ? "BatchResultErrorEntry"
                                                      : fmt::format("{}ResultEntry", action);
  for (Json const& one : value) append_element(element, one, action, out);
}

std::string dumped(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string json_of(Json const& result) { return dumped(result); }

std::string json_of(Error const& error) {
  return dumped({{"__type", row_of(error.fault).type}, {"message", error.message}});
}

std::string xml_of(std::string_view action, Json const& result, std::string_view request) {
  std::string out = fmt::format("<?xml version=\"1.0\"?>\n<{}Response {}>", action, kNamespace);
  append_element(fmt::format("{}Result", action), result, action, out);
  fmt::format_to(std::back_inserter(out),
                 "<ResponseMetadata><RequestId>{}</RequestId></ResponseMetadata></{}Response>\n", request, action);
  return out;
}

std::string xml_of(Error const& error, std::string_view request) {
  std::string out =
      fmt::format("<?xml version=\"1.0\"?>\n<ErrorResponse {}><Error><Type>{}</Type><Code>{}</Code><Message>",
                  kNamespace, error.who(), row_of(error.fault).code);
  append_text(error.message, out);
  fmt::format_to(std::back_inserter(out), "</Message><Detail/></Error><RequestId>{}</RequestId></ErrorResponse>\n",
                 request);
  return out;
}

}  // namespace fastjournal::queue::sqs
