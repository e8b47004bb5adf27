// Whether a daemon would take a row, as far as the declaration of its table says: the names of parameters and columns,
// the values of columns, priority and dates. With the daemon's own code and sentences. For producers that save rows for
// later, and hear of a mistake at once.
#pragma once

#include <cstdint>

#include "base/name_table.h"
#include "fastjournal/declaration.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "model/priority_names.h"

namespace fastjournal::model {

class RowCheck {
 public:
  // The type's INSERT says which parameters there are.
  RowCheck(TableDeclaration table, TypeDeclaration const& type);

  // The status of the daemon's ERROR; its fact `parameter` names the column or the parameter. Not checked: client and
  // sequence, and whatever depends on the rows of the table. From any thread.
  [[nodiscard]] Status check(Message const& insert, std::int64_t now_ms) const;

 private:
  TableDeclaration const table_;
  NameTable names_;  // of columns and parameters
  PriorityNames priorities_;
};

}  // namespace fastjournal::model
