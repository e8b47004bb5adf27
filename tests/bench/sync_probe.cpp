#include "tests/bench/sync_probe.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace fastjournal::bench {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kBlocks = 4096;

}  // namespace

double syncs_per_second(std::filesystem::path const& folder, double seconds) {
  std::string const name = (folder / "sync-probe").string();
  int const fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return 0;
  std::vector<char> block(kBlock, '\0');
  bool good = true;
  for (std::size_t i = 0; i < kBlocks && good; ++i)
    good = ::pwrite(fd, block.data(), kBlock, static_cast<off_t>(i * kBlock)) == kBlock;
  good = good && ::fsync(fd) == 0;
  auto const start = std::chrono::steady_clock::now();
  std::uint64_t count = 0;
  double elapsed = 0;
  while (good && elapsed < seconds) {
    block[count % kBlock] = static_cast<char>(count);
    good = ::pwrite(fd, block.data(), kBlock, static_cast<off_t>(count % kBlocks * kBlock)) == kBlock &&
           ::fdatasync(fd) == 0;
    ++count;
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  ::close(fd);
  std::filesystem::remove(name);
  return good ? static_cast<double>(count) / elapsed : 0;
}

}  // namespace fastjournal::bench
