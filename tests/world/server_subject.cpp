#include "tests/world/server_subject.h"

#include <array>
#include <string>

#include "tests/model/declare.h"
#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim {
namespace {

using reference::Blow;
using reference::Heard;
using reference::Texts;

class ServerSubject final : public reference::Subject {
 public:
  ServerSubject(std::uint64_t seed, reference::Options const& options, std::vector<reference::Column> const& columns)
      : world_(seed) {
    world_.hash_seed = seed * 0x9E3779B97F4A7C15ULL;
    world_.add_table(reference::declare(options, columns, 1));
    Status const status = world_.start();
    if (!status.ok()) throw std::runtime_error(status.text());
  }

  [[nodiscard]] bool is_server() const override { return true; }
  std::int64_t now() override { return world_.now().value; }

  std::vector<Heard> say(std::string const& client, std::vector<Texts> const& commands) override {
    for (Texts const& command : commands) send(client, command);
    world_.settle();
    return hear();
  }
  std::vector<Heard> pass(std::int64_t ms) override {
    world_.advance(DurationMs{ms});
    return hear();
  }
  std::vector<Heard> close(std::string const& client) override {
    world_.close(name_of(client));
    return hear();
  }

  std::string reload(reference::Options const& options, std::vector<reference::Column> const& columns) override {
    world_.add_table(reference::declare(options, columns, 1));
    world_.send("admin", "RELOAD");
    world_.settle();
    std::string const answer = world_.take_line("admin").value_or("(no answer)");
    return answer.starts_with("RELOADED") ? "" : answer;
  }

  std::vector<Heard> disturb(reference::Trouble trouble, std::int64_t ms) override {
    if (trouble == reference::Trouble::sleep) {
      world_.suspend(DurationMs{ms});
    } else {
      // To the microsecond, so that the time lost is a whole number of milliseconds.
      std::int64_t const by_us = (trouble == reference::Trouble::forward ? ms : -ms) * 1000;
      world_.clock().set_wall(world_.server().clock().time().now_us() + by_us);
      world_.set_clock(DurationMs{0});
    }
    return hear();
  }

  std::string strike(Blow blow, std::string const& client, std::vector<Texts> const& unheard,
                     reference::Start& start) override {
    std::int64_t const before = now();
    if (!unheard.empty()) {
      world_.disk().fail_call(++strikes_ % 2 == 0 ? Call::write : Call::sync, 1, Failure::io_error);
      for (Texts const& command : unheard) send(client, command);
      world_.settle();
      while (std::optional<std::string> const line = world_.take_line(name_of(client))) {
        // The call that failed may have been for a segment made in advance: then there is no room, and nothing has
        // changed.
        if (line->find("code=no_space") == std::string::npos) return "answered without a sync: " + *line;
      }
    }
    if (blow == Blow::power_cut) world_.power_cut();
    if (blow == Blow::kill) world_.kill();
    if (blow == Blow::stop)
      if (Status const status = world_.stop(); !status.ok()) return status.text();
    world_.clock().advance(start.down_ms * 1000);
    world_.clock().set_wall((before + start.down_ms + start.ahead_ms) * 1000);
    world_.clock_rules.accept = start.accept_clock;
    std::int64_t const last = start.accept_clock ? world_.last_logged().value : 0;
    if (last * 1000 > world_.clock().wall_us()) start.accepted_from = last;
    Status const status = world_.start();
    world_.clock_rules.accept = false;
    return status.ok() ? "" : status.text();
  }

  std::string check() override {
    Result<std::uint64_t> const replayed = world_.replayed_digest();
    if (!replayed.ok()) return "the log cannot be replayed: " + replayed.status().text();
    return replayed.value() == world_.engine().digest() ? "" : "digest(live) differs from digest(replayed)";
  }

 private:
  // Clients connect from the addresses that the reference tells apart.
  static std::string name_of(std::string const& client) { return client + "@" + reference::origin_of(client); }

  void send(std::string const& client, Texts const& command) {
    std::string line = reference::text(command, "") + " table=jobs";
    for (auto const& [name, value] : command)
      if (!name.empty()) line.append(";").append(name).append("=").append(value);
    world_.send(name_of(client), line);
  }

  std::vector<Heard> hear() {
    static constexpr std::array<char const*, 5> kClients{"c0", "c1", "c2", "c3", "judge"};
    std::vector<Heard> out;
    for (char const* const client : kClients) {
      while (std::optional<std::string> const line = world_.take_line(name_of(client))) {
        Message message;
        Texts& texts = out.emplace_back(Heard{client, {}}).message;
        if (!protocol::parse_line(*line, message).ok()) {
          texts[""] = "what cannot be read: " + *line;
          continue;
        }
        texts[""] = std::string{message.command};
        for (Param const& param : message.params()) texts[std::string{param.name}] = std::string{param.value.bytes};
      }
    }
    return out;
  }

  World world_;
  std::uint64_t strikes_{0};
};

}  // namespace

std::unique_ptr<reference::Subject> make_server(std::uint64_t seed, reference::Options const& options,
                                                std::vector<reference::Column> const& columns) {
  return std::make_unique<ServerSubject>(seed, options, columns);
}

}  // namespace fastjournal::sim
