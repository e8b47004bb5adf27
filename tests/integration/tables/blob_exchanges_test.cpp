// Exchanges of data files below a real daemon, while writers put blobs in each way: HTTP with and without a length, lines,
// transactions, and packets of version 1, which tell nothing. What was acknowledged reads back in each way of reading, in
// each mode of maintenance, and the streams of readers by name are ended. A table exchanges its file once a minute, so the
// exchanges are those of several tables; FJ_LIVES says how many there are to be. The same in the simulator:
// tests/world/exchange_life.cpp.
#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/base64.h"
#include "base/hash.h"
#include "clients/cpp/blob.h"
#include "tests/integration/shell.h"
#include "tests/support/seed.h"
#include "wire/bcdb/packet.h"
#include "wire/text.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

constexpr std::array<char const*, 3> kExchangeModes{"modern", "online", "offline"};
constexpr std::size_t kTablesMin = 6;
constexpr std::size_t kTablesMax = 30;
constexpr std::size_t kPutsBefore = 20;  // an exchange
constexpr auto kExchangePatience = std::chrono::minutes{4};

bool begins(std::string_view line, std::string_view what) { return line.starts_with(what); }

enum class Said : std::uint8_t { stored, refused, nothing, wrong };

struct ExchangedTable {
  std::string name{};
  std::string mode{};
};

// What may be there, from the one that is sure on; nothing: the key is absent.
using Known = std::vector<std::optional<std::string>>;

// One way of writing, on a thread of its own.
struct Writer {
  std::string way{};
  std::function<Said(Writer&, ExchangedTable const&, std::string const& key, std::string const& bytes)> put{};
  std::unique_ptr<LineClient> client{};
  std::mt19937_64 chance{};
  std::map<std::pair<std::size_t, std::string>, Known> stored{};  // by table and key
  std::size_t puts{0};
  std::size_t refused{0};
  std::string wrong{};

