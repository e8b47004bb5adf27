// The loadable module: the one symbol that the daemon loads.
#include "plugins/queue/queue_table.h"

extern "C" __attribute__((visibility("default"))) fastjournal::PluginDescriptor const* fastjournal_table_type() {
  return &fastjournal::queue::table_type();
}
