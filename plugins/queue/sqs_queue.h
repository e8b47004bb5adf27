// A queue as SQS has it: its attributes and tags. Attributes that queue tables have too are options of the queue
// (DECLARE); the others, and the tags, are the member "sqs" of its properties.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/message.h"
#include "plugins/queue/sqs_error.h"
#include "plugins/queue/sqs_request.h"

namespace fastjournal::queue::sqs {

inline constexpr std::size_t kTagsMax = 50;
// Attributes that are kept in the properties.
inline constexpr std::string_view kWait = "ReceiveMessageWaitTimeSeconds";
inline constexpr std::string_view kByContent = "ContentBasedDeduplication";

// What QUEUES says of it.
struct QueueFacts {
  std::string name{};
  std::uint64_t messages{0};
  std::uint64_t due{0};
  std::uint64_t acquired{0};
  std::uint64_t parked{0};
  std::uint64_t behind{0};  // of their groups
  std::uint64_t lease{0};   // durations in ms
  std::uint64_t expires{0};
  std::uint64_t delay{0};
  std::uint64_t max_message_bytes{0};
  std::uint64_t max_deliveries{0};
  std::uint64_t made_date{0};
  std::uint64_t changed_date{0};
  std::string dead_letters{};
  Json properties = Json::object();

  // Of the member "sqs"; empty: it is not there.
  [[nodiscard]] std::string own(std::string_view name) const;
  [[nodiscard]] Json tags() const;
  void set_own(std::string_view name, Json value);
};
[[nodiscard]] QueueFacts facts_of(Outgoing const& queue);

// The URL and the ARN of a queue, as clients of one connection see it.
struct Place {
  std::string url{};  // "http://127.0.0.1:9324/000000000000/"
  std::string arn{};  // "arn:aws:sqs:eu-west-1:000000000000:"

  [[nodiscard]] std::string url_of(std::string_view queue) const { return url + std::string{queue}; }
  [[nodiscard]] std::string arn_of(std::string_view queue) const { return arn + std::string{queue}; }
};

// All its attributes, of which those with these names ("All"). A name that no attribute has: an error.
[[nodiscard]] std::optional<Error> show_attributes(QueueFacts const& queue, std::vector<std::string> const& names,
                                                   Place const& place, Json& out);

// What attributes change, as parameters of a DECLARE, which is filled in.
class QueueChange {
 public:
  explicit QueueChange(QueueFacts before) : facts_(std::move(before)) {}

  [[nodiscard]] std::optional<Error> take(Json const& attributes, bool is_new);
  [[nodiscard]] std::optional<Error> tag(Json const& tags);
  void untag(std::vector<std::string> const& keys);
  // Whether the queue has all of these already (CreateQueue of one that is there).
  [[nodiscard]] static bool has_all(QueueFacts const& queue, Json const& attributes, Place const& place);

  // Its views are into this.
  void fill(Message& message);

 private:
  [[nodiscard]] std::optional<Error> take_redrive(std::string_view text);

  QueueFacts facts_;
  std::vector<std::pair<std::string_view, std::uint64_t>> numbers_;  // of DECLARE
  std::optional<std::string> dead_letters_;
  std::string properties_;
  bool has_properties_{false};
};

}  // namespace fastjournal::queue::sqs
