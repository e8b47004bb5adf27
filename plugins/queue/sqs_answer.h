// Answers in the form of their request: JSON, or the XML of the query protocol.
#pragma once

#include <string>
#include <string_view>

#include "plugins/queue/sqs_error.h"
#include "plugins/queue/sqs_request.h"

namespace fastjournal::queue::sqs {

inline constexpr std::string_view kJsonType = "application/x-amz-json-1.0";
inline constexpr std::string_view kXmlType = "text/xml";

[[nodiscard]] std::string json_of(Json const& result);
[[nodiscard]] std::string json_of(Error const& error);

// `request`: its number, which clients show to people.
[[nodiscard]] std::string xml_of(std::string_view action, Json const& result, std::string_view request);
[[nodiscard]] std::string xml_of(Error const& error, std::string_view request);

}  // namespace fastjournal::queue::sqs
