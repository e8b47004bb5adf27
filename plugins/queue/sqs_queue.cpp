#include "plugins/queue/sqs_queue.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::queue::sqs {
namespace {

constexpr std::string_view kOwn = "sqs";
constexpr std::string_view kTags = "tags";
constexpr std::uint64_t kDeliveriesMax = 250;
constexpr std::uint64_t kMessageBytesMax = 1'048'576;

// Attributes that are numbers and options of a queue. `unit`: ms of one.
struct NumberAttribute {
  std::string_view name;
  std::string_view option;
  std::int64_t min;
  std::int64_t max;
  std::uint64_t unit;
  std::uint64_t of_new;  // what a new queue has, in its own unit
  std::uint64_t QueueFacts::*fact;
};
constexpr std::array kNumbers{
    NumberAttribute{"DelaySeconds", "delay", 0, 900, 1000, 0, &QueueFacts::delay},
    NumberAttribute{"MaximumMessageSize", "max_message_bytes", 1024, kMessageBytesMax, 1, 0,
                    &QueueFacts::max_message_bytes},
    NumberAttribute{"MessageRetentionPeriod", "expires", 60, 1'209'600, 1000, 345'600, &QueueFacts::expires},
    NumberAttribute{"VisibilityTimeout", "lease", 0, 43'200, 1000, 30, &QueueFacts::lease},
};
// Attributes that this door keeps: their names, and the texts that they may be.
constexpr std::string_view kFifoQueue = "FifoQueue";
constexpr std::string_view kRedrive = "RedrivePolicy";
// Attributes whose only value here is what a queue has anyway.
struct FixedAttribute {
  std::string_view name;
  std::string_view value;
  bool is_of_fifo;
};
constexpr std::array kFixed{
    FixedAttribute{"DeduplicationScope", "queue", true}, FixedAttribute{"FifoThroughputLimit", "perQueue", true},
    FixedAttribute{"KmsMasterKeyId", "", false},         FixedAttribute{"Policy", "", false},
    FixedAttribute{"RedriveAllowPolicy", "", false},     FixedAttribute{"SqsManagedSseEnabled", "false", false},
};
// Attributes that say how a queue is.
constexpr std::array<std::string_view, 7> kShown{"ApproximateNumberOfMessages",
                                                 "ApproximateNumberOfMessagesDelayed",
                                                 "ApproximateNumberOfMessagesNotVisible",
                                                 "CreatedTimestamp",
                                                 "LastModifiedTimestamp",
                                                 "QueueArn",
                                                 "KmsDataKeyReusePeriodSeconds"};

Error wrong_value(std::string_view name, std::string_view why) {
  return {Fault::invalid_attribute_value, fmt::format("Invalid value for the parameter {}. Reason: {}", name, why)};
}

bool is_known(std::string_view name) {
  auto const is_its = [name](auto const& attribute) { return attribute.name == name; };
  return std::ranges::any_of(kNumbers, is_its) || std::ranges::any_of(kFixed, is_its) ||
         std::ranges::find(kShown, name) != kShown.end() || name == kWait || name == kByContent || name == kFifoQueue ||
         name == kRedrive || name == "All";
}

std::string redrive_of(QueueFacts const& queue, Place const& place) {
  if (queue.dead_letters.empty()) return {};
  return Json{{"deadLetterTargetArn", place.arn_of(queue.dead_letters)}, {"maxReceiveCount", queue.max_deliveries}}
      .dump();
}

Json all_attributes(QueueFacts const& queue, Place const& place) {
  Json out = Json::object();
  auto const number = [&out](std::string_view name, std::uint64_t value) {
    out[std::string{name}] = std::to_string(value);
  };
  number("ApproximateNumberOfMessages", queue.due + queue.behind);
  number("ApproximateNumberOfMessagesNotVisible", queue.acquired);
  number("ApproximateNumberOfMessagesDelayed",
         queue.messages - queue.due - queue.behind - queue.acquired - queue.parked);
  number("CreatedTimestamp", queue.made_date / 1000);
  number("LastModifiedTimestamp", queue.changed_date / 1000);
  out["QueueArn"] = place.arn_of(queue.name);
  for (NumberAttribute const& attribute : kNumbers) number(attribute.name, queue.*attribute.fact / attribute.unit);
  if (queue.max_message_bytes == 0) number("MaximumMessageSize", kMessageBytesMax);
  std::string const wait = queue.own(kWait);
  out[std::string{kWait}] = wait.empty() ? "0" : wait;
  if (std::string redrive = redrive_of(queue, place); !redrive.empty()) out[std::string{kRedrive}] = std::move(redrive);
  out["SqsManagedSseEnabled"] = "false";
  if (!is_fifo(queue.name)) return out;
  out[std::string{kFifoQueue}] = "true";
  out[std::string{kByContent}] = queue.own(kByContent) == "true" ? "true" : "false";
  out["DeduplicationScope"] = "queue";
  out["FifoThroughputLimit"] = "perQueue";
  return out;
}

}  // namespace

std::string QueueFacts::own(std::string_view wanted) const {
  std::optional<Error> none;
  Json const* const all = member(properties, kOwn);
  return all == nullptr ? std::string{} : text_of(*all, wanted, none).value_or("");
}

Json QueueFacts::tags() const {
  Json const* const all = member(properties, kOwn);
  Json const* const tags = all == nullptr ? nullptr : member(*all, kTags);
  return tags == nullptr || !tags->is_object() ? Json::object() : *tags;
}

void QueueFacts::set_own(std::string_view wanted, Json value) {
  Json& all = properties[std::string{kOwn}];
  if (!all.is_object()) all = Json::object();
  all[std::string{wanted}] = std::move(value);
}

QueueFacts facts_of(Outgoing const& queue) {
  QueueFacts out;
  out.name = text_in(queue, "queue");
  out.messages = number_in(queue, "messages");
  out.due = number_in(queue, "due");
  out.acquired = number_in(queue, "acquired");
  out.parked = number_in(queue, "parked");
  out.behind = number_in(queue, "behind");
  out.lease = number_in(queue, "lease");
  out.expires = number_in(queue, "expires");
  out.delay = number_in(queue, "delay");
  out.max_message_bytes = number_in(queue, "max_message_bytes");
  out.max_deliveries = number_in(queue, "max_deliveries");
  out.made_date = number_in(queue, "made_date");
  out.changed_date = number_in(queue, "changed_date");
  out.dead_letters = text_in(queue, "dead_letters");
  if (std::string_view const properties = text_in(queue, "properties"); !properties.empty()) {
    Json read = Json::parse(properties, nullptr, false);
    if (read.is_object()) out.properties = std::move(read);
  }
  return out;
}

std::optional<Error> show_attributes(QueueFacts const& queue, std::vector<std::string> const& names, Place const& place,
                                     Json& out) {
  Json const all = all_attributes(queue, place);
  out = Json::object();
  for (std::string const& name : names) {
    if (!is_known(name))
      return Error{Fault::invalid_attribute_name, fmt::format("Unknown Attribute {}.", Json(name).dump())};
    if (name == "All") out = all;
    if (all.contains(name)) out[name] = all[name];
  }
  return std::nullopt;
}

// ---------------------------------------------------------------------------
// Changes

std::optional<Error> QueueChange::take(Json const& attributes, bool is_new) {
  if (!attributes.is_object()) return Error{Fault::malformed, "Attributes are no object"};
  bool const fifo = is_fifo(facts_.name);
  for (NumberAttribute const& attribute : kNumbers)
    if (is_new) numbers_.emplace_back(attribute.option, attribute.of_new * attribute.unit);
  std::optional<Error> wrong;
  bool says_fifo = false;
  for (auto const& [name, value] : attributes.items()) {
    auto const* const number = std::ranges::find(kNumbers, name, &NumberAttribute::name);
    auto const* const fixed = std::ranges::find(kFixed, name, &FixedAttribute::name);
    std::optional<std::string> const text = text_of(attributes, name, wrong);
    if (wrong) return wrong;
    if (number != kNumbers.end()) {
      std::optional<std::int64_t> const given = number_of(attributes, name, number->min, number->max, wrong);
      if (wrong) return wrong_value(name, wrong->message);
      std::erase_if(numbers_, [number](auto const& one) { return one.first == number->option; });
      // No lease lasts for nothing: the shortest one ends at once.
      std::uint64_t const in_units = static_cast<std::uint64_t>(given.value_or(0)) * number->unit;
      numbers_.emplace_back(number->option,
                            number->option == "lease" ? std::max<std::uint64_t>(1, in_units) : in_units);
    } else if (name == kWait) {
      static_cast<void>(number_of(attributes, name, 0, 20, wrong));
      if (wrong) return wrong_value(name, wrong->message);
      facts_.set_own(name, *text);
      has_properties_ = true;
    } else if (name == kRedrive) {
      if (std::optional<Error> no = take_redrive(text.value_or("")); no) return no;
    } else if (name == kFifoQueue) {
      if (text != (fifo ? "true" : "false") || !is_new)
        return wrong_value(name, is_new ? "It is \"true\" of a queue whose name ends with .fifo, and of no other."
                                        : "It cannot be changed.");
      says_fifo = true;
    } else if (name == kByContent && fifo) {
      if (text != "true" && text != "false") return wrong_value(name, "It must be \"true\" or \"false\".");
      facts_.set_own(name, *text);
      has_properties_ = true;
    } else if (fixed != kFixed.end() && (fifo || !fixed->is_of_fifo)) {
      if (text != fixed->value) return wrong_value(name, fmt::format("This server has \"{}\" only.", fixed->value));
    } else {
      return Error{Fault::invalid_attribute_name, fmt::format("Unknown Attribute {}.", Json(name).dump())};
    }
  }
  if (is_new && fifo && !says_fifo)
    return Error{Fault::invalid_value,
                 "The name of a queue without the attribute FifoQueue can have letters, digits, '-' and '_'."};
  return std::nullopt;
}

std::optional<Error> QueueChange::take_redrive(std::string_view text) {
  if (text.empty()) {
    dead_letters_ = "";
    return std::nullopt;
  }
  Json const policy = Json::parse(text, nullptr, false);
  std::optional<Error> wrong;
  std::optional<std::string> const arn = text_of(policy, "deadLetterTargetArn", wrong);
  std::optional<std::int64_t> const most = number_of(policy, "maxReceiveCount", 1, kDeliveriesMax, wrong);
  if (wrong || !arn || !most || name_in_arn(*arn).empty())
    return wrong_value(kRedrive, fmt::format("It must be JSON with deadLetterTargetArn, the ARN of a queue, and "
                                             "maxReceiveCount, an integer from 1 to {}.",
                                             kDeliveriesMax));
  dead_letters_ = name_in_arn(*arn);
  if (is_fifo(*dead_letters_) != is_fifo(facts_.name))
    return wrong_value(kRedrive,
                       "The dead letters of a FIFO queue are on a FIFO queue, and those of others on others.");
  numbers_.emplace_back("max_deliveries", static_cast<std::uint64_t>(*most));
  return std::nullopt;
}

std::optional<Error> QueueChange::tag(Json const& tags) {
  if (!tags.is_object()) return Error{Fault::malformed, "Tags are no object"};
  Json all = facts_.tags();
  for (auto const& [key, value] : tags.items()) {
    if (!value.is_string() || key.empty() || key.size() > 128 || value.get_ref<std::string const&>().size() > 256)
      return Error{Fault::invalid_value, "A tag's key has 1 to 128 characters, and its value 256 at most."};
    all[key] = value;
  }
  if (all.size() > kTagsMax)
    return Error{Fault::invalid_value, fmt::format("Too many tags: a queue has {} at most.", kTagsMax)};
  facts_.set_own(kTags, std::move(all));
  has_properties_ = true;
  return std::nullopt;
}

void QueueChange::untag(std::vector<std::string> const& keys) {
  Json all = facts_.tags();
  for (std::string const& key : keys) all.erase(key);
  facts_.set_own(kTags, std::move(all));
  has_properties_ = true;
}

bool QueueChange::has_all(QueueFacts const& queue, Json const& attributes, Place const& place) {
  Json const all = all_attributes(queue, place);
  return std::ranges::all_of(attributes.items(), [&](auto const& item) {
    auto const found = all.find(item.key());
    if (found == all.end()) return item.value() == "" || item.value() == "false";
    if (item.key() != kRedrive || !item.value().is_string()) return *found == item.value();
    Json const given = Json::parse(item.value().template get_ref<std::string const&>(), nullptr, false);
    std::optional<Error> none;
    return name_in_arn(text_of(given, "deadLetterTargetArn", none).value_or("")) == queue.dead_letters &&
           number_of(given, "maxReceiveCount", 1, kDeliveriesMax, none) ==
               static_cast<std::int64_t>(queue.max_deliveries);
  });
}

void QueueChange::fill(Message& message) {
  message.command = "DECLARE";
  message.add("queue", Value::of_text(facts_.name));
  for (auto const& [name, number] : numbers_) message.add(name, Value::of_unsigned(number));
  if (dead_letters_) message.add("dead_letters", Value::of_text(*dead_letters_));
  if (!has_properties_) return;
  properties_ = facts_.properties.dump(-1, ' ', false, Json::error_handler_t::replace);
  message.add("properties", Value::of_text(properties_));
}

}  // namespace fastjournal::queue::sqs
