// Definition files of our commands, one `COMMAND.conf` each, for the peers of
// a communicator system, which check the messages that they send and receive.
#pragma once

#include <map>
#include <string>

#include "core/engine.h"
#include "server/server.h"

namespace fastjournal::daemon {

// File name -> content: the commands of the table types and of the daemon itself, but not those that every service of
// such a system has (HELP, ALIVE, STOP, ...: their files come with it). A section for each parameter; columns of the declared tables
// stand among them.
[[nodiscard]] std::map<std::string, std::string> message_files(core::TableTypes const& types,
                                                               core::Declarations const& tables);
[[nodiscard]] Status write_message_files(std::string const& folder, std::map<std::string, std::string> const& files);

}  // namespace fastjournal::daemon
