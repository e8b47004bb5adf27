// fastjournal itself, by text, msgpack or HTTP, over TCP, TLS or a unix socket.
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "tests/bench/peer.h"
#include "tests/bench/peers/door.h"
#include "tests/integration/daemon.h"
#include "tests/support/certificates.h"

namespace fastjournal::bench {
namespace {

// The number after `name` in a line; `name` begins with the character before it.
std::uint64_t field(std::string_view line, std::string_view name) {
  void const* const at = ::memmem(line.data(), line.size(), name.data(), name.size());
  if (at == nullptr) return 0;
  return leading_number(
      line.substr(static_cast<std::size_t>(static_cast<char const*>(at) - line.data()) + name.size()));
}

class TextProtocol final : public Protocol {
 public:
  explicit TextProtocol(bool wake) : wake_(wake) {}
  bool hello(std::string&) override { return false; }
  void insert(Row const& row, std::string& out) override {
    out += "INSERT table=jobs;name=k";
    append_number(out, row.key);
    out += ";payload=";
    append_number(out, row.number);
    out += ':';
    out += row.data;
    if (row.due_ms != 0) {
      out += ";process_date=";
      append_number(out, static_cast<std::uint64_t>(row.due_ms));
    }
    out += '\n';
  }
  void take(bool, std::string& out) override { out += "NEXT table=jobs\n"; }
  void done(Lease const& lease, bool take_next, std::string& out) override {
    out += "DONE table=jobs;row=";
    append_number(out, lease.row);
    out += ";epoch=";
    append_number(out, lease.epoch);
    out += take_next ? ";next=1\n" : "\n";
  }
  [[nodiscard]] bool can_chain() const override { return true; }
  bool subscribe(std::uint32_t credit, std::string& out) override {
    out += wake_ ? "LISTEN table=jobs" : "LISTEN table=jobs;mode=deliver;credit=";
    if (!wake_) append_number(out, credit);
    out += '\n';
    return true;
  }
  [[nodiscard]] bool wakes() const override { return true; }
  std::size_t read(std::string_view in, Event& event) override {
    void const* const found = in.empty() ? nullptr : std::memchr(in.data(), '\n', in.size());
    if (found == nullptr) return 0;
    auto const end = static_cast<std::size_t>(static_cast<char const*>(found) - in.data());
    std::string_view const line = in.substr(0, end);
    if (line.starts_with("INSERTED ")) {
      event.kind = Event::Kind::inserted;
    } else if (line.starts_with("ROW ")) {
      event.kind = Event::Kind::leased;
      event.lease = {field(line, ";payload="), field(line, ";row="), field(line, ";epoch=")};
      event.due_ms = static_cast<std::int64_t>(field(line, ";process_date="));
    } else if (line.starts_with("COMPLETED ")) {
      event.kind = Event::Kind::done;
    } else if (line.starts_with("NOTHING ")) {
      event.kind = Event::Kind::nothing;
      event.next_ms = static_cast<std::int64_t>(field(line, "next_date="));
    } else if (line.starts_with("LISTEN ")) {
      event.kind = Event::Kind::woken;
    } else if (!line.starts_with("LISTENING ")) {
      event.kind = Event::Kind::refused;
      event.text = line;
    }
    return end + 1;
  }

