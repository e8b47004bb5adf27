// libFuzzer target for the configuration: the first byte chooses whether the
// rest is fastjournal.xml, a TYPE.xml, a table or a plan. The readers get a file that has
// no name on a disk. Every refusal must name file and line.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/check.h"
#include "config/daemon_reader.h"
#include "config/plan_reader.h"
#include "config/table_reader.h"
#include "config/type_reader.h"

namespace {

using namespace fastjournal;

config::TypesByName const& types() {
  static config::TypesByName const known = [] {
    Result<TypeDeclaration> journal = config::read_type(FJ_SOURCE_DIR "/plugins/journal/journal.xml");
    FJ_CHECK(journal.ok(), "the journal's own declaration can be read");
    config::TypesByName out;
    out.emplace("journal", std::make_shared<TypeDeclaration const>(std::move(journal).value()));
    return out;
  }();
  return known;
}

Status read(std::uint8_t kind, std::string const& path) {
  switch (kind % 4U) {
    case 0: return config::read_daemon(path).status();
    case 1: return config::read_type(path).status();
    case 2: return config::read_table(path, types()).status();
    default: return config::read_plan(path).status();
  }
}

// One file for the whole run: making one for each input costs more than reading it.
int memory_file() {
  static int const fd = ::memfd_create("fuzz.xml", MFD_CLOEXEC);
  FJ_CHECK(fd >= 0, "a file in memory can be made");
  return fd;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  int const fd = memory_file();
  std::size_t const length = size - 1;
  FJ_CHECK(::ftruncate(fd, 0) == 0, "it can be emptied");
  FJ_CHECK(::pwrite(fd, data + 1, length, 0) == static_cast<ssize_t>(length), "and filled");
  Status const status = read(data[0], "/proc/self/fd/" + std::to_string(fd));
  if (status.ok()) return 0;
  FJ_CHECK(status.code() == Code::bad_configuration, "a bad file is bad configuration");
  FJ_CHECK(status.message().find(std::to_string(fd)) != std::string::npos, "and the refusal names it");
  return 0;
}
