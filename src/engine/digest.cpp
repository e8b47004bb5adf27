#include "engine/digest.h"

#include <bit>
#include <optional>

#include <fmt/format.h>

#include "engine/hosted.h"

namespace fastjournal::engine {
namespace {

// Of values in an order that is fixed by who adds them.
class DeclarationSum {
 public:
  void add(std::string_view text) { sum_ = hash64(text, sum_ + 1); }
  void add(std::uint64_t number) { add(as_text(std::as_bytes(std::span{&number, 1}))); }
  template <typename Number>
  void add_if(std::optional<Number> const& number) {
    add(std::uint64_t{number.has_value()});
    if (number) add(std::bit_cast<std::uint64_t>(*number));
  }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_{0};
};

void add_schema(DeclarationSum& sum, Schema const& schema) {
  sum.add(schema.columns.size());
  for (Column const& column : schema.columns) {
    sum.add(column.name);
    for (std::uint64_t const number :
         {static_cast<std::uint64_t>(column.type), std::uint64_t{column.required},
          static_cast<std::uint64_t>(column.merge), std::uint64_t{column.default_text.has_value()}})
      sum.add(number);
    sum.add(std::string_view{column.default_text.value_or("")});
    sum.add_if(column.value_min);
    sum.add_if(column.value_max);
    sum.add_if(column.real_min);
    sum.add_if(column.real_max);
    sum.add(column.length_min);
    sum.add(column.length_max);
  }
  sum.add(schema.key.size());
  for (std::uint16_t const index : schema.key) sum.add(std::uint64_t{index});
}

// Numbers are compared by value: `60s` is `1m`. Options that are not given are the program's.
void add_options(DeclarationSum& sum, std::vector<OptionValue> const& options) {
  for (OptionValue const& option : options) {
    if (!option.given || option.name.ends_with("-secret")) continue;
    sum.add(option.name);
    sum.add(static_cast<std::uint64_t>(option.integer));
    if (option.integer == 0) sum.add(option.text);
  }
}

void add_messages(DeclarationSum& sum, TableDeclaration const& declaration) {
  sum.add(declaration.aliases.size());
  for (AliasDeclaration const& alias : declaration.aliases) {
    for (std::string_view const text : {alias.command, alias.means, alias.answer, alias.refusal}) sum.add(text);
    sum.add(std::uint64_t{alias.keep_refused});
    sum.add(alias.parameters.size());
    for (AliasParameter const& parameter : alias.parameters) {
      sum.add(parameter.name);
      sum.add(parameter.is);
      sum.add(static_cast<std::uint64_t>(parameter.units_per_ms));
      sum.add(static_cast<std::uint64_t>(parameter.ms_per_unit));
      sum.add(static_cast<std::uint64_t>(parameter.use));
    }
  }
  if (std::optional<FeedDeclaration> const& feed = declaration.feed) {
    sum.add(feed->address);
    sum.add(std::uint64_t{feed->ttl});
    sum.add(static_cast<std::uint64_t>(feed->heartbeat_ms));
    sum.add(feed->keep_bytes);
  }
  if (std::optional<WakeMessage> const& wake = declaration.wake_message) {
    sum.add(wake->service);
    sum.add(wake->command);
    for (WakeMessage::Parameter const& parameter : wake->parameters) {
      sum.add(parameter.name);
      sum.add(parameter.value);
    }
  }
}

}  // namespace

std::string digest_text(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

std::uint64_t digest_of(TableDeclaration const& declaration) {
  DeclarationSum sum;
  sum.add(declaration.name);
  sum.add(declaration.type);
  add_schema(sum, declaration.schema);
  add_options(sum, declaration.options);
  add_messages(sum, declaration);
  return sum.sum();
}

std::uint64_t digest_of(HostedLog const& log) {
  DigestSum catalogue{0};
  log.catalogue.digest(catalogue);
  std::uint64_t sum = catalogue.sum();
  for (auto const& [id, table] : log.tables)
    if (table != nullptr) sum += digest_of(*table->table, table->name);
  return sum;
}

std::uint64_t digest_of(std::vector<std::unique_ptr<HostedLog>> const& logs) {
  std::uint64_t sum = 0;
  for (auto const& log : logs)
    if (log->keeps) sum += hash64(log->name, digest_of(*log));
  return sum;
}

}  // namespace fastjournal::engine
