#include "clients/programs/fastjournal/imports/run.h"

namespace fastjournal::imports {

void Run::count(Job const& job, bool was_there) {
  Counts& counts = queues_[job.queue];
  ++(job.is_parked ? counts.parked : job.date ? counts.delayed : counts.ready);
  if (was_there) ++counts.known;
  ++jobs_;
}

void Run::refuse(std::string const& queue, std::string job, Status why) {
  ++queues_[queue].refused;
  refusals_.push_back({queue, std::move(job), std::move(why)});
}

}  // namespace fastjournal::imports
