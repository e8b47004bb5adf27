#include "clients/programs/fastjournal/imports/redis_framework.h"

#include <charconv>
#include <cmath>

namespace fastjournal::imports {
namespace {

constexpr std::size_t kNamesMax = 100'000;
constexpr double kSecondsMax = 1e11;

// `first`: the command up to its cursor, `then`: the rest.
Result<std::vector<std::string>> scanned(RedisClient& redis, Words const& first, Words const& then) {
  std::vector<std::string> out;
  std::string cursor = "0";
  do {
    Words command = first;
    command.push_back(cursor);
    command.insert(command.end(), then.begin(), then.end());
    Result<Answer> answer = redis.ask(command);
    if (!answer.ok()) return answer.status();
    if (answer->items.size() != 2) return redis.peer().failed(Code::invalid, "answers otherwise than Redis to a SCAN");
    cursor = answer->items[0]->text;
    for (auto& one : answer->items[1]->items) out.push_back(std::move(one->text));
    if (out.size() > kNamesMax)
      return redis.peer().failed(Code::over_limit, "has more than 100,000 names of queues: name some by --queue");
  } while (cursor != "0");
  return out;
}

}  // namespace

Result<std::vector<std::string>> members(RedisClient& redis, std::string const& key) {
  return scanned(redis, {"SSCAN", key}, {"COUNT", "500"});
}

Result<std::vector<std::string>> keys(RedisClient& redis, std::string const& pattern) {
  return scanned(redis, {"SCAN"}, {"MATCH", pattern, "COUNT", "500"});
}

std::optional<client::Date> date_of_seconds(std::string_view text) {
  double seconds = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(seconds) || seconds < 0 || seconds > kSecondsMax) return std::nullopt;
  return client::Date::at(TimeMs{static_cast<std::int64_t>(std::ceil(seconds * 1000))});
}

std::unique_ptr<Framework> framework_of(std::string_view name, RedisClient& redis) {
  if (name == "rq") return made_rq(redis);
  return name == "celery" ? made_celery(redis) : made_sidekiq(redis);
}

}  // namespace fastjournal::imports
