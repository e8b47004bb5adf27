// A connection whose protocol is given bytes in pieces, for fuzzers: a daemon of the fuzzer's answers its commands.
// What a server relies on is checked at each step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fastjournal/message.h"
#include "fastjournal/protocol.h"

namespace fastjournal::fuzz {

struct Told {
  std::string commands{};  // one a line
  std::string out{};
  bool ended{false};
  std::size_t bad{0};  // pieces that were refused

  void note(Message const& message) {
    FJ_CHECK(!message.command.empty(), "a command has a name");
    commands.append(message.command);
    for (Param const& param : message.params()) commands.append(" ").append(param.name).append(param.value.bytes);
    commands += '\n';
  }
};

// `bytes` in pieces of `step`; `answer(message)` writes to `told`. `kept_max`: of what the protocol keeps;
// `commands_max`: of a piece of input. False: there were more, and the rest was not read.
template <typename Answer>
[[nodiscard]] bool play(Protocol& protocol, std::string_view bytes, std::size_t step, std::size_t kept_max,
                        int commands_max, Told& told, Answer const& answer) {
  Message message;
  std::string unread;
  int of_piece = 0;
  do {
    std::size_t const more = std::min(step, bytes.size());
    unread += bytes.substr(0, more);
    bytes.remove_prefix(more);
    while (!told.ended) {
      Protocol::Piece const piece = protocol.read(unread, message, told.out);
      FJ_CHECK(piece.consumed <= unread.size(), "no more is consumed than is there");
      if (piece.kind == Protocol::Kind::need_more) {
        FJ_CHECK(piece.consumed == 0 && unread.size() < protocol.whole_bytes(unread), "no more is kept than was said");
        break;
      }
      of_piece = piece.consumed > 0 ? 0 : of_piece + 1;
      if (of_piece > commands_max) return false;
      if (piece.kind == Protocol::Kind::message) answer(message);
      if (piece.kind == Protocol::Kind::bad) {
        ++told.bad;
        protocol.refuse(piece.status, told.out);
      }
      FJ_CHECK(protocol.kept_bytes() <= kept_max, "what is kept has a limit");
      told.ended = piece.ends || protocol.ends();
      unread.erase(0, piece.consumed);
    }
  } while (!told.ended && !bytes.empty());
  return true;
}

}  // namespace fastjournal::fuzz
