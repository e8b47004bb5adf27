// How single changes are numbered (doc/protocol.md, client and sequence): under one name for a connection, with the next
// number of their table. One whose answer was lost is sent again, and counts once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "clients/cpp/link.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::client {

// "client-" and 32 digits: 128 random bits, which no other client has.
[[nodiscard]] std::string drawn_name();

class Numbers {
 public:
  // Empty: a drawn one.
  explicit Numbers(std::string client);

  [[nodiscard]] std::string const& client() const { return client_; }
  // A command that has `client` or `sequence` keeps them. What is set is borrowed.
  void give(Message& command);
  // What a refusal says about the name. True: there is no room for it in the table, nothing was done, and for a minute no
  // command of that table is numbered. Where a drawn name is another peer's, as ours is another address now, the next
  // command has another one.
  bool has_no_room(std::string_view table, Status const& refusal);

 private:
  struct OfTable {
    std::uint64_t last{0};
    Moment none_until{};
  };
  bool is_drawn_;
  std::string client_;
  std::map<std::string, OfTable, std::less<>> tables_{};
};

}  // namespace fastjournal::client
