// redis-server with appendfsync always, and a common form of a queue in Lua: rows in a hash, one sorted set of ready
// rows (by priority, then arrival), one of dates, one of leases. Each script is one command: atomic, and synced before
// its answer.
#include <csignal>
#include <cstring>
#include <deque>

#include "tests/bench/peer.h"
#include "tests/bench/peers/program.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::bench {
namespace {

// KEYS: data ready dates leases. ARGV: key payload priority due now sequence.
constexpr std::string_view kInsert = R"(
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if tonumber(ARGV[4]) > 0 then redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
else redis.call('ZADD', KEYS[2], ARGV[3] * 1e12 + ARGV[5], ARGV[1]) end
return 1)";
// Moves rows whose date has come to the ready ones and leases the first; or returns the next date.
constexpr std::string_view kTake = R"(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local due = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, 100)
for _, key in ipairs(due) do
  redis.call('ZREM', KEYS[3], key)
  redis.call('ZADD', KEYS[2], 100e12, key)
end
local first = redis.call('ZPOPMIN', KEYS[2])
if #first == 0 then
  local next = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  return {next[2] or '0'}
end
redis.call('ZADD', KEYS[4], now + 3600000, first[1])
return {first[1], redis.call('HGET', KEYS[1], first[1])})";
constexpr std::string_view kDone = R"(
redis.call('ZREM', KEYS[4], ARGV[1])
return redis.call('HDEL', KEYS[1], ARGV[1]))";
constexpr std::string_view kKeys = "$1\r\n4\r\n$1\r\nd\r\n$1\r\nr\r\n$1\r\nt\r\n$1\r\nl\r\n";

void bulk(std::string& out, std::string_view text) {
  out += '$';
  append_number(out, text.size());
  out += "\r\n";
  out += text;
  out += "\r\n";
}

class RedisProtocol final : public Protocol {
 public:
  bool hello(std::string& out) override {
    for (std::string_view const script : {kInsert, kTake, kDone}) {
      out += "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n";
      bulk(out, script);
    }
    return true;
  }
  void insert(Row const& row, std::string& out) override {
    begin(out, 0, 5);
    bulk_number(out, row.key);
    text_.clear();
    append_number(text_, row.number);
    text_ += ':';
    text_ += row.data;
    bulk(out, text_);
    bulk_number(out, row.priority);
    bulk_number(out, static_cast<std::uint64_t>(row.due_ms));
    bulk_number(out, row.number);
  }
  void take(bool, std::string& out) override { begin(out, 1, 0); }
  void done(Lease const& lease, bool, std::string& out) override {
    begin(out, 2, 1);
    bulk_number(out, lease.row);
  }
  std::size_t read(std::string_view in, Event& event) override {
    std::string_view first;
    std::string_view second;
    std::size_t const size = reply(in, first, second);
    if (size == 0) return 0;
    if (in[0] == '-') {
      event.kind = Event::Kind::refused;
      event.text = in.substr(0, size);
      if (!asked_.empty()) asked_.pop_front();
    } else if (scripts_ < 3) {
      sha_[scripts_++] = first;
      if (scripts_ == 3) event.kind = Event::Kind::ready;
    } else {
      answer(in[0] == '*' && in[1] == '2', first, second, event);
      asked_.pop_front();
    }
    return size;
  }

 private:
  void begin(std::string& out, unsigned script, unsigned arguments) {
    asked_.push_back(script);
    out += '*';
    append_number(out, 7 + arguments);
    out += "\r\n$7\r\nEVALSHA\r\n";
    bulk(out, sha_[script]);
    out += kKeys;
  }
  void bulk_number(std::string& out, std::uint64_t value) {
    number_.clear();
    append_number(number_, value);
    bulk(out, number_);
  }
  void answer(bool leased, std::string_view first, std::string_view second, Event& event) {
    if (asked_.front() == 0) {
      event.kind = Event::Kind::inserted;
    } else if (asked_.front() == 2) {
      event.kind = Event::Kind::done;
    } else if (leased) {
      event.kind = Event::Kind::leased;
      event.lease = {leading_number(second), leading_number(first), 0};
    } else {
      event.kind = Event::Kind::nothing;
      event.next_ms = static_cast<std::int64_t>(leading_number(first));
    }
  }

