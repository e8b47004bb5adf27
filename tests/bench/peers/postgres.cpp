// PostgreSQL with a jobs table and SKIP LOCKED. The adapter uses the server's own protocol with prepared statements.
// Operations that are sent together end in one Sync, so they share one commit, and none counts before that commit. With
// COPY, rows that are sent together are one COPY, the fastest way to insert.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "tests/bench/peer.h"
#include "tests/bench/peers/program.h"

namespace fastjournal::bench {
namespace {

constexpr std::string_view kTables =
    "create table jobs (id bigserial primary key, key bigint unique, priority int not null, due bigint not null, "
    "lease_end bigint, payload text not null);"
    "create index waiting on jobs (priority, due, id) where lease_end is null;"
    "create index dates on jobs (due) where lease_end is null;";
constexpr std::string_view kNow = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

std::string take_statement() {
  std::string const now{kNow};
  return "with taken as (update jobs set lease_end = " + now +
         " + 3600000 where id = (select id from jobs where lease_end is null and due <= " + now +
         " order by priority, due, id limit 1 for update skip locked) returning id, payload) "
         "select id::text, payload from taken union all select null, (select min(due)::text from jobs where lease_end "
         "is null) "
         "where not exists (select from taken)";
}

// A message of the client: a type, a length, and contents.
class Packet {
 public:
  Packet(std::string& out, char type) : out_(out) {
    if (type != 0) out_ += type;
    at_ = out_.size();
    out_.append(4, '\0');
  }
  ~Packet() {
    std::size_t const size = out_.size() - at_;
    for (unsigned i = 0; i < 4; ++i) out_[at_ + i] = static_cast<char>(size >> (24U - 8U * i));
  }
  Packet(Packet const&) = delete;
  Packet& operator=(Packet const&) = delete;

  Packet& text(std::string_view value) {
    out_ += value;
    out_ += '\0';
    return *this;
  }
  Packet& raw(std::string_view value) {
    out_ += value;
    return *this;
  }
  Packet& int16(unsigned value) {
    out_ += static_cast<char>(value >> 8U);
    out_ += static_cast<char>(value);
    return *this;
  }
  Packet& int32(std::size_t value) {
    for (unsigned i = 0; i < 4; ++i) out_ += static_cast<char>(value >> (24U - 8U * i));
    return *this;
  }
  Packet& counted(std::string_view value) {
    int32(value.size());
    out_ += value;
    return *this;
  }

 private:
  std::string& out_;
  std::size_t at_;
};

class PostgresProtocol final : public Protocol {
 public:
  explicit PostgresProtocol(bool copies) : copies_(copies) {}

  bool hello(std::string& out) override {
    Packet{out, 0}.int32(196608).text("user").text("bench").text("database").text("postgres").text("");
    prepare(out, "i", "insert into jobs (key, payload, priority, due) values ($1::bigint, $2, $3::int, $4::bigint)");
    prepare(out, "m",
            "insert into jobs (key, payload, priority, due) values ($1::bigint, $2, $3::int, $4::bigint) on conflict "
            "(key) do "
            "update set payload = excluded.payload, priority = least(jobs.priority, excluded.priority), due = "
            "greatest(jobs.due, excluded.due)");
    prepare(out, "t", take_statement());
    prepare(out, "d", "delete from jobs where id = $1::bigint");
    Packet{out, 'S'};
    return true;
  }
  void insert(Row const& row, std::string& out) override {
    std::string const key = std::to_string(row.key);
    std::string const priority = std::to_string(row.priority);
    std::string const due = std::to_string(row.due_ms);
    payload_ = std::to_string(row.number);
    payload_ += ':';
    payload_ += row.data;
    if (copies_ && !row.merge) {
      // Only letters, digits and a colon, so that COPY needs no escapes.
      rows_ += key + '\t' + payload_ + '\t' + priority + '\t' + due + '\n';
      return;
    }
    execute(out, row.merge ? "m" : "i", {key, payload_, priority, due});
    asked_.push_back('i');
  }
  void take(bool, std::string& out) override {
    execute(out, "t", {});
    asked_.push_back('t');
  }
  void done(Lease const& lease, bool, std::string& out) override {
    std::string const id = std::to_string(lease.row);
    execute(out, "d", {id});
    asked_.push_back('d');
  }
  void flush(std::string& out) override {
    if (!rows_.empty()) {
      Packet{out, 'Q'}.text("copy jobs (key, payload, priority, due) from stdin");
      Packet{out, 'd'}.raw(rows_);
      Packet{out, 'c'};
      rows_.clear();
      asked_.push_back('c');
    }
    if (copies_ && (asked_.empty() || asked_.back() == 'c')) return;
    Packet{out, 'S'};
  }

  std::size_t read(std::string_view in, Event& event) override {
    if (committed_ > 0) {
      --committed_;
      event = std::move(events_.front());
      events_.pop_front();
      return 0;
    }
    if (in.size() < 5) return 0;
    std::size_t size = 1;
    for (std::size_t i = 1; i <= 4; ++i)
      size += static_cast<std::size_t>(static_cast<std::uint8_t>(in[i])) << (32 - 8 * i);
    if (in.size() < size) return 0;
    message(in[0], in.substr(5, size - 5), event);
    return size;
  }

