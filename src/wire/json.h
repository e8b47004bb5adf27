// Messages as JSON objects in one line, as the eventdispatcher library accepts them:
//
//   {"command":"PING","service":"pagelist","parameters":{"uri":"http://example.com/"}}
//
// with sent-from-server, sent-from-service, server, service, command and
// parameters, all but `command` optional; other members are ignored. Not a hot path: peers that
// care for speed speak text or msgpack.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "wire/outgoing.h"

namespace fastjournal::wire {

// Clears `into` and fills it; everything is copied to its arena. A parameter that is a string is unescaped twice:
// once as JSON, then as a text message's value (the eventdispatcher library does so). Numbers and booleans keep
// their kind; null is an empty value (there, too); arrays and objects are refused. Errors as those of parse_line.
[[nodiscard]] Status parse_json(std::string_view line, Message& into);

// Appends the object with its LF, for readers of our own: valid JSON whose strings are escaped once, as any
// JSON reader expects, so parse_json does not read every value back. Bytes that are no UTF-8 become U+FFFD; binary is
// base64. Never send it to a service of a communicatord: those are answered in text, since their own JSON is not valid.
void append_json(Outgoing const& message, std::string& out);

}  // namespace fastjournal::wire
