// The declaration of a journal: all that a reload changes, in one place.
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
      : declared_(std::move(its_declaration)), has_merge_rules_(has_rules(schema())) {}

  [[nodiscard]] TableDeclaration const& declaration() const { return *declared_.declaration; }
  [[nodiscard]] std::string const& table() const { return declared_.table(); }
  [[nodiscard]] Schema const& schema() const { return declaration().schema; }
  [[nodiscard]] Options const& options() const { return declared_.options; }
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

  rows::Declared<Options> declared_;
  bool has_merge_rules_;
};

}  // namespace fastjournal::journal
