// Celery, as kombu's transport keeps messages in Redis: a list per queue, named like it, and one for each lower priority,
// named with 0x06 0x16 and a number behind it. `_kombu.binding.EXCHANGE` is a set of bindings, which name the queues.
//
// The message's body is the element, byte for byte: kombu's envelope in JSON. An `eta` in its headers becomes the date.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "clients/programs/fastjournal/imports/beanstalkd_client.h"
#include "clients/programs/fastjournal/imports/redis_framework.h"
#include "clients/programs/fastjournal/values.h"

namespace fastjournal::imports {
namespace {

constexpr std::string_view kSeparator = "\x06\x16";
constexpr std::string_view kBindings = "_kombu.binding.";
// Of priority steps.
constexpr std::uint64_t kStepMax = 9;

std::string text_of(nlohmann::json const& object, char const* name) {
  auto const at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

class Celery final : public Framework {
 public:
  explicit Celery(RedisClient& redis) : redis_(redis) {}

  Result<std::vector<Place>> places(std::vector<std::string> const& queues, std::vector<std::string>& notes) override {
    std::set<std::string> names{queues.begin(), queues.end()};
    if (queues.empty())
      if (Status status = find_queues(names); !status.ok()) return status;
    std::vector<Place> out;
    for (std::string const& name : names) {
      out.push_back(*place_of({name, Origin::End::right}));
      for (std::uint64_t step = 1; step <= kStepMax; ++step)
        out.push_back(*place_of({fmt::format("{}{}{}", name, kSeparator, step), Origin::End::right}));
    }
    Result<std::uint64_t> const unacked = redis_.count({"HLEN", "unacked"});
    if (!unacked.ok()) return unacked.status();
    if (unacked.value() > 0)
      notes.push_back(
          fmt::format("{} messages in unacked are left there: workers have them, or had them and gave nothing "
                      "back. Celery puts them back when its visibility timeout is over",
                      unacked.value()));
    return out;
  }

  std::optional<Place> place_of(Origin const& from) const override {
    Place out{.from = from, .queue = from.key.substr(0, from.key.find(kSeparator))};
    if (out.queue.size() == from.key.size()) return out;
    auto const step = whole_number(from.key.substr(out.queue.size() + kSeparator.size()));
    if (!step || *step > kStepMax) return std::nullopt;
    out.priority += *step;
    return out;
  }

  std::string queue_in(Element const& /*element*/) const override { return {}; }

  Result<std::vector<Made>> made_of(Place const& /*place*/, std::span<Element const> elements) override {
    std::vector<Made> out;
    for (Element const& one : elements) {
      Made made{.job = {.body = one.text}};
      nlohmann::json const envelope = nlohmann::json::parse(one.text, nullptr, false);
      if (envelope.is_object() && envelope.contains("headers") && envelope["headers"].is_object()) {
        made.id = text_of(envelope["headers"], "id");
        if (std::string const eta = text_of(envelope["headers"], "eta"); !eta.empty())
          if (Result<client::Date> const date = cli::parse_date(eta); date.ok() && !date->from_now)
            made.job.date = date.value();
      }
      if (made.id.empty()) made.id = "?";
      out.push_back(std::move(made));
    }
    return out;
  }

 private:
  // Not those by which workers are controlled.
  Status find_queues(std::set<std::string>& names) {
    Result<std::vector<std::string>> const exchanges = keys(redis_, fmt::format("{}*", kBindings));
    if (!exchanges.ok()) return exchanges.status();
    for (std::string const& exchange : exchanges.value()) {
      if (exchange.ends_with("pidbox") || exchange.ends_with("celeryev")) continue;
      Result<std::vector<std::string>> const bindings = members(redis_, exchange);
      if (!bindings.ok()) return bindings.status();
      for (std::string const& binding : bindings.value()) {
        std::size_t const at = binding.rfind(kSeparator);
        if (at != std::string::npos && at + kSeparator.size() < binding.size())
          names.insert(binding.substr(at + kSeparator.size()));
      }
    }
    return {};
  }

  RedisClient& redis_;
};

}  // namespace

std::unique_ptr<Framework> made_celery(RedisClient& redis) { return std::make_unique<Celery>(redis); }

}  // namespace fastjournal::imports
