#include "clients/programs/fastjournal/blob_input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <istream>

namespace fastjournal::cli {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

Status input_failed(Code code, std::string const& what) { return {code, what + ": " + std::strerror(errno)}; }

std::string temporary_folder() {
  char const* const given = std::getenv("TMPDIR");
  return given == nullptr || *given == '\0' ? "/tmp" : given;
}

Status write_all(int descriptor, std::string_view bytes, std::string const& name) {
  while (!bytes.empty()) {
    ssize_t const took = ::write(descriptor, bytes.data(), bytes.size());
    if (took < 0 && errno == EINTR) continue;
    if (took < 0) return input_failed(Code::io_error, "write " + name);
    bytes.remove_prefix(static_cast<std::size_t>(took));
  }
  return {};
}

Status copy(std::istream& from, int to, std::string const& name) {
  std::array<char, 64U << 10U> buffer;
  while (from) {
    from.read(buffer.data(), buffer.size());
    if (Status status = write_all(to, {buffer.data(), static_cast<std::size_t>(from.gcount())}, name); !status.ok())
      return status;
  }
  return from.bad() ? Status{Code::bad_parameter, "the input cannot be read to its end"} : Status{};
}

}  // namespace

BlobInput::~BlobInput() {
  if (mapped_ != nullptr) ::munmap(mapped_, size_);
}

Result<BlobInput> BlobInput::map(int descriptor, std::string const& name) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) return input_failed(Code::bad_parameter, "stat " + name);
  BlobInput out;
  out.size_ = static_cast<std::size_t>(facts.st_size);
  if (out.size_ == 0) return out;
  void* const mapped = ::mmap(nullptr, out.size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) {
    out.size_ = 0;
    return input_failed(Code::bad_parameter, "map " + name);
  }
  out.mapped_ = mapped;
  return out;
}

Result<BlobInput> BlobInput::open(std::string const& path, std::istream& in) {
  std::ifstream stream;
  if (path != "-") {
    Descriptor const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number() < 0) return input_failed(Code::bad_parameter, "open " + path);
    struct stat facts {};
    if (::fstat(file.number(), &facts) != 0) return input_failed(Code::bad_parameter, "stat " + path);
    if (S_ISDIR(facts.st_mode)) return Status{Code::bad_parameter, path + " is a folder; expected a file"};
    if (S_ISREG(facts.st_mode)) return map(file.number(), path);
    // Opened once only: what was written to a pipe is there once.
    stream.open("/proc/self/fd/" + std::to_string(file.number()), std::ios::binary);
    if (!stream) return input_failed(Code::bad_parameter, "open " + path);
  }
  std::string const folder = temporary_folder();
  Descriptor const file{::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  std::string const name = "a temporary file in " + folder + " (TMPDIR)";
  if (file.number() < 0) return input_failed(Code::io_error, "make " + name);
  if (Status status = copy(path == "-" ? in : stream, file.number(), name); !status.ok()) return status;
  return map(file.number(), name);
}

}  // namespace fastjournal::cli