 private:
  bool wake_;
};

// Frames as in doc/protocol.md. Answers are searched for the bytes of a parameter's name with its msgpack length in
// front, which no payload of letters contains.
class BinaryProtocol final : public Protocol {
 public:
  bool hello(std::string&) override { return false; }
  void insert(Row const& row, std::string& out) override {
    std::size_t const frame = begin(out, "INSERT", row.due_ms != 0 ? 4 : 3);
    out += "\xa5table\xa4jobs\xa4name";
    key_.assign(1, 'k');
    append_number(key_, row.key);
    text(out, key_);
    out += "\xa7payload";
    data_.clear();
    append_number(data_, row.number);
    data_ += ':';
    data_ += row.data;
    text(out, data_);
    if (row.due_ms != 0) {
      out += "\xacprocess_date";
      number(out, static_cast<std::uint64_t>(row.due_ms));
    }
    end(out, frame);
  }
  void take(bool, std::string& out) override {
    std::size_t const frame = begin(out, "NEXT", 1);
    out += "\xa5table\xa4jobs";
    end(out, frame);
  }
  void done(Lease const& lease, bool take_next, std::string& out) override {
    std::size_t const frame = begin(out, "DONE", take_next ? 4 : 3);
    out += "\xa5table\xa4jobs\xa3row";
    number(out, lease.row);
    out +=
        "\xa5"
        "epoch";
    number(out, lease.epoch);
    if (take_next) out += "\xa4next\x01";
    end(out, frame);
  }
  [[nodiscard]] bool can_chain() const override { return true; }
  bool subscribe(std::uint32_t credit, std::string& out) override {
    std::size_t const frame = begin(out, "LISTEN", 3);
    out +=
        "\xa5table\xa4jobs\xa4mode\xa7"
        "deliver\xa6"
        "credit";
    number(out, credit);
    end(out, frame);
    return true;
  }
  std::size_t read(std::string_view in, Event& event) override {
    constexpr std::size_t kHead = 8;
    if (in.size() < kHead) return 0;
    std::size_t const size = kHead + big_endian(in.substr(4), 4);
    if (in.size() < size) return 0;
    std::string_view const body = in.substr(kHead, size - kHead);
    std::string_view const command = behind(body,
                                            "\xa7"
                                            "command")
                                         .substr(1);
    if (command.starts_with("INSERTED")) {
      event.kind = Event::Kind::inserted;
    } else if (command.starts_with("ROW")) {
      event.kind = Event::Kind::leased;
      event.lease = {leading_number(text_of(behind(body, "\xa7payload"))), number_of(behind(body, "\xa3row")),
                     number_of(behind(body,
                                      "\xa5"
                                      "epoch"))};
      event.due_ms = static_cast<std::int64_t>(number_of(behind(body, "\xacprocess_date")));
    } else if (command.starts_with("COMPLETED")) {
      event.kind = Event::Kind::done;
    } else if (command.starts_with("NOTHING")) {
      event.kind = Event::Kind::nothing;
      event.next_ms = static_cast<std::int64_t>(number_of(behind(body, "\xa9next_date")));
    } else if (!command.starts_with("LISTENING")) {
      event.kind = Event::Kind::refused;
      event.text = body;
    }
    return size;
  }

 private:
  static std::size_t begin(std::string& out, std::string_view command, std::uint8_t parameters) {
    std::size_t const frame = out.size();
    out.append(
        "FJM\x01\0\0\0\0\x82\xa7"
        "command",
        17);
    text(out, command);
    out += "\xaaparameters";
    out += static_cast<char>(0x80 | parameters);
    return frame;
  }
  static void end(std::string& out, std::size_t frame) {
    std::size_t const size = out.size() - frame - 8;
    for (unsigned i = 0; i < 4; ++i) out[frame + 4 + i] = static_cast<char>(size >> (24U - 8U * i));
  }
  static void text(std::string& out, std::string_view value) {
    if (value.size() < 32) {
      out += static_cast<char>(0xa0 | value.size());
    } else if (value.size() < 256) {
      out += '\xd9';
      out += static_cast<char>(value.size());
    } else {
      out += '\xda';
      out += static_cast<char>(value.size() >> 8U);
      out += static_cast<char>(value.size());
    }
    out += value;
  }
  static void number(std::string& out, std::uint64_t value) {
    out += '\xcf';
    for (unsigned i = 0; i < 8; ++i) out += static_cast<char>(value >> (56U - 8U * i));
  }
  static std::uint64_t big_endian(std::string_view in, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes && i < in.size(); ++i) value = value << 8U | static_cast<std::uint8_t>(in[i]);
    return value;
  }
  static std::string_view behind(std::string_view body, std::string_view key) {
    void const* const at = ::memmem(body.data(), body.size(), key.data(), key.size());
    if (at == nullptr) return std::string_view{"\0", 1};
    return body.substr(static_cast<std::size_t>(static_cast<char const*>(at) - body.data()) + key.size());
  }
  static std::uint64_t number_of(std::string_view in) {
    auto const head = static_cast<std::uint8_t>(in[0]);
    if (head < 0x80) return head;
    if (head < 0xcc || head > 0xd3) return 0;
    return big_endian(in.substr(1), std::size_t{1} << ((head - 0xcc) & 3U));
  }
  static std::string_view text_of(std::string_view in) {
    auto const head = static_cast<std::uint8_t>(in[0]);
    if (head >= 0xa0 && head < 0xc0) return in.substr(1, head & 0x1FU);
    if (head == 0xd9) return in.substr(2, big_endian(in.substr(1), 1));
    return in.substr(3, big_endian(in.substr(1), 2));
  }

