// PostgreSQL by libpq, without ever blocking in it but for the look-up of a host's name: it sends and reads as far as the
// socket allows, and waits by Patience.
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "platform/sql/database.h"
#include "platform/sql/words.h"

namespace fastjournal::sql {
namespace {

// Rows in one statement: few round trips, and far from the 65,535 parameters that one may have.
constexpr std::size_t kRowsPerStatement = 500;

constexpr std::string_view kPostgresqlTypes[] = {"text", "bigint", "boolean"};
// Their numbers, which never change.
constexpr Oid kTypeOids[] = {25, 20, 16};

// The server gives up a statement, or a lock, before we give up the server. A connection that is lost without a word
// ends there, too.
char const kBegin[] =
    "BEGIN; SET LOCAL statement_timeout = 20000; SET LOCAL lock_timeout = 10000; "
    "SET LOCAL idle_in_transaction_session_timeout = 60000; SET LOCAL client_min_messages = error";
// Of a host that does not answer, so that the next one is tried; ms.
char const kSilentMs[] = "8000";

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Answer = std::unique_ptr<PGresult, Clear>;

void say_nothing(void*, char const*) {}

// One line; libpq writes several, each with its line feed.
std::string one_line(std::string_view text) {
  std::string out;
  for (char const c : text) {
    bool const is_blank = static_cast<unsigned char>(c) <= 0x20;
    if (is_blank && (out.empty() || out.back() == ' ')) continue;
    out += is_blank ? ' ' : c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

// Values of a statement's parameters, in the format of text.
class Parameters {
 public:
  void add(std::string_view text) { put(kTypeOids[0], std::string{text}); }
  void add(ExportColumn const& column, ExportRelation::Cell const& cell) {
    using Kind = ExportRelation::Cell::Kind;
    Oid const type = kTypeOids[static_cast<std::size_t>(column.kind)];
    switch (cell.kind) {
      case Kind::absent:
        types_.push_back(type);
        values_.push_back(nullptr);
        break;
      case Kind::text: put(type, std::string{cell.text}); break;
      case Kind::integer: put(type, std::to_string(cell.integer)); break;
      case Kind::boolean: put(type, cell.integer != 0 ? "t" : "f"); break;
    }
  }
  [[nodiscard]] int size() const { return static_cast<int>(values_.size()); }
  [[nodiscard]] Oid const* types() const { return types_.data(); }
  [[nodiscard]] char const* const* values() const { return values_.data(); }

 private:
  void put(Oid type, std::string value) {
    types_.push_back(type);
    values_.push_back(kept_.emplace_back(std::move(value)).c_str());
  }

  std::deque<std::string> kept_;
  std::vector<Oid> types_;
  std::vector<char const*> values_;
};

class Postgresql final : public Database {
 public:
  Postgresql(std::string uri, std::string catalog, Patience const& patience)
      : uri_(std::move(uri)), catalog_(std::move(catalog)), patience_(patience) {}

  Status begin() override {
    if (Status status = connect(); !status.ok()) return status;
    // Several statements come in one without parameters only.
    if (PQsendQuery(connection_.get(), kBegin) == 0) return failed("begin");
    if (Status status = finish("begin").status(); !status.ok()) return status;
    // Two daemons that make the same schema at once would both fail.
    Parameters name;
    name.add(catalog_);
    if (Status status = run("SELECT pg_advisory_xact_lock(hashtext($1))", name, "wait for another export").status();
        !status.ok())
      return status;
    // A user who may not make schemas may use an existing one: so it is looked for first.
    Result<Answer> const found = run("SELECT 1 FROM pg_namespace WHERE nspname = $1", name, "look for the schema");
    if (!found.ok()) return found.status();
    if (PQntuples(found->get()) > 0) return {};
    return run("CREATE SCHEMA " + quoted_identifier(catalog_), {}, "make the schema " + catalog_).status();
  }

  Status make(ExportRelation const& relation) override {
    std::string const doing = fmt::format("make {}.{}", catalog_, relation.name());
    Parameters names;
    names.add(catalog_);
    names.add(relation.name());
    Result<Answer> const found =
        run("SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname "
            "= $2",
            names, doing);
    if (!found.ok()) return found.status();
    if (PQntuples(found->get()) > 0) return {};
    return run(create_table(relation, place_of(relation), kPostgresqlTypes), {}, doing).status();
  }

  Status remove_rows(ExportRelation const& relation, std::string_view table) override {
    Parameters name;
    name.add(table);
    return run(fmt::format("DELETE FROM {} WHERE {} = $1", place_of(relation), quoted_identifier(kTableColumn)), name,
               fmt::format("remove the former rows of {}.{}", catalog_, relation.name()))
        .status();
  }

  Status add_rows(ExportRelation const& relation, std::string_view table) override {
    std::string const doing = fmt::format("add rows to {}.{}", catalog_, relation.name());
    for (std::size_t first = 0; first < relation.rows(); first += kRowsPerStatement) {
      std::size_t const rows = std::min(kRowsPerStatement, relation.rows() - first);
      Parameters values;
      for (std::size_t row = first; row < first + rows; ++row) {
        values.add(table);
        for (std::size_t column = 0; column < relation.columns().size(); ++column)
          values.add(relation.columns()[column], relation.cell(row, column));
      }
      if (Status status = run(insert_rows(relation, place_of(relation), rows, '$'), values, doing).status();
          !status.ok())
        return status;
    }
    return {};
  }

  Status commit() override { return run("COMMIT", {}, "commit").status(); }

 private:
  [[nodiscard]] std::string place_of(ExportRelation const& relation) const {
    return quoted_identifier(catalog_) + "." + quoted_identifier(relation.name());
  }

  [[nodiscard]] Status connect() {
    // What stands before the URI may be said otherwise in it, what stands behind may not.
    std::array<char const*, 5> const names = {"fallback_application_name", "tcp_user_timeout", "dbname",
                                              "client_encoding", nullptr};
    std::array<char const*, 5> const values = {"fastjournal", kSilentMs, uri_.c_str(), "UTF8", nullptr};
    connection_.reset(PQconnectStartParams(names.data(), values.data(), 1));
    if (connection_ == nullptr) return {Code::io_error, "PostgreSQL: connect: no memory"};
    PQsetNoticeProcessor(connection_.get(), say_nothing, nullptr);
    if (PQstatus(connection_.get()) == CONNECTION_BAD) return failed("connect");
    for (PostgresPollingStatusType wants = PGRES_POLLING_WRITING; wants != PGRES_POLLING_OK;
         wants = PQconnectPoll(connection_.get())) {
      if (wants == PGRES_POLLING_FAILED) return failed("connect");
      short const events = wants == PGRES_POLLING_READING ? POLLIN : POLLOUT;
      if (Status status = patience_.wait(PQsocket(connection_.get()), events, "PostgreSQL: connect"); !status.ok())
        return status;
    }
    return PQsetnonblocking(connection_.get(), 1) == 0 ? Status{} : failed("connect");
  }

  [[nodiscard]] Result<Answer> run(std::string const& text, Parameters const& parameters, std::string const& doing) {
    if (PQsendQueryParams(connection_.get(), text.c_str(), parameters.size(), parameters.types(), parameters.values(),
                          nullptr, nullptr, 0) == 0)
      return failed(doing);
    return finish(doing);
  }

  // The last of its answers, or the first that is an error.
  [[nodiscard]] Result<Answer> finish(std::string const& doing) {
    PGconn* const connection = connection_.get();
    auto const wait = [&](short events) {
      return patience_.wait(PQsocket(connection), events, "PostgreSQL: " + doing);
    };
    for (int left = PQflush(connection); left != 0; left = PQflush(connection)) {
      if (left < 0) return failed(doing);
      if (Status status = wait(POLLIN | POLLOUT); !status.ok()) return status;
      if (PQconsumeInput(connection) == 0) return failed(doing);
    }
    Answer last;
    for (;;) {
      while (PQisBusy(connection) != 0) {
        if (Status status = wait(POLLIN); !status.ok()) return status;
        if (PQconsumeInput(connection) == 0) return failed(doing);
      }
      Answer answer{PQgetResult(connection)};
      if (answer == nullptr) return last == nullptr ? Result<Answer>{failed(doing)} : std::move(last);
      ExecStatusType const outcome = PQresultStatus(answer.get());
      if (outcome != PGRES_COMMAND_OK && outcome != PGRES_TUPLES_OK) {
        char const* const reason = PQresultErrorField(answer.get(), PG_DIAG_MESSAGE_PRIMARY);
        return reason == nullptr ? failed(doing)
                                 : Status{Code::io_error, fmt::format("PostgreSQL: {}: {}", doing, one_line(reason))};
      }
      last = std::move(answer);
    }
  }

  // As libpq says it, which never has a password in it.
  [[nodiscard]] Status failed(std::string_view doing) const {
    std::string const reason = one_line(PQerrorMessage(connection_.get()));
    return {Code::io_error, fmt::format("PostgreSQL: {}: {}", doing, reason.empty() ? "no reason was given" : reason)};
  }

  std::string uri_;
  std::string catalog_;
  Patience const& patience_;
  std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace

std::unique_ptr<Database> make_postgresql(std::string uri, std::string catalog, Patience const& patience) {
  return std::make_unique<Postgresql>(std::move(uri), std::move(catalog), patience);
}

}  // namespace fastjournal::sql
