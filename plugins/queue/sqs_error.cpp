#include "plugins/queue/sqs_error.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fastjournal/status.h"
#include "model/value.h"

namespace fastjournal::queue::sqs {
namespace {

// In the order of Fault. The codes, types and statuses are those of the service's public model.
constexpr std::array kFaults{
    FaultRow{Fault::access_denied, 403, "AccessDenied", "com.amazon.coral.service#AccessDeniedException"},
    FaultRow{Fault::batch_ids_not_distinct, 400, "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
             "com.amazonaws.sqs#BatchEntryIdsNotDistinct"},
    FaultRow{Fault::batch_too_long, 400, "AWS.SimpleQueueService.BatchRequestTooLong",
             "com.amazonaws.sqs#BatchRequestTooLong"},
    FaultRow{Fault::empty_batch, 400, "AWS.SimpleQueueService.EmptyBatchRequest",
             "com.amazonaws.sqs#EmptyBatchRequest"},
    FaultRow{Fault::handle_is_invalid, 404, "ReceiptHandleIsInvalid", "com.amazonaws.sqs#ReceiptHandleIsInvalid"},
    FaultRow{Fault::incomplete_signature, 400, "IncompleteSignature",
             "com.amazon.coral.service#IncompleteSignatureException"},
    FaultRow{Fault::internal, 500, "InternalError", "com.amazon.coral.service#InternalFailure"},
    FaultRow{Fault::invalid_action, 400, "InvalidAction", "com.amazon.coral.service#UnknownOperationException"},
    FaultRow{Fault::invalid_address, 404, "InvalidAddress", "com.amazonaws.sqs#InvalidAddress"},
    FaultRow{Fault::invalid_attribute_name, 400, "InvalidAttributeName", "com.amazonaws.sqs#InvalidAttributeName"},
    FaultRow{Fault::invalid_attribute_value, 400, "InvalidAttributeValue", "com.amazonaws.sqs#InvalidAttributeValue"},
    FaultRow{Fault::invalid_batch_id, 400, "AWS.SimpleQueueService.InvalidBatchEntryId",
             "com.amazonaws.sqs#InvalidBatchEntryId"},
    FaultRow{Fault::invalid_contents, 400, "InvalidMessageContents", "com.amazonaws.sqs#InvalidMessageContents"},
    FaultRow{Fault::invalid_value, 400, "InvalidParameterValue",
             "com.amazon.coral.service#InvalidParameterValueException"},
    FaultRow{Fault::malformed, 400, "MalformedInput", "com.amazon.coral.service#SerializationException"},
    FaultRow{Fault::missing_action, 400, "MissingAction", "com.amazon.coral.service#MissingActionException"},
    FaultRow{Fault::missing_parameter, 400, "MissingParameter",
             "com.amazon.coral.service#MissingRequiredParameterException"},
    FaultRow{Fault::not_in_flight, 400, "AWS.SimpleQueueService.MessageNotInflight",
             "com.amazonaws.sqs#MessageNotInflight"},
    FaultRow{Fault::over_limit, 403, "OverLimit", "com.amazonaws.sqs#OverLimit"},
    FaultRow{Fault::queue_deleted_recently, 400, "AWS.SimpleQueueService.QueueDeletedRecently",
             "com.amazonaws.sqs#QueueDeletedRecently"},
    FaultRow{Fault::queue_does_not_exist, 400, "AWS.SimpleQueueService.NonExistentQueue",
             "com.amazonaws.sqs#QueueDoesNotExist"},
    FaultRow{Fault::queue_name_exists, 400, "QueueAlreadyExists", "com.amazonaws.sqs#QueueNameExists"},
    FaultRow{Fault::request_throttled, 403, "RequestThrottled", "com.amazonaws.sqs#RequestThrottled"},
    FaultRow{Fault::resource_not_found, 404, "ResourceNotFoundException",
             "com.amazonaws.sqs#ResourceNotFoundException"},
    FaultRow{Fault::signature_is_wrong, 403, "SignatureDoesNotMatch",
             "com.amazon.coral.service#InvalidSignatureException"},
    FaultRow{Fault::too_many_entries, 400, "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
             "com.amazonaws.sqs#TooManyEntriesInBatchRequest"},
    FaultRow{Fault::unavailable, 503, "ServiceUnavailable", "com.amazon.coral.service#ServiceUnavailableException"},
    FaultRow{Fault::unsupported, 400, "AWS.SimpleQueueService.UnsupportedOperation",
             "com.amazonaws.sqs#UnsupportedOperation"},
};
constexpr bool are_in_order() {
  for (std::size_t i = 0; i < kFaults.size(); ++i)
    if (static_cast<std::size_t>(kFaults[i].fault) != i) return false;
  return kFaults.back().fault == Fault::unsupported;
}
static_assert(are_in_order());

Fault fault_of(Code code) {
  switch (code) {
    case Code::not_allowed: return Fault::access_denied;
    case Code::not_found: return Fault::queue_does_not_exist;
    case Code::over_limit: return Fault::over_limit;
    case Code::unknown_row: return Fault::handle_is_invalid;
    case Code::invalid:
    case Code::bad_parameter:
    case Code::missing_parameter:
    case Code::unknown_parameter:
    case Code::too_large: return Fault::invalid_value;
    case Code::not_supported:
    case Code::wrong_state:
    case Code::in_transaction: return Fault::unsupported;
    case Code::no_space:
    case Code::unavailable:
    case Code::timed_out:
    case Code::closed:
    case Code::moved:
    case Code::paused: return Fault::unavailable;
    default: return Fault::internal;
  }
}

}  // namespace

FaultRow const& row_of(Fault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

Error invalid_value(std::string_view parameter, std::string_view value, std::string_view reason) {
  return {Fault::invalid_value,
          fmt::format("Value {} for parameter {} is invalid. Reason: {}", model::shown(value), parameter, reason)};
}
Error missing(std::string_view parameter) {
  return {Fault::missing_parameter, fmt::format("The request must contain the parameter {}.", parameter)};
}
Error no_queue(std::string_view name) {
  return {Fault::queue_does_not_exist,
          fmt::format("The specified queue does not exist: {}. CreateQueue makes it.", model::shown(name))};
}

Param const* find(Outgoing const& answer, std::string_view name) {
  auto const found = std::ranges::find(answer.params, name, &Param::name);
  return found == answer.params.end() ? nullptr : &*found;
}
std::string_view text_in(Outgoing const& answer, std::string_view name) {
  Param const* const param = find(answer, name);
  return param == nullptr ? std::string_view{} : param->value.bytes;
}
std::uint64_t number_in(Outgoing const& answer, std::string_view name) {
  Param const* const param = find(answer, name);
  return param == nullptr ? 0 : param->value.as_unsigned().value_or(0);
}

bool is_refusal(Outgoing const& answer) {
  return answer.command == "ERROR" || answer.command == "UNKNOWN" || answer.command == "INVALID";
}

bool is_over(Outgoing const& refusal) {
  std::string_view const code = text_in(refusal, "code");
  return code == "not_leased" || code == "stale_epoch" || code == "expired" || code == "wrong_state";
}

Error error_of(Outgoing const& refusal) {
  Code const code = code_of_wire_name(text_in(refusal, "code")).value_or(Code::io_error);
  Error out{fault_of(code), std::string{text_in(refusal, "message")}};
  if (!text_in(refusal, "signature").empty()) out.fault = Fault::signature_is_wrong;
  // To be sent again: SDKs do so by themselves.
  if (find(refusal, "wait_ms") != nullptr) out.fault = Fault::request_throttled;
  if (out.message.empty()) out.message = fastjournal::row_of(code).text;
  return out;
}

}  // namespace fastjournal::queue::sqs
