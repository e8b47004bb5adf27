#include "tests/hostile/victim.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "config/access/token.h"

namespace fastjournal::hostile {
namespace {

using Clock = std::chrono::steady_clock;
// A start may have to read everything that an attack left.
constexpr std::chrono::milliseconds kStartPatience{300'000};

constexpr char kListeners[] =
    "\n<listen address=\"127.0.0.1:0\"/>\n<listen address=\"127.0.0.1:0\" protocol=\"http\"/>\n"
    "<listen address=\"127.0.0.1:0\" tls=\"true\"/>\n"
    "<listen address=\"127.0.0.1:0\" tls=\"true\" protocol=\"http\"/>\n"
    "<tls certificate=\"server.pem\" key=\"server.key\"/>\n<socket path=\"socket\" rights=\"all\"/>\n";

}  // namespace

Victim::Victim(Programs programs, std::uint64_t address_space_bytes, std::string configuration)
    : programs_(std::move(programs)),
      address_space_bytes_(address_space_bytes),
      configuration_(std::move(configuration)) {
  std::filesystem::create_directories(folder_.path() / "tables");
  test::Certificate const own = authority_.issue();
  write("server.pem", own.certificate);
  test::write_private(folder_ / "server.key", own.key);
}

Victim::~Victim() {
  if (child_ != nullptr) child_->kill(SIGKILL);
}

void Victim::have_a_user() {
  std::array<char, access::kSaltBytes + access::kSecretBytes> seeds{};
  seeds.fill('s');
  access::Token const token = access::Token::make(seeds);
  Result<access::TokenHash> const hash = access::TokenHash::of(token);
  if (!hash.ok()) throw std::runtime_error("a user: " + hash.status().text());
  token_ = token.text();
  configuration_ += "\n<access users=\"users.xml\"/>";
  test::write_private(folder_ / "users.xml", "<access>\n<user name=\"honest\" rights=\"read add work manage\" hash=\"" +
                                                 hash->text() + "\"/>\n</access>\n");
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

void Victim::declare_letters() const {
  write("tables/letters.xml",
        "<table name=\"letters\" model=\"queue\">\n<listeners>\n<socket path=\"../stomp\" protocol=\"stomp\" "
        "rights=\"add work manage\"/>\n</listeners>\n<create-queues>true</create-queues>\n</table>\n");
}

void Victim::declare_tubes() const {
  write("tables/tubes.xml",
        "<table name=\"tubes\" model=\"queue\">\n<listeners>\n<socket path=\"../tubes\" protocol=\"beanstalkd\" "
        "rights=\"read add work\"/>\n</listeners>\n<queues>default "
        "afterwards</queues>\n<create-queues>true</create-queues>\n"
        "<queues-idle>1m</queues-idle>\n<priorities>32</priorities>\n<order>number</order>\n"
        "<message-counts>true</message-counts>\n<message-size-max>65535</message-size-max>\n"
        "<max-deliveries>0</max-deliveries>\n<keep-parked>0</keep-parked>\n</table>\n");
}

void Victim::declare_values() const {
  write("tables/values.xml",
        "<table name=\"values\" model=\"keyvalue\">\n<listeners>\n<socket path=\"../fj\" protocol=\"fj\" "
        "rights=\"read add work\"/>\n</listeners>\n<persist>false</persist>\n</table>\n");
}

void Victim::declare_blobs() const {
  write("tables/blobs.xml",
        "<table name=\"blobs\" model=\"blob\">\n<listeners>\n"
        "<socket path=\"../blob-read\" protocol=\"blobread\" rights=\"read\"/>\n"
        "<socket path=\"../blob-write\" protocol=\"blobwrite\" rights=\"read add\"/>\n"
        "<socket path=\"../blob-ask\" protocol=\"blobread\" datagrams=\"true\" rights=\"read\"/>\n"
        "</listeners>\n<blob-size-max>16MiB</blob-size-max>\n<write-timeout>3s</write-timeout>\n</table>\n");
}

std::uint64_t Victim::blob_disk_bytes() const {
  std::uint64_t sum = 0;
  std::error_code gone;  // files come and go meanwhile
  for (auto const& entry : std::filesystem::directory_iterator(folder_.path() / "data/bytes/blobs", gone)) {
    struct stat found {};
    if (::lstat(entry.path().c_str(), &found) == 0) sum += static_cast<std::uint64_t>(found.st_blocks) * 512;
  }
  return sum;
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
                                       folder_ / "data"};
  write("fastjournal.xml", "<fastjournal>\n" + configuration_ + kListeners + "</fastjournal>\n");
  auto const begin = Clock::now();
  child_ = std::make_unique<test::ChildProcess>(words);
  code_.reset();
  std::vector<std::string> addresses;
  while (auto line = child_->read_line(kStartPatience)) {
    line->resize(std::min(line->size(), line->find(' ', 10)));
    if (line->starts_with("listening 127.")) addresses.push_back(line->substr(10));
    if (line->starts_with("listening tls:")) addresses.push_back(line->substr(14));
    if (line->starts_with("listening unix:") && line->ends_with("/socket")) local_ = line->substr(10);
    if (*line != "ready" || addresses.size() != 4) continue;
    tcp_ = addresses[0];
    http_ = addresses[1];
    tls_ = addresses[2];
    https_ = addresses[3];
    return Clock::now() - begin;
  }
  throw std::runtime_error("the daemon did not start: " + child_->output());
}

Seconds Victim::restart() {
  child_->kill(SIGTERM);
  if (!child_->wait(kAnswerPatience)) child_->kill(SIGKILL);
  if (!child_->wait(kAnswerPatience)) throw std::runtime_error("the daemon cannot be ended: " + child_->output());
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

double Victim::loop_seconds() const {
  std::ifstream file{fmt::format("/proc/{0}/task/{0}/schedstat", child_->pid())};
  double nanoseconds = 0;
  file >> nanoseconds;
  return nanoseconds / 1e9;
}

std::uint64_t Victim::peak_bytes() const { return status_bytes("VmHWM:"); }
std::uint64_t Victim::resident_bytes() const { return status_bytes("VmRSS:"); }

}  // namespace fastjournal::hostile
