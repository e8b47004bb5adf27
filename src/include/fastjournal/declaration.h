// What XML declares, as values: a table (columns, key, options) and a table
// type (commands, options). The readers of src/config/ make them and have
// checked everything that these comments promise; plugins and the engine only
// read them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/rights.h"

namespace fastjournal {

// Each has several accepted spellings in XML, those of other systems' declarations included
// (`int32`, `int32_t`; `time_ms`, `time_ms_t`, `time_milliseconds`; `buffer`,
// `binary`; `float`, `float32`; `double`, `float64`). Integers above 64 bits are refused.
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

// How a merge treats a column that is no part of the key (doc/merge.md).
enum class MergeRule : std::uint8_t { replace, keep, min, max, sum, append };

struct Column {
  std::string name;  // [a-z][a-z0-9_]*, at most 64 bytes, no parameter name of the type's commands
  ColumnType type{ColumnType::string};
  bool required{false};
  MergeRule merge{MergeRule::replace};
  std::optional<std::string> default_text;  // as written; fits the type and the limits
  // Limits, as written in XML and checked against the type; integers and dates by value ...
  std::optional<std::int64_t> value_min;
  std::optional<std::uint64_t> value_max;
  std::optional<double> real_min;  // ... floats by these,
  std::optional<double> real_max;
  std::uint64_t length_min{0};                  // strings and buffers by bytes.
  std::uint64_t length_max{16U * 1024 * 1024};  // 16 MiB: the most a row may carry
  std::string description;

  bool operator==(Column const&) const = default;
};

// Rows name the schema version they were written with and keep it.
struct Schema {
  std::uint16_t version{1};
  std::vector<Column> columns;     // in the order of the XML; at most 200, none where the type has no columns
  std::vector<std::uint16_t> key;  // indexes of the key columns, in the order of row-key; at most 8, none: no key

  bool operator==(Schema const&) const = default;
};

// What an option of a table type takes. Durations are written `1500`, `1500ms`, `10s`, `5m`,
// `1h`, `2d` and arrive as milliseconds; sizes `4096`, `512KiB`, `16MiB`, `1GiB` as bytes.
enum class OptionType : std::uint8_t { integer, duration, size, boolean, choice, text };

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

struct ParameterDeclaration {
  std::string name;
  std::string type;  // for HELP, completion and the definition files: string, integer, date, duration, columns
  bool required{false};
  std::string description;
};

// What the engine must know about a command before it is decided.
enum class CommandKind : std::uint8_t {
  read,    // appends no record
  add,     // refused (no_space) while disk or memory is short
  change,  // leases, touches: small records that die soon
  remove,  // must work also while disk and memory are short
};

// Whether a client may send it again when the connection was lost before its answer came.
enum class Resend : std::uint8_t {
  never,     // whether it was carried out is not known
  always,    // twice does no harm
  numbered,  // when it carries the parameters client and sequence
};

struct CommandDeclaration {
  std::string name;  // upper case
  CommandKind kind{CommandKind::read};
  Right right{Right::read};  // which its sender must have
  std::vector<ParameterDeclaration> parameters;
  bool takes_columns{false};  // column names are parameters too
  Resend resend{Resend::never};
  // Not empty: LISTEN mode deliver runs it for its listener, at most one command of a type. The name of the parameter
  // that says how many at most; it takes the type's topic parameter too, and says in Decision::take whether it found
  // something.
  std::string deliver_count;
  std::string answers;  // names of the answers, for HELP: "INSERTED"
  std::string description;
};

// A message that commands are answered with, or that listeners get.
struct AnswerDeclaration {
  std::string name;  // upper case
  std::vector<ParameterDeclaration> parameters;
  bool has_columns{false};  // columns of the table are parameters too
  bool is_counted{false};   // one of several as a rule: each says how many follow (`left`)
  std::string description;
};

// TYPE.xml
struct TypeDeclaration {
  std::string name;  // [a-z][a-z0-9]*
  std::string description;
  // Whether its tables have columns, and a key.
  enum class Key : std::uint8_t { required, optional, none };
  bool has_columns{true};
  Key key{Key::required};
  // The parameter of LISTEN, of its notices and of the command that delivers that names a topic (Topics); empty: the
  // type has none. An option of this name, where there is one, says whether a table has topics.
  std::string topic;
  // What declarations of other systems (<context>, <keyspace>) call it in model="..."; empty: nothing.
  std::string foreign_model;
  std::string empty_answer;  // of a command that has nothing to say: one of `answers`; empty: commands always answer
  std::vector<CommandDeclaration> commands;
  std::vector<AnswerDeclaration> answers;  // those that commands name, and others
  std::vector<OptionDeclaration> options;
};

// An option that the engine reads where a type declares it, of type duration: how long a listener that was woken may
// take until the next one is.
inline constexpr std::string_view kWakeTimeoutOption = "wake-timeout";

// An option's value in one table: given, or the type's default.
struct OptionValue {
  std::string name;
  std::string text;         // as written
  std::int64_t integer{0};  // integer, duration in ms, size in bytes, boolean 0/1, choice: index into choices
  bool given{false};
};

// One parameter of a message that a table takes under another name.
struct AliasParameter {
  enum class Use : std::uint8_t {
    take,    // becomes a parameter or a column of the command
    echo,    // comes back in the answer as it was
    ignore,  // may be there, and means nothing here
  };

