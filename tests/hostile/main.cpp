// fj_hostile: attacks of one client on the daemon, or a careless hand at its files. Each attack gets a daemon of its
// own, with a limit on its address space, beside which an honest client works all the time. Fails if a daemon ends, if
// the honest client is not served, or if an attack succeeds. Times are reported, not judged.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <stdexcept>

#include "tests/hostile/attacks.h"
#include "tests/hostile/idle.h"
#include "tests/hostile/report.h"
#include "tests/hostile/scrapes.h"

namespace {

using namespace fastjournal::hostile;

struct Settings {
  Programs programs;
  std::uint64_t address_space_mib{1024};
  Scale scale;
};

Figure carry_out(Attack const& attack, Settings const& settings) {
  Figure out{.attack = attack.name, .what = attack.what};
  Victim victim{settings.programs, settings.address_space_mib << 20U, attack.configuration};
  victim.declare("honest");
  attack.prepare(victim);
  static_cast<void>(victim.start());
  try {
    Witness witness{victim, attack.witness, "honest"};
    Outcome const outcome = attack.run(victim, settings.scale);
    witness.stop();
    out.did = outcome.did;
    if (!outcome.wrong.empty()) out.wrong.push_back(outcome.wrong);
    out.longest_ms = witness.longest().count() * 1000;
    out.answers = witness.answers();
    if (!witness.refused().empty()) out.wrong.push_back("the honest client heard: " + witness.refused());
  } catch (std::exception const& error) {
    out.wrong.push_back(error.what());
  }
  out.peak_mib = static_cast<double>(victim.peak_bytes()) / (1U << 20U);
  if (attack.peak_mib_max != 0 && out.peak_mib > static_cast<double>(attack.peak_mib_max))
    out.wrong.push_back(
        fmt::format("its memory grew to {:.0f} MiB, expected {} at the most", out.peak_mib, attack.peak_mib_max));
  if (std::string const ending = victim.ending(); !ending.empty()) out.wrong.push_back("the daemon " + ending);
  out.start_s = victim.restart().count();
  return out;
}

int show_idle(Programs const& programs, IdlePlan const& plan) {
  try {
    std::vector<IdleFigure> const figures = measure_idle(programs, plan);
    fmt::print("{}", as_table(figures, plan));
    return std::all_of(figures.begin(), figures.end(), [](IdleFigure const& one) { return one.wrong.empty(); }) ? 0 : 1;
  } catch (std::exception const& error) {
    fmt::print(stderr, "fj_hostile: {}\n", error.what());
    return 2;
  }
}

int show_scrapes(Programs const& programs, std::uint64_t tables) {
  try {
    ScrapeFigure const figure = measure_scrapes(programs, tables);
    fmt::print("{}", as_text(figure));
    return figure.wrong.empty() ? 0 : 1;
  } catch (std::exception const& error) {
    fmt::print(stderr, "fj_hostile: {}\n", error.what());
    return 2;
  }
}

std::vector<Attack> all_attacks() {
  std::vector<Attack> out = attacks_on_messages();
  for (auto const& more : {attacks_on_http(), attacks_on_tls(), attacks_on_fj(), attacks_on_blobs(), attacks_on_stomp(),
                           attacks_on_beanstalkd(), attacks_on_sqs()})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace

int main(int count, char** words) {
  Settings settings;
  std::vector<std::string> only;
  bool json = false;
  IdlePlan idle;
  CLI::App app{"What hostile clients and careless hands do to the daemon"};
  app.add_option("--daemon", settings.programs.daemon, "the fastjournald that is attacked")->capture_default_str();
  app.add_option("--plugins", settings.programs.plugins, "its table types")->capture_default_str();
  app.add_option("--memory", settings.address_space_mib, "MiB of address space for each daemon")
      ->check(CLI::Range(256, 1 << 20))
      ->capture_default_str();
  app.add_option("--only", only, "these attacks; all if absent")->delimiter(',');
  app.add_flag("--full", settings.scale.full, "as much as a determined attacker has: some minutes");
  app.add_flag("--json", json, "figures as JSON instead of a table");
  CLI::Option* const idle_wanted =
      app.add_option("--idle", idle.connections,
                     "attacks nothing: measures what so many idle connections cost an honest client")
          ->check(CLI::Range(21, 1'000'000));
  std::uint64_t tables = 0;
  CLI::Option* const scrapes_wanted =
      app.add_option("--scrape", tables, "attacks nothing: measures scrapes of /metrics with so many tables")
          ->check(CLI::Range(1, 10'000));
  app.add_option("--rounds", idle.rounds, "of --idle")->check(CLI::Range(1, 99))->capture_default_str();
  app.add_option("--seconds", idle.seconds, "of each measurement of --idle")
      ->check(CLI::Range(0.05, 60.0))
      ->capture_default_str();
  CLI11_PARSE(app, count, words);
  if (scrapes_wanted->count() != 0) return show_scrapes(settings.programs, tables);
  if (idle_wanted->count() != 0) return show_idle(settings.programs, idle);

  std::vector<Figure> figures;
  bool well = true;
  for (Attack const& attack : all_attacks()) {
    if (!only.empty() && std::find(only.begin(), only.end(), attack.name) == only.end()) continue;
    fmt::print(stderr, "{}: {}\n", attack.name, attack.what);
    try {
      figures.push_back(carry_out(attack, settings));
    } catch (std::exception const& error) {
      figures.push_back({.attack = attack.name, .what = attack.what, .wrong = {error.what()}});
    }
    well = well && figures.back().wrong.empty();
  }
  fmt::print("{}", json ? as_json(figures) : as_table(figures));
  return well && !figures.empty() ? 0 : 1;
}
