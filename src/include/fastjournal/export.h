// The structure of a table, as relations: queues, exchanges and bindings, not what is in them. The server mirrors it in
// an SQL database, for people and other programs to query (capabilities.h, Exported). Header-only, as the whole
// contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fastjournal {

// Of kConnectOption; anything else is the path of an SQLite file.
[[nodiscard]] inline bool is_postgresql(std::string_view connect) {
  return connect.starts_with("postgresql://") || connect.starts_with("postgres://");
}

struct ExportColumn {
  enum class Kind : std::uint8_t { text, integer, boolean };

  std::string_view name;  // [a-z][a-z0-9_]*, as the relation's
  Kind kind{Kind::text};
  // Together with the name of the table it tells the row from all others, as all such columns do.
  bool is_key{false};
  bool may_be_absent{false};
};

// Rows of a relation: cells are added in the order of its columns, row by row. The mirror adds the name of the table.
class ExportRelation {
 public:
  struct Cell {
    enum class Kind : std::uint8_t { absent, text, integer, boolean };

    Kind kind{Kind::absent};
    std::string_view text{};
    std::int64_t integer{0};  // boolean: 0 or 1
  };

  // Both are of constants.
  ExportRelation(std::string_view name, std::span<ExportColumn const> columns) : name_(name), columns_(columns) {}

  void add_text(std::string_view text) {
    cells_.push_back({Cell::Kind::text, text.size(), static_cast<std::int64_t>(texts_.size())});
    texts_ += text;
  }
  void add_integer(std::int64_t value) { cells_.push_back({Cell::Kind::integer, 0, value}); }
  void add_boolean(bool value) { cells_.push_back({Cell::Kind::boolean, 0, value ? 1 : 0}); }
  void add_absent() { cells_.push_back({Cell::Kind::absent, 0, 0}); }

  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::span<ExportColumn const> columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return cells_.size() / columns_.size(); }
  [[nodiscard]] Cell cell(std::size_t row, std::size_t column) const {
    Packed const& packed = cells_[row * columns_.size() + column];
    if (packed.kind != Cell::Kind::text) return {packed.kind, {}, packed.value};
    return {packed.kind, std::string_view{texts_}.substr(static_cast<std::size_t>(packed.value), packed.size), 0};
  }

 private:
  // All texts are one string: a hundred thousand bindings are made at once, on the loop.
  struct Packed {
    Cell::Kind kind;
    std::uint64_t size;
    std::int64_t value;  // of a text: its place
  };

  std::string_view name_;
  std::span<ExportColumn const> columns_;
  std::vector<Packed> cells_;
  std::string texts_;
};

struct TableExport {
  std::uint32_t format{0};  // raised when a relation gets other columns
  std::vector<ExportRelation> relations;
};

}  // namespace fastjournal