  std::string value() {
    static constexpr std::size_t kSizes[] = {0, 1, 300, 3'000, 65'536, 65'537, 150'000, 150'000};
    std::string out(kSizes[chance() % std::size(kSizes)], '\0');
    for (std::size_t at = 0; at < out.size(); at += 8) {
      std::uint64_t const bits = chance();
      out.replace(at, std::min<std::size_t>(8, out.size() - at), reinterpret_cast<char const*>(&bits),
                  std::min<std::size_t>(8, out.size() - at));
    }
    return out;
  }
};

struct Exchanging {
  Exchanging() : daemon{""} {
    std::size_t const plays = number_from("FJ_LIVES", kTablesMin);
    std::size_t const count = std::clamp(plays, kTablesMin, kTablesMax);
    rounds = (plays + count - 1) / count;
    for (std::size_t i = 0; i < count; ++i) {
      std::string const number = std::to_string(i);
      tables.push_back({.name = "t" + number, .mode = kExchangeModes[i % kExchangeModes.size()]});
      daemon.write("tables/t" + number + ".xml",
                   "<table name=\"t" + number + "\" model=\"blob\">\n<maintenance>" + tables[i].mode +
                       "</maintenance>\n<listeners>\n<socket path=\"../read" + number +
                       "\" protocol=\"blobread\" rights=\"read\"/>\n<socket path=\"../write" + number +
                       "\" protocol=\"blobwrite\" rights=\"add\"/>\n</listeners>\n</table>\n");
    }
    daemon.write("fastjournal.xml",
                 "<fastjournal>\n<listen address=\"127.0.0.1:0\" protocol=\"http\" rights=\"read add\"/>\n"
                 "<socket path=\"socket\" rights=\"all\"/>\n</fastjournal>\n");
    daemon.listens_as_configured = true;
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  }
  ~Exchanging() {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  [[nodiscard]] std::string path(std::string const& name) const { return (daemon.folder() / name).string(); }
  [[nodiscard]] std::string socket() const { return "unix:" + path("socket"); }
  [[nodiscard]] std::string port_of(ExchangedTable const& table, std::string const& kind) const {
    return "unix:" + path(kind + table.name.substr(1));
  }

  // -- writing ------------------------------------------------------------------

  struct HttpAnswer {
    std::string head{};
    std::string body{};
  };
  static HttpAnswer read_http(LineClient& client) {
    HttpAnswer out;
    std::size_t bytes = 0;
    while (std::optional<std::string> const line = client.read_line()) {
      if (*line == "\r") {
        out.body = client.read_bytes(bytes).value_or("(not all of it)");
        return out;
      }
      if (line->starts_with("Content-Length: ")) bytes = std::stoul(line->substr(16));
      out.head += *line + "\n";
    }
    return {.head = out.head + "(no answer)"};
  }
  Said put_by_http(Writer& writer, ExchangedTable const& table, std::string const& key, std::string const& bytes,
                   bool chunked) const {
    if (writer.client == nullptr || writer.client->closed()) writer.client = std::make_unique<LineClient>(daemon.tcp());
    LineClient& client = *writer.client;
    client.send("PUT /v1/blobs/" + table.name + "/" + key + " HTTP/1.1\r\nHost: localhost\r\n" +
                (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + std::to_string(bytes.size())) +
                "\r\n\r\n");
    for (std::size_t at = 0; at < bytes.size(); at += 50'000) {
      std::string const piece = bytes.substr(at, 50'000);
      std::array<char, 20> size{};
      std::snprintf(size.data(), size.size(), "%zx\r\n", piece.size());
      client.send(chunked ? size.data() + piece + "\r\n" : piece);
    }
    if (chunked) client.send("0\r\n\r\n");
    auto const [said, body] = read_http(client);
    if (said.starts_with("HTTP/1.1 20")) return Said::stored;
    // It may end behind a refusal.
    if (said.starts_with("HTTP/1.1 503")) return writer.client.reset(), Said::refused;
    // A refusal of what is still being sent may be lost with the connection.
    if (table.mode == "offline" && client.closed()) return writer.client.reset(), Said::nothing;
    writer.wrong = said + body;
    return Said::wrong;
  }
  static std::string put_line(ExchangedTable const& table, std::string const& key, std::string const& bytes) {
    std::string out = "PUT table=" + table.name + ";key=" + key + ";data=";
    append_base64(bytes, out);
    return out;
  }
  Said by_lines(Writer& writer, std::vector<std::string> const& lines, std::string_view last) const {
    if (writer.client == nullptr) writer.client = std::make_unique<LineClient>(socket());
    std::string all;
    for (std::string const& line : lines) all += line + "\n";
    writer.client->send(all);
    Said out = Said::stored;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string const said = writer.client->read_line().value_or("(no answer)");
      bool const is_refusal =
          said.find("code=unavailable") != std::string::npos || said.find("code=rolled_back") != std::string::npos;
      if (begins(said, "ERROR") && is_refusal) out = Said::refused;
      bool const is_good = i + 1 < lines.size() || begins(said, last);
      if (out == Said::refused || is_good) continue;
      writer.wrong = said.substr(0, 300);
      return Said::wrong;
    }
    // What the commands of a transaction say comes behind it.
    if (out == Said::stored && last == "COMMITTED") static_cast<void>(writer.client->read_line());
    return out;
  }
  Said put_by_version_1(Writer& writer, ExchangedTable const& table, std::string const& key,
                        std::string const& bytes) const {
    LineClient client{port_of(table, "write")};
    std::string head;
    bcdb::write(bcdb::Ask{.echo = 1, .key = bcdb::make_key(key)}, head);
    client.send(head + bytes.substr(0, bytes.size() / 2));
    client.send(bytes.substr(bytes.size() / 2));
    client.end_output();
    if (!client.read_all().has_value()) {
      writer.wrong = "the connection does not end";
      return Said::wrong;
    }
    return table.mode == "offline" ? Said::nothing : look_for(writer, table, key, bytes);
  }
  // As such a writer does: it may be stored a moment later.
  Said look_for(Writer& writer, ExchangedTable const& table, std::string const& key, std::string const& bytes) const {
    if (writer.client == nullptr) writer.client = std::make_unique<LineClient>(socket());
    std::array<char, 40> hash{};
    std::snprintf(hash.data(), hash.size(), "content_hash=%016" PRIx64, hash128(bytes).low);
    auto const limit = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < limit) {
      std::string const said = writer.client->ask("GET table=" + table.name + ";key=" + key);
      if (said.find(hash.data()) != std::string::npos) return Said::stored;
    }
    writer.wrong = "a value into " + table.name + " is not there";
    return Said::wrong;
  }

  std::vector<Writer> make_writers() {
    std::vector<Writer> out(6);
    auto const name = [&](std::size_t i, char const* way, auto put) {
      out[i].way = way;
      out[i].put = put;
      out[i].chance.seed(seed_or(1) * 100 + i);
    };
    using W = Writer;
    using T = ExchangedTable;
    using S = std::string;
    name(0, "chunked", [this](W& w, T const& t, S const& k, S const& b) { return put_by_http(w, t, k, b, true); });
    name(1, "chunked", [this](W& w, T const& t, S const& k, S const& b) { return put_by_http(w, t, k, b, true); });
    name(2, "length", [this](W& w, T const& t, S const& k, S const& b) { return put_by_http(w, t, k, b, false); });
    name(3, "line",
         [this](W& w, T const& t, S const& k, S const& b) { return by_lines(w, {put_line(t, k, b)}, "STORED"); });
    name(4, "transaction", [this](W& w, T const& t, S const& k, S const& b) {
      return by_lines(w, {"BEGIN", put_line(t, k, b), "COMMIT"}, "COMMITTED");
    });
    name(5, "version-1", [this](W& w, T const& t, S const& k, S const& b) { return put_by_version_1(w, t, k, b); });
    return out;
  }

