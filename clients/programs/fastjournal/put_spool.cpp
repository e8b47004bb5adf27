// `fastjournal put --spool`: rows are appended to a spool folder (clients/spool/core) instead of being sent. Without
// --declared the forwarder learns what a daemon refuses.
#include "clients/programs/fastjournal/put.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/base64.h"
#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/progress.h"
#include "clients/programs/fastjournal/refused_rows.h"
#include "clients/programs/fastjournal/row_input.h"
#include "clients/programs/fastjournal/values.h"
#include "clients/spool/core/spool.h"
#include "config/table_reader.h"
#include "config/type_reader.h"
#include "model/priority_names.h"
#include "model/value.h"
#include "platform/os/installation.h"
#include "platform/os/random.h"

namespace fastjournal::cli {
namespace {

constexpr std::array<std::string_view, 3> kRowDates{"process_date", "expiration_date", "insertion_date"};
// A Spool that syncs by itself also syncs each file that it leaves; with an interval of this length it does nothing
// else by itself, and what is synced at the end is all.
constexpr std::chrono::hours kNever{1};

std::int64_t put_now_ms() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

Status bad(std::string_view parameter, std::string sentence) {
  return Status{Code::bad_parameter, std::move(sentence)}.with("parameter", std::string{parameter});
}

struct Declared {
  TableDeclaration table;
  std::shared_ptr<TypeDeclaration const> type;
};

// The file of a table, with the types that were installed.
Result<Declared> read_declared(std::string const& file) {
  Result<config::TypesByName> const types = config::read_types(os::installed_plugins());
  if (!types.ok()) return types.status();
  Result<TableDeclaration> table = config::read_table(file, types.value());
  if (!table.ok()) return table.status();
  std::shared_ptr<TypeDeclaration const> type = types->at(table->type);
  return Declared{std::move(table).value(), std::move(type)};
}

class SpoolPut {
 public:
  SpoolPut(PutOptions const& given, Call& call)
      : one_(given), call_(call), refused_(call), syncs_(given.sync != "none") {}

  ExitCode run();

 private:
  Status open_spool();
  Status declare();
  // What a daemon would do, or refuse, whatever the table is.
  [[nodiscard]] Status prepare(Message& insert) const;
  [[nodiscard]] Status decode_buffers(Message& insert) const;
  [[nodiscard]] Status save(Message& insert);
  ExitCode mistake(Status const& status);
  ExitCode put_one();
  ExitCode put_many();
  Status read_rows(RowInput& input, StatusLine& line);
  ExitCode finish_many(RowInput const& input, Status const& stopped);

