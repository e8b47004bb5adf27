// What frameworks of Python and Ruby keep in Redis: which lists and sorted sets their jobs are in, and what a job is as a
// message.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clients/programs/fastjournal/imports/redis_batches.h"
#include "clients/programs/fastjournal/imports/target.h"

namespace fastjournal::imports {

enum class Standing : std::uint8_t { ready, delayed, parked };

// One list or sorted set of jobs.
struct Place {
  Origin from{};
  std::string queue{};  // empty: each job says it
  Standing standing{Standing::ready};
  std::uint64_t priority{100};
};

// An element as a message; or why it is none.
struct Made {
  Status refused{};
  Job job{};
  std::string id{};           // for people
  std::vector<Words> also{};  // what the source does when it is here
};

class Framework {
 public:
  Framework() = default;
  Framework(Framework const&) = delete;
  Framework& operator=(Framework const&) = delete;
  virtual ~Framework() = default;

  // Of these queues; empty: of all. Notes tell what is left where it is.
  [[nodiscard]] virtual Result<std::vector<Place>> places(std::vector<std::string> const& queues,
                                                          std::vector<std::string>& notes) = 0;
  // Empty: none of this framework.
  [[nodiscard]] virtual std::optional<Place> place_of(Origin const& from) const = 0;
  // The queue that the element itself names; empty: it names none.
  [[nodiscard]] virtual std::string queue_in(Element const& element) const = 0;
  // The first ones, as many as fit into memory, and one at least.
  [[nodiscard]] virtual Result<std::vector<Made>> made_of(Place const& place, std::span<Element const> elements) = 0;
};

// "rq", "celery" or "sidekiq". `redis` must outlive it.
[[nodiscard]] std::unique_ptr<Framework> framework_of(std::string_view name, RedisClient& redis);
[[nodiscard]] std::unique_ptr<Framework> made_rq(RedisClient& redis);
[[nodiscard]] std::unique_ptr<Framework> made_celery(RedisClient& redis);
[[nodiscard]] std::unique_ptr<Framework> made_sidekiq(RedisClient& redis);

// All members of a set. over_limit: there are more than 100,000.
[[nodiscard]] Result<std::vector<std::string>> members(RedisClient& redis, std::string const& key);
// Keys by a pattern of SCAN; the same limit.
[[nodiscard]] Result<std::vector<std::string>> keys(RedisClient& redis, std::string const& pattern);
// Seconds since 1970, with a fraction. Empty: no such number.
[[nodiscard]] std::optional<client::Date> date_of_seconds(std::string_view text);

}  // namespace fastjournal::imports
