// The forwarder's connections to daemons that behave well, badly or not at all.
#include "clients/programs/forwarder/link.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "tests/support/line_client.h"
#include "tests/support/temporary_folder.h"
#include "wire/framer.h"
#include "wire/msgpack.h"

namespace fastjournal::forwarder {
namespace {

using namespace std::chrono_literals;
using test::kPatience;

// A daemon whose answers the test chooses.
class FakeDaemon {
 public:
  explicit FakeDaemon(std::string path) : path_(std::move(path)) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    BOOST_REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    BOOST_REQUIRE(::listen(listener_, 8) == 0);
  }
  ~FakeDaemon() {
    for (int const fd : {listener_, peer_})
      if (fd >= 0) ::close(fd);
    ::unlink(path_.c_str());
  }
  FakeDaemon(FakeDaemon const&) = delete;
  FakeDaemon& operator=(FakeDaemon const&) = delete;

  [[nodiscard]] std::string address() const { return "unix:" + path_; }
  void hang_up() {
    if (peer_ >= 0) ::close(std::exchange(peer_, -1));
  }
  void say(std::string_view bytes) const { static_cast<void>(::send(peer_, bytes.data(), bytes.size(), MSG_NOSIGNAL)); }
  void answer(std::string_view command, std::uint64_t request, std::string_view code = {},
              std::string_view address = {}) const {
    std::vector<Param> params{{"request", Value::of_unsigned(request)}};
    if (!address.empty()) params.push_back({"address", Value::of_text(address)});
    if (!code.empty()) params.push_back({"code", Value::of_text(code)});
    std::string out;
    protocol::append_frame({.command = command, .params = params}, out);
    say(out);
  }

  // Takes a connection, greets, and remembers the rows.
  void turn() {
    if (peer_ < 0) {
      peer_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      framer_ = protocol::Framer{{}};
      in_.clear();
    }
    if (peer_ < 0) return;
    char bytes[65536];
    ssize_t const got = ::recv(peer_, bytes, sizeof bytes, 0);
    if (got == 0) return hang_up();
    if (got > 0) in_.append(bytes, static_cast<std::size_t>(got));
    std::size_t at = 0;
    for (;;) {
      protocol::Framer::Piece const piece = framer_.next(std::string_view{in_}.substr(at));
      if (piece.kind == protocol::Framer::Kind::need_more) break;
      at += piece.consumed;
      Message message;
      BOOST_REQUIRE(protocol::parse_frame(piece.bytes, message).ok());
      if (message.command == "ALIVE" && greets) answer("ABSOLUTELY", 0);
      if (message.command == "INSERT") rows.push_back(message.find("request")->as_unsigned().value());
    }
    in_.erase(0, at);
  }

  std::vector<std::uint64_t> rows;
  bool greets{true};

 private:
  std::string path_;
  int listener_{-1};
  int peer_{-1};
  protocol::Framer framer_{{}};
  std::string in_;
};

struct Play {
  explicit Play(int daemons, std::chrono::milliseconds answer_limit = 30s) {
    std::vector<LineOptions> lines;
    for (int i = 0; i < daemons; ++i) {
      fakes.push_back(std::make_unique<FakeDaemon>(folder / ("daemon-" + std::to_string(i))));
      lines.push_back({.address = fakes.back()->address(), .answer_limit = answer_limit});
    }
    link = std::make_unique<DaemonLink>(
        std::move(lines), Line::Events{.answered = [this](std::uint64_t number,
                                                          Status const& status) { answers[number] = status.code(); },
                                       .lost = [this] { ++losses; }});
  }
  template <typename What>
  bool comes(What const& what) {
    auto const until = std::chrono::steady_clock::now() + kPatience;
    while (!what()) {
      if (std::chrono::steady_clock::now() > until) return false;
      link->turn(std::chrono::steady_clock::now());
      link->flush();
      for (auto const& fake : fakes) fake->turn();
      std::vector<pollfd> polled;
      link->add_polled(polled);
      ::poll(polled.data(), polled.size(), 5);
    }
    return true;
  }
  void send(std::string_view table, std::uint64_t number) const {
    Message row{"INSERT"};
    row.set("table", table);
    link->send(row, {}, number);
  }

