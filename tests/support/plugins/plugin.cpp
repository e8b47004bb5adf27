// A table type that does nothing, built several times: once correctly, and once
// for each fault that the loader must find. CMakeLists.txt chooses the fault.
#include "fastjournal/table.h"

namespace {

using fastjournal::PluginDescriptor;  // NOLINT(misc-unused-using-decls): of macros that CMakeLists.txt gives
using fastjournal::Status;

Status check_type([[maybe_unused]] fastjournal::TypeDeclaration const& declared) {
#ifdef FJ_REFUSES
  return {fastjournal::Code::bad_configuration,
          "the command " + declared.commands.at(0).name + " is unknown to the code"};
#else
  return {};
#endif
}

fastjournal::Result<std::unique_ptr<fastjournal::Table>> create(fastjournal::TableContext const&,
                                                                std::shared_ptr<fastjournal::TypeDeclaration const>,
                                                                std::shared_ptr<fastjournal::TableDeclaration const>) {
  return Status{fastjournal::Code::not_supported, "a type without tables"};
}

}  // namespace

#ifdef FJ_UNDEFINED
void fastjournal_defined_nowhere();
#endif

#ifndef FJ_NO_SYMBOL
extern "C" __attribute__((visibility("default"))) PluginDescriptor const* fastjournal_table_type() {
#ifdef FJ_UNDEFINED
  fastjournal_defined_nowhere();
#endif
#ifdef FJ_NOTHING
  return nullptr;
#else
  static PluginDescriptor const descriptor{FJ_SIZE, FJ_ABI, "a test's compiler", FJ_NAME, &check_type, FJ_CREATE};
  return &descriptor;
#endif
}
#endif
