// fastjournal-sql.so: mirrors of tables in SQL databases.
#include "daemon/parts.h"
#include "platform/os/part.h"
#include "platform/sql/mirror.h"

namespace fastjournal::daemon {
namespace {

constexpr SqlPart kPart{.export_to = [](std::string const& place, server::ExportJob const& job, Stop const& stop) {
  return sql::export_to(place, job.catalog,
                        {.table = job.table, .type = job.type, .date = job.date, .content = job.content}, stop);
}};

}  // namespace
}  // namespace fastjournal::daemon

FJ_PART(FJ_BUILD, fastjournal::daemon::kPart)
