// Lives in which data files of blob tables are exchanged while values come: in each way (exchange_ways.h), in each mode of
// maintenance and at each moment of it, with connections that end in between, kills and power cuts. Every command is
// answered, what was acknowledged reads back in each way of reading, readers by name are ended, and no maintenance stays.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/hash.h"
#include "engine/engine.h"
#include "plugins/blob/blob.h"
#include "tests/world/daemon_life.h"
#include "tests/world/exchange_ledger.h"
#include "tests/world/lives.h"
#include "wire/bcdb/packet.h"

namespace fastjournal::sim {
namespace {

using lives::Counts;
using lives::expect;

// What a value on its way saw of the maintenance of its table.
enum class Moment : std::uint8_t {
  before,     // it began to come before the maintenance did
  copying,    // all of it came and was answered before files were exchanged
  exchange,   // files were exchanged before it was answered
  after,      // it began to come while the older file had its minute
  cancelled,  // the maintenance was cancelled before it was answered
};
constexpr std::array<std::string_view, 5> kMomentNames{"before", "copying", "exchange", "after", "cancelled"};
constexpr std::array<std::string_view, 3> kExchangeModes{"modern", "online", "offline"};

constexpr std::size_t kExchangeTables = 6;
constexpr std::uint64_t kKeys = 4;
constexpr std::uint64_t kFlights = 12;
constexpr std::size_t kQuestions = 5;
constexpr std::size_t kBlobBytesMax = std::size_t{640} << 10U;  // as exchanged.xml says
constexpr std::size_t kLineBytesMax = 100'000;                  // of values in one line with others
constexpr DurationMs kMinute{61'000};

struct Flight {
  Coming coming;
  std::size_t table{0};  // whose maintenance is looked at
  std::string client{};
  std::vector<std::string> pieces{};
  std::size_t decisive{0};  // so many must be sent, or nothing is there
  bool ends_input{false};
  std::size_t sent{0};
  Moment wanted{};
  bool is_held{false};              // its last piece waits for that moment
  std::size_t breaks_at{SIZE_MAX};  // the connection ends in place of this piece
  bool began_building{false};
  bool saw_building{false};
  std::bitset<kMomentNames.size()> seen{};

  [[nodiscard]] bool has_begun() const { return sent > 0; }
  [[nodiscard]] bool is_sent() const { return sent == pieces.size(); }
};

struct Asked {
  std::string key{};
  ExchangeLedger::Reading how{};
  std::string client{};
};

struct BlobFiles {
  std::string name{};
  std::size_t mode{0};
  std::string reader_address{};
  std::string writer_address{};
  blob::BlobTable const* table{nullptr};
  std::uint32_t current{0};
  bool is_building{false};
  // Of the round.
  bool cancels{false};
  bool is_asked{false};
  bool has_exchanged{false};
  bool has_cancelled{false};
  bool has_reader{false};
};

// How often values came so, by way, mode and moment.
std::string seen_as(std::size_t way, std::size_t mode, std::size_t moment) {
  return fmt::format("values by {} while {}, {}", kWayNames[way], kExchangeModes[mode], kMomentNames[moment]);
}

class ExchangeLife final : private lives::DaemonLife {
 public:
  ExchangeLife(std::uint64_t seed, Counts& counts)
      : DaemonLife(seed, counts, {}), ledger_(world_, [this] { settle(); }) {
    world_.limits.transaction_timeout = DurationMs{3'600'000};
    world_.limits.connections.first_message_us = 3'600'000'000;
    for (char const* const name : {"world/tables/exchanged", "world/tables/spilling", "transcripts/post"})
      expect(world_.add_table(std::string{FJ_SOURCE_DIR "/tests/"} + name + ".xml").ok(), "a table was refused");
    access::ListenDeclaration web{.address = ExchangeLedger::kWeb, .rights = {Right::read, Right::add}};
    web.protocol = "http";
    world_.own_listeners = {web};
    for (std::size_t i = 0; i < kExchangeTables; ++i) declare(i);
    world_.remove_table("exchanged");
    serve();
    // The file of an empty table is exchanged before the newer one is made: until then puts are refused.
    for (BlobFiles const& files : tables_) {
      expect(ledger_.ask("PUT table=" + files.name + ";key=first;data=Zmlyc3Q=").starts_with("STORED"),
             "no first blob");
      ledger_.store(files.name + "/first", "first", true);
    }
  }

  void step(std::uint64_t) {
    begin_round();
    play();
    if (draw(8) == 0) ledger_.check_all();
  }
  void end() {
    end_of_daemon();
    ledger_.check_all();
  }

 private:
  void declare(std::size_t i) {
    BlobFiles& files = tables_[i];
    files.mode = i % kExchangeModes.size();
    files.name = std::string{kExchangeModes[files.mode]} + std::to_string(i);
    files.reader_address = "127.0.0.1:" + std::to_string(4100 + i);
    files.writer_address = "127.0.0.1:" + std::to_string(4200 + i);
    auto declared = std::make_shared<TableDeclaration>(*world_.declaration("exchanged"));
    declared->name = files.name;
    for (OptionValue& option : declared->options)
      if (option.name == "maintenance") {
        option.integer = static_cast<std::int64_t>(files.mode);
        option.text = kExchangeModes[files.mode];
      }
    world_.add_table(declared);
    ledger_.add_table(files.name, files.reader_address, files.mode == 1);
    access::ListenDeclaration reader{.address = files.reader_address, .rights = {Right::read}};
    reader.protocol = bcdb::kReadProtocol;
    reader.table = files.name;
    access::ListenDeclaration writer{.address = files.writer_address, .rights = {Right::read, Right::add}};
    writer.protocol = bcdb::kWriteProtocol;
    writer.table = files.name;
    world_.own_listeners.push_back(reader);
    world_.own_listeners.push_back(writer);
  }

  void serve() {
    start();
    for (BlobFiles& files : tables_) {
      files.table = dynamic_cast<blob::BlobTable const*>(world_.engine().find_table(files.name)->table.get());
      files.current = files.table->state().files.current;
      files.is_building = files.table->state().is_building();
    }
  }

  // -- a round ----------------------------------------------------------------

  void begin_round() {
    flights_.clear();
    keys_.clear();
    asked_.clear();
    for (BlobFiles& files : tables_) {
      files.cancels = draw(5) == 0;
      files.is_asked = files.has_exchanged = files.has_cancelled = files.has_reader = false;
    }
    nothing_waits_ = false;
    readers_ = draw(4) == 0;
    maintenances_ = 0;
    for (std::uint64_t i = 0; i < kFlights; ++i) begin_flight(i);
    for (BlobFiles& files : tables_)
      if (readers_ && draw(2) == 0) read_by_name(files);
    ends_at_ = draw(20) == 0 ? draw(100) : UINT64_MAX;
  }

  void begin_flight(std::uint64_t number) {
    Flight flight;
    flight.table = number < kExchangeTables ? number : draw(kExchangeTables);
    BlobFiles const& files = tables_[flight.table];
    flight.coming.way = static_cast<Way>(draw(kWayNames.size()));
    flight.coming.table = files.name;
    flight.coming.key = fmt::format("k{}t{}", draw(kKeys), flight.table);
    if (!keys_.insert(flight.coming.key).second) return;
    flight.coming.xid = fmt::format("1:{:08x}:01", ++values_);
    flight.coming.bytes = value(flight.coming.way);
    flight.client = std::string{"mwh"[static_cast<std::size_t>(door_of(flight.coming.way))]} + std::to_string(number);
    flight.wanted = wanted_of(files);
    flight.is_held = draw(4) != 0;
    cut(flight);
    if (draw(15) == 0) flight.breaks_at = draw(flight.pieces.size());
    flights_.push_back(std::move(flight));
  }
  Moment wanted_of(BlobFiles const& files) {
    static constexpr Moment kExchanged[] = {Moment::before,   Moment::copying,  Moment::copying,  Moment::exchange,
                                            Moment::exchange, Moment::exchange, Moment::exchange, Moment::after};
    static constexpr Moment kCancelled[] = {Moment::before, Moment::copying, Moment::cancelled, Moment::cancelled};
    return files.cancels ? kCancelled[draw(std::size(kCancelled))] : kExchanged[draw(std::size(kExchanged))];
  }

  std::size_t size(Way way) {
    static constexpr std::size_t kLarge[] = {4'096,  20'000, 65'535,        65'536,           65'537,
                                             90'000, 90'000, kBlobBytesMax, kBlobBytesMax + 1};
    std::uint64_t const dice = draw(100);
    if (dice < 24) return dice % 2;
    if (dice < 70) return 2 + draw(300);
    if (dice < 80) return 1 + draw(20'000);
    // The largest ones rarely.
    std::size_t const large = kLarge[draw(draw(10) == 0 ? std::size(kLarge) : std::size(kLarge) - 2)];
    return is_in_transaction(way) ? std::min(large, kLineBytesMax) : large;
  }
  std::string value(Way way) {
    std::size_t const bytes = size(way);
    std::string out = bytes > 20 ? "v" + std::to_string(values_) + "x" : "";
    while (out.size() < bytes)
      for (std::uint64_t bits = random_(); bits > 26 && out.size() < bytes; bits /= 26)
        out.push_back(static_cast<char>('a' + bits % 26));
    out.resize(bytes);
    return out;
  }

  // Parts of the script in one to three pieces each.
  void cut(Flight& flight) {
    Script script = script_of(flight.coming);
    for (std::size_t part = 0; part < script.parts.size(); ++part) {
      std::string_view rest = script.parts[part];
      for (std::uint64_t pieces = draw(3); pieces > 0 && rest.size() > 1; --pieces) {
        std::size_t const bytes = 1 + draw(rest.size() - 1);
        flight.pieces.emplace_back(rest.substr(0, bytes));
        rest.remove_prefix(bytes);
      }
      if (!rest.empty()) flight.pieces.emplace_back(rest);
      if (part == last_part(flight.coming.way)) flight.decisive = flight.pieces.size();
    }
    flight.ends_input = script.ends_input;
    if (flight.ends_input) flight.pieces.emplace_back();
    if (flight.decisive == 0) flight.decisive = flight.pieces.size();
  }

  void play() {
    std::uint64_t stuck = 0;
    for (std::uint64_t action = 0; !is_all_sent(); ++action) {
      expect(action < 100'000, "the round does not end");
      if (action == ends_at_) return end_of_daemon();
      bool const goes_on = act();
      stuck = goes_on ? 0 : stuck + 1;
      // Readers by name have their minute; then nothing is waited for.
      if (stuck == 100) pass(kMinute);
      if (stuck == 200) nothing_waits_ = true;
    }
    settle();
    end_round();
  }
  [[nodiscard]] bool is_all_sent() const {
    return std::ranges::all_of(flights_, &Flight::is_sent) &&
           (nothing_waits_ || std::ranges::all_of(tables_, &BlobFiles::is_asked));
  }

  // False: nothing was to be done.
  bool act() {
    ++counts_["acts"];
    std::uint64_t const dice = draw(12);
    for (BlobFiles& files : tables_)
      if (files.cancels && files.is_building && draw(3) == 0) return cancel(files);
    for (Flight& flight : flights_)
      if (flight.wanted == Moment::copying && tables_[flight.table].is_building && !flight.is_sent() && draw(2) == 0)
        return send(flight), true;
    if (dice < 4) return send_some();
    if (dice == 4) return maintain(tables_[draw(kExchangeTables)]);
    if (dice == 5) return readers_ && read_by_name(tables_[draw(kExchangeTables)]);
    if (dice == 7 && draw(10) == 0) return ask_some();
    if (dice == 6) hold_jobs(draw(5) == 0);
    bool goes_on = false;
    for (std::uint64_t turns = 1 + draw(3); turns > 0 && turn(); --turns) goes_on = true;
    return goes_on;
  }

  void hold_jobs(bool holds) {
    if (std::exchange(holds_jobs_, holds) != holds) world_.hold_byte_jobs(holds);
  }

  bool send_some() {
    std::vector<Flight*> ready;
    for (Flight& flight : flights_)
      if (!flight.is_sent() && may_send(flight)) ready.push_back(&flight);
    if (ready.empty()) return false;
    send(*ready[draw(ready.size())]);
    return true;
  }
  [[nodiscard]] bool may_send(Flight const& flight) const {
    BlobFiles const& files = tables_[flight.table];
    if (nothing_waits_) return true;
    if (!flight.has_begun() && flight.wanted == Moment::copying) return files.is_asked;
    if (!flight.has_begun() && flight.wanted == Moment::after) return files.has_exchanged;
    bool const is_last = flight.sent + 1 == flight.pieces.size();
    if (!is_last || !flight.is_held) return true;
    if (flight.wanted == Moment::exchange) return files.has_exchanged;
    return flight.wanted != Moment::cancelled || files.has_cancelled;
  }

  void send(Flight& flight) {
    BlobFiles const& files = tables_[flight.table];
    if (!flight.has_begun()) {
      if (door_of(flight.coming.way) != Door::messages)
        world_.come_by(flight.client,
                       door_of(flight.coming.way) == Door::http ? ExchangeLedger::kWeb : files.writer_address);
      flight.saw_building = flight.began_building = files.is_building;
      if (files.table->state().is_waiting() && !files.table->state().is_old_given_up()) saw(flight, Moment::after);
      ++counts_["values that came"];
    }
    if (flight.sent == flight.breaks_at) return break_off(flight);
    SimNetwork::Connection& connection = world_.connection(flight.client);
    connection.to_server.append(flight.pieces[flight.sent]);
    ++flight.sent;
    if (flight.is_sent() && flight.ends_input) connection.end_of_input = true;
  }
  static void saw(Flight& flight, Moment moment) { flight.seen.set(static_cast<std::size_t>(moment)); }

  // Those that shall be on their way before are.
  bool maintain(BlobFiles& files) {
    auto const number = static_cast<std::size_t>(&files - tables_.data());
    bool const waits = std::ranges::any_of(flights_, [&](Flight const& flight) {
      return flight.table == number && !flight.has_begun() && flight.wanted != Moment::copying &&
             flight.wanted != Moment::after;
    });
    if (files.is_asked || (waits && draw(8) != 0)) return false;
    files.is_asked = true;
    return tell_keeper("MAINTAIN table=" + files.name);
  }
  bool cancel(BlobFiles& files) {
    files.cancels = false;
    return tell_keeper("MAINTAIN table=" + files.name + ";cancel=1");
  }
  bool tell_keeper(std::string const& line) {
    world_.send("keeper", line);
    ++maintenances_;
    return true;
  }

  // A stream on which something was asked: it is ended by the exchange.
  bool read_by_name(BlobFiles& files) {
    if (files.has_reader || files.has_exchanged || files.has_cancelled) return false;
    files.has_reader = true;
    std::string const client = "reader" + files.name;
    world_.drop(client);
    world_.come_by(client, files.reader_address);
    world_.connection(client).to_server.append(ask_packets("k0t0", false));
    return true;
  }

  // For a value that does not change in this round; the answer is compared when that is over.
  bool ask_some() {
    Asked one{.key = ledger_.any_blob(random_, keys_), .how = ExchangeLedger::Reading::line};
    if (one.key.empty() || asked_.size() == kQuestions) return false;
    if (draw(2) == 0) one.how = ExchangeLedger::Reading::http;
    bool const is_http = one.how == ExchangeLedger::Reading::http;
    one.client = (is_http ? "asksweb" : "asks") + std::to_string(asked_.size());
    world_.drop(one.client);
    if (is_http) world_.come_by(one.client, ExchangeLedger::kWeb);
    world_.connection(one.client).to_server.append(ExchangeLedger::question(one.key, one.how));
    asked_.push_back(std::move(one));
    return true;
  }

  bool turn() {
    constexpr std::int64_t kTurnUs = 200;
    world_.clock().advance(kTurnUs);
    bool const worked = world_.turn();
    look();
    return worked;
  }
  void settle() {
    hold_jobs(false);
    while (turn()) continue;
    expect(world_.fatal_error().ok(), "the daemon ended: " + world_.fatal_error().text());
    look(true);
    for (auto const& [key, bytes] : std::exchange(nearly_sure_, {})) ledger_.store(key, bytes, true);
  }
  void pass(DurationMs span) {
    settle();
    world_.advance(span);
    settle();
  }

  // -- what is seen -------------------------------------------------------------

  // Whoever writes by version 1 sees the end of the connection, and looks for his blob.
  [[nodiscard]] bool is_there(Flight const& flight) const {
    auto const blob = tables_[flight.table].table->index().find(bcdb::make_key(flight.coming.key));
    return blob.has_value() && blob->extent.hash == hash128(flight.coming.bytes).low;
  }

  void look(bool is_at_rest = false) {
    for (std::size_t i = 0; i < kExchangeTables; ++i) look_at(i);
    for (Flight& flight : flights_) {
      if (!flight.has_begun()) continue;
      SimNetwork::Connection const& connection = world_.connection(flight.client);
      bool const is_over = connection.closed_by_server || connection.ended;
      if (connection.to_client.empty() && !is_over) continue;
      if (flight.coming.way == Way::packets_1) {
        if (is_over && (is_at_rest || connection.closed_by_server || is_there(flight))) finish_silently(flight);
        continue;
      }
      Outcome const outcome = outcome_of(flight.coming.way, connection.to_client, is_over);
      if (outcome.kind != Outcome::Kind::none) finish(flight, outcome);
    }
    std::erase_if(flights_, [](Flight const& flight) { return flight.client.empty(); });
  }

  void look_at(std::size_t number) {
    BlobFiles& files = tables_[number];
    blob::State const& state = files.table->state();
    bool const was_building = std::exchange(files.is_building, state.is_building());
    bool const is_exchange = std::exchange(files.current, state.files.current) != state.files.current;
    if (!is_exchange && was_building == files.is_building) return;
    Moment const moment = is_exchange ? Moment::exchange : was_building ? Moment::cancelled : Moment::before;
    files.has_exchanged = files.has_exchanged || is_exchange;
    files.has_cancelled = files.has_cancelled || moment == Moment::cancelled;
    bool any = false;
    for (Flight& flight : flights_) {
      if (flight.table != number || !flight.has_begun()) continue;
      saw(flight, moment);
      flight.saw_building = true;
      any = any || has_blob(flight.coming.way);
    }
    if (!is_exchange) return;
    ++counts_["exchanges of data files"];
    if (any) ++counts_["exchanges with a blob on its way"];
  }

  static std::string name_of(Flight const& flight) {
    return std::string{kWayNames[static_cast<std::size_t>(flight.coming.way)]} + " into " + flight.coming.table + ", " +
           std::to_string(flight.coming.bytes.size()) + " bytes: ";
  }
  [[nodiscard]] bool is_too_large(Flight const& flight) const {
    return flight.coming.bytes.size() > kBlobBytesMax && has_blob(flight.coming.way);
  }
  [[nodiscard]] bool may_be_refused(Flight const& flight) const {
    bool const is_offline = tables_[flight.table].mode == 2 && flight.saw_building && has_blob(flight.coming.way);
    return is_offline || is_too_large(flight);
  }
  void finish(Flight& flight, Outcome const& outcome) {
    bool const is_stored = outcome.kind == Outcome::Kind::stored;
    expect(outcome.kind != Outcome::Kind::over, name_of(flight) + "the connection ended: " + outcome.why);
    expect(is_stored || may_be_refused(flight), name_of(flight) + "refused: " + outcome.why.substr(0, 300));
    if (is_stored) {
      expect(!is_too_large(flight), name_of(flight) + "is stored");
      expect(flight.is_sent(), name_of(flight) + "is answered before it has come");
      note(flight, true);
    }
    count(flight);
    forget(flight);
  }
  // Decided is not durable: it is there for good when the daemon is at rest.
  void finish_silently(Flight& flight) {
    expect(is_there(flight) || may_be_refused(flight), name_of(flight) + "not stored");
    if (is_there(flight)) {
      expect(!is_too_large(flight), name_of(flight) + "is stored");
      note(flight, false);
      nearly_sure_.emplace_back(flight.coming.table + "/" + flight.coming.key, flight.coming.bytes);
    }
    count(flight);
    forget(flight);
  }
  void count(Flight& flight) {
    BlobFiles const& files = tables_[flight.table];
    if (flight.began_building && files.is_building) saw(flight, Moment::copying);
    for (std::size_t moment = 0; moment < kMomentNames.size(); ++moment)
      if (flight.seen.test(moment)) ++counts_[seen_as(static_cast<std::size_t>(flight.coming.way), files.mode, moment)];
  }
  void forget(Flight& flight) {
    world_.drop(flight.client);
    flight.client.clear();
    flight.sent = 0;
  }

  // Its values are there; not sure: or may be.
  void note(Flight const& flight, bool is_sure) {
    if (flight.coming.way == Way::roll_back) return;
    std::string const& bytes = flight.coming.bytes;
    if (flight.coming.way == Way::body) ledger_.send(bytes, is_sure);
    if (has_blob(flight.coming.way)) ledger_.store(flight.coming.table + "/" + flight.coming.key, bytes, is_sure);
    if (has_row(flight.coming.way)) ledger_.store(flight.coming.key, bytes, is_sure);
  }

  // -- ends ---------------------------------------------------------------------

  // The client is gone: of a transaction nothing is there before its end was sent, of a value before its last byte was.
  void lose(Flight& flight, bool was_prepared) {
    bool const may_be = flight.sent >= flight.decisive;
    if (flight.coming.way == Way::branch) return decide(flight, may_be, was_prepared);
    if (may_be) note(flight, false);
  }
  void decide(Flight const& flight, bool may_be, bool was_prepared) {
    std::string const said = ledger_.ask("XA_COMMIT xid=" + flight.coming.xid);
    bool const is_committed = said.starts_with("COMMITTED");
    expect(is_committed || !was_prepared || flight.is_sent(), "a prepared branch is not there any more: " + said);
    expect(!is_committed || may_be, "a branch is committed that nobody prepared");
    if (is_committed || was_prepared) return note(flight, true);
    static_cast<void>(ledger_.ask("XA_ROLLBACK xid=" + flight.coming.xid));
    if (flight.is_sent()) note(flight, false);
  }

  void break_off(Flight& flight) {
    ++counts_["connections broken off"];
    std::string const answers = world_.connection(flight.client).to_client;
    world_.drop(flight.client);
    Flight gone = std::move(flight);
    flight.client.clear();
    std::erase_if(flights_, [](Flight const& other) { return other.client.empty(); });
    // Its branch waits until what it sent is over.
    if (gone.coming.way == Way::branch) settle();
    lose(gone, is_prepared(answers));
  }

  void end_of_daemon() {
    ++counts_["kills and power cuts"];
    std::vector<std::pair<Flight, bool>> lost;
    for (Flight& flight : flights_)
      if (flight.has_begun()) {
        bool const was_prepared = is_prepared(world_.connection(flight.client).to_client);
        lost.emplace_back(std::move(flight), was_prepared);
      }
    flights_.clear();
    nearly_sure_.clear();
    hold_jobs(false);
    if (draw(2) == 0)
      world_.power_cut();
    else
      world_.kill();
    serve();
    for (auto& [flight, was_prepared] : lost) lose(flight, was_prepared);
    ledger_.check_each(random_);
    pass(kMinute);
    rest();
  }

  void end_round() {
    if (!flights_.empty()) expect(false, name_of(flights_.front()) + "no answer");
    pass(kMinute);
    rest();
    std::uint64_t answers = 0;
    while (world_.take_line("keeper")) ++answers;
    expect(answers == maintenances_, "MAINTAIN was not answered");
    for (BlobFiles const& files : tables_) {
      if (!files.has_reader || !files.has_exchanged) continue;
      expect(world_.is_closed("reader" + files.name), "the stream of a reader by name goes on behind an exchange");
      ++counts_["readers by name ended"];
    }
    for (Asked const& one : asked_)
      ledger_.compare(one.key, one.how, std::exchange(world_.connection(one.client).to_client, {}));
    for (int reads = 0; reads < 4; ++reads) ledger_.check_one(random_);
    if (draw(4) != 0) return;
    ledger_.read_files();
    pass(kMinute);
  }

  // Until no maintenance goes on, and no older file waits.
  void rest() {
    for (int minutes = 0; minutes < 3; ++minutes) {
      if (std::ranges::none_of(tables_, [](BlobFiles const& files) {
            return files.table->state().is_building() || files.table->state().is_waiting();
          }))
        return;
      pass(kMinute);
    }
    expect(false, "a maintenance goes on after minutes");
  }

  std::array<BlobFiles, kExchangeTables> tables_;
  std::vector<Flight> flights_;
  ExchangeLedger ledger_;
  std::set<std::string> keys_;                                    // of the round's values
  std::vector<Asked> asked_;                                      // in the round
  std::vector<std::pair<std::string, std::string>> nearly_sure_;  // blobs of version 1 that were decided
  std::uint64_t values_{0};
  std::uint64_t maintenances_{0};  // asked for
  std::uint64_t ends_at_{0};
  bool readers_{false};
  bool nothing_waits_{false};
  bool holds_jobs_{false};
};

}  // namespace

std::string not_seen(test::Counts const& counts) {
  for (std::size_t way = 0; way < kWayNames.size(); ++way)
    for (std::size_t mode = 0; mode < kExchangeModes.size(); ++mode)
      for (std::size_t moment = 0; moment < kMomentNames.size(); ++moment)
        if (std::string name = seen_as(way, mode, moment); !counts.contains(name)) return name;
  return {};
}

test::LifeResult live_with_exchanges(std::uint64_t seed, std::uint64_t rounds) {
  return test::live<ExchangeLife>(seed, rounds);
}

}  // namespace fastjournal::sim
