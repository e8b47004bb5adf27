// The declarations of XML files as values: a table (columns, key, options) and a table type (commands, options). The
// readers of src/config/ make them and check every limit stated here; plugins and the engine only read them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/rights.h"
#include "fastjournal/status.h"

namespace fastjournal {

// Each has several accepted spellings in XML, including those of other systems' declarations (`int32`, `int32_t`;
// `time_ms`, `time_ms_t`, `time_milliseconds`; `buffer`, `binary`; `float`, `float32`; `double`, `float64`). Integers
// above 64 bits are refused.
enum class ColumnType : std::uint8_t {
  void_type,
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  real32,
  real64,
  character,
  string,
  buffer,
  time_s,
  time_ms,
  time_us,
};

// The rule of a merge for a column outside the key (doc/merge.md).
enum class MergeRule : std::uint8_t { replace, keep, min, max, sum, append };

struct Column {
  std::string name;  // [a-z][a-z0-9_]*, at most 64 bytes; not a parameter name of the type's commands
  ColumnType type{ColumnType::string};
  bool required{false};
  MergeRule merge{MergeRule::replace};
  std::optional<std::string> default_text;  // as written; fits the type and the limits
  // Limits from the XML, checked against the type: by value for integers and dates (the bits are of the type's kind,
  // model/value.h),
  std::optional<std::int64_t> value_min;
  std::optional<std::uint64_t> value_max;
  std::optional<double> real_min;  // by value for floats,
  std::optional<double> real_max;
  std::uint64_t length_min{0};                  // in bytes for strings and buffers.
  std::uint64_t length_max{16U * 1024 * 1024};  // 16 MiB: the limit of a row
  std::string description;

  bool operator==(Column const&) const = default;
};

// Each row names the version of the schema that it was written with.
struct Schema {
  std::uint16_t version{1};
  std::vector<Column> columns;     // in the order of the XML; at most 200; empty where the type has no columns
  std::vector<std::uint16_t> key;  // indexes of the key columns, in the order of row-key; at most 8; empty: no key

  bool operator==(Schema const&) const = default;
};

// The type of an option's value. Durations are written `1500`, `1500ms`, `10s`, `5m`, `1h`, `2d` and stored in
// milliseconds; sizes are written `4096`, `512KiB`, `16MiB`, `1GiB` and stored in bytes. A plan is written as the path of
// its file, relative to the folder of the table's; its value is what the file says (model/plan/codec.h), as tables read no files.
enum class OptionType : std::uint8_t { integer, duration, size, boolean, choice, text, plan };

struct OptionDeclaration {
  std::string name;  // the XML element's name: [a-z][a-z0-9-]*
  OptionType type{OptionType::text};
  std::string default_text;
  std::int64_t min{INT64_MIN};  // integers, durations (ms), sizes (bytes)
  std::int64_t max{INT64_MAX};
  std::vector<std::string> choices;
  bool changes_live{true};  // may change on reload
  std::string description;
};

// A number, or the option of the table that says it.
struct Bound {
  std::int64_t value{0};
  std::string option{};  // empty: `value`

  bool operator==(Bound const&) const = default;
};

// A parameter of a command, or a field of an answer. tests/world/limits_test.cpp holds what tables do against it.
struct ParameterDeclaration {
  std::string name;
  std::string type;  // for HELP, completion and the definition files: string, integer, date, duration, columns
  bool required{false};
  std::optional<Right> right{};  // a command that has it needs this one too
  // What is refused otherwise: of integers and durations (ms) the value, of strings the bytes. A flag is an integer from
  // 0 to 1. Without max: up to 2^64 - 1; without both: any integer of 64 bits.
  std::optional<Bound> min{};
  std::optional<Bound> max{};
  std::vector<std::string> choices{};    // of strings
  std::optional<Bound> default_value{};  // of integers and durations that are absent; empty: `description` says it
  std::int64_t kept{0};                  // of strings: the rest behind so many bytes is cut off; 0: all is kept
  std::string description{};