  test::TemporaryFolder folder;
  std::vector<std::unique_ptr<FakeDaemon>> fakes;
  std::unique_ptr<DaemonLink> link;
  std::map<std::uint64_t, Code> answers;
  int losses{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(forwarder_link)

BOOST_AUTO_TEST_CASE(answers_come_by_their_numbers) {
  Play play{1};
  BOOST_REQUIRE(play.comes([&] { return play.link->is_up(); }));
  for (std::uint64_t number = 1; number <= 3; ++number) play.send("jobs", number);
  BOOST_REQUIRE(play.comes([&] { return play.fakes[0]->rows.size() == 3U; }));
  play.fakes[0]->answer("INSERTED", 1);
  play.fakes[0]->answer("ERROR", 3, "unknown_table");
  BOOST_REQUIRE(play.comes([&] { return play.answers.size() == 2U; }));
  BOOST_TEST((play.answers.at(1) == Code::ok));
  BOOST_TEST((play.answers.at(3) == Code::unknown_table));
  // Without its number it is of the oldest one.
  play.fakes[0]->say("ERROR code=too_large\n");
  BOOST_REQUIRE(play.comes([&] { return play.answers.size() == 3U; }));
  BOOST_TEST((play.answers.at(2) == Code::too_large));
  // Nobody asked for it.
  play.fakes[0]->answer("INSERTED", 77);
  play.fakes[0]->say("LISTEN table=jobs\n");
  BOOST_TEST(play.comes([&] { return play.link->is_up(); }));
  BOOST_TEST(play.answers.size() == 3U);
  BOOST_TEST(play.losses == 0);
}

BOOST_AUTO_TEST_CASE(garbage_and_a_lost_connection_are_losses_and_it_comes_back) {
  Play play{1};
  BOOST_REQUIRE(play.comes([&] { return play.link->is_up(); }));
  play.fakes[0]->say(std::string_view{"FJM\x01\0\0\0\x02\xc1\xc1", 10});  // a frame that holds no message
  BOOST_TEST(play.comes([&] { return play.losses == 1; }));
  BOOST_TEST(!play.link->is_up());
  play.link->hurry(std::chrono::steady_clock::now());
  BOOST_TEST(play.comes([&] { return play.link->is_up(); }));
  play.send("jobs", 1);
  play.fakes[0]->hang_up();
  BOOST_TEST(play.comes([&] { return play.losses == 2; }));
  // Without end.
  play.link->hurry(std::chrono::steady_clock::now());
  BOOST_TEST(play.comes([&] { return play.link->is_up(); }));
  play.fakes[0]->say(std::string(2U << 20U, 'x'));
  BOOST_TEST(play.comes([&] {
    play.fakes[0]->say(std::string(64U << 10U, 'x'));
    return play.losses == 3;
  }));
}

BOOST_AUTO_TEST_CASE(a_daemon_that_does_not_answer_is_given_up) {
  Play play{1, 50ms};
  BOOST_REQUIRE(play.comes([&] { return play.link->is_up(); }));
  play.send("jobs", 1);
  BOOST_TEST(play.comes([&] { return play.losses == 1; }));
  BOOST_TEST((play.link->lines().front().problem().code() == Code::timed_out));
  play.fakes[0]->greets = false;
  play.link->hurry(std::chrono::steady_clock::now());
  BOOST_TEST(play.comes([&] { return play.link->lines().front().state() == Line::State::greeting; }));
  BOOST_TEST(play.comes([&] { return play.link->lines().front().state() == Line::State::away; }));
  // Nothing was sent: rows in flight to others are none of an attempt that fails.
  BOOST_TEST(play.losses == 1);
  BOOST_TEST(play.answers.empty());
}

BOOST_AUTO_TEST_CASE(a_table_goes_to_the_first_daemon_that_has_it) {
  Play play{3};
  BOOST_REQUIRE(play.comes([&] {
    return std::all_of(play.link->lines().begin(), play.link->lines().end(),
                       [](Line const& line) { return line.state() == Line::State::up; });
  }));
  auto const goes_to = [&](std::string_view table, std::uint64_t number, std::size_t daemon) {
    play.send(table, number);
    return play.comes([&] { return !play.fakes[daemon]->rows.empty() && play.fakes[daemon]->rows.back() == number; });
  };
  BOOST_TEST(goes_to("mail", 1, 0));
  play.fakes[0]->answer("ERROR", 1, "unknown_table");
  BOOST_TEST(play.comes([&] { return play.answers.contains(1); }));
  BOOST_TEST(goes_to("mail", 2, 1));
  BOOST_TEST(goes_to("jobs", 3, 0));
  play.fakes[1]->answer("ERROR", 2, "unknown_table");
  BOOST_TEST(play.comes([&] { return play.answers.contains(2); }));
  BOOST_TEST(goes_to("mail", 4, 2));
  // One that goes is passed over; routes are learned anew.
  play.fakes[0]->hang_up();
  BOOST_TEST(play.comes([&] { return play.losses == 1; }));
  BOOST_TEST(goes_to("jobs", 5, 1));
}

// Nobody named it: it is connected to when it is told. The other tables stay where they are.
BOOST_AUTO_TEST_CASE(a_table_goes_to_the_node_that_is_told) {
  Play play{1};
  BOOST_REQUIRE(play.comes([&] { return play.link->is_up(); }));
  play.fakes.push_back(std::make_unique<FakeDaemon>(play.folder / "told"));
  auto const goes_to = [&](std::string_view table, std::uint64_t number, std::size_t daemon) {
    play.send(table, number);
    return play.comes([&] { return !play.fakes[daemon]->rows.empty() && play.fakes[daemon]->rows.back() == number; });
  };
  auto const tells = [&](std::size_t daemon, std::uint64_t number, std::string_view code, std::size_t owner) {
    play.fakes[daemon]->answer("ERROR", number, code, play.fakes[owner]->address());
    return play.comes([&] { return play.answers.contains(number); });
  };
  BOOST_TEST(goes_to("shared", 1, 0));
  BOOST_TEST(tells(0, 1, "moved", 1));
  BOOST_TEST((play.answers.at(1) == Code::moved));
  BOOST_TEST(play.comes([&] { return play.link->lines().back().state() == Line::State::up; }));
  BOOST_TEST(play.link->lines().size() == 2U);
  BOOST_TEST(goes_to("shared", 2, 1));
  BOOST_TEST(goes_to("own", 3, 0));
  BOOST_TEST(tells(1, 2, "moved", 0));
  BOOST_TEST(goes_to("shared", 4, 0));
  BOOST_TEST(play.losses == 0);
  // It goes: its rows are sent to another one, which knows who decides.
  BOOST_TEST(tells(0, 4, "moved", 1));
  BOOST_TEST(goes_to("shared", 5, 1));
  play.fakes[1]->hang_up();
  BOOST_TEST(play.comes([&] { return play.losses == 1; }));
  BOOST_TEST(goes_to("shared", 6, 0));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::forwarder
