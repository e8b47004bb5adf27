#include "engine/volatile_tables.h"

#include <algorithm>

namespace fastjournal::engine {

Status VolatileTables::host(TimeMs now) {
  if (log_ != nullptr) return {};
  Lsn first{kLsnAlign};  // none was ever given
  for (auto const& log : tables_.logs()) first = std::max(first, log->catalogue.numbers().below);
  log::Log const& kept = *tables_.own_log().log;
  log_ = std::make_unique<log::VolatileLog>(kept.start(), kept.store_id(), first);
  if (Status status = reserve_numbers(now); !status.ok()) {
    log_.reset();
    return status;
  }
  HostedLog& hosted = tables_.add_log(kVolatileLog);
  hosted.log = log_.get();
  hosted.store_id = log_->store_id();
  hosted.hosted = true;
  hosted.keeps = false;
  return {};
}

Status VolatileTables::reserve_numbers(TimeMs now) {
  HostedLog& kept = tables_.own_log();
  Lsn const below{log_->end_lsn().value + log::VolatileLog::kNumbersReserved};
  Status status = log_in_catalogue(alerting_, kept, now, 64, [&](Records& records) {
    log::Catalogue::append_numbers(records, kept.catalogue.numbers().object, below);
  });
  if (status.ok()) log_->reserve_numbers(below);
  return status;
}

}  // namespace fastjournal::engine
