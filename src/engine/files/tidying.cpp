#include "engine/files/tidying.h"

#include <algorithm>
#include <set>

namespace fastjournal::storage {

// Whatever is there: it may be of any step of any exchange. A link whose file is not there so far follows it.
Status Tidying::link_at_start() {
  std::string const& folder = context_.options.folder;
  std::vector<FileRequest> requests;
  context_.manager->list_files(requests);
  for (FileRequest const& request : requests) {
    if (request.link.empty()) continue;
    std::string const path = folder + "/" + std::string{request.link};
    bool const is_there = files_.find(request.number) != nullptr;
    Status status = is_there ? context_.disk.point(path, file_name(request.number)) : context_.disk.remove(path);
    if (!status.ok() && (is_there || status.code() != Code::not_found)) return status;
    if (is_there) links_.emplace(request.link, file_name(request.number));
  }
  if (Status status = context_.disk.sync_folder(folder); !status.ok()) return status;
  for (auto const& [link, target] : links_) context_.manager->link_leads_to(link, number_of(target).value_or(0));
  return {};
}

void Tidying::freed(DataFile& file, Extent const& extent, Lsn lsn) {
  ++file.freeing;
  freed_.push_back({extent, lsn, readings_.first_without()});
}

void Tidying::free_durable(Lsn durable) {
  auto const may_go = [&](Freed const& freed) { return freed.lsn <= durable && readings_.are_over(freed.before); };
  while (!freed_.empty() && may_go(freed_.front())) {
    Extent const extent = freed_.front().extent;
    freed_.pop_front();
    DataFile* const file = files_.find(extent.file);
    if (file == nullptr) continue;
    --file->freeing;
    files_.want_punched(*file, extent.begin, extent.end);
  }
  for (auto& [number, file] : files_.all()) {
    bool const is_out = file.outstanding > 0;
    bool const is_empty = file.named == 0 && !is_out && file.freeing == 0;
    bool const is_last = number == files_.last_number();
    if (context_.manages_files() || !is_empty || file.removing || is_last) continue;
    files_.remove(file);
  }
}

void Tidying::follow_requests(Lsn durable, Lsn end) {
  bool const is_job_out = context_.out.contains(Lane::tidy);
  std::vector<FileRequest> requests;
  context_.manager->list_files(requests);
  Links links;
  std::set<std::uint32_t> wanted;
  for (FileRequest const& request : requests) {
    if (request.number == 0) continue;
    wanted.insert(request.number);
    if (!request.link.empty()) links.emplace(request.link, file_name(request.number));
    if (files_.find(request.number) == nullptr && std::ranges::find(to_make_, request.number) == to_make_.end() &&
        !is_job_out)
      to_make_.push_back(request.number);
  }
  promised_.drop_copies(wanted);
  for (auto& [number, file] : files_.all()) {
    if (wanted.contains(number)) {
      file.unwanted_since = kNoLsn;
      continue;
    }
    if (file.unwanted_since.is_none()) file.unwanted_since = end;
    if (file.unwanted_since > durable || file.removing || file.outstanding > 0) continue;
    files_.remove(file);
  }
  if (links != requested_links_) {
    requested_links_ = std::move(links);
    links_requested_at_ = end;
  }
  if (links_requested_at_ > durable || links_ == requested_links_ || is_job_out) return;
  to_link_.clear();
  for (auto const& [link, target] : requested_links_)
    if (auto const now = links_.find(link); now == links_.end() || now->second != target) to_link_[link] = target;
  for (auto const& [link, target] : links_)
    if (!requested_links_.contains(link)) to_link_[link] = {};
}

void Tidying::remove_all() {
  for (auto& [number, file] : files_.all()) files_.remove(file);
}

bool Tidying::is_settled() const {
  bool const is_waiting = !freed_.empty() || !files_.garbage().is_empty();
  if (is_waiting || !context_.manages_files()) return !is_waiting;
  // Files and links change once the record that says so is durable.
  auto const is_leaving = [](auto const& one) { return !one.second.unwanted_since.is_none() && !one.second.removing; };
  return to_make_.empty() && to_link_.empty() && links_ == requested_links_ && context_.manager->file_to_be() == 0 &&
         std::ranges::none_of(files_.all(), is_leaving);
}

// ---------------------------------------------------------------------------
// The job

std::unique_ptr<Job> Tidying::take_job() {
  Garbage& garbage = files_.garbage();
  if (to_make_.empty() && to_link_.empty() && (context_.is_held || garbage.is_empty())) return nullptr;
  ByteFilesOptions const& options = context_.options;
  auto job = std::make_unique<TidyJob>();
  job->disk = &context_.disk;
  job->folder = options.folder;
  job->access = options.access;
  for (std::uint32_t const number : std::exchange(to_make_, {}))
    job->makes.push_back({{number, options.table, options.store_id}, files_.path_of(number)});
  for (auto const& [link, target] : to_link_) job->links.push_back({options.folder + "/" + link, target});
  job->removes = std::exchange(garbage.paths, {});
  if (!context_.is_held) {
    job->punches = std::exchange(garbage.punches, {});
    for (std::uint32_t const number : garbage.files) job->removes.push_back(files_.path_of(number));
    removing_ = std::exchange(garbage.files, {});
  }
  return job;
}

void Tidying::finish_job(TidyJob& job) {
  if (job.cannot_punch) files_.cannot_punch();
  context_.figures.given_back_bytes += job.punched_bytes;
  std::vector<std::uint32_t> const removed = std::exchange(removing_, {});
  for (TidyJob::Made& made : job.makes) {
    if (made.file == nullptr) continue;
    DataFile const& file = files_.add(made.header.number, std::move(made.file));
    // The files may be exchanged from now on.
    if (context_.manages_files() && context_.manager->file_to_be() == file.number)
      context_.manager->file_has(file.number, file.end, 0);
  }
  // It was declared anew meanwhile.
  if (job.access != context_.options.access)
    if (Status const status = files_.give_access(); !status.ok()) context_.note_damage(status);
  if (!job.failure.ok()) {
    // The next turn tries it again; what waits for the file is told.
    context_.note_damage(job.failure);
    Garbage& garbage = files_.garbage();
    auto const others = job.removes.end() - static_cast<std::ptrdiff_t>(removed.size());
    garbage.paths.insert(garbage.paths.end(), job.removes.begin(), others);
    garbage.files.insert(garbage.files.end(), removed.begin(), removed.end());
    return;
  }
  for (std::uint32_t const number : removed) {
    files_.all().erase(number);
    carried_.file_removed(number);
  }
  for (auto const& [link, target] : std::exchange(to_link_, {})) {
    if (target.empty())
      links_.erase(link);
    else
      links_[link] = target;
    if (context_.table != nullptr) context_.manager->link_leads_to(link, number_of(target).value_or(0));
  }
}

}  // namespace fastjournal::storage
