// How long the names may be that clients invent. They come back in answers and
// stand in the memory of the daemon for as long as somebody waits or works under
// them, so each has an end; doc/protocol.md, "Limits", has the table.
#pragma once

#include <cstddef>

namespace fastjournal {

// Echoed in every message of an answer.
inline constexpr std::size_t kRequestBytesMax = 256;
// Of a message's head: a command, known or not; server and service of a sender together.
inline constexpr std::size_t kCommandBytesMax = 256;
inline constexpr std::size_t kSenderBytesMax = 255;
// serial and timestamp of ALIVE, echoed.
inline constexpr std::size_t kEchoBytesMax = 256;
// Who works on a row, or pauses a table. Room for a sender, SERVER:SERVICE.
inline constexpr std::size_t kWorkerBytesMax = 256;
// What rows are grouped by, and one waits for; of rows, a longer one is known by its beginning.
inline constexpr std::size_t kDomainBytesMax = 256;
// A producer that numbers its inserts.
inline constexpr std::size_t kClientBytesMax = 128;
// Texts for people: a longer one is cut. What a worker said of a row; why a table is paused.
inline constexpr std::size_t kErrorBytesMax = 1024;
inline constexpr std::size_t kReasonBytesMax = 1024;

static_assert(kSenderBytesMax + 1 <= kWorkerBytesMax, "a sender is a worker's name, with its ':'");

}  // namespace fastjournal
