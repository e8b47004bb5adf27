// The declarations of conf/ and the tables that follow them: what a declaration may say of a table that exists, and what
// has to be logged so that the table is as declared. At a start by Recovery, later by Reload.
#pragma once

#include <string_view>
#include <utility>

#include "engine/alerting.h"
#include "engine/due_tables.h"
#include "engine/memory.h"
#include "engine/tables.h"
#include "engine/volatile_tables.h"
#include "engine/waiting/service.h"

namespace fastjournal::engine {

class Configuration {
 public:
  struct Parts {
    TableTypes const& types;
    Tables& tables;
    DueTables& due_tables;
    Memory& memory;
    Alerting& alerting;
    work::Service& service;
    VolatileTables& volatile_tables;
  };
  explicit Configuration(Parts const& parts) : parts_(parts) {}
  Configuration(Configuration const&) = delete;
  Configuration& operator=(Configuration const&) = delete;

  // The declarations in force.
  void declare(Declarations declarations) { declarations_ = std::move(declarations); }
  [[nodiscard]] Declarations const& declarations() const { return declarations_; }
  // Those of tables that are declared for this log.
  [[nodiscard]] Declarations declared_in(std::string_view log) const;
  // Not ok: one of those could not come into force if this node decided for its log.
  [[nodiscard]] Status check_all_in(std::string_view log) const;
  // nullptr: there is none of this name.
  [[nodiscard]] Declaration declared(std::string_view name) const;

  // Not ok: this declaration cannot come into force now, and nothing was changed.
  [[nodiscard]] Status check(Declaration const& declaration) const;
  // Checks it, and makes the table or changes it. In a log of which another node decides that one does.
  [[nodiscard]] Status adopt(Declaration const& declaration, TimeMs now);
  // Drops the table, and with it all rows.
  [[nodiscard]] Status drop(HostedTable& table, TimeMs now);

 private:
  [[nodiscard]] Status make(Declaration const& declaration, HostedLog& log, TimeMs now);
  [[nodiscard]] Status change(HostedTable& table, Declaration const& declaration, TimeMs now);
  static void expect(HostedTable& table, Declaration const& declaration);
  static void change_feed(HostedTable& table);

  Parts parts_;
  Declarations declarations_;
};

// "name", for people.
[[nodiscard]] std::string in_quotes(std::string_view name);
[[nodiscard]] bool declares(Declarations const& declarations, std::string_view name);
[[nodiscard]] Declaration with_schema(Declaration const& declaration, Schema schema);
// Whether two schemas are equal except for their versions.
[[nodiscard]] bool same_schema(Schema const& a, Schema const& b);
// By which new rows of the table are written.
[[nodiscard]] Schema const& latest_schema(HostedTable const& table);

}  // namespace fastjournal::engine
