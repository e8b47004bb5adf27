// The logs and tables of an engine, by name and number. Owns them. The place of a dropped table stays empty until
// nothing refers to it any more; then its number is given again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "engine/due_tables.h"
#include "engine/hosted.h"
#include "fastjournal/status.h"

namespace fastjournal::engine {

using Declaration = std::shared_ptr<TableDeclaration const>;
using Declarations = std::vector<Declaration>;

class Tables {
 public:
  Tables(DueTables& due_tables, work::Keeper& keeper) : due_tables_(due_tables), keeper_(keeper) {}
  Tables(Tables const&) = delete;
  Tables& operator=(Tables const&) = delete;

  // The seed for hashes of clients' names (TableContext::hash_seed); called before the first table is made.
  void hash_with(std::uint64_t seed) { hash_seed_ = seed; }
  // TableContext::zones; the same.
  void tell_zones(Zones const& zones) { zones_ = &zones; }
  // Who brings the files of bytes outside the log; without it tables have none.
  void store_with(OutsideMaker& maker) { outside_maker_ = &maker; }

  // -- logs ---------------------------------------------------------------------
  HostedLog& add_log(std::string name);
  [[nodiscard]] std::vector<std::unique_ptr<HostedLog>> const& logs() const { return logs_; }
  // nullptr: there is none.
  [[nodiscard]] HostedLog* find_log(std::string_view name) const;
  // For what the daemon says of itself: the first that is local.
  [[nodiscard]] HostedLog& own_log() const;

  // -- tables -------------------------------------------------------------------
  // By number, dropped ones included.
  [[nodiscard]] std::vector<std::unique_ptr<HostedTable>> const& all() const { return tables_; }
  [[nodiscard]] HostedTable& operator[](std::uint32_t number) const { return *tables_[number]; }
  // nullptr: there is none of this name.
  [[nodiscard]] HostedTable* find(std::string_view name) const {
    std::uint32_t const number = by_name_.find(name);
    if (number == NameTable::kAbsent) return nullptr;
    HostedTable* const table = tables_[number].get();
    return table->is_dropped() ? nullptr : table;
  }
  // Not ok: its type refuses the declaration.
  [[nodiscard]] Status make(HostedLog& log, TableId id, TableType const& type, Declaration declaration,
                            log::Catalogue::Move const& move = {});
  // The parts of make(): a table alone, and what hosts it under its name.
  [[nodiscard]] Result<std::unique_ptr<Table>> create(TableId id, TableType const& type,
                                                      Declaration const& declaration) const {
    return type.make({.id = id, .hash_seed = hash_seed_, .zones = zones_}, declaration);
  }
  [[nodiscard]] Status host(HostedLog& log, TableId id, TableType const& type, Declaration declaration,
                            std::unique_ptr<Table> table, log::Catalogue::Move const& move);
  // Brings the files of its bytes outside the log, if it may have any and they are not there. Not ok: those of a table
  // that was dropped are being removed.
  [[nodiscard]] Status bring_outside(HostedTable& hosted);
  // The hosted table goes to another log, as `table`, with those who wait for it.
  void move(HostedTable& hosted, HostedLog& to, TableId id, std::unique_ptr<Table> table);
  // It was dropped in this turn, in which it may still be used.
  void drop(HostedTable& table);
  // Some table may be leaving (HostedTable::is_leaving).
  [[nodiscard]] bool has_leaving() const { return has_leaving_; }
  void note_leaving(bool there_are) { has_leaving_ = there_are; }
  // Names of dropped tables are removed.
  void forget_names();
  // Of two tables of one name, the one that is not leaving has it.
  void name_all();
  // Numbers of dropped tables that nothing refers to are free.
  void free_dropped();

 private:
  DueTables& due_tables_;
  work::Keeper& keeper_;
  std::uint64_t hash_seed_{0};
  Zones const* zones_{nullptr};
  OutsideMaker* outside_maker_{nullptr};
  std::vector<std::unique_ptr<HostedLog>> logs_;
  std::vector<std::unique_ptr<HostedTable>> tables_;
  NameTable by_name_;
  std::vector<std::uint32_t> dropped_;
  bool has_leaving_{false};
  std::vector<std::uint32_t> free_;  // numbers that may be given again
};

}  // namespace fastjournal::engine