  PutOptions const& one_;
  Call& call_;
  RefusedRows refused_;
  bool const syncs_;
  model::PriorityNames priorities_;                            // of the declaration, or the usual ones
  std::optional<std::set<std::string, std::less<>>> buffers_;  // of the declaration; nothing: there is none
  std::unique_ptr<spool::Spool> spool_;
  std::uint64_t saved_{0};
  std::uint64_t refused_rows_{0};
  std::uint64_t lines_{0};  // of the input: their rows are saved or refused
};

ExitCode SpoolPut::run() { return one_.from.empty() ? put_one() : put_many(); }

Status SpoolPut::open_spool() {
  bool const is_one = one_.from.empty();
  spool::Options options{.folder = one_.spool.str()};
  if (syncs_) options.sync = is_one ? spool::Sync::each : spool::Sync::interval;
  options.interval = kNever;
  Result<std::unique_ptr<spool::Spool>> opened = spool::Spool::open(std::move(options));
  if (!opened.ok()) return opened.status();
  spool_ = std::move(opened).value();
  return one_.declared.empty() ? Status{} : declare();
}

Status SpoolPut::declare() {
  Result<Declared> const declared = read_declared(one_.declared);
  if (!declared.ok()) return declared.status();
  priorities_.take(declared->table.option("priority-words").text);
  if (declared->table.name != call_.table)
    return {Code::bad_parameter,
            one_.declared + " declares the table " + declared->table.name + ", not " + call_.table};
  buffers_.emplace();
  for (Column const& column : declared->table.schema.columns)
    if (column.type == ColumnType::buffer) buffers_->insert(column.name);
  return spool_->declare(declared->table, *declared->type);
}

ExitCode SpoolPut::mistake(Status const& status) {
  bool const is_usage = status.code() == Code::bad_parameter || status.code() == Code::not_found ||
                        status.code() == Code::bad_configuration;
  return is_usage ? call_.misuse(status.message()) : call_.complain(status);
}

// Without a daemon the buffer columns are unknown.
Status SpoolPut::decode_buffers(Message& insert) const {
  std::string bytes;
  for (std::size_t i = 0; i < insert.params().size(); ++i) {
    Param const param = insert.params()[i];
    if (param.value.kind != Value::Kind::text) continue;
    bool const is_base64 = param.value.bytes.starts_with(kBase64Prefix);
    if (is_base64 && !buffers_)
      return bad(
          param.name,
          "column " + std::string{param.name} + " has " + model::shown(param.value.bytes) +
              ": without the table's declaration it is not known whether that is text: --declared names its file");
    if (!buffers_ || !buffers_->contains(param.name)) continue;
    if (!is_base64) {
      insert.set(param.name, Value::of_binary(param.value.bytes));
      continue;
    }
    if (!decode_base64(param.value.bytes.substr(kBase64Prefix.size()), bytes))
      return bad(param.name, "column " + std::string{param.name} + ": " + model::shown(param.value.bytes) +
                                 " has no base64 (RFC 4648, padded) behind base64:");
    insert.set(param.name, Value::of_binary(insert.arena().copy(bytes)));
  }
  return {};
}

Status SpoolPut::prepare(Message& insert) const {
  if (Status status = decode_buffers(insert); !status.ok()) return status;
  if (Value const* const priority = insert.find("priority"); priority != nullptr) {
    std::uint8_t number = 0;
    Status why;
    model::read_priority({"priority", *priority}, priorities_, 0, 255, number, why);
    if (!why.ok()) return why;
    insert.set_integer("priority", number);
  }
  std::int64_t const now_ms = put_now_ms();
  for (std::string_view const name : kRowDates) {
    Value const* const date = insert.find(name);
    if (date == nullptr) continue;
    // From now on, not from when the daemon has it.
    bool const is_relative = date->bytes.starts_with('+');
    std::optional<std::int64_t> const ms =
        is_relative ? Value::of_text(date->bytes.substr(1)).as_integer() : date->as_integer();
    if (!ms || *ms < 0) return bad(name, std::string{name} + " is no date: expected milliseconds since 1970");
    insert.set_integer(name, is_relative ? now_ms + *ms : *ms);
  }
  return {};
}

Status SpoolPut::save(Message& insert) {
  if (Status status = prepare(insert); !status.ok()) return status;
  return spool_->save(insert);
}

ExitCode SpoolPut::put_one() {
  Message insert;
  one_.set_in(insert, call_.table);
  for (std::string const& word : one_.columns)
    if (Status const status = add_column(insert, word, call_.console.in); !status.ok())
      return call_.misuse(status.message());
  if (Status const opened = open_spool(); !opened.ok()) return mistake(opened);
  if (Status const saved = save(insert); !saved.ok()) return mistake(saved);
  Message out;
  out.set("table", call_.table);
  out.set("folder", one_.spool);
  out.set_integer("saved", 1);
  out.set("synced", Value::of_boolean(syncs_));
  return call_.say(out, fmt::format("saved in {}{}", printable(one_.spool),
                                    syncs_ ? ", on the disk" : "; not synced: a power cut may lose it"));
}

ExitCode SpoolPut::put_many() {
  Result<std::unique_ptr<RowInput>> opened = RowInput::open(one_, call_.console.in);
  if (!opened.ok()) return mistake(opened.status());
  RowInput& input = *opened.value();
  std::string const run = fmt::format("spool-{:016x}", os::random_bits());
  Result<std::string> file = refused_file_of(one_, call_.table, run, input.reader.format());
  Status begun = file.ok() ? refused_.begin(std::move(file).value(), input.reader.header()) : file.status();
  if (begun.ok()) begun = open_spool();
  if (!begun.ok()) return mistake(begun);
  StatusLine line(call_.console);
  Status stopped = read_rows(input, line);
  line.clear();
  if (syncs_)
    if (Status synced = spool_->sync(); !synced.ok() && stopped.ok()) stopped = std::move(synced);
  return finish_many(input, stopped);
}

// Not ok: why it stopped behind line lines_.
Status SpoolPut::read_rows(RowInput& input, StatusLine& line) {
  Message insert;
  lines_ = input.reader.lines();
  while (true) {
    Result<std::optional<Record>> const record = input.reader.next();
    if (!record.ok()) return record.status();
    if (!record.value()) return {};
    if (!is_blank(record.value()->text)) {
      insert.clear();
      one_.set_in(insert, call_.table);
      Status status = input.parser.parse(record.value()->text, insert);
      if (status.ok()) status = save(insert);
      if (!status.ok() && !is_about_the_row(status.code())) return status;
      if (!status.ok()) {
        line.clear();
        if (Status written = refused_.add(*record.value(), status); !written.ok()) return written;
        ++refused_rows_;
      } else {
        ++saved_;
      }
    }
    lines_ = input.reader.lines();
    if (line.is_seen()) line.show(fmt::format("{} saved, {} refused", saved_, refused_rows_));
  }
}

ExitCode SpoolPut::finish_many(RowInput const& input, Status const& stopped) {
  if (!stopped.ok()) static_cast<void>(call_.complain(stopped, fmt::format("line {}", lines_ + 1)));
  bool const is_synced = syncs_ && stopped.ok();
  Message out;
  out.set("table", call_.table);
  out.set("folder", one_.spool);
  out.set("saved", Value::of_unsigned(saved_));
  out.set("refused", Value::of_unsigned(refused_rows_));
  if (refused_rows_ > 0) out.set("refused_file", refused_.file());
  out.set("synced", Value::of_boolean(is_synced));
  std::string text = fmt::format("{} saved in {}{}, {} refused", saved_, printable(one_.spool),
                                 is_synced ? ", on the disk" : "", refused_rows_);
  if (refused_rows_ > 0) text += fmt::format(" ({0}, why: {0}{1})", refused_.file(), kReasonsSuffix);
  if (!stopped.ok()) text += fmt::format(", stopped at line {}", lines_ + 1);
  call_.say(out, text);
  if (stopped.ok()) return refused_rows_ > 0 ? ExitCode::refused : ExitCode::ok;
  call_.note(fmt::format("to go on: {} --spool {}", input.command_behind(one_, call_.table, lines_), one_.spool));
  return exit_code_of(stopped.code());
}

}  // namespace

ExitCode put_in_spool(PutOptions const& given, Call& call) { return SpoolPut(given, call).run(); }

}  // namespace fastjournal::cli
