// Loading table types and parts; see plugin_loader.h.
#include "platform/os/plugin_loader.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "config/type_reader.h"
#include "platform/os/part.h"

namespace fastjournal::os {
namespace {

// Closed unless kept: a refused plugin must not stay in the process.
class Library {
 public:
  explicit Library(std::filesystem::path const& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  Library(Library const&) = delete;
  Library& operator=(Library const&) = delete;

  [[nodiscard]] bool loaded() const { return handle_ != nullptr; }
  template <typename Entry>
  [[nodiscard]] Entry entry(char const* symbol) const {
    return reinterpret_cast<Entry>(::dlsym(handle_, symbol));
  }
  void keep() { handle_ = nullptr; }

 private:
  void* handle_;
};

// A name is also a file name: it must not refer to anything outside the folder.
bool is_type_name(std::string_view name) {
  auto const letter = [](char c) { return c >= 'a' && c <= 'z'; };
  auto const digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && name.size() <= 64 && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

Status refused(std::filesystem::path const& so, std::string_view why) {
  return {Code::bad_configuration, fmt::format("plugin {}: {}", so.string(), why)};
}

Status missing(std::filesystem::path const& file, std::string_view type) {
  return {Code::not_found, fmt::format("table type {}: there is no {}; install the plugin, both {}.so and {}.xml, or "
                                       "correct the folder of plugins",
                                       type, file.string(), type, type)};
}

std::string_view text_of(char const* text) {
  return text == nullptr ? std::string_view{"(none)"} : std::string_view{text};
}

Status check_descriptor(std::filesystem::path const& so, PluginDescriptor const* plugin, std::string_view name) {
  if (plugin == nullptr) return refused(so, fmt::format("{}() returns nothing; the plugin is faulty", kPluginSymbol));
  // The first four fields never move; the fields after them are read only if these are right.
  if (plugin->abi != kPluginAbi) {
    return refused(
        so, fmt::format("it was built for plugin ABI {} (by {}), this daemon has ABI {}; install the plugin of this "
                        "daemon's version",
                        plugin->abi, text_of(plugin->build), kPluginAbi));
  }
  if (plugin->size != sizeof(PluginDescriptor)) {
    return refused(
        so, fmt::format("its descriptor has {} bytes, expected {} (ABI {}, built by {}); build it again with this "
                        "daemon's headers",
                        plugin->size, sizeof(PluginDescriptor), kPluginAbi, text_of(plugin->build)));
  }
  if (text_of(plugin->name) != name)
    return refused(so, fmt::format("it brings the table type {}, expected {}; name the file after its type",
                                   text_of(plugin->name), name));
  if (plugin->check_type == nullptr || plugin->create == nullptr)
    return refused(so, "its descriptor lacks check_type or create; the plugin is faulty");
  return {};
}

// The linker maps what the headers of a file name and touches it: behind the end of a file that was cut off, the process
// ends by SIGBUS. Anything else that is wrong with it the linker says.
Status check_whole(std::filesystem::path const& so) {
  std::error_code error;
  std::uint64_t const size = std::filesystem::file_size(so, error);
  std::ifstream file{so, std::ios::binary};
  ElfW(Ehdr) head{};
  if (error || !file.read(reinterpret_cast<char*>(&head), sizeof head)) return {};
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(ElfW(Phdr))) return {};
  std::uint64_t needed = head.e_phoff + std::uint64_t{head.e_phnum} * sizeof(ElfW(Phdr));
  file.seekg(static_cast<std::streamoff>(head.e_phoff));
  for (unsigned at = 0; at < head.e_phnum; ++at) {
    ElfW(Phdr) part{};
    if (!file.read(reinterpret_cast<char*>(&part), sizeof part)) break;
    if (part.p_type == PT_LOAD) needed = std::max<std::uint64_t>(needed, part.p_offset + part.p_filesz);
  }
  if (needed <= size) return {};
  return refused(so, fmt::format("it has {} bytes, and its headers name {}: it was cut off; install the plugin again",
                                 size, needed));
}

// The linker's reason, which usually names the file.
std::string linker_words() {
  char const* const words = ::dlerror();
  return words == nullptr ? "unknown error" : words;
}

}  // namespace

Result<LoadedType> load_type(std::filesystem::path const& folder, std::string_view name) {
  if (!is_type_name(name)) {
    return Status{
        Code::bad_configuration,
        fmt::format("table type \"{}\": expected a lower-case letter, then letters and digits, 64 at most", name)};
  }
  // Absolute, because dlopen searches the system's folders for a name without a slash.
  std::error_code error;
  std::filesystem::path const base = std::filesystem::absolute(folder, error);
  std::filesystem::path const so = base / fmt::format("{}.so", name);
  std::filesystem::path const xml = base / fmt::format("{}.xml", name);
  for (std::filesystem::path const& file : {so, xml})
    if (!std::filesystem::exists(file, error)) return missing(file, name);

  // The declaration first: mistakes are more likely there, and reading it runs no foreign code. Its name is the file's.
  Result<TypeDeclaration> declared = config::read_type(xml);
  if (!declared.ok()) return declared.status();

  if (Status whole = check_whole(so); !whole.ok()) return whole;
  Library library{so};
  if (!library.loaded())
    return refused(so, fmt::format("it cannot be loaded: {}; install the plugin again", linker_words()));
  PluginEntry const entry = library.entry<PluginEntry>(kPluginSymbol);
  if (entry == nullptr)
    return refused(so, fmt::format("it has no symbol {}: it is no fastjournal plugin", kPluginSymbol));
  PluginDescriptor const* const plugin = entry();
  if (Status checked = check_descriptor(so, plugin, name); !checked.ok()) return checked;
  auto declaration = std::make_shared<TypeDeclaration const>(std::move(declared).value());
  if (Status agreed = plugin->check_type(*declaration); !agreed.ok())
    return refused(so, fmt::format("it does not agree with {}: {}; install both files from one version", xml.string(),
                                   agreed.message()));
  library.keep();
  return LoadedType{plugin, std::move(declaration)};
}

Result<void const*> load_part(std::filesystem::path const& folder, std::string_view name, std::string_view build) {
  std::error_code error;
  std::filesystem::path const so = std::filesystem::absolute(folder, error) / fmt::format("{}.so", name);
  if (!std::filesystem::exists(so, error))
    return Status{Code::not_found,
                  fmt::format("there is no {}; install it beside the plugins, or build with it", so.string())};
  if (Status whole = check_whole(so); !whole.ok()) return whole;
  Library library{so};
  if (!library.loaded()) return refused(so, fmt::format("it cannot be loaded: {}; install it again", linker_words()));
  auto const entry = library.entry<Part const* (*)()>(kPartSymbol);
  Part const* const part = entry == nullptr ? nullptr : entry();
  if (part == nullptr || part->build != build)
    return refused(so, fmt::format("it is of build {}, and this program of {}; install both from one version",
                                   part == nullptr ? std::string_view{"(none)"} : text_of(part->build), build));
  library.keep();
  return part->functions;
}

Result<std::vector<std::string>> list_types(std::filesystem::path const& folder) {
  std::error_code error;
  std::vector<std::string> out;
  std::filesystem::directory_iterator at{folder, error};
  for (; !error && at != std::filesystem::directory_iterator{}; at.increment(error)) {
    std::filesystem::path const file = at->path();
    if (file.extension() == ".so" && is_type_name(file.stem().string())) out.push_back(file.stem().string());
  }
  if (error) {
    return Status{error == std::errc::no_such_file_or_directory ? Code::not_found : Code::io_error,
                  fmt::format("folder of plugins {}: {}; correct its name or install the plugins", folder.string(),
                              error.message())};
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace fastjournal::os
