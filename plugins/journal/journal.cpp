#include "plugins/journal/journal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace fastjournal::journal {

// Dispatch: check_type compares this table with journal.xml.
struct Journal::Named {
  std::string_view name;
  Handler handler;

  static constexpr std::size_t kCount = 14;
  static std::array<Named, kCount> const& all() {
    static constexpr std::array<Named, kCount> commands = {{
        {"INSERT", &Journal::insert},
        {"NEXT", &Journal::next},
        {"TOUCH", &Journal::touch},
        {"DONE", &Journal::done},
        {"RELEASE", &Journal::release},
        {"FAIL", &Journal::fail},
        {"DELETE", &Journal::remove},
        {"KICK", &Journal::kick},
        {"PEEK", &Journal::peek},
        {"LIST", &Journal::list},
        {"WHY", &Journal::why},
        {"PAUSE", &Journal::pause},
        {"RESUME", &Journal::resume},
        {"DRAIN", &Journal::drain},
    }};
    return commands;
  }
};

namespace {

constexpr std::array<std::string_view, 29> kOptionNames = {"processing-timeout",
                                                           "processing-timeout-min",
                                                           "processing-timeout-max",
                                                           "grace",
                                                           "max-timeouts",
                                                           "max-attempts",
                                                           "max-lifetime-timeouts",
                                                           "when-failed",
                                                           "keep-parked",
                                                           "back-off-first",
                                                           "back-off-factor",
                                                           "back-off-max",
                                                           "back-off-jitter",
                                                           "max-postpone",
                                                           "one-at-a-time",
                                                           "domain",
                                                           "domain-weights",
                                                           "slow-from",
                                                           "aging",
                                                           "concurrency",
                                                           "concurrency-domain",
                                                           "concurrency-key",
                                                           "rate",
                                                           "rate-domain",
                                                           "rows-max",
                                                           "memory-max",
                                                           "client-keep",
                                                           "clients-max",
                                                           "pause-after-failures"};

bool has_rules(Schema const& schema) {
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    bool const key = std::find(schema.key.begin(), schema.key.end(), i) != schema.key.end();
    if (!key && schema.columns[i].merge != MergeRule::replace) return true;
  }
  return false;
}

// Rows are found by the bytes of their keys, which must mean the same in both.
bool same_key(Schema const& a, Schema const& b) {
  return std::equal(a.key.begin(), a.key.end(), b.key.begin(), b.key.end(), [&](std::uint16_t i, std::uint16_t j) {
    return a.columns[i].name == b.columns[j].name && a.columns[i].type == b.columns[j].type;
  });
}

}  // namespace

Journal::Journal(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                 std::shared_ptr<TableDeclaration const> declaration)
    : id_(context.id),
      type_(std::move(type)),
      declaration_(std::move(declaration)),
      options_(Options::read(*declaration_)),
      has_merge_rules_(has_rules(declaration_->schema)),
      state_(context.hash_seed, !declaration_->schema.key.empty()) {
  for (CommandDeclaration const& command : type_->commands)
    for (Named const& known : Named::all())
      if (known.name == command.name) handlers_.push_back(known.handler);
  set_rules();
  state_.add_schema(declaration_->schema);
}

void Journal::set_rules() {
  Result<Rules> rules = Rules::read(*declaration_);
  FJ_CHECK(rules.ok(), "a declaration was taken without its check");
  // A reload has no observer for rows that it makes due: the timers of the next turn report them.
  NoObserver nobody;
  state_.set_rules(std::move(rules).value(), nobody);
  state_.set_weary_from(options_.weary_from());
}

Verdict Journal::decide(Command const& command, Decision& decision) const {
  return (this->*handlers_[command.index])(command, decision);
}

Status Journal::check(TableDeclaration const& declaration) {
  if (Status status = Options::read(declaration).check(declaration); !status.ok()) return status;
  Result<Rules> const rules = Rules::read(declaration);
  return rules.ok() ? Status{} : rules.status();
}

Status Journal::check_change(TableDeclaration const& next) const {
  // Before all else: options that need a key, or the lack of one, would be blamed for it. Whether rows are found by
  // keys is decided once, also for records of a table that is empty now.
  if (bool const has_keys = !next.schema.key.empty(); has_keys != state_.has_keys())
    return {Code::bad_configuration,
            next.at("table") + ": table " + declaration_->name + (has_keys ? " was made without" : " was made with") +
                " a row-key, and that cannot change while it exists, also not while it is empty: empty it, take its "
                "file away and RELOAD, then put the new one there; or make a table of another name"};
  if (Status status = check(next); !status.ok()) return status;
  if (state_.rows().size() > 0 && !same_key(declaration_->schema, next.schema))
    return {Code::bad_configuration, next.at("table") + ": the key of table " + declaration_->name +
                                         " cannot change while it has rows (" + std::to_string(state_.rows().size()) +
                                         "): finish them first, or make a new table"};
  return {};
}

void Journal::change(std::shared_ptr<TableDeclaration const> next) {
  declaration_ = std::move(next);
  std::uint32_t const pause_after = options_.pause_after_failures;
  options_ = Options::read(*declaration_);
  // A changed option restarts the count.
  if (options_.pause_after_failures != pause_after) failures_in_row_ = 0;
  has_merge_rules_ = has_rules(declaration_->schema);
  set_rules();
}

Status check_type(TypeDeclaration const& type) {
  for (CommandDeclaration const& command : type.commands) {
    auto const& all = Journal::Named::all();
    if (std::none_of(all.begin(), all.end(), [&](auto const& known) { return known.name == command.name; }))
      return {Code::bad_configuration, "journal.xml declares the command " + command.name +
                                           ", which journal.so does not know: install files of one version"};
  }
  for (auto const& known : Journal::Named::all())
    if (std::none_of(type.commands.begin(), type.commands.end(),
                     [&](CommandDeclaration const& command) { return command.name == known.name; }))
      return {Code::bad_configuration,
              "journal.xml lacks the command " + std::string{known.name} + ": install files of one version"};
  for (std::string_view const option : kOptionNames)
    if (std::none_of(type.options.begin(), type.options.end(),
                     [&](OptionDeclaration const& declared) { return declared.name == option; }))
      return {Code::bad_configuration,
              "journal.xml lacks the option " + std::string{option} + ": install files of one version"};
  return {};
}

namespace {

Result<std::unique_ptr<Table>> create(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                                      std::shared_ptr<TableDeclaration const> declaration) {
  if (Status status = Journal::check(*declaration); !status.ok()) return status;
  return std::unique_ptr<Table>{std::make_unique<Journal>(context, std::move(type), std::move(declaration))};
}

}  // namespace

PluginDescriptor const& table_type() {
  static PluginDescriptor const descriptor{
      .build = "g++ " __VERSION__, .name = "journal", .check_type = check_type, .create = create};
  return descriptor;
}

}  // namespace fastjournal::journal
