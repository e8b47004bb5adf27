#include "clients/programs/fastjournal/sentences.h"

#include "clients/cpp/value_text.h"
#include "model/date.h"

namespace fastjournal::cli {

std::string due_text(Message const& answer) {
  auto const date = answer.integer("process_date");
  return date && *date > 0 ? ", due " + model::format_date(*date) : std::string();
}

std::string value_text(Message const& message, std::string_view name) {
  Value const* const value = message.find(name);
  return value == nullptr ? "?" : client::text_of(*value);
}

}  // namespace fastjournal::cli
