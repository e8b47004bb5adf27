#include "tests/world/world.h"

#include "base/check.h"
#include "base/hash.h"
#include "config/table_reader.h"
#include "config/type_reader.h"
#include "engine/log_replay.h"
#include "log/file/log_reader.h"
#include "plugins/blob/blob.h"
#include "plugins/journal/journal.h"
#include "plugins/keyvalue/keyvalue.h"
#include "plugins/pipeline/pipeline_table.h"
#include "plugins/queue/queue_table.h"
#include "tests/support/nobody.h"
#include "wire/http.h"

namespace fastjournal::sim {
World::World(std::uint64_t seed) : seed_(seed) {
  add_type(journal::table_type(), FJ_SOURCE_DIR "/plugins/journal/journal.xml");
  add_type(keyvalue::table_type(), FJ_SOURCE_DIR "/plugins/keyvalue/keyvalue.xml");
  add_type(blob::table_type(), FJ_SOURCE_DIR "/plugins/blob/blob.xml");
  add_type(queue::table_type(), FJ_SOURCE_DIR "/plugins/queue/queue.xml");
  add_type(pipeline::table_type(), FJ_SOURCE_DIR "/plugins/pipeline/pipeline.xml");
  log_options.segment_bytes = 512U << 10U;
  log_options.store_id_seed = seed;
  flush_chance_.seed(seed);
  byte_chance_.seed(seed + 1);
}

void World::add_type(PluginDescriptor const& plugin, std::string const& file) {
  Result<TypeDeclaration> declared = config::read_type(file);
  FJ_CHECK(declared.ok(), "the declaration of a test's table type can be read");
  auto type = std::make_shared<TypeDeclaration>(std::move(declared).value());
  types_[type->name] = std::make_unique<engine::TableType>(plugin, type);
}

World::~World() { tear_down(); }

Status World::add_table(std::string const& file) {
  config::TypesByName types;
  for (auto const& [name, type] : types_) types.emplace(name, type->declaration());
  Result<config::TableFile> read = config::read_table_file(file, types, nullptr);
  if (!read.ok()) return read.status();
  std::erase_if(table_listeners, [&](auto const& one) { return one.table == read->table.name; });
  for (access::ListenDeclaration& one : read->listen) table_listeners.push_back(std::move(one));
  add_table(std::make_shared<TableDeclaration>(std::move(read->table)));
  return {};
}

void World::change_declaration(std::string_view table, std::function<void(TableDeclaration&)> const& change) {
  for (engine::Declaration& declared : declarations_) {
    if (declared->name != table) continue;
    auto changed = std::make_shared<TableDeclaration>(*declared);
    change(*changed);
    declared = std::move(changed);
  }
}

void World::set_feed(std::string_view table, std::optional<FeedDeclaration> feed) {
  change_declaration(table, [&](TableDeclaration& declaration) { declaration.feed = feed; });
}

void World::set_log(std::string_view table, std::string const& log) {
  change_declaration(table, [&](TableDeclaration& declaration) { declaration.log = log; });
}

void World::drop_key(std::string_view table) {
  change_declaration(table, [](TableDeclaration& declaration) {
    declaration.schema.key.clear();
    for (OptionValue& option : declaration.options)
      if (option.name == "max-postpone") option.given = false;
  });
}

void World::set_wake_message(std::string_view table, WakeMessage message) {
  change_declaration(table, [&](TableDeclaration& declaration) { declaration.wake_message = message; });
}

// It replaces a table of the same name.
void World::add_table(engine::Declaration declaration) {
  std::erase_if(declarations_,
                [&](engine::Declaration const& declared) { return declared->name == declaration->name; });
  declarations_.push_back(std::move(declaration));
}

engine::Declaration World::declaration(std::string_view name) const {
  for (engine::Declaration const& declared : declarations_)
    if (declared->name == name) return declared;
  return nullptr;
}

void World::remove_table(std::string_view name) {
  std::erase_if(declarations_, [&](engine::Declaration const& declared) { return declared->name == name; });
}

Status World::open_logs() {
  engine::Engine& engine = server_->engine();
  std::set<std::string> const names = log_names();
  std::vector<std::string> in_files;
  for (std::string const& name : names)
    if (!sim_logs_.contains(name) && !shared_log_makers_.contains(name)) in_files.push_back(name);
  Result<log::file::DataFolder> data = log::file::DataFolder::open(disk_, {.folder = "data", .logs = in_files});
  if (!data.ok()) return data.status();
  data_ = std::make_unique<log::file::DataFolder>(std::move(data).value());
  for (std::string const& name : names) {
    if (auto const maker = shared_log_makers_.find(name); maker != shared_log_makers_.end()) {
      engine::FollowedLog& followed = engine.add_shared_log(name);
      log::SharedLog& log = *(shared_logs_[name] = maker->second(followed));
      engine::Engine::attach_shared(followed, log);
      server_->add_log(log, followed);
      continue;
    }
    engine::HostedLog& hosted = engine.add_log(name);
    if (auto const simulated = sim_logs_.find(name); simulated != sim_logs_.end()) {
      if (Status status = open_sim_log(hosted, *simulated->second); !status.ok()) return status;
      continue;
    }
    engine::LogReplay replay{engine, hosted, {}, [this, &hosted] { return server_->clock().check(hosted); }};
    log::file::RecoveryReport report;
    log::file::LogOptions options = log_options;
    options.name = name;
    options.clock = &clock_;
    if (name != "shared") options.store_id_seed += hash64(name);
    Result<std::unique_ptr<log::file::FileLog>> log = log::file::FileLog::open(disk_, name, options, replay, report);
    if (!log.ok()) return log.status();
    log::file::FileLog& opened = *(logs_[name] = std::move(log).value());
    server_->add_log(opened);
    if (Status status = data_->know(name); !status.ok()) return status;
    if (Status status = engine.recovery().attach(hosted, opened); !status.ok()) return status;
  }
  return {};
}

Status World::open_sim_log(engine::HostedLog& hosted, SimLog& log) {
  engine::Engine& engine = server_->engine();
  log.open();
  hosted.store_id = log.store_id();
  for (test::KeptRecord const& record : log.records())
    if (record.table == TableId::catalogue)
      if (Status status = engine.recovery().replay_catalogue(hosted, record.view()); !status.ok()) return status;
  for (test::KeptRecord const& record : log.records())
    if (Status status = engine.recovery().replay(hosted, record.view(), log.base_lsn()); !status.ok()) return status;
  server_->add_log(log);
  return engine.recovery().attach(hosted, log);
}

SimLog& World::use_sim_log(std::string const& name) {
  std::unique_ptr<SimLog>& log = sim_logs_[name];
  if (log == nullptr) log = std::make_unique<SimLog>(name, seed_ + hash64(name));
  return *log;
}

std::set<std::string> World::log_names() const {
  std::set<std::string> names = more_logs;
  names.insert("shared");
  for (engine::Declaration const& declared : declarations_)
    if (declared->persistent) names.insert(declared->log);
  return names;
}

Status World::start() {
  fatal_ = Status{};
  told_.clear();
  notes_.clear();
  informed_.clear();
  kept_.clear();
  keeping_.clear();
  server_ = std::make_unique<server::Server>(clock_, network_, types_, limits, *this);
  server_->listeners().add(SimNetwork::kTcp, {"sim:4050", kLoopbackRights});
  server_->listeners().add(SimNetwork::kAdministrator, {"unix:/run/fastjournal.sock", kAllRights});
  for (auto const& [name, listener] : listeners_)
    server_->listeners().add(listener.first, {"unix:/run/" + name, listener.second});
  server_->clock().judge_by(clock_rules);
  if (configure) configure(*server_);
  stop_reason_.clear();
  engine::Engine& engine = server_->engine();
  engine.hash_with(hash_seed);
  engine.tell_zones(zones_);
  engine.declare(declarations_);
  if (Status status = open_logs(); !status.ok()) {
    tear_down();
    return status;
  }
  network_.attach(server_.get());
  Status status;
  if (status.ok()) status = server_->start_serving();
  for (access::ListenDeclaration const& own : own_listeners) {
    std::uint32_t const number = 100 + static_cast<std::uint32_t>(&own - own_listeners.data());
    Result<server::Listener> listener = open_listener(number, own);
    if (status.ok()) status = listener.status();
    if (status.ok()) server_->listeners().add(number, std::move(listener).value());
  }
  if (status.ok()) status = server::check_listeners(types_, declarations_, own_listeners, table_listeners);
  if (status.ok()) status = server_->listen_for_tables(table_listeners);
  if (status.ok()) {
    if (began_.value == 0) began_ = now();
    settle();
  } else {
    tear_down();
  }
  return status;
}

void World::tear_down() {
  for (auto const& [name, log] : sim_logs_) log->lose();
  flushes_.clear();
  byte_jobs_.clear();
  hash_jobs_.clear();
  export_jobs_.clear();
  network_.clear();
  clients_.clear();
  server_.reset();
  shared_logs_.clear();
  logs_.clear();
  data_.reset();
}

void World::power_cut() {
  disk_.crash(keep_some(seed_ = seed_ * 6364136223846793005ULL + 1442695040888963407ULL));
  tear_down();
}

void World::kill() {
  disk_.kill();
  tear_down();
}

Status World::stop() {
  Status const status = server_->finish();
  tear_down();
  return status;
}

void World::run_job(log::LogStore& log, log::Lane lane, std::unique_ptr<log::LogJob> job) {
  if (lane != log::Lane::sync) {
    job->run();
    log.finish_job(lane, std::move(job));
    network_.turn_again();
    return;
  }
  bool const at_once = flush_chance_() % 2 == 0;
  if (at_once) job->run();
  flushes_[&log] = {std::move(job), at_once, flush_chance_() % 5};
  if (!flushes_held_ && !held_.contains(&log)) network_.turn_again();
}

void World::wait_for_sync(log::LogStore& log) {
  auto const found = flushes_.find(&log);
  if (found == flushes_.end()) return;
  FlushUnderWay one = std::move(found->second);
  flushes_.erase(found);
  if (!one.ran) one.job->run();
  log.finish_job(log::Lane::sync, std::move(one.job));
}

void World::run_byte_job(storage::ByteFiles& files, storage::Lane lane, std::unique_ptr<storage::Job> job) {
  bool const at_once = byte_chance_() % 2 == 0;
  if (at_once) job->run();
  byte_jobs_.push_back({&files, lane, std::move(job), at_once, byte_chance_() % 4});
  if (!byte_jobs_held_) network_.turn_again();
}

void World::collect_byte_work() {
  if (byte_jobs_held_) return;
  std::vector<ByteJob> done;
  for (auto one = byte_jobs_.begin(); one != byte_jobs_.end();) {
    network_.turn_again();
    if (one->turns-- > 0) {
      ++one;
      continue;
    }
    done.push_back(std::move(*one));
    one = byte_jobs_.erase(one);
  }
  for (ByteJob& one : done) {
    if (!one.ran) one.job->run();
    one.files->finish_job(one.lane, std::move(one.job));
  }
}

void World::hold_byte_jobs(bool paused) {
  byte_jobs_held_ = paused;
  network_.turn_again();
}

void World::hold_flushes(bool paused) {
  flushes_held_ = paused;
  network_.turn_again();
}

void World::hold_syncs(log::LogStore& log, bool paused) {
  if (paused)
    held_.insert(&log);
  else
    held_.erase(&log);
  network_.turn_again();
}

void World::run_hash(std::unique_ptr<access::HashJob> job) {
  hash_jobs_.push_back(std::move(job));
  network_.turn_again();
}

void World::hold_hashes(bool paused) {
  hashes_held_ = paused;
  network_.turn_again();
}

void World::run_export(std::unique_ptr<server::ExportJob> job) {
  export_jobs_.push_back(std::move(job));
  network_.turn_again();
}

void World::hold_exports(bool paused) {
  exports_held_ = paused;
  network_.turn_again();
}

void World::collect_work() {
  if (!exports_held_)
    for (std::unique_ptr<server::ExportJob>& job : std::exchange(export_jobs_, {})) {
      job->status = database ? database(*job) : Status{};
      server_->export_done(std::move(job));
    }
  if (!hashes_held_)
    for (std::unique_ptr<access::HashJob>& job : std::exchange(hash_jobs_, {})) {
      ++hashes_;
      job->run();
      server_->hash_done(std::move(job));
    }
  if (flushes_held_) return;
  std::vector<log::LogStore*> done;
  bool again = false;
  for (auto& [log, one] : flushes_) {
    if (held_.contains(log)) continue;
    again = true;
    if (one.turns-- == 0) done.push_back(log);
  }
  if (again) network_.turn_again();
  for (log::LogStore* const log : done) wait_for_sync(*log);
}

void World::keep_refused(std::string_view table, std::string text, std::uint64_t ticket) {
  kept_.push_back(std::string{table} + ": " + text);
  keeping_.push_back(ticket);
  if (!refused_held_) tell_kept({});
}

void World::tell_kept(Status const& status) {
  for (std::uint64_t const ticket : std::exchange(keeping_, {})) server_->refused_kept(ticket, status);
}

Result<server::Listener> World::open_listener(std::uint32_t number, access::ListenDeclaration const& declared) {
  Result<env::Address> const bound = network_.listen({declared.address}, {.number = number});
  if (!bound.ok()) return bound.status();
  server::Listener out{.address = bound->text, .rights = declared.rights, .table = declared.table};
  if (declared.speaks_http()) {
    auto const site = std::make_shared<protocol::HttpSite const>(protocol::HttpOptions{.names = declared.hosts});
    out.make_protocol = [site] { return std::make_unique<protocol::Http>(site); };
  }
  out.protocol = declared.protocol;
  for (auto const& [name, type] : types_)
    for (PluginProtocol const& protocol : type->plugin().protocols)
      if (protocol.name == declared.protocol)
        out.make_protocol = [make = protocol.make, shared = protocol.share == nullptr ? nullptr : protocol.share()] {
          return make({.piece_bytes_max = std::size_t{1} << 24U}, shared);
        };
  return out;
}

Status World::can_listen(access::ListenDeclaration const& declared) {
  if (!network_.is_taken(declared.address)) return {};
  return {Code::in_use, "listen on " + declared.address + ": Address already in use"};
}

void World::come_by(std::string const& name, std::string const& address) {
  close(name);
  addresses_[name] = address;
}

void World::give_rights(std::string const& name, Rights rights) {
  // Above the numbers of declared listeners.
  std::uint32_t const next = 1000 + static_cast<std::uint32_t>(listeners_.size());
  auto const at = listeners_.try_emplace(name, next, rights).first;
  at->second.second = rights;
  close(name);
  if (server_ != nullptr) server_->listeners().add(at->second.first, {"unix:/run/" + name, rights});
}

SimNetwork::Connection& World::connection(std::string const& name) {
  if (!clients_.contains(name)) {
    std::size_t const at = name.find('@');
    auto const own = listeners_.find(name);
    auto const address = addresses_.find(name);
    std::uint32_t listener = own == listeners_.end() ? 0 : own->second.first;
    if (address != addresses_.end()) {
      listener = network_.listener_at(address->second);
      FJ_CHECK(listener != 0, "somebody listens at the address that a test's client connects to");
    }
    clients_[name] = network_.connect((name == "admin" ? "unix:" : "sim:") + name,
                                      at == std::string::npos ? "ip:192.0.2.1" : "ip:" + name.substr(at + 1), listener);
  }
  return network_.at(clients_[name]);
}

void World::send(std::string const& name, std::string_view line) {
  std::string& to = connection(name).to_server;
  to.append(line);
  to += '\n';
}

std::optional<std::string> World::take_line(std::string const& name) {
  auto const client = clients_.find(name);
  if (client == clients_.end()) return std::nullopt;
  std::string& from = network_.at(client->second).to_client;
  std::size_t const end = from.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = from.substr(0, end);
  from.erase(0, end + 1);
  return line;
}

bool World::is_closed(std::string const& name) {
  auto const client = clients_.find(name);
  return client != clients_.end() && network_.at(client->second).closed_by_server;
}

void World::close(std::string const& name) {
  if (!clients_.contains(name)) return;
  drop(name);
  settle();
}

void World::drop(std::string const& name) {
  auto const client = clients_.find(name);
  if (client == clients_.end()) return;
  network_.drop(client->second);
  clients_.erase(client);
}

bool World::turn() { return server_ != nullptr && fatal_.ok() && network_.turn(clock_.monotonic_us()); }

void World::settle() {
  for (int turns = 0; turn(); ++turns)
    if (turns > 1'000'000) std::abort();  // it would never come to rest
}

void World::advance(DurationMs span) {
  settle();
  std::int64_t const end = clock_.monotonic_us() + span.value * 1000;
  while (fatal_.ok() && network_.next_wake() <= end) {
    std::int64_t const wait = network_.next_wake() - clock_.monotonic_us();
    if (wait > 0) clock_.advance(wait);
    settle();
  }
  clock_.advance(end - clock_.monotonic_us());
  settle();
}

void World::set_clock(DurationMs by) {
  clock_.set_wall(clock_.wall_us() + by.value * 1000);
  if (server_ == nullptr) return;
  network_.clock_was_set();
  settle();
}

void World::suspend(DurationMs span) {
  settle();
  clock_.suspend(span.value * 1000);
  settle();
}

Result<std::uint64_t> World::replayed_digest() {
  fastjournal::test::Nobody nobody;
  engine::Engine engine{types_, nobody};
  engine.tell_zones(zones_);
  engine.declare(declarations_);
  for (auto const& [name, log] : logs_) {
    Result<log::file::LogReader> reader = log::file::LogReader::open(disk_, name);
    if (!reader.ok()) return reader.status();
    engine::HostedLog& hosted = engine.add_log(name);
    engine::LogReplay replay{engine, hosted};
    log::file::RecoveryReport report;
    if (Status status = reader->read(replay, report); !status.ok()) return status;
    if (Status status = engine.recovery().attach(hosted, *log); !status.ok()) return status;
  }
  return engine.digest();
}

TimeMs World::last_logged() {
  fastjournal::test::Nobody nobody;
  engine::Engine engine{types_, nobody};
  engine.tell_zones(zones_);
  engine.declare(declarations_);
  for (std::string const& name : log_names()) {
    Result<log::file::LogReader> reader = log::file::LogReader::open(disk_, name);
    engine::HostedLog& hosted = engine.add_log(name);
    engine::LogReplay replay{engine, hosted};
    log::file::RecoveryReport report;
    if (!reader.ok() || !reader->read(replay, report).ok()) return {};
  }
  return engine.time_corrections().last_now();
}

}  // namespace fastjournal::sim
