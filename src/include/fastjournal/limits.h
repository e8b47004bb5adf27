// Length limits of the names that clients invent. Such names are echoed in answers and stay in the daemon's memory as
// long as a client waits or works under them; hence the limits. The table is in doc/protocol.md, "Limits".
#pragma once

#include <cstddef>

namespace fastjournal {

// The parameter `request`, echoed in every message of an answer.
inline constexpr std::size_t kRequestBytesMax = 256;
// In a message's head: the command, known or not; server and service of a sender together.
inline constexpr std::size_t kCommandBytesMax = 256;
inline constexpr std::size_t kSenderBytesMax = 255;
// serial and timestamp of ALIVE, each echoed in the answer.
inline constexpr std::size_t kEchoBytesMax = 256;
// The worker of a lease, or the person who pauses a table. Room for a sender, SERVER:SERVICE.
inline constexpr std::size_t kWorkerBytesMax = 256;
// The domain of a row: the unit of grouping and of waiting. A row with a longer domain is known by the beginning of it.
inline constexpr std::size_t kDomainBytesMax = 256;
// The `client` of a producer that numbers its inserts.
inline constexpr std::size_t kClientBytesMax = 128;
// Texts for people, cut where longer: a worker's error text of a row; the reason for pausing a table.
inline constexpr std::size_t kErrorBytesMax = 1024;
// Where it went wrong, beside that text.
inline constexpr std::size_t kTraceBytesMax = 64U << 10U;
// What kind of error it is, for programs: a class, a code.
inline constexpr std::size_t kErrorClassBytesMax = 128;
inline constexpr std::size_t kReasonBytesMax = 1024;
// What a worker is doing with a row, beside how far it is.
inline constexpr std::size_t kNoteBytesMax = 1024;

static_assert(kSenderBytesMax + 1 <= kWorkerBytesMax, "a sender is a worker's name, with its ':'");

}  // namespace fastjournal