  [[nodiscard]] bool is_flag() const { return type == "integer" && min == Bound{0} && max == Bound{1}; }
};

// The engine's view of a command, before it is decided.
enum class CommandKind : std::uint8_t {
  read,    // appends no record
  add,     // refused (no_space) while disk or memory is short
  change,  // leases, touches: small, short-lived records
  remove,  // works even while disk and memory are short
  touch,   // reads; may append small, short-lived records, but not while Decision::short_of_space
};

// Whether a client may resend a command after the connection was lost before the answer.
enum class Resend : std::uint8_t {
  never,     // it is not known whether the command was carried out
  always,    // carrying it out twice does no harm
  numbered,  // if it has the parameters client and sequence
};

// A command between BEGIN and COMMIT (Promises).
enum class InTransaction : std::uint8_t {
  refused,
  at_once,   // it runs as ever, and no ROLLBACK undoes it; every command that only reads
  promised,  // its effects come with the COMMIT
};

struct CommandDeclaration {
  std::string name;  // upper case
  CommandKind kind{CommandKind::read};
  Right right{Right::read};  // required of the sender
  std::vector<ParameterDeclaration> parameters;
  bool takes_columns{false};  // column names are parameters as well
  Resend resend{Resend::never};
  InTransaction in_transaction{InTransaction::refused};
  // Not empty: LISTEN mode deliver runs this command for its listener; at most one command of a type. The value is the
  // name of the parameter for the maximum count. The command takes the type's topic parameter as well, and sets
  // Decision::take.
  std::string deliver_count;
  std::string answers;  // names of the answers, for HELP: "INSERTED"
  // For clients. An answer of the name `leases` leases something: where nobody gets the answer, it is to be returned by
  // the command `gives_back`. `done_before`: the answer to assume where a command that was sent again finds its row gone.
  std::string leases{};
  std::string gives_back{};
  std::string done_before{};
  std::string description;
};

// A message of answers or notices.
struct AnswerDeclaration {
  std::string name;  // upper case
  std::vector<ParameterDeclaration> parameters;
  bool has_columns{false};  // columns of the table are parameters as well
  bool is_counted{false};   // usually one of several: each has the number of those that follow (`left`)
  std::string description;
};

// A protocol that the type brings (PluginDescriptor::protocols).
struct ProtocolDeclaration {
  std::string name;       // [a-z][a-z0-9]*, neither messages nor http
  bool has_login{false};  // its clients show tokens (Protocol::Piece::token)
  std::string description;
};

// TYPE.xml
struct TypeDeclaration {
  std::string name;  // [a-z][a-z0-9]*
  std::string description;
  // Whether the type's tables have columns, and a key.
  enum class Key : std::uint8_t { required, optional, none };
  bool has_columns{true};
  Key key{Key::required};
  // The name of the topic parameter (Topics) in LISTEN, in notices and in the delivering command; empty: the type has
  // no topics. An option of the same name, if there is one, tells whether a table has topics.
  std::string topic;
  // The name of the type in model="..." of other systems' declarations (<context>, <keyspace>); empty: none.
  std::string foreign_model;
  std::string empty_answer;  // for a command without a result: one of `answers`; empty: commands always answer
  std::vector<CommandDeclaration> commands;
  std::vector<AnswerDeclaration> answers;  // those that commands name, and others
  std::vector<OptionDeclaration> options;
  std::vector<ProtocolDeclaration> protocols;
};

// An option of type duration, read by the engine where a type declares it: how long a woken listener may take before
// the next one is woken.
inline constexpr std::string_view kWakeTimeoutOption = "wake-timeout";

// The same, read by the server: how long a value that comes in pieces (Protocol::Kind::begin) may take.
inline constexpr std::string_view kContentTimeoutOption = "write-timeout";
// Of type size: the bytes that such a value must have a second, beside that time.
inline constexpr std::string_view kContentRateOption = "write-rate";

// Of type text, read by the server where a type declares them: the SQL database in which a table is mirrored (Exported),
// and the schema there.
inline constexpr std::string_view kConnectOption = "connect";
inline constexpr std::string_view kCatalogOption = "catalog";

// An option's value in one table: the table's own, or the type's default.
struct OptionValue {
  std::string name;
  std::string text;         // as written
  std::int64_t integer{0};  // integer, duration in ms, size in bytes, boolean 0/1, choice: index into choices
  bool given{false};
};

// One parameter of an alias: a table takes it under another name.
struct AliasParameter {
  enum class Use : std::uint8_t {
    take,    // becomes a parameter or a column of the command
    echo,    // returned unchanged in the answer
    ignore,  // accepted without effect
  };