  std::string key_;
  std::string data_;
};

// Inserts only.
class HttpProtocol final : public Protocol {
 public:
  bool hello(std::string&) override { return false; }
  void insert(Row const& row, std::string& out) override {
    body_ = R"({"table":"jobs","name":"k)";
    append_number(body_, row.key);
    body_ += R"(","payload":")";
    append_number(body_, row.number);
    body_ += ':';
    body_ += row.data;
    body_ += "\"}";
    out += "POST /v1/INSERT HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ";
    append_number(out, body_.size());
    out += "\r\n\r\n";
    out += body_;
  }
  void take(bool, std::string&) override {}
  void done(Lease const&, bool, std::string&) override {}
  std::size_t read(std::string_view in, Event& event) override {
    constexpr std::string_view kLength = "Content-Length: ";
    std::size_t const head = in.find("\r\n\r\n");
    if (head == std::string_view::npos) return 0;
    std::size_t const length = in.substr(0, head).find(kLength);
    std::size_t const size = head + 4 + leading_number(in.substr(length + kLength.size()));
    if (length == std::string_view::npos || in.size() < size) return 0;
    std::string_view const body = in.substr(head + 4, size - head - 4);
    bool const is_good = body.starts_with(R"({"command":"INSERTED")");
    event.kind = is_good ? Event::Kind::inserted : Event::Kind::refused;
    event.text = body;
    return size;
  }

 private:
  std::string body_;
};

class Fastjournal final : public Peer {
 public:
  explicit Fastjournal(OwnOptions options) : options_(std::move(options)), daemon_(options_.table) {
    if (!options_.has_key) daemon_.write_table("jobs", options_.table, false);
    for (std::uint32_t i = 1; i < options_.tables; ++i) daemon_.write_table("jobs" + std::to_string(i), options_.table);
  }
  ~Fastjournal() override {
    if (running_) daemon_.kill(SIGKILL);
  }
  Fastjournal(Fastjournal const&) = delete;
  Fastjournal& operator=(Fastjournal const&) = delete;

  [[nodiscard]] std::string name() const override {
    return std::string{"fastjournal"} + (options_.local ? " unix" : "") + (options_.binary ? " msgpack" : "") +
           (options_.wake ? " wake" : "") + (options_.has_key ? "" : " keyless");
  }
  [[nodiscard]] std::string durability() const override {
    return "synced before acknowledged; leases written, not synced";
  }
  [[nodiscard]] bool synced() const override { return true; }
  [[nodiscard]] bool merges() const override { return options_.has_key; }
  void start() override {
    if (!daemon_.start()) throw std::runtime_error("fastjournald did not start: " + daemon_.output());
    running_ = true;
  }
  void kill() override { end(SIGKILL); }
  void stop() override { end(SIGTERM); }
  [[nodiscard]] std::string address() const override { return options_.local ? daemon_.local() : daemon_.tcp(); }
  [[nodiscard]] std::unique_ptr<Protocol> protocol() const override {
    if (options_.binary) return std::make_unique<BinaryProtocol>();
    return std::make_unique<TextProtocol>(options_.wake);
  }
  [[nodiscard]] std::vector<pid_t> processes() const override {
    return {const_cast<test::RealDaemon&>(daemon_).child().pid()};
  }
  [[nodiscard]] std::filesystem::path folder() const override { return daemon_.folder() / "data"; }

 private:
  void end(int signal) {
    if (!running_) return;
    running_ = false;
    daemon_.kill(signal);
    static_cast<void>(daemon_.wait());
  }

  OwnOptions options_;
  test::RealDaemon daemon_;
  bool running_{false};
};

}  // namespace

std::vector<std::unique_ptr<Peer>> make_doors() {
  auto const house = std::make_shared<House>();
  test::Authority authority;
  test::Certificate const own = authority.issue();
  house->daemon.write("server.pem", own.certificate);
  test::write_private((house->daemon.folder() / "server.key").string(), own.key);
  house->daemon.write(
      "fastjournal.xml",
      "<fastjournal>\n<listen address=\"127.0.0.1:0\"/>\n<listen address=\"127.0.0.1:0\" tls=\"true\"/>\n"
      "<listen address=\"127.0.0.1:0\" protocol=\"http\"/>\n"
      "<listen address=\"127.0.0.1:0\" protocol=\"http\" tls=\"true\"/>\n"
      "<tls certificate=\"server.pem\" key=\"server.key\"/>\n<socket path=\"socket\" rights=\"all\"/>\n"
      "</fastjournal>\n");
  Door::Make const text = [] { return std::make_unique<TextProtocol>(false); };
  Door::Make const http = [] { return std::make_unique<HttpProtocol>(); };
  std::vector<std::unique_ptr<Peer>> out;
  out.push_back(std::make_unique<Door>(house, "fastjournal", 0, text));
  out.push_back(std::make_unique<Door>(house, "fastjournal TLS", 1, text, true));
  out.push_back(std::make_unique<Door>(house, "fastjournal unix", 4, text));
  out.push_back(std::make_unique<Door>(house, "fastjournal HTTP", 2, http));
  out.push_back(std::make_unique<Door>(house, "fastjournal HTTPS", 3, http, true));
  return out;
}

std::unique_ptr<Peer> make_fastjournal(OwnOptions const& options) { return std::make_unique<Fastjournal>(options); }

}  // namespace fastjournal::bench
