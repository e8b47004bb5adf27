// The cost of a save: rows a second from one process and from several, with and without threads, and what each row costs
// the processor. Several processes append to the same file, as they would in use. Nothing is synced but where it says so.
//
//   fj_measure spool --folder FOLDER  a folder on the disk to be measured; a temporary folder in it is used, and removed
//
// A busy machine makes the rates worse; the processor time of a save much less so.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "clients/spool/core/spool.h"
#include "config/table_reader.h"
#include "config/type_reader.h"
#include "tests/bench/measure.h"

namespace fastjournal::bench {
namespace spool_bench {

using spool::Spool;

struct Figures {
  std::string what;
  std::uint64_t rows{0};
  double seconds{0};
  double user_s{0};    // of the processor, in all processes
  double system_s{0};  // in the kernel
};

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double seconds(timeval const& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

[[noreturn]] void complain(Status const& status) {
  std::cerr << "fj_measure spool: " << status.text() << "\n";
  ::_exit(1);
}

std::unique_ptr<Spool> open_spool(std::string const& folder, spool::Options options) {
  options.folder = folder;
  Result<std::unique_ptr<Spool>> opened = Spool::open(std::move(options));
  if (!opened.ok()) complain(opened.status());
  return std::move(opened).value();
}

// A page that changed: about 100 bytes of columns.
void save_rows(Spool& to, std::uint64_t rows) {
  std::string uri = "http://www.example.com/pages/0000000000";
  Message row = Spool::row_of("pages");
  for (std::uint64_t i = 0; i < rows; ++i) {
    std::uint64_t rest = i;
    for (std::size_t digit = 0; digit < 10; ++digit, rest /= 10)
      uri[uri.size() - 1 - digit] = static_cast<char>('0' + rest % 10);
    row.set("uri", std::string_view{uri});
    row.set("title", std::string_view{"The front page of an example"});
    row.set("touched_by", std::string_view{"somebody"});
    row.set_integer("priority", 20);
    if (Status status = to.save(row); !status.ok()) complain(status);
  }
}

Figures in_processes(std::string what, unsigned processes, std::uint64_t rows, std::function<void()> const& work) {
  rusage before{};
  rusage after{};
  ::getrusage(RUSAGE_CHILDREN, &before);
  double const began = now_s();
  std::vector<pid_t> children;
  for (unsigned i = 0; i < processes; ++i) {
    pid_t const child = ::fork();
    if (child == 0) {
      work();
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (pid_t const child : children) {
    int status = 0;
    if (::waitpid(child, &status, 0) != child || status != 0) ::_exit(1);
  }
  double const took = now_s() - began;
  ::getrusage(RUSAGE_CHILDREN, &after);
  return {std::move(what), rows, took, seconds(after.ru_utime) - seconds(before.ru_utime),
          seconds(after.ru_stime) - seconds(before.ru_stime)};
}

// What is left of a save without us: a write of as many bytes, and a look at the file.
void write_only(std::string const& path, std::uint64_t rows) {
  int const fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  std::string const bytes(185, 'x');
  unsigned const wanted = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_SIZE;
  struct statx look {};
  for (std::uint64_t i = 0; i < rows; ++i)
    if (::write(fd, bytes.data(), bytes.size()) < 0 || ::statx(fd, "", AT_EMPTY_PATH, wanted, &look) != 0) ::_exit(1);
}

void declare_pages(Spool& to) {
  Result<TypeDeclaration> const type = config::read_type(FJ_SOURCE_DIR "/plugins/journal/journal.xml");
  if (!type.ok()) complain(type.status());
  config::TypesByName const types{{"journal", std::make_shared<TypeDeclaration const>(type.value())}};
  Result<TableDeclaration> table = config::read_table(FJ_SOURCE_DIR "/conf/tables.d/pages.xml", types);
  if (!table.ok()) complain(table.status());
  if (Status status = to.declare(table.value(), type.value()); !status.ok()) complain(status);
}

std::string file_system_of(std::string const& folder) {
  struct statfs look {};
  if (::statfs(folder.c_str(), &look) != 0) return "?";
  switch (static_cast<unsigned long>(look.f_type)) {
    case 0xEF53UL: return "ext4";
    case 0x58465342UL: return "xfs";
    case 0x9123683EUL: return "btrfs";
    case 0x01021994UL: return "tmpfs";
    case 0x794C7630UL: return "overlayfs";
    default: return fmt::format("file system {:#x}", static_cast<unsigned long>(look.f_type));
  }
}

}  // namespace spool_bench

int measure_spool(int argc, char** argv) {
  using namespace spool_bench;
  CLI::App app{"Measures saves to a spool folder."};
  std::string folder = "/tmp";
  std::uint64_t rows = 1'000'000;
  bool as_json = false;
  app.add_option("--folder", folder, "on the disk to be measured")->capture_default_str();
  app.add_option("--rows", rows, "of each measurement")
      ->capture_default_str()
      ->check(CLI::Range(1000UL, 100'000'000UL));
  app.add_flag("--json", as_json, "one object a line");
  CLI11_PARSE(app, argc, argv);

  std::string place = folder + "/spool_bench.XXXXXX";
  if (::mkdtemp(place.data()) == nullptr) {
    std::perror(place.c_str());
    return 1;
  }
  std::string const system = file_system_of(place);
  std::vector<Figures> all;
  int number = 0;
  auto const fresh = [&] { return place + "/" + std::to_string(++number); };
  auto const drop = [&] { std::filesystem::remove_all(place + "/" + std::to_string(number)); };

  for (unsigned const processes : {1U, 4U}) {
    std::string const path = fresh();
    all.push_back(in_processes(fmt::format("{} process{}, the calls alone", processes, processes == 1 ? "" : "es"),
                               processes, rows, [&] { write_only(path, rows / processes); }));
    drop();
  }
  for (unsigned const processes : {1U, 4U}) {
    std::string const to = fresh();
    all.push_back(in_processes(fmt::format("{} process{}", processes, processes == 1 ? "" : "es"), processes, rows,
                               [&] { save_rows(*open_spool(to, {}), rows / processes); }));
    drop();
  }
  {
    std::string const to = fresh();
    all.push_back(in_processes("1 process, table declared", 1, rows, [&] {
      std::unique_ptr<Spool> const spool = open_spool(to, {});
      declare_pages(*spool);
      save_rows(*spool, rows);
    }));
    drop();
  }
  {
    std::string const to = fresh();
    all.push_back(in_processes("1 process, 4 threads", 1, rows, [&] {
      std::unique_ptr<Spool> const spool = open_spool(to, {});
      std::vector<std::thread> threads;
      for (int i = 0; i < 4; ++i) threads.emplace_back([&] { save_rows(*spool, rows / 4); });
      for (std::thread& thread : threads) thread.join();
    }));
    drop();
  }
  {
    std::string const to = fresh();
    all.push_back(in_processes("1 process, synced every 100 ms", 1, rows,
                               [&] { save_rows(*open_spool(to, {.sync = spool::Sync::interval}), rows); }));
    drop();
  }
  {
    std::string const to = fresh();
    std::uint64_t const few = rows / 1000;
    all.push_back(in_processes("1 process, each synced", 1, few,
                               [&] { save_rows(*open_spool(to, {.sync = spool::Sync::each}), few); }));
    drop();
  }
  std::filesystem::remove_all(place);

  if (!as_json)
    fmt::print("{} on {}\n{:<34}{:>12}{:>18}{:>18}\n", folder, system, "saves of", "rows/s", "user ns a row",
               "kernel ns a row");
  for (Figures const& one : all) {
    auto const count = static_cast<double>(one.rows);
    double const rate = count / one.seconds;
    double const user_ns = one.user_s * 1e9 / count;
    double const kernel_ns = one.system_s * 1e9 / count;
    if (as_json)
      fmt::print(
          "{{\"what\":\"{}\",\"file_system\":\"{}\",\"rows\":{},\"rows_per_s\":{:.0f},\"user_ns\":{:.0f},"
          "\"kernel_ns\":{:.0f}}}\n",
          one.what, system, one.rows, rate, user_ns, kernel_ns);
    else
      fmt::print("{:<34}{:>12.0f}{:>18.0f}{:>18.0f}\n", one.what, rate, user_ns, kernel_ns);
  }
  return 0;
}

}  // namespace fastjournal::bench