  std::string name;              // in the message
  std::string is;                // what it becomes; for `take` only
  std::int64_t units_per_ms{1};  // of a date: 1000 in microseconds
  std::int64_t ms_per_unit{1};   // 1000 in seconds
  Use use{Use::take};

  bool operator==(AliasParameter const&) const = default;
};

// A message of another system that is a command of this table: its senders run today and cannot be changed.
struct AliasDeclaration {
  std::string command;  // theirs: LISTDATA
  std::string means;    // ours, of the kind add: INSERT
  std::string answer;   // when it is durable: GOTLISTDATA; and when it was refused: LISTDATAFAILED
  std::string refusal;
  // What can never be taken is answered as if it were, its line kept in a file: a sender that waits for a yes goes on.
  bool keep_refused{false};
  std::vector<AliasParameter> parameters;

  bool operator==(AliasDeclaration const&) const = default;
};

// Where a table's records go once they are durable: one datagram for any number of followers.
struct FeedDeclaration {
  std::string address;    // "239.1.2.3:4051": of one receiver, a multicast group or a broadcast
  std::string interface;  // IPv4 address of the network card to send from; empty: the system chooses
  std::uint8_t ttl{1};    // how many routers a multicast may pass, and one more; 0: this computer only
  std::int64_t heartbeat_ms{1000};
  std::uint64_t keep_bytes{4U << 20U};  // of the last records, for those who missed some

  bool operator==(FeedDeclaration const&) const = default;
};

// What leaves to a service of another system when a domain has work that nobody takes: its backends wait for that.
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

// What a wake message's value has in place of the topic's name: {domain} for a journal.
[[nodiscard]] inline std::string wake_place(std::string_view topic) { return "{" + std::string{topic} + "}"; }

// In place of a log's name: of tables that are not persistent. No log can be named so.
inline constexpr char kVolatileLog[] = "(none)";

// NAME.xml
struct TableDeclaration {
  std::string name;  // [a-z][a-z0-9_]*, at most 64 bytes
  std::string type;
  std::string description;
  std::string log{"shared"};  // name of the log its records go to
  bool persistent{true};      // false: no log has them, and a restart finds the table empty; `log` is kVolatileLog
  Schema schema;
  std::vector<OptionValue> options;       // every option of the type, in the type's order
  std::vector<AliasDeclaration> aliases;  // at most 16; no two tables have one of the same command
  std::optional<FeedDeclaration> feed;
  std::optional<WakeMessage> wake_message;
  // Where it was read, for messages: the file, and the line of each element in it: "rate", "column uri",
  // "alias LISTDATA", "table" itself.
  std::string file;
  std::map<std::string, int, std::less<>> lines;

  // "FILE:LINE" of an element; of <table>, if there is none such.
  [[nodiscard]] std::string at(std::string_view element) const {
    auto found = lines.find(element);
    if (found == lines.end()) found = lines.find("table");
    return found == lines.end() ? file : file + ":" + std::to_string(found->second);
  }

  // The option must be one that the type declares.
  [[nodiscard]] OptionValue const& option(std::string_view name_wanted) const {
    for (OptionValue const& value : options)
      if (value.name == name_wanted) return value;
    static OptionValue const absent{};
    return absent;
  }
};

}  // namespace fastjournal
