// The loadable module: the one symbol that the daemon loads.
#include "plugins/pipeline/pipeline_table.h"

extern "C" __attribute__((visibility("default"))) fastjournal::PluginDescriptor const* fastjournal_table_type() {
  return &fastjournal::pipeline::table_type();
}
