#include "plugins/journal/spill.h"

#include <algorithm>
#include <string>

#include "model/value.h"
#include "plugins/rows/domain_text.h"

namespace fastjournal::journal {

bool Spill::may_leave(std::size_t column) const {
  Schema const& schema = settings_.schema();
  Column const& declared = schema.columns[column];
  bool const is_key = std::ranges::find(schema.key, column) != schema.key.end();
  bool const is_replaced = declared.merge == MergeRule::replace || declared.merge == MergeRule::keep;
  rows::DomainColumn const domain = rows::DomainColumn::of(rows_.order().rules().domain, schema);
  bool const names_domain = !domain.in_key && domain.place == static_cast<int>(column);
  return model::kind_of(declared.type) == model::CellKind::bytes && !is_key && is_replaced && !names_domain;
}

// What the column allows is checked first: nothing is stored for an insert that is refused.
Status Spill::request(Message const& message, StoreRequest& request) const {
  std::uint64_t const from = settings_.options().spill;
  Schema const& schema = settings_.schema();
  // Two syncs for a value in a file are better than its bytes in the log, which compacts them.
  request.may_carry = false;
  request.must = false;
  for (std::size_t i = 0; i < message.params().size(); ++i) {
    Param const& param = message.params()[i];
    if (param.value.outside || param.value.bytes.size() < from) continue;
    auto const column =
        std::ranges::find_if(schema.columns, [&param](Column const& declared) { return declared.name == param.name; });
    if (column == schema.columns.end() || !may_leave(static_cast<std::size_t>(column - schema.columns.begin())))
      continue;
    std::string decoded;
    model::Cell cell;
    if (Status status = model::parse_value(*column, param.value, decoded, cell); !status.ok()) return status;
    // Base64 is longer than its bytes.
    if (cell.bytes.size() < from) continue;
    bool const is_decoded = cell.bytes.data() == decoded.data() && !decoded.empty();
    std::string_view bytes = cell.bytes;
    if (is_decoded) bytes = request.kept.emplace_back(std::move(decoded));
    request.pieces.push_back({i, bytes, column->type == ColumnType::string});
  }
  return {};
}

}  // namespace fastjournal::journal
