// Sidekiq: the set `queues` names the queues, `queue:NAME` is a list of jobs in JSON. Sorted sets have those that wait for
// a date (`schedule`, `retry`) and those that were given up (`dead`); such a job names its queue.
//
// The message's body is the job, byte for byte.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "clients/programs/fastjournal/imports/redis_framework.h"

namespace fastjournal::imports {
namespace {

constexpr std::string_view kQueue = "queue:";

std::string word_of(std::string const& job, char const* name) {
  nlohmann::json const read = nlohmann::json::parse(job, nullptr, false);
  if (!read.is_object()) return {};
  auto const at = read.find(name);
  return at != read.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

class Sidekiq final : public Framework {
 public:
  explicit Sidekiq(RedisClient& redis) : redis_(redis) {}

  Result<std::vector<Place>> places(std::vector<std::string> const& queues, std::vector<std::string>& notes) override {
    std::vector<std::string> names = queues;
    if (queues.empty()) {
      Result<std::vector<std::string>> found = members(redis_, "queues");
      if (!found.ok()) return found.status();
      names = std::move(found).value();
      std::sort(names.begin(), names.end());
    }
    std::vector<Place> out;
    for (std::string const& name : names)
      out.push_back(*place_of({fmt::format("{}{}", kQueue, name), Origin::End::right}));
    for (char const* const set : {"schedule", "retry", "dead"}) out.push_back(*place_of({set, Origin::End::sorted}));
    notes.emplace_back("jobs that workers of Sidekiq have are in no list, and are left to them");
    return out;
  }

  std::optional<Place> place_of(Origin const& from) const override {
    if (from.end != Origin::End::sorted) {
      if (!from.key.starts_with(kQueue)) return std::nullopt;
      return Place{.from = from, .queue = from.key.substr(kQueue.size())};
    }
    if (from.key == "dead") return Place{.from = from, .standing = Standing::parked};
    if (from.key == "schedule" || from.key == "retry") return Place{.from = from, .standing = Standing::delayed};
    return std::nullopt;
  }

  std::string queue_in(Element const& element) const override { return word_of(element.text, "queue"); }

  Result<std::vector<Made>> made_of(Place const& place, std::span<Element const> elements) override {
    std::vector<Made> out;
    for (Element const& one : elements) {
      Made made{.job = {.body = one.text}, .id = word_of(one.text, "jid")};
      if (place.standing == Standing::delayed) made.job.date = date_of_seconds(one.score);
      if (made.id.empty()) made.id = "?";
      out.push_back(std::move(made));
    }
    return out;
  }

 private:
  RedisClient& redis_;
};

}  // namespace

std::unique_ptr<Framework> made_sidekiq(RedisClient& redis) { return std::make_unique<Sidekiq>(redis); }

}  // namespace fastjournal::imports