  // Whoever cannot connect throws, and so does whoever reads an answer that is none.
  static Said put(Writer& writer, ExchangedTable const& table, std::string const& key, std::string const& bytes) {
    try {
      return writer.put(writer, table, key, bytes);
    } catch (std::exception const& error) {
      writer.wrong = error.what();
      return Said::wrong;
    }
  }
  // Most of them into the table whose files are exchanged now.
  void write(Writer& writer, std::size_t number) {
    while (!is_over && writer.wrong.empty()) {
      std::size_t const at = writer.chance() % 4 == 0 ? writer.chance() % tables.size() : exchanging.load();
      std::string const key = writer.way + std::to_string(number) + "-" + std::to_string(writer.chance() % 6);
      std::string const bytes = writer.value();
      Known& stored = writer.stored.try_emplace({at, key}, Known{std::nullopt}).first->second;
      Said const said = put(writer, tables[at], key, bytes);
      ++writer.puts;
      if (said == Said::refused || said == Said::nothing) writer.refused += tables[at].mode == "offline" ? 1 : 0;
      if (said == Said::refused && tables[at].mode != "offline") writer.wrong = "refused in mode " + tables[at].mode;
      bool const is_sure = said == Said::stored;
      if (is_sure) stored.clear();
      if (is_sure || said == Said::nothing) stored.emplace_back(bytes);
      // What waits for nothing is not counted.
      if (said != Said::nothing) tell_put();
    }
    --writing;
    tell_put();
  }
  void tell_put() {
    ++puts;
    puts.notify_all();
  }

  // -- exchanging ---------------------------------------------------------------

