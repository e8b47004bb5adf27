// Starts on stores that the whole daemon wrote and that were damaged afterwards, as by careless hands and failing
// media: flipped bytes, wiped sectors and tails, files that are truncated, exchanged, replaced by an old copy, removed.
// Each start is
//
//   refused   with the reason;
//   told      it continues, and an alert reports the cut or the repair;
//   whole     everything acknowledged is there;
//   silent    something acknowledged is missing without a report: never.
//
// FJ_STARTS: the number of starts (default 240). FJ_SEED: the first seed. Damage that cannot be detected:
// doc/durability.md.
#include <boost/test/unit_test.hpp>

#include <array>
#include <map>
#include <random>
#include <set>
#include <string>

#include "log/file/log_reader.h"
#include "tests/crash/log_world.h"
#include "tests/world/world.h"

namespace fastjournal::sim::damaged_starts_test {
namespace {

enum class Damage : std::uint8_t { flip, wipe_sector, wipe_tail, cut, swap, stale, remove, garbage };
constexpr std::array<char const*, 8> kDamageNames{"flip", "wipe a sector", "wipe the tail", "cut",
                                                  "swap", "stale",         "delete",        "garbage"};
enum class End : std::uint8_t { shut_down, idle, kill };
constexpr std::array<char const*, 3> kEndNames{"stopped", "idle, then killed", "killed at work"};

enum class Became : std::uint8_t { refused, told, whole, silent };

using Image = std::map<std::string, std::vector<std::byte>, std::less<>>;

// A store as a daemon left it, and what was acknowledged.
class Store {
 public:
  Store(std::uint64_t seed, End end) : random_(seed), world_(seed) {
    BOOST_REQUIRE(world_.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
    BOOST_REQUIRE(world_.start().ok());
    work(40 + draw(400));
    world_.advance(DurationMs{1000});
    if (draw(2) == 0) again();
    old_ = world_.disk().image();
    work(20 + draw(400));
    if (draw(3) == 0) again();
    work(1 + draw(60));
    switch (end) {
      case End::shut_down: BOOST_REQUIRE(world_.stop().ok()); break;
      case End::idle:
        world_.advance(DurationMs{1000});
        world_.kill();
        break;
      case End::kill: world_.kill(); break;
    }
    image_ = world_.disk().image();
    BOOST_REQUIRE(world_.start().ok());
    std::string what;
    BOOST_REQUIRE_MESSAGE(is_whole(what), "without damage " << what);
    world_.kill();
  }

  Became damage(Damage how, std::string& what) {
    std::vector<std::string> files;
    for (auto const& [name, bytes] : image_)
      if (name.starts_with("shared/")) files.push_back(name);
    Image damaged = image_;
    std::string const& file = files[draw(files.size())];
    std::vector<std::byte>& bytes = damaged[file];
    what = file;
    switch (how) {
      case Damage::flip: bytes[place(bytes)] ^= std::byte{1} << draw(8); break;
      case Damage::wipe_sector: wipe(bytes, place(bytes) / 512 * 512, 512); break;
      case Damage::wipe_tail: wipe_tail(damaged, what); break;
      case Damage::cut: bytes.resize(place(bytes)); break;
      case Damage::swap: std::swap(bytes, damaged[files[draw(files.size())]]); break;
      case Damage::stale:
        if (auto const old = old_.find(file); old != old_.end())
          bytes = old->second;
        else
          damaged.erase(file);
        break;
      case Damage::remove: damaged.erase(file); break;
      case Damage::garbage: {
        std::uint64_t const at = place(bytes) / 512 * 512;
        for (std::uint64_t i = at; i < std::min<std::uint64_t>(at + 512, bytes.size()); ++i)
          bytes[i] = static_cast<std::byte>(draw(256));
        break;
      }
    }
    world_.disk().restore(damaged);
    Status const status = world_.start();
    if (!status.ok()) {
      BOOST_TEST((status.code() == Code::damaged || status.code() == Code::bad_configuration), status.text());
      BOOST_TEST(status.message().size() > 40U, status.text());
      return Became::refused;
    }
    bool told = false;
    world_.send("look", "ALERTS");
    world_.settle();
    while (auto const line = world_.take_line("look"))
      told = told || line->find("name=tail-cut") != std::string::npos ||
             line->find("name=log-damaged") != std::string::npos;
    bool const whole = is_whole(what);
    world_.kill();
    return told ? Became::told : whole ? Became::whole : Became::silent;
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  // Half of the places are where something was written.
  std::uint64_t place(std::vector<std::byte> const& bytes) {
    std::uint64_t const at = draw(bytes.size());
    if (draw(2) == 0) return at;
    for (std::uint64_t i = at; i > 0; --i)
      if (bytes[i] != std::byte{0}) return i;
    return at;
  }
  static void wipe(std::vector<std::byte>& bytes, std::uint64_t at, std::uint64_t count) {
    for (std::uint64_t i = at; i < std::min<std::uint64_t>(at + count, bytes.size()); ++i) bytes[i] = std::byte{0};
  }
  // Wipes up to 64 KiB before the end of the written part of the newest segment.
  void wipe_tail(Image& damaged, std::string& what) {
    world_.disk().restore(image_);
    auto reader = log::file::LogReader::open(world_.disk(), "shared");
    BOOST_REQUIRE_MESSAGE(reader.ok(), reader.status().text());
    // A segment that was prepared but not used has nothing to lose.
    std::uint64_t generation = 0;
    for (auto const& one : reader.value().segments()) {
      std::vector<std::byte> const& content = image_[one.path];
      bool const is_used =
          std::any_of(content.begin() + 8192, content.end(), [](std::byte b) { return b != std::byte{0}; });
      if (!is_used || one.header.generation <= generation) continue;
      generation = one.header.generation;
      what = one.path;
    }
    std::vector<std::byte>& bytes = damaged[what];
    std::uint64_t end = bytes.size();
    while (end > 8192 && bytes[end - 1] == std::byte{0}) --end;
    std::uint64_t const begin = std::max<std::uint64_t>(8192, end - std::min(end, draw(64U << 10U)));
    wipe(bytes, begin / 512 * 512, end - begin / 512 * 512);
  }

  void again() {
    if (draw(2) == 0)
      BOOST_REQUIRE(world_.stop().ok());
    else
      world_.kill();
    Status const status = world_.start();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  }

  std::string ask(std::string const& line) {
    world_.send("main", line);
    world_.settle();
    return world_.take_line("main").value_or("");
  }

  void work(std::uint64_t commands) {
    for (; commands > 0; --commands) {
      std::string const name = "n" + std::to_string(draw(300));
      if (draw(4) == 0) {
        std::string const answer = ask("DELETE table=jobs;name=" + name);
        if (answer.starts_with("DELETED")) rows_.erase(name);
        continue;
      }
      std::string const payload = std::to_string(random_()) + std::string(draw(draw(6) == 0 ? 20'000 : 600), 'p');
      std::string const answer = ask("INSERT table=jobs;name=" + name + ";process_date=+1000000000;payload=" + payload);
      if (answer.starts_with("INSERTED")) rows_[name] = payload;
      if (draw(30) == 0) world_.advance(DurationMs{static_cast<std::int64_t>(draw(3000))});
    }
  }

  // Every acknowledged row has its last payload, and no deleted row is back.
  bool is_whole(std::string& what) {
    for (int i = 0; i < 300; ++i) {
      std::string const name = "n" + std::to_string(i);
      std::string const answer = ask("PEEK table=jobs;name=" + name);
      auto const row = rows_.find(name);
      bool const is_there = answer.starts_with("ROW ");
      bool const right = row == rows_.end()
                             ? !is_there
                             : is_there && answer.find(";payload=" + row->second + ";") != std::string::npos;
      if (right) continue;
      what += ": row " + name + (is_there ? " is another one" : " is gone");
      return false;
    }
    return true;
  }

  std::mt19937_64 random_;
  World world_;
  std::map<std::string, std::string> rows_;
  Image old_;
  Image image_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(damaged_starts)

BOOST_AUTO_TEST_CASE(whatever_is_damaged_nothing_acknowledged_is_gone_without_a_word) {
  std::uint64_t const seed = test::seed_or(1);
  std::uint64_t const starts = test::number_from("FJ_STARTS", 240);
  constexpr std::uint64_t kStartsOfAStore = 24;
  std::array<std::array<std::uint64_t, 4>, kDamageNames.size()> counts{};
  std::uint64_t done = 0;
  for (std::uint64_t number = 0; done < starts; ++number) {
    auto const end = static_cast<End>(number % kEndNames.size());
    Store store(seed + number, end);
    for (std::uint64_t i = 0; i < kStartsOfAStore && done < starts; ++i, ++done) {
      std::size_t const how = i % kDamageNames.size();
      std::string what;
      Became const verdict = store.damage(static_cast<Damage>(how), what);
      ++counts[how][static_cast<std::size_t>(verdict)];
      BOOST_TEST((verdict != Became::silent), "seed " << seed + number << ", store "
                                                      << kEndNames[number % kEndNames.size()] << ", start " << i << ", "
                                                      << kDamageNames[how] << " " << what);
    }
  }
  BOOST_TEST_MESSAGE(done << " starts from seed " << seed << ": damage, refused, told, whole, silent");
  for (std::size_t how = 0; how < counts.size(); ++how)
    BOOST_TEST_MESSAGE(kDamageNames[how] << " " << counts[how][0] << " " << counts[how][1] << " " << counts[how][2]
                                         << " " << counts[how][3]);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::damaged_starts_test
