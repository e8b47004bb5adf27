// The state of a table on its way to an SQL database: made by the server (exports.h), done by the program around it.
#pragma once

#include <cstdint>
#include <string>

#include "fastjournal/export.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::server {

struct ExportJob {
  std::uint64_t number{0};  // of its destination
  std::string connect;      // as declared
  std::string catalog;
  std::string table;
  std::string type;
  TimeMs date{};  // of the content
  TableExport content;
  // out
  Status status;
};

}  // namespace fastjournal::server
