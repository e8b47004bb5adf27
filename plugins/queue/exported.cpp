#include "plugins/queue/exported.h"

#include <array>

namespace fastjournal::queue {
namespace {

using Kind = ExportColumn::Kind;

// Other columns than these are another format: programs rely on them.
constexpr std::uint32_t kFormat = 1;

constexpr std::array<ExportColumn, 10> kQueueColumns{{
    {.name = "queue", .is_key = true},
    {.name = "temporary", .kind = Kind::boolean},
    {.name = "declared", .kind = Kind::boolean},
    {.name = "leaving", .kind = Kind::boolean},
    {.name = "dead_letters", .may_be_absent = true},
    {.name = "max_deliveries", .kind = Kind::integer, .may_be_absent = true},
    {.name = "max_messages", .kind = Kind::integer, .may_be_absent = true},
    {.name = "max_bytes", .kind = Kind::integer, .may_be_absent = true},
    {.name = "when_full"},
    {.name = "expires_ms", .kind = Kind::integer, .may_be_absent = true},
}};
constexpr std::array<ExportColumn, 2> kExchangeColumns{{{.name = "exchange", .is_key = true}, {.name = "kind"}}};
constexpr std::array<ExportColumn, 4> kBindingColumns{{
    {.name = "exchange", .is_key = true},
    {.name = "queue", .is_key = true},
    {.name = "routing_key", .is_key = true},
    {.name = "binding", .kind = Kind::integer},
}};

// DECLARE's 0 says that there is none.
void add_limit(ExportRelation& relation, std::uint64_t limit) {
  if (limit == 0)
    relation.add_absent();
  else
    relation.add_integer(static_cast<std::int64_t>(limit));
}

ExportRelation export_queues(TableState const& shared) {
  ExportRelation out{"queues", kQueueColumns};
  for (std::string_view const name : shared.queues.names()) {
    Queue const& queue = *shared.queues.find_any(name);
    Settings const& settings = queue.settings;
    out.add_text(name);
    out.add_boolean(settings.is_temporary());
    out.add_boolean(shared.options.declares(name));
    out.add_boolean(!queue.is_there());
    if (settings.dead_letters.empty())
      out.add_absent();
    else
      out.add_text(settings.dead_letters);
    add_limit(out, settings.max_deliveries);
    add_limit(out, settings.max_messages);
    add_limit(out, settings.max_bytes);
    out.add_text(settings.drops ? "drop" : "refuse");
    add_limit(out, static_cast<std::uint64_t>(settings.expires));
  }
  return out;
}

}  // namespace

TableExport export_all(TableState const& shared) {
  Queues const& queues = shared.queues;
  ExportRelation exchanges{"exchanges", kExchangeColumns};
  for (std::string_view const name : queues.exchange_names()) {
    exchanges.add_text(name);
    exchanges.add_text(kKindNames[static_cast<int>(queues.find_exchange(name)->router.kind())]);
  }
  ExportRelation bindings{"bindings", kBindingColumns};
  for (auto const& [number, binding] : queues.bindings()) {
    bindings.add_text(binding.exchange);
    bindings.add_text(binding.queue);
    bindings.add_text(binding.pattern);
    bindings.add_integer(static_cast<std::int64_t>(number));
  }
  TableExport out{.format = kFormat, .relations = {}};
  out.relations.push_back(export_queues(shared));
  out.relations.push_back(std::move(exchanges));
  out.relations.push_back(std::move(bindings));
  return out;
}

}  // namespace fastjournal::queue
