// The loadable module: the one symbol that the daemon loads.
#include "plugins/blob/blob.h"

extern "C" __attribute__((visibility("default"))) fastjournal::PluginDescriptor const* fastjournal_table_type() {
  return &fastjournal::blob::table_type();
}
