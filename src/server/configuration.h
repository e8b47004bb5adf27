// Declarations of the tables folder beside the tables themselves: aliases of messages, feeds and listeners. They always
// belong to the declarations that the engine runs; a reload changes all of it, or nothing. Owned by the server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "server/admin/registry.h"
#include "server/answers/feeds.h"
#include "server/communicator/aliases.h"
#include "server/server_host.h"
#include "server/table_listeners.h"
#include "server/time_keeper.h"

namespace fastjournal::server {

class Configuration {
 public:
  Configuration(engine::Engine& engine, TablesFolder& folder, admin::Registry const& registry, Feeds& feeds,
                TableListeners& listeners, TimeKeeper& time)
      : engine_(engine), folder_(folder), registry_(registry), feeds_(feeds), listeners_(listeners), time_(time) {}

  // At the start: of the tables that the engine was given. Their listeners are opened later, by TableListeners.
  [[nodiscard]] Status begin();
  // Reads the folder again. Returns one sentence for each change. `table`: only this table; empty: all.
  [[nodiscard]] Result<std::vector<std::string>> reload(std::string_view table, TimeMs now);
  // The same without making the changes.
  [[nodiscard]] Result<std::vector<std::string>> preview(std::string_view table);

  [[nodiscard]] communicator::Aliases const& aliases() const { return aliases_; }

 private:
  // The checked declarations, and their aliases.
  struct Next {
    engine::Declarations tables;
    TableListeners::Declared listeners;
    communicator::Aliases aliases;
  };
  [[nodiscard]] Result<Next> read(std::string_view table) const;
  [[nodiscard]] Result<engine::Declarations> with_one(std::string_view table, engine::Declarations const& next) const;
  [[nodiscard]] Result<communicator::Aliases> read_aliases(engine::Declarations const& tables) const;

  engine::Engine& engine_;
  TablesFolder& folder_;
  admin::Registry const& registry_;
  Feeds& feeds_;
  TableListeners& listeners_;
  TimeKeeper& time_;
  communicator::Aliases aliases_;
};

}  // namespace fastjournal::server
