// Messages as JSON objects, one per line, as accepted by the eventdispatcher library:
//
//   {"command":"PING","service":"pagelist","parameters":{"uri":"http://example.com/"}}
//
// with sent-from-server, sent-from-service, server, service, command and parameters, all optional except `command`;
// other members are ignored. Not a hot path: peers that need speed use text or msgpack.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/status.h"

namespace fastjournal::protocol {

// Clears `into` and fills it; everything is copied to its arena. A string parameter is unescaped twice, first as JSON,
// then as a text message's value, because the eventdispatcher library does so. Numbers and booleans keep their kind;
// null is an empty value, also as in that library; arrays and objects are refused. Errors as for parse_line.
[[nodiscard]] Status parse_json(std::string_view line, Message& into);

// Appends the object with its LF, for readers other than parse_json: valid JSON with its strings escaped once, as every
// JSON reader expects, so parse_json does not read every value back. Bytes that are not UTF-8 become U+FFFD; binary is
// base64. Never send it to a service of a communicatord: those are answered in text, since their own JSON is not valid.
void append_json(Outgoing const& message, std::string& out);

}  // namespace fastjournal::protocol
