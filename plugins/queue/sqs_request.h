// What a request of SQS asks for: an action and its parameters, from JSON or from the older form, key=value pairs
// (the query protocol). Both become the tree that the JSON form has, so that each action is written once.
//
// Whoever sends it is not trusted: a body is bounded by the connection, what it becomes by the limits here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>
#include "plugins/queue/sqs_error.h"

namespace fastjournal::queue::sqs {

using Json = nlohmann::json;

// Values, and names, of one request.
inline constexpr std::size_t kValuesMax = 4'000;
inline constexpr std::size_t kDepthMax = 8;

struct Request {
  std::string action;  // "SendMessage"
  Json parameters;     // an object
  bool is_json{false};
};

// `target`: of the field X-Amz-Target.
[[nodiscard]] std::variant<Request, Error> read_json(std::string_view target, std::string_view body);
// An object that others wrote, within the same limits; beyond them, or anything else: an empty one.
[[nodiscard]] Json read_object(std::string_view text);
// `path`: it names the queue where the pairs do not.
[[nodiscard]] std::variant<Request, Error> read_query(std::string_view path, std::string_view body);

// -- parameters ---------------------------------------------------------------
// Null: it is not there, or is null.
[[nodiscard]] Json const* member(Json const& of, std::string_view name);
// Of another kind: `wrong` is set. Not there: nothing.
[[nodiscard]] std::optional<std::string> text_of(Json const& of, std::string_view name, std::optional<Error>& wrong);
// A number, or a text that spells one (as the query form has it, and attributes in both).
[[nodiscard]] std::optional<std::int64_t> number_of(Json const& of, std::string_view name, std::int64_t min,
                                                    std::int64_t max, std::optional<Error>& wrong);
// The strings of an array.
[[nodiscard]] std::vector<std::string> texts_of(Json const& of, std::string_view name, std::optional<Error>& wrong);

// The last part of "http://HOST/000000000000/orders", or of "arn:aws:sqs:REGION:ACCOUNT:orders".
[[nodiscard]] std::string_view name_in_url(std::string_view url);
[[nodiscard]] std::string_view name_in_arn(std::string_view arn);
// Letters, digits, - and _, 80 at most, of which ".fifo" may be the last five.
[[nodiscard]] bool is_queue_name(std::string_view name);
[[nodiscard]] inline bool is_fifo(std::string_view name) { return name.ends_with(".fifo"); }

}  // namespace fastjournal::queue::sqs