  std::string name;              // in the alias's message
  std::string is;                // the name in the command; for `take` only
  std::int64_t units_per_ms{1};  // of a date: 1000 for microseconds
  std::int64_t ms_per_unit{1};   // 1000 for seconds
  Use use{Use::take};

  bool operator==(AliasParameter const&) const = default;
};

// A message of another system that stands for a command of this table. Its senders exist and cannot be changed.
struct AliasDeclaration {
  std::string command;  // theirs: LISTDATA
  std::string means;    // ours, of the kind add: INSERT
  std::string answer;   // once durable: GOTLISTDATA; `refusal` otherwise: LISTDATAFAILED
  std::string refusal;
  // A message that can never be accepted gets the positive answer all the same, and its line is kept in a file: a
  // sender that waits for that answer goes on.
  bool keep_refused{false};
  std::vector<AliasParameter> parameters;

  bool operator==(AliasDeclaration const&) const = default;
};

// The destination of a table's durable records: one datagram for any number of followers.
struct FeedDeclaration {
  std::string address;    // "239.1.2.3:4051": one receiver, a multicast group or a broadcast address
  std::string interface;  // IPv4 address of the network card to send from; empty: the system chooses
  std::uint8_t ttl{1};    // of a multicast: 1 + the routers it may pass; 0: this computer only
  std::int64_t heartbeat_ms{1000};
  std::uint64_t keep_bytes{4U << 20U};  // of the last records, for followers that missed some

  bool operator==(FeedDeclaration const&) const = default;
};

// The message to a service of another system when a domain has work without a taker: its backends wait for that
// message.
struct WakeMessage {
  struct Parameter {
    std::string name;
    std::string value;  // wake_place() stands for the topic's name

    bool operator==(Parameter const&) const = default;
  };

  std::string service;
  std::string command;
  std::vector<Parameter> parameters;  // at most 16

  bool operator==(WakeMessage const&) const = default;
};

// The placeholder of the topic's name in a wake message's value: {domain} for a journal.
[[nodiscard]] inline std::string wake_place(std::string_view topic) { return "{" + std::string{topic} + "}"; }

// Rows at the dates of a calendar, as the table's file has them: the parameters of the type's command SCHEDULE, columns
// among them, as text.
struct ScheduleDeclaration {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parameters;

  bool operator==(ScheduleDeclaration const&) const = default;
};

// In place of a log's name, for tables that are not persistent. No log can have this name.
inline constexpr char kVolatileLog[] = "(none)";

// NAME.xml
struct TableDeclaration {
  std::string name;  // [a-z][a-z0-9_]*, at most 64 bytes
  std::string type;
  std::string description;
  std::string log{"shared"};  // the log of its records
  bool persistent{true};      // false: not in any log, and empty after a restart; `log` is kVolatileLog
  Schema schema;
  std::vector<OptionValue> options;       // every option of the type, in the type's order
  std::vector<AliasDeclaration> aliases;  // at most 16; the same command in no other table
  std::optional<FeedDeclaration> feed;
  std::optional<WakeMessage> wake_message;
  std::vector<ScheduleDeclaration> schedules;  // names are unique
  // The source of each element, for messages: the file, and the line of each element: "rate", "column uri", "alias
  // LISTDATA", "table" itself.
  std::string file;
  std::map<std::string, int, std::less<>> lines;

  // "FILE:LINE" of an element, or of <table> if there is no such element.
  [[nodiscard]] std::string at(std::string_view element) const {
    auto found = lines.find(element);
    if (found == lines.end()) found = lines.find("table");
    return found == lines.end() ? file : file + ":" + std::to_string(found->second);
  }

  // The declaration cannot be taken: what is wrong with this element.
  [[nodiscard]] Status refuse(std::string_view element, std::string const& why) const {
    return {Code::bad_configuration, at(element) + ": " + why};
  }

  // For an option that the type declares.
  [[nodiscard]] OptionValue const& option(std::string_view name_wanted) const {
    for (OptionValue const& value : options)
      if (value.name == name_wanted) return value;
    static OptionValue const absent{};
    return absent;
  }
};

}  // namespace fastjournal
