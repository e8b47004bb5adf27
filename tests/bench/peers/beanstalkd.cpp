// beanstalkd: a queue in memory, with a log that is synced after each write (-f 0) or 20 times a second, or without a
// log. Dates are whole seconds, and there are no keys. And the daemon's listener of the same protocol, by the same driver.
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "tests/bench/peers/door.h"
#include "tests/bench/peers/program.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::bench {
namespace {

class BeanstalkdProtocol final : public Protocol {
 public:
  bool hello(std::string&) override { return false; }
  void insert(Row const& row, std::string& out) override {
    number_.clear();
    append_number(number_, row.number);
    out += "put ";
    append_number(out, row.priority);
    out += ' ';
    append_number(out, static_cast<std::uint64_t>((row.delay_ms + 999) / 1000));
    out += " 3600 ";
    append_number(out, number_.size() + 1 + row.data.size());
    out += "\r\n";
    out += number_;
    out += ':';
    out += row.data;
    out += "\r\n";
  }
  void take(bool wait, std::string& out) override { out += wait ? "reserve\r\n" : "reserve-with-timeout 0\r\n"; }
  void done(Lease const& lease, bool, std::string& out) override {
    out += "delete ";
    append_number(out, lease.row);
    out += "\r\n";
  }
  std::size_t read(std::string_view in, Event& event) override {
    void const* const found = in.empty() ? nullptr : std::memchr(in.data(), '\n', in.size());
    if (found == nullptr) return 0;
    auto const end = static_cast<std::size_t>(static_cast<char const*>(found) - in.data()) + 1;
    std::string_view const line = in.substr(0, end);
    if (line.starts_with("INSERTED ")) {
      event.kind = Event::Kind::inserted;
    } else if (line.starts_with("RESERVED ")) {
      std::string_view const id = line.substr(9);
      std::size_t const bytes = leading_number(id.substr(id.find(' ') + 1));
      if (in.size() < end + bytes + 2) return 0;
      event.kind = Event::Kind::leased;
      event.lease = {leading_number(in.substr(end)), leading_number(id), 0};
      return end + bytes + 2;
    } else if (line.starts_with("DELETED")) {
      event.kind = Event::Kind::done;
    } else if (line.starts_with("TIMED_OUT")) {
      event.kind = Event::Kind::nothing;
    } else {
      event.kind = Event::Kind::refused;
      event.text = line;
    }
    return end;
  }

 private:
  std::string number_;
};

class Beanstalkd final : public Peer {
 public:
  explicit Beanstalkd(Kept kept) : kept_(kept), program_(find_program("beanstalkd", "beanstalkd")), port_(free_port()) {
    std::filesystem::create_directories(folder());
  }

  [[nodiscard]] std::string name() const override {
    return kept_ == Kept::synced ? "beanstalkd -f0" : kept_ == Kept::written ? "beanstalkd -b" : "beanstalkd memory";
  }
  [[nodiscard]] std::string durability() const override {
    return kept_ == Kept::synced    ? "synced after each write (-f 0)"
           : kept_ == Kept::written ? "written, synced within 50 ms"
                                    : "none: memory only";
  }
  [[nodiscard]] bool synced() const override { return kept_ == Kept::synced; }
  void start() override {
    std::vector<std::string> words{program_, "-l", "127.0.0.1", "-p", std::to_string(port_)};
    if (kept_ != Kept::in_memory) words.insert(words.end(), {"-b", folder().string()});
    if (kept_ == Kept::synced) words.insert(words.end(), {"-f", "0"});
    child_ = std::make_unique<test::ChildProcess>(words);
    wait_until_listening(address(), *child_);
  }
  void kill() override { end(SIGKILL); }
  void stop() override { end(SIGTERM); }
  [[nodiscard]] std::string address() const override { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::unique_ptr<Protocol> protocol() const override { return std::make_unique<BeanstalkdProtocol>(); }
  [[nodiscard]] std::vector<pid_t> processes() const override { return {child_->pid()}; }
  [[nodiscard]] std::filesystem::path folder() const override { return folder_.path() / "log"; }
  [[nodiscard]] bool merges() const override { return false; }
  [[nodiscard]] bool exact_dates() const override { return false; }

 private:
  void end(int signal) {
    if (child_ == nullptr) return;
    child_->kill(signal);
    static_cast<void>(child_->wait());
    child_.reset();
  }

  Kept kept_;
  std::string program_;
  int port_;
  test::TemporaryFolder folder_;
  std::unique_ptr<test::ChildProcess> child_;
};

}  // namespace

std::unique_ptr<Peer> make_beanstalkd(Kept kept) { return std::make_unique<Beanstalkd>(kept); }

// A queue table of the daemon, by its listener of this protocol.
std::unique_ptr<Peer> make_tubes() {
  auto house = std::make_shared<House>();
  std::filesystem::copy_file(FJ_SOURCE_DIR "/tests/doors/tubes.xml", house->daemon.folder() / "tables/tubes.xml");
  house->daemon.write("fastjournal.xml",
                      "<fastjournal>\n<listen address=\"127.0.0.1:0\" protocol=\"beanstalkd\" table=\"tubes\"/>\n"
                      "</fastjournal>\n");
  return std::make_unique<Door>(std::move(house), "fastjournal as beanstalkd", 0,
                                [] { return std::make_unique<BeanstalkdProtocol>(); });
}

}  // namespace fastjournal::bench
