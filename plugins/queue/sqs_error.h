// Errors as clients of SQS know them: a code for the query protocol, a type for JSON, a status of HTTP.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/protocol.h"

namespace fastjournal::queue::sqs {

enum class Fault : std::uint8_t {
  access_denied,
  batch_ids_not_distinct,
  batch_too_long,
  empty_batch,
  handle_is_invalid,
  incomplete_signature,
  internal,
  invalid_action,
  invalid_address,
  invalid_attribute_name,
  invalid_attribute_value,
  invalid_batch_id,
  invalid_contents,
  invalid_value,
  malformed,
  missing_action,
  missing_parameter,
  not_in_flight,
  over_limit,
  queue_deleted_recently,
  queue_does_not_exist,
  queue_name_exists,
  request_throttled,
  resource_not_found,
  signature_is_wrong,
  too_many_entries,
  unavailable,
  unsupported,
};

struct FaultRow {
  Fault fault;
  std::uint16_t status;   // of HTTP
  std::string_view code;  // of the query protocol, and of the field x-amzn-query-error
  std::string_view type;  // of JSON
};
[[nodiscard]] FaultRow const& row_of(Fault fault);

struct Error {
  Fault fault{Fault::internal};
  std::string message{};

  // "Sender" or "Receiver": who can correct it.
  [[nodiscard]] std::string_view who() const { return row_of(fault).status < 500 ? "Sender" : "Receiver"; }
};

// One parameter, as SQS says it.
[[nodiscard]] Error invalid_value(std::string_view parameter, std::string_view value, std::string_view reason);
[[nodiscard]] Error missing(std::string_view parameter);
[[nodiscard]] Error no_queue(std::string_view name);

// What the table, or the daemon, refused (an ERROR). Commands about a lease have their own words for its end.
[[nodiscard]] Error error_of(Outgoing const& refusal);
[[nodiscard]] bool is_refusal(Outgoing const& answer);
// Its code is one of a lease that is not there any more.
[[nodiscard]] bool is_over(Outgoing const& refusal);

// Of an answer.
[[nodiscard]] Param const* find(Outgoing const& answer, std::string_view name);
[[nodiscard]] std::string_view text_in(Outgoing const& answer, std::string_view name);
[[nodiscard]] std::uint64_t number_in(Outgoing const& answer, std::string_view name);

}  // namespace fastjournal::queue::sqs