 private:
  static void prepare(std::string& out, std::string_view name, std::string_view statement) {
    Packet{out, 'P'}.text(name).text(statement).int16(0);
  }
  static void execute(std::string& out, std::string_view statement, std::initializer_list<std::string_view> values) {
    {
      Packet bind{out, 'B'};
      bind.text("").text(statement).int16(0).int16(static_cast<unsigned>(values.size()));
      for (std::string_view const value : values) bind.counted(value);
      bind.int16(0);
    }
    Packet{out, 'E'}.text("").int32(0);
  }

  void message(char type, std::string_view body, Event& event) {
    if (type == 'E') {
      event.kind = Event::Kind::refused;
      event.text = body;
    } else if (type == 'D') {
      row(body);
    } else if (type == 'C' && !asked_.empty()) {
      char const what = asked_.front();
      asked_.pop_front();
      // "COPY 64": the number of rows.
      if (what == 'c')
        events_.push_back(
            {.kind = Event::Kind::inserted,
             .count = static_cast<std::uint32_t>(leading_number(body.substr(std::min<std::size_t>(5, body.size()))))});
      else if (what != 't')
        events_.push_back({.kind = what == 'i' ? Event::Kind::inserted : Event::Kind::done});
    } else if (type == 'Z') {
      committed_ = events_.size();
      if (!hello_over_) event.kind = Event::Kind::ready;
      hello_over_ = true;
    }
  }
  // Two columns: id and payload, or null and the next date.
  void row(std::string_view body) {
    std::string_view at = body.substr(2);
    std::string_view const id = column(at);
    std::string_view const payload = column(at);
    Event event;
    if (id.data() == nullptr) {
      event.kind = Event::Kind::nothing;
      event.next_ms = static_cast<std::int64_t>(leading_number(payload));
    } else {
      event.kind = Event::Kind::leased;
      event.lease = {leading_number(payload), leading_number(id), 0};
    }
    events_.push_back(event);
  }
  static std::string_view column(std::string_view& at) {
    std::uint32_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8U | static_cast<std::uint8_t>(at[i]);
    at.remove_prefix(4);
    if (size == UINT32_MAX) return {};
    std::string_view const value = at.substr(0, size);
    at.remove_prefix(size);
    return value;
  }

  bool copies_;
  std::string rows_;  // for the next COPY
  bool hello_over_{false};
  std::deque<char> asked_;
  std::deque<Event> events_;
  std::size_t committed_{0};  // number of events_ whose transaction is committed
  std::string payload_;
};

class Postgres final : public Peer {
 public:
  explicit Postgres(bool copies)
      : copies_(copies),
        port_(free_port()),
        server_("bench", {"listen_addresses=127.0.0.1", "port=" + std::to_string(port_),
                          "unix_socket_directories=", "max_connections=200"}) {}

  [[nodiscard]] std::string name() const override { return copies_ ? "postgresql COPY" : "postgresql"; }
  [[nodiscard]] std::string durability() const override {
    return copies_ ? "synced (synchronous_commit on; what is sent together is one COPY)"
                   : "synced (synchronous_commit on; what is in flight together shares a commit)";
  }
  [[nodiscard]] bool synced() const override { return true; }
  [[nodiscard]] bool batches_only() const override { return copies_; }
  void start() override {
    server_.start();
    if (std::exchange(made_, true)) return;
    test::ChildProcess psql{{server_.program("psql"), "-q", "-h", "127.0.0.1", "-p", std::to_string(port_), "-U",
                             "bench", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c", std::string{kTables}}};
    if (psql.wait(std::chrono::seconds{60}) != 0) throw std::runtime_error("psql failed: " + psql.output());
  }
  void kill() override {
    server_.end(SIGQUIT);
  }  // to the postmaster: all its processes end at once, without a checkpoint
  void stop() override { server_.end(SIGINT); }
  [[nodiscard]] std::string address() const override { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::unique_ptr<Protocol> protocol() const override {
    return std::make_unique<PostgresProtocol>(copies_);
  }
  [[nodiscard]] std::vector<pid_t> processes() const override {
    std::string const pid = std::to_string(server_.child().pid());
    std::vector<pid_t> all{server_.child().pid()};
    std::ifstream in{"/proc/" + pid + "/task/" + pid + "/children"};
    for (pid_t child = 0; in >> child;) all.push_back(child);
    return all;
  }
  [[nodiscard]] std::filesystem::path folder() const override { return server_.folder(); }

 private:
  bool copies_;
  int port_;
  test::PostgresqlServer server_;
  bool made_{false};
};

}  // namespace

std::unique_ptr<Peer> make_postgres(bool copies) { return std::make_unique<Postgres>(copies); }

}  // namespace fastjournal::bench