  // Between two looks some values are put.
  void let_write(std::size_t count = 3) const {
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t const seen = puts;
      if (writing == 0) return;
      puts.wait(seen);
    }
  }
  // The number of its data file, as long as the writers write.
  std::string file_of(LineClient& keeper, ExchangedTable const& table) {
    let_write();
    std::string const said = keeper.ask("ATTACH table=" + table.name);
    std::size_t const at = said.find("file=");
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, said);
    return said.substr(at, said.find(';', at) - at);
  }
  void exchange(LineClient& keeper, std::size_t number) {
    ExchangedTable const& table = tables[number];
    exchanging = number;
    auto const limit = std::chrono::steady_clock::now() + kExchangePatience;
    let_write(kPutsBefore);
    std::string const before = file_of(keeper, table);
    // It opened the file before the exchange, and has asked nothing; another one asks when that is over.
    LineClient idle{port_of(table, "read")};
    LineClient asks{port_of(table, "read")};
    std::string said;
    while (!begins(said, "MAINTAINING")) {
      BOOST_REQUIRE_MESSAGE(std::chrono::steady_clock::now() < limit, table.mode << ": " << said);
      let_write();
      said = keeper.ask("MAINTAIN table=" + table.name);
    }
    while (file_of(keeper, table) == before)
      BOOST_REQUIRE_MESSAGE(std::chrono::steady_clock::now() < limit, table.mode << " does not exchange its files");
    let_write();
    BOOST_TEST(idle.read_all().value_or("(no end)") == "", table.mode << ": a stream of a reader by name goes on");
    std::string query;
    bcdb::write(bcdb::Ask{.echo = 5, .key = bcdb::make_key("none")}, query);
    asks.send(query);
    BOOST_TEST(asks.read_all().has_value(), table.mode << ": a query on an older stream gets neither answer nor end");
    ++exchanges;
  }

  // -- reading ------------------------------------------------------------------

  using Stored = std::map<std::string, Known>;  // of one table

  static void require_is(ExchangedTable const& table, std::string const& way, std::string const& key,
                         std::optional<std::string> const& got, Known const& known) {
    auto const tell = [](std::optional<std::string> const& bytes) {
      return bytes ? std::to_string(bytes->size()) + " bytes" : std::string{"nothing"};
    };
    bool const is_it = std::ranges::find(known, got) != known.end();
    BOOST_REQUIRE_MESSAGE(is_it, table.mode << " " << table.name << ", " << key << " read by " << way << ": "
                                            << tell(got) << ", stored were " << tell(known.front()) << ", or one of "
                                            << known.size() - 1 << " more");
  }
  void read_by_lines_and_http(ExchangedTable const& table, Stored const& stored) {
    LineClient lines{socket()};
    LineClient web{daemon.tcp()};
    for (auto const& [key, known] : stored) {
      Message message;
      std::string const line = lines.ask("GET table=" + table.name + ";key=" + key + ";data=1");
      BOOST_REQUIRE(protocol::parse_line(line, message).ok());
      std::string bytes;
      bool const is_there = message.text("result") == "found" && decode_base64(message.text("data"), bytes);
      BOOST_REQUIRE_MESSAGE(is_there || message.text("result") == "absent", key << ": " << line.substr(0, 200));
      require_is(table, "line", key, is_there ? std::optional{bytes} : std::nullopt, known);
      web.send("GET /v1/blobs/" + table.name + "/" + key + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
      auto const [head, body] = read_http(web);
      bool const is_found = head.starts_with("HTTP/1.1 200");
      BOOST_REQUIRE_MESSAGE(is_found || head.starts_with("HTTP/1.1 404"), key << ": " << head << body);
      require_is(table, "HTTP", key, is_found ? std::optional{body} : std::nullopt, known);
    }
  }
  void read_by_packets(ExchangedTable const& table, Stored const& stored, std::uint32_t version) {
    auto opened = client::Blobs::open({.read = port_of(table, "read"),
                                       .data_file = path("data/bytes/" + table.name + "/bcdb_data"),
                                       .version = version,
                                       .two_files = version == 1 && table.mode == "online",
                                       .bytes = version == 1 ? client::BlobBytes::file : client::BlobBytes::relay});
    BOOST_REQUIRE_MESSAGE(opened.ok(), opened.status().text());
    for (auto const& [key, known] : stored) {
      auto const got = opened.value()->get(bcdb::make_key(key));
      BOOST_REQUIRE_MESSAGE(got.ok(), table.mode << " " << key << ": " << got.status().text());
      require_is(table, "packets " + std::to_string(version), key, got.value(), known);
    }
  }
  void read_all(std::vector<Writer> const& writers) {
    for (std::size_t i = 0; i < tables.size(); ++i) {
      Stored stored;
      for (Writer const& writer : writers)
        for (auto const& [at, known] : writer.stored)
          if (at.first == i) stored[at.second] = known;
      read_by_lines_and_http(tables[i], stored);
      read_by_packets(tables[i], stored, 1);
      read_by_packets(tables[i], stored, 2);
      Ran const ran = run_in_shell(daemon, "fastjournal blob check " + tables[i].name);
      BOOST_TEST(ran.code == 0, ran.output);
      blobs += stored.size();
    }
  }

  // One exchange of each table, under load; then everything is read.
  void exchange_all(std::vector<Writer>& writers) {
    is_over = false;
    writing = writers.size();
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < writers.size(); ++i)
      threads.emplace_back([this, &writers, i] { write(writers[i], i); });
    try {
      LineClient keeper{socket()};
      for (std::size_t i = 0; i < tables.size(); ++i) exchange(keeper, i);
    } catch (...) {
      is_over = true;
      threads.clear();
      tell(writers);
      throw;
    }
    is_over = true;
    threads.clear();
    tell(writers);
    for (Writer const& writer : writers)
      BOOST_REQUIRE_MESSAGE(writer.wrong.empty(), writer.way << ": " << writer.wrong);
    read_all(writers);
  }
  static void tell(std::vector<Writer> const& writers) {
    for (Writer const& writer : writers)
      BOOST_TEST_MESSAGE(writer.way << ": " << writer.puts << " values, " << writer.refused << " refused or not told; "
                                    << writer.wrong);
  }

  RealDaemon daemon;
  std::vector<ExchangedTable> tables;
  std::size_t rounds{1};
  std::size_t exchanges{0};
  std::size_t blobs{0};  // that were read, in all rounds
  std::atomic<std::size_t> exchanging{0};
  std::atomic<std::size_t> puts{0};
  std::atomic<std::size_t> writing{0};  // writers
  std::atomic<bool> is_over{false};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(blob_exchanges, Exchanging)

BOOST_AUTO_TEST_CASE(what_was_acknowledged_reads_back_however_often_files_are_exchanged) {
  std::vector<Writer> writers = make_writers();
  for (std::size_t round = 0; round < rounds; ++round) exchange_all(writers);
  BOOST_TEST_MESSAGE(exchanges << " exchanges, " << puts << " values put, " << blobs << " blobs read in four ways");
  daemon.kill(SIGKILL);
  static_cast<void>(daemon.wait());
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  read_all(writers);
}

BOOST_AUTO_TEST_SUITE_END()
