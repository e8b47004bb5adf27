#include "tests/hostile/victim.h"

#include <csignal>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

namespace fastjournal::hostile {
namespace {

using Clock = std::chrono::steady_clock;
// A daemon that answers nobody for this long counts as hung.
constexpr std::chrono::milliseconds kPatience{60'000};
// A start may have to read everything that an attack left.
constexpr std::chrono::milliseconds kStartPatience{300'000};

}  // namespace

Victim::Victim(Programs programs, std::uint64_t address_space_bytes, std::string configuration)
    : programs_(std::move(programs)), address_space_bytes_(address_space_bytes) {
  std::filesystem::create_directories(folder_.path() / "tables");
  write("fastjournal.xml", "<fastjournal>\n" + configuration + "\n</fastjournal>\n");
}

Victim::~Victim() {
  if (child_ != nullptr) child_->kill(SIGKILL);
}

void Victim::write(std::string const& name, std::string const& text) const {
  std::ofstream{folder_.path() / name} << text;
}

void Victim::declare(std::string const& table, std::string const& options) {
  declare_with(table, "name",
               "<column name=\"name\" type=\"string\" required=\"true\"/>\n<column name=\"payload\" type=\"string\"/>",
               options);
}

void Victim::declare_with(std::string const& table, std::string const& key, std::string const& columns,
                          std::string const& options) {
  write("tables/" + table + ".xml",
        fmt::format("<table name=\"{}\" model=\"journal\" row-key=\"{}\">\n<schema>\n{}\n</schema>\n{}\n</table>\n",
                    table, key, columns, options));
}

void Victim::undeclare(std::string const& table) const {
  std::filesystem::remove(folder_.path() / "tables" / (table + ".xml"));
}

Seconds Victim::start() {
  std::vector<std::string> const words{"prlimit",
                                       "--as=" + std::to_string(address_space_bytes_),
                                       programs_.daemon,
                                       "--config",
                                       folder_ / "fastjournal.xml",
                                       "--tables",
                                       folder_ / "tables",
                                       "--plugins",
                                       programs_.plugins,
                                       "--data",
                                       folder_ / "data",
                                       "--listen",
                                       "127.0.0.1:0",
                                       "--listen",
                                       "unix:" + (folder_ / "socket")};
  auto const begin = Clock::now();
  child_ = std::make_unique<test::ChildProcess>(words);
  code_.reset();
  while (auto line = child_->read_line(kStartPatience)) {
    if (line->starts_with("listening 127.")) tcp_ = line->substr(10);
    if (line->starts_with("listening unix:")) local_ = line->substr(10);
    if (*line == "ready") return Clock::now() - begin;
  }
  throw std::runtime_error("the daemon did not start: " + child_->output());
}

Seconds Victim::restart() {
  child_->kill(SIGTERM);
  if (!child_->wait(kPatience)) child_->kill(SIGKILL);
  if (!child_->wait(kPatience)) throw std::runtime_error("the daemon cannot be ended: " + child_->output());
  return start();
}

bool Victim::runs() {
  if (!code_) code_ = child_->wait(std::chrono::milliseconds{0});
  return !code_.has_value();
}

std::string Victim::ending() {
  if (runs()) return {};
  return *code_ > 128 ? fmt::format("killed by signal {}", *code_ - 128) : fmt::format("ended with {}", *code_);
}

std::uint64_t Victim::status_bytes(char const* name) const {
  std::ifstream file{fmt::format("/proc/{}/status", child_->pid())};
  for (std::string word; file >> word;)
    if (std::uint64_t kib = 0; word == name && file >> kib) return kib << 10U;
  return 0;
}

std::uint64_t Victim::peak_bytes() const { return status_bytes("VmHWM:"); }
std::uint64_t Victim::resident_bytes() const { return status_bytes("VmRSS:"); }

Witness::Witness(std::string const& address, std::string table)
    : client_(address), table_(std::move(table)), thread_([this] { run(); }) {}

void Witness::stop() {
  if (!thread_.joinable()) return;
  stop_ = true;
  thread_.join();
}

void Witness::run() {
  for (std::uint64_t number = 0; !stop_; ++number) {
    auto const begin = Clock::now();
    bool const sent = client_.send(fmt::format("INSERT table={};name=w{}\n", table_, number), kPatience);
    std::optional<std::string> const answer = sent ? client_.read_line(kPatience) : std::nullopt;
    Seconds const took = Clock::now() - begin;
    longest_ = std::max(longest_, took);
    if (answer && answer->starts_with("INSERTED ")) {
      ++answers_;
      continue;
    }
    if (refused_.empty()) refused_ = answer.value_or(client_.closed() ? "its connection ended" : "no answer");
    if (!answer) return;
  }
}

}  // namespace fastjournal::hostile
