// What a journal was declared as: all that a reload changes, in one place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "fastjournal/declaration.h"
#include "plugins/journal/options.h"

namespace fastjournal::journal {

// Owned by its journal, whose parts borrow it: a reload assigns another one, and the place stays.
class Settings {
 public:
  explicit Settings(std::shared_ptr<TableDeclaration const> its_declaration)
      : declaration_(std::move(its_declaration)),
        options_(Options::read(*declaration_)),
        has_merge_rules_(has_rules(declaration_->schema)) {}

  [[nodiscard]] TableDeclaration const& declaration() const { return *declaration_; }
  [[nodiscard]] std::string const& table() const { return declaration_->name; }
  [[nodiscard]] Schema const& schema() const { return declaration_->schema; }
  [[nodiscard]] Options const& options() const { return options_; }
  // Data of an insert is merged column by column; otherwise it replaces the row's.
  [[nodiscard]] bool has_merge_rules() const { return has_merge_rules_; }

 private:
  static bool has_rules(Schema const& schema) {
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
      bool const key = std::find(schema.key.begin(), schema.key.end(), i) != schema.key.end();
      if (!key && schema.columns[i].merge != MergeRule::replace) return true;
    }
    return false;
  }

  std::shared_ptr<TableDeclaration const> declaration_;
  Options options_;
  bool has_merge_rules_;
};

}  // namespace fastjournal::journal
