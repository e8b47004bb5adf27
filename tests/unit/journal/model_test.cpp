// Random lives of a table alone against the reference model (tests/model/reference.h);
// tests/world/server_model_test.cpp does the same with the whole server. At every look the log is replayed into a
// second table, also from a base that moved while rows were compacted: digest and derived data must be the same.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/model/declare.h"
#include "tests/model/life.h"
#include "tests/support/metrics.h"
#include "tests/support/play_lives.h"
#include "tests/unit/journal/harness.h"

namespace {

using namespace fastjournal;
using journal::test::digest_of;
using journal::test::Harness;
using journal::test::Reply;
using reference::Heard;
using reference::Texts;

class TableSubject final : public reference::Subject {
 public:
  TableSubject(std::uint64_t seed, reference::Options options, std::vector<reference::Column> columns)
      : chance_{seed},
        options_(std::move(options)),
        columns_(std::move(columns)),
        h_{reference::declare(options_, columns_, 1)} {}

  [[nodiscard]] bool is_server() const override { return false; }
  std::int64_t now() override { return h_.now.value; }

  std::vector<Heard> say(std::string const& client, std::vector<Texts> const& commands) override {
    std::vector<Heard> out;
    for (Texts const& command : commands)
      for (Texts& message : answer(client, command)) {
        message["request"] = reference::text(command, "request");
        out.push_back({client, std::move(message)});
      }
    h_.timers();
    return out;
  }
  std::vector<Heard> pass(std::int64_t ms) override {
    h_.pass(ms);
    return {};
  }
  std::vector<Heard> close(std::string const& client) override {
    h_.close(connection_of(client));
    h_.timers();
    return {};
  }
  std::string reload(reference::Options const& options, std::vector<reference::Column> const& columns) override {
    options_ = options;
    auto const version = static_cast<std::uint16_t>(h_.declaration->schema.version + 1);
    h_.take(reference::declare(options, columns, version));
    return {};
  }
  // However the daemon ends, the log in memory keeps everything.
  std::string strike(reference::Blow, std::string const&, std::vector<Texts> const&, reference::Start& start) override {
    TimeMs const from = h_.now + DurationMs{start.down_ms};
    TimeMs const clock = from + DurationMs{start.accept_clock ? start.ahead_ms : 0};
    if (clock < from) start.accepted_from = from.value;
    h_.restart(start.down_ms, clock);
    return {};
  }
  // A clock that is set back is handled by the server, not by a table.
  std::vector<Heard> disturb(reference::Trouble trouble, std::int64_t ms) override {
    if (trouble != reference::Trouble::back) h_.lose(ms);
    return {};
  }

  std::string check() override {
    compact();
    Lsn const oldest = h_.table->oldest_lsn();
    auto const replayed = h_.replayed(oldest.is_none() ? h_.log.end() : oldest);
    if (digest_of(*replayed) != digest_of(*h_.table)) return "digest(live) differs from digest(replayed)";
    // Two rows that are waited for may have gone on as one, which is stated once.
    std::uint64_t const open = h_.table->state().places().waits().open() * rows::After::kBytesOfOne;
    if (std::uint64_t const live = h_.table->live_bytes(), again = replayed->live_bytes();
        again > live || again + open < live)
      return "live_bytes: " + std::to_string(live) + ", after a replay " + std::to_string(again);
    journal::test::Alerts nobody;
    while (replayed->next_due() <= h_.now && replayed->advance(h_.now, 1000, nobody)) {
    }
    auto const& mine = h_.table->state();
    auto const& other = replayed->state();
    if (mine.places().behind() != other.places().behind()) return "rows behind differ after a replay";
    if (mine.places().first_future() != other.places().first_future()) return "the first date differs after a replay";
    if (mine.order().size() != other.order().size()) return "due rows differ after a replay";
    // Turns and buckets are not restored by a replay.
    bool const rates = options_.rate.count != 0 || options_.rate_domain.count != 0;
    if (!rates && replayed->available({}) != h_.table->available({})) return "what is available differs after a replay";
    return {};
  }

 private:
  static std::uint64_t connection_of(std::string const& client) {
    return client == "judge" ? 9 : 1 + static_cast<std::uint64_t>(client.back() - '0');
  }

  std::vector<Texts> answer(std::string const& client, Texts const& command) {
    std::string const name = reference::text(command, "");
    if (name == "STATS") {
      Texts texts{{"", name}};
      for (auto const& [metric, value] : fastjournal::test::metrics_of(*h_.table, h_.now))
        texts[metric] = std::to_string(value);
      return {texts};
    }
    Texts parameters = command;
    parameters.erase("");
    parameters.erase("request");
    h_.origin = "ip:" + reference::origin_of(client);
    Reply reply = h_.run(name, parameters, connection_of(client), "");
    if (reply.status.ok()) return std::move(reply.messages);
    // It may follow other messages, for example the COMPLETED of a DONE with next=1.
    Texts& refusal = reply.messages.emplace_back(Texts{{"", "ERROR"}, {"code", reply.error()}});
    for (auto const& [fact, value] : reply.status.facts()) refusal[fact] = value;
    return std::move(reply.messages);
  }

  // Copies the oldest part of the log forward and drops it, as the engine does.
  void compact() {
    h_.log.skip((chance_() % 4) << 18U);
    std::uint64_t const back = (chance_() % 3) << 18U;
    Lsn const below{h_.log.end().value > back + 8 ? h_.log.end().value - back : 8};
    std::uint64_t const before = digest_of(*h_.table);
    h_.compact(below, 1 + chance_() % 20'000);
    Harness::check(digest_of(*h_.table) == before, "compaction changed something");
    Lsn const oldest = h_.table->oldest_lsn();
    Harness::check(oldest.is_none() || Lsn{oldest.value + (1U << 18U)} > below, "compaction left something");
    h_.log.drop_below(oldest.is_none() ? h_.log.end() : oldest);
  }

  std::mt19937_64 chance_;
  reference::Options options_;
  std::vector<reference::Column> columns_;
  Harness h_;
};

std::unique_ptr<reference::Subject> make_table(std::uint64_t seed, reference::Options const& options,
                                               std::vector<reference::Column> const& columns) {
  return std::make_unique<TableSubject>(seed, options, columns);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_model)

BOOST_AUTO_TEST_CASE(random_work_agrees_with_the_model_and_with_its_replay) {
  fastjournal::test::play_lives(20260103, 20,
                                [](std::uint64_t seed) { return reference::live(seed, 2000, make_table); });
}

BOOST_AUTO_TEST_SUITE_END()
