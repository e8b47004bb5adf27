// RQ: `rq:queues` names the queues, `rq:queue:NAME` is a list of numbers of jobs, `rq:job:ID` a hash. Sorted sets have
// those that wait for a date (`rq:scheduled:NAME`) and those that failed (`rq:failed:NAME`).
//
// The message's body is `data` of the hash, byte for byte: what RQ has pickled and compressed. What people and programs
// need beside it is in the properties, an object "rq". The hash is deleted with the number.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "clients/programs/fastjournal/imports/beanstalkd_client.h"
#include "clients/programs/fastjournal/imports/redis_framework.h"

namespace fastjournal::imports {
namespace {

constexpr std::string_view kReady = "rq:queue:";
constexpr std::string_view kScheduled = "rq:scheduled:";
constexpr std::string_view kFailed = "rq:failed:";
constexpr std::array<char const*, 6> kTold{"description", "created_at", "enqueued_at",
                                           "timeout",     "result_ttl", "exc_info"};
constexpr std::size_t kToldBytesMax = 4096;  // of each
constexpr std::size_t kIdBytesMax = 1024;

class Rq final : public Framework {
 public:
  explicit Rq(RedisClient& redis) : redis_(redis) {}

  Result<std::vector<Place>> places(std::vector<std::string> const& queues, std::vector<std::string>& notes) override {
    std::vector<std::string> names = queues;
    if (queues.empty()) {
      Result<std::vector<std::string>> const keys = members(redis_, "rq:queues");
      if (!keys.ok()) return keys.status();
      for (std::string const& key : keys.value())
        if (key.starts_with(kReady)) names.push_back(key.substr(kReady.size()));
      std::sort(names.begin(), names.end());
    }
    std::vector<Place> out;
    for (std::string const& name : names) {
      for (Origin const& from : {Origin{fmt::format("{}{}", kReady, name), Origin::End::left},
                                 Origin{fmt::format("{}{}", kScheduled, name), Origin::End::sorted},
                                 Origin{fmt::format("{}{}", kFailed, name), Origin::End::sorted}})
        out.push_back(*place_of(from));
      for (std::string const& left : {"rq:wip:" + name, "rq:deferred:" + name}) {
        Result<std::uint64_t> const count = redis_.count({"ZCARD", left});
        if (!count.ok()) return count.status();
        if (count.value() > 0) notes.push_back(fmt::format("{} jobs of {} are left there", count.value(), left));
      }
    }
    return out;
  }

  std::optional<Place> place_of(Origin const& from) const override {
    auto const place = [&](std::string_view prefix, Standing standing) {
      return Place{.from = from, .queue = from.key.substr(prefix.size()), .standing = standing};
    };
    if (from.key.starts_with(kReady)) return place(kReady, Standing::ready);
    if (from.key.starts_with(kScheduled)) return place(kScheduled, Standing::delayed);
    if (from.key.starts_with(kFailed)) return place(kFailed, Standing::parked);
    return std::nullopt;
  }

  std::string queue_in(Element const& /*element*/) const override { return {}; }

  Result<std::vector<Made>> made_of(Place const& place, std::span<Element const> elements) override {
    Result<std::vector<std::uint64_t>> const sizes = sizes_of(elements);
    if (!sizes.ok()) return sizes.status();
    std::vector<Made> out;
    for (std::size_t i = 0, bytes = 0; i < sizes->size() && bytes < kBatchBytes; ++i) {
      out.push_back({.id = elements[i].text.substr(0, 200)});
      if (elements[i].text.size() > kIdBytesMax || elements[i].is_too_large)
        out[i].refused = {Code::too_large, "the number of a job has more than 1 KiB"};
      else if (sizes.value()[i] > kBodyBytesMax)
        out[i].refused = {Code::too_large, fmt::format("its data has {} bytes", sizes.value()[i])};
      else
        bytes += sizes.value()[i];
    }
    for (std::size_t next = 0; next < out.size();) {
      for (std::size_t i = next; i < out.size(); ++i)
        if (out[i].refused.ok()) redis_.put(ask_for(elements[i]));
      for (; next < out.size(); ++next) {
        if (!out[next].refused.ok()) continue;
        Result<Answer> answer = redis_.get();
        if (answer.status().code() == Code::too_large) {
          // The connection is a new one: the others are asked for again.
          out[next++].refused = {Code::too_large, "what goes with the job has more than 66 MiB"};
          break;
        }
        if (!answer.ok()) return answer.status();
        fill(out[next], place, elements[next], answer.value());
      }
    }
    return out;
  }

 private:
  static std::string key_of(Element const& element) { return "rq:job:" + element.text; }

  static Words ask_for(Element const& element) {
    Words out{"HMGET", key_of(element), "data"};
    for (char const* const told : kTold) out.emplace_back(told);
    return out;
  }

  Result<std::vector<std::uint64_t>> sizes_of(std::span<Element const> elements) {
    for (Element const& one : elements)
      redis_.put({"HSTRLEN", one.text.size() > kIdBytesMax ? std::string{"rq:job:"} : key_of(one), "data"});
    std::vector<std::uint64_t> out;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      Result<Answer> const answer = redis_.get();
      if (!answer.ok()) return answer.status();
      if (answer->type == Answer::Type::error) return redis_.failed(answer.value(), "HSTRLEN");
      out.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(0, answer->integer)));
    }
    return out;
  }

  static void fill(Made& out, Place const& place, Element const& element, Answer& hash) {
    if (hash.items.size() != kTold.size() + 1 || hash.items[0]->is_nothing()) {
      out.refused = {Code::invalid, key_of(element) + " has no data: it has expired, or was deleted"};
      return;
    }
    out.job.body = std::move(hash.items[0]->text);
    nlohmann::ordered_json told = {{"id", element.text}};
    for (std::size_t i = 0; i < kTold.size(); ++i) {
      Answer const& value = *hash.items[i + 1];
      if (!value.is_nothing() && !value.text.empty()) told[kTold[i]] = value.text.substr(0, kToldBytesMax);
      if (std::string_view{kTold[i]} != "timeout") continue;
      auto const seconds = whole_number(value.text);
      if (seconds && *seconds > 0)
        out.job.lease =
            DurationMs{static_cast<std::int64_t>(std::min<std::uint64_t>(*seconds, kLeaseMax.value / 1000)) * 1000};
    }
    out.job.properties =
        nlohmann::ordered_json{{"rq", told}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (place.standing == Standing::delayed) out.job.date = date_of_seconds(element.score);
    out.also.push_back({"DEL", key_of(element)});
  }

  RedisClient& redis_;
};

}  // namespace

std::unique_ptr<Framework> made_rq(RedisClient& redis) { return std::make_unique<Rq>(redis); }

}  // namespace fastjournal::imports
