// A producer for spool_kill_test.cpp: for each byte that descriptor 3 gives it, it saves some rows, and says the id of
// each on standard output once it is saved.
//
//   spool_producer FOLDER TABLE FIRST-ID SEED
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "clients/spool/core/spool.h"

namespace {

constexpr int kCredits = 3;
constexpr int kRowsOfCredit = 50;

}  // namespace

int main(int count, char** words) {
  using namespace fastjournal;
  if (count != 5) return 2;
  std::uint64_t id = std::strtoull(words[3], nullptr, 10);
  std::mt19937_64 random{std::strtoull(words[4], nullptr, 10)};
  // Small files, so that they are ended while they are written.
  auto opened = spool::Spool::open({.folder = words[1],
                                    .sync = random() % 4 == 0 ? spool::Sync::interval : spool::Sync::none,
                                    .file_bytes_max = std::size_t{256} << 10U});
  if (!opened.ok()) {
    std::fprintf(stderr, "%s\n", opened.status().text().c_str());
    return 1;
  }
  for (char credit = 0; ::read(kCredits, &credit, 1) == 1;) {
    for (int i = 0; i < kRowsOfCredit; ++i, ++id) {
      std::string const name = std::to_string(id);
      // A write of several pages can be cut in the middle by a kill.
      std::string const payload(random() % 16 == 0 ? random() % 60'000 : random() % 100, 'x');
      Message row = spool::Spool::row_of(words[2]);
      row.set("name", std::string_view{name});
      row.set("payload", std::string_view{payload});
      row.set_integer("times", 1);
      if (Status saved = opened.value()->save(row); !saved.ok()) {
        std::fprintf(stderr, "%s\n", saved.text().c_str());
        return 1;
      }
      std::string const said = name + "\n";
      if (::write(STDOUT_FILENO, said.data(), said.size()) != static_cast<ssize_t>(said.size())) return 1;
    }
  }
  return 0;
}
