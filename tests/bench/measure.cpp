// fj_measure: measures of one part or one type of table each, most beside an alternative. Figures of them stand in
// doc/performance.md.
#include "tests/bench/measure.h"

#include <fmt/format.h>

#include <string_view>

namespace {

using namespace fastjournal::bench;

struct Named {
  std::string_view name;
  Measure* run;
  std::string_view what;
};

constexpr Named kMeasures[] = {
    {"blob", measure_blob, "blob tables beside redis-server, memcached and nginx"},
    {"documents", measure_documents, "status events of documents beside PostgreSQL"},
    {"forward", measure_forward, "the way of a row through a spool, with the real programs"},
    {"journal", measure_journal, "a journal alone, without log and network"},
    {"log", measure_log, "the file log beside the disk's raw sync rate"},
    {"pairs", measure_pairs, "key/value tables beside redis-server and memcached"},
    {"pipeline", measure_pipeline, "a pipeline table alone, without log and network"},
    {"queue", measure_queue, "durable messages through a queue beside RabbitMQ and ActiveMQ"},
    {"reactor", measure_reactor, "round trips through the reactor, and the lateness of its timer"},
    {"recovery", measure_recovery, "a start on a large log beside plain reading"},
    {"spool", measure_spool, "saves to a spool folder"},
    {"transactions", measure_transactions, "local transactions beside PostgreSQL"},
};

}  // namespace

int main(int count, char** words) {
  std::string_view const wanted = count > 1 ? words[1] : "";
  for (Named const& measure : kMeasures) {
    if (measure.name != wanted) continue;
    std::string program = fmt::format("fj_measure {}", wanted);
    words[1] = program.data();
    try {
      return measure.run(count - 1, words + 1);
    } catch (std::exception const& error) {
      fmt::print(stderr, "{}: {}\n", program, error.what());
      return 1;
    }
  }
  bool const asked = wanted == "--help" || wanted == "-h";
  std::FILE* const to = asked ? stdout : stderr;
  if (!asked) fmt::print(to, "fj_measure: no measure \"{}\"\n", wanted);
  fmt::print(to, "Usage: fj_measure NAME [OPTIONS]; `fj_measure NAME --help` shows the options.\n");
  for (Named const& measure : kMeasures) fmt::print(to, "  {:<14}{}\n", measure.name, measure.what);
  return asked ? 0 : 2;
}
