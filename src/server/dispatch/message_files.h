// Definition files of our messages, commands and answers, one `NAME.conf` each, for the peers of a communicator system,
// which check the messages that they send and receive. Values in, text out. Written by the daemon, not by a script over
// TYPE.xml, since only the daemon knows the columns of the declared tables, and peers refuse other names.
#pragma once

#include <map>
#include <string>

#include "engine/engine.h"

namespace fastjournal::server {

// File name -> content: the commands of the table types and of the daemon itself with their answers, except those that
// every service of such a system has (HELP, ALIVE, STOP, UNKNOWN, ...: their files are part of that system). A section
// for each parameter, columns of the declared tables included.
[[nodiscard]] std::map<std::string, std::string> message_files(engine::TableTypes const& types,
                                                               engine::Declarations const& tables);

}  // namespace fastjournal::server