  // Reads a line without its CR LF; returns the number of bytes with it, 0 if the line is not complete.
  static std::size_t line(std::string_view in, std::string_view& text) {
    std::size_t const end = in.find("\r\n");
    if (end == std::string_view::npos) return 0;
    text = in.substr(0, end);
    return end + 2;
  }
  static std::size_t bulk_in(std::string_view in, std::string_view& text) {
    std::string_view head;
    std::size_t const at = line(in, head);
    if (at == 0) return 0;
    std::size_t const size = leading_number(head.substr(1));
    if (in.size() < at + size + 2) return 0;
    text = in.substr(at, size);
    return at + size + 2;
  }
  // Reads one reply: a line, a string, or an array of one or two strings; returns the number of bytes, 0 if incomplete.
  static std::size_t reply(std::string_view in, std::string_view& first, std::string_view& second) {
    if (in.empty()) return 0;
    if (in[0] == '$') return bulk_in(in, first);
    std::size_t at = line(in, first);
    if (at == 0 || in[0] != '*') return at;
    std::uint64_t const count = leading_number(first.substr(1));
    for (std::uint64_t i = 0; i < count; ++i) {
      std::size_t const size = bulk_in(in.substr(at), i == 0 ? first : second);
      if (size == 0) return 0;
      at += size;
    }
    return at;
  }

  std::string sha_[3];
  unsigned scripts_{0};
  std::deque<unsigned> asked_;
  std::string text_;
  std::string number_;
};

class Redis final : public Peer {
 public:
  Redis() : program_(find_program("redis-server", "redis-server")), port_(free_port()) {
    std::filesystem::create_directories(folder());
  }

  [[nodiscard]] std::string name() const override { return "redis always"; }
  [[nodiscard]] std::string durability() const override { return "synced once a turn (appendfsync always)"; }
  [[nodiscard]] bool synced() const override { return true; }
  void start() override {
    child_ = std::make_unique<test::ChildProcess>(std::vector<std::string>{
        program_, "--port", std::to_string(port_), "--bind", "127.0.0.1", "--dir", folder().string(), "--appendonly",
        "yes", "--appendfsync", "always", "--save", "", "--loglevel", "warning"});
    wait_until_listening(address(), *child_);
    wait_until_loaded();
  }
  void kill() override { end(SIGKILL); }
  void stop() override { end(SIGTERM); }
  [[nodiscard]] std::string address() const override { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::unique_ptr<Protocol> protocol() const override { return std::make_unique<RedisProtocol>(); }
  [[nodiscard]] std::vector<pid_t> processes() const override { return {child_->pid()}; }
  [[nodiscard]] std::filesystem::path folder() const override { return folder_.path() / "data"; }

 private:
  // It listens before it has loaded its file, and refuses commands meanwhile.
  void wait_until_loaded() {
    for (int tries = 0; tries < 100'000; ++tries) {
      test::LineClient client{address()};
      static_cast<void>(client.send("PING\r\n"));
      auto const answer = client.read_line();
      if (answer && answer->starts_with("+PONG")) return;
    }
  }
  void end(int signal) {
    if (child_ == nullptr) return;
    child_->kill(signal);
    static_cast<void>(child_->wait());
    child_.reset();
  }

  std::string program_;
  int port_;
  test::TemporaryFolder folder_;
  std::unique_ptr<test::ChildProcess> child_;
};

}  // namespace

std::unique_ptr<Peer> make_redis() { return std::make_unique<Redis>(); }

}  // namespace fastjournal::bench
