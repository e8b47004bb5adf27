// A message as SQS has it: its attributes, which are properties of ours, the digests that clients check, its number and
// the handle of its lease.
//
// Properties: an attribute of the type String is a member of that name, one of another type an object with DataType and
// its value. What SQS itself says of a message has names that begin with "AWS.", which no attribute may have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/queue/sqs_error.h"
#include "plugins/queue/sqs_request.h"

namespace fastjournal::queue::sqs {

inline constexpr std::size_t kAttributesMax = 10;
inline constexpr std::size_t kAttributeNameBytesMax = 256;
inline constexpr std::string_view kTraceHeader = "AWS.TraceHeader";
inline constexpr std::string_view kDeduplicationId = "AWS.MessageDeduplicationId";

// What a body or an attribute may have: the characters of XML 1.0.
[[nodiscard]] bool is_text(std::string_view text);

// The attributes of a message that is sent (MessageAttributes, or MessageSystemAttributes), as members of `properties`.
// `prefix`: of their names there.
[[nodiscard]] std::optional<Error> take_attributes(Json const& attributes, std::string_view prefix, Json& properties);
// MD5 of attributes, which SDKs compare: of their names, types and values with their lengths, in the order of names.
[[nodiscard]] std::string digest_of(Json const& attributes);

// What a receiver asked for, by name: "All", ".*", "name", "name.*", "name*".
[[nodiscard]] bool is_wanted(std::string_view name, std::vector<std::string> const& wanted);

// The attributes of a message that was received, those that are wanted.
[[nodiscard]] Json attributes_in(std::string_view properties, std::vector<std::string> const& wanted);
// One of "AWS."; empty: there is none.
[[nodiscard]] std::string system_property(std::string_view properties, std::string_view name);

// A body as it came; one of bytes, or with characters that XML cannot have, in base64.
[[nodiscard]] std::string body_in(Outgoing const& message);

[[nodiscard]] std::string id_of(std::uint64_t message);        // a UUID
[[nodiscard]] std::string sequence_of(std::uint64_t message);  // 20 digits

// Of a lease.
struct Handle {
  std::uint64_t message{0};
  std::uint64_t epoch{0};
  std::uint32_t queue{0};  // of its name
};
[[nodiscard]] std::string handle_of(std::uint64_t message, std::uint64_t epoch, std::string_view queue);
// Empty: it is none, or of another queue.
[[nodiscard]] std::optional<Handle> read_handle(std::string_view text, std::string_view queue);

}  // namespace fastjournal::queue::sqs
