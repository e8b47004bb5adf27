#include "clients/c/failures.h"

#include <iterator>

#include "clients/c/handles.h"

using namespace fastjournal;

namespace {

// The numbers of the header never change, those of Code must not.
static_assert(
    FJ_INVALID == static_cast<int>(Code::invalid) && FJ_UNKNOWN_COMMAND == static_cast<int>(Code::unknown_command) &&
    FJ_UNKNOWN_TABLE == static_cast<int>(Code::unknown_table) &&
    FJ_UNKNOWN_ROW == static_cast<int>(Code::unknown_row) &&
    FJ_MISSING_PARAMETER == static_cast<int>(Code::missing_parameter) &&
    FJ_UNKNOWN_PARAMETER == static_cast<int>(Code::unknown_parameter) &&
    FJ_BAD_PARAMETER == static_cast<int>(Code::bad_parameter) && FJ_TOO_LARGE == static_cast<int>(Code::too_large) &&
    FJ_OVER_LIMIT == static_cast<int>(Code::over_limit) && FJ_STALE_EPOCH == static_cast<int>(Code::stale_epoch) &&
    FJ_STALE_SEQUENCE == static_cast<int>(Code::stale_sequence) &&
    FJ_NOT_LEASED == static_cast<int>(Code::not_leased) && FJ_EXPIRED == static_cast<int>(Code::expired) &&
    FJ_WRONG_STATE == static_cast<int>(Code::wrong_state) && FJ_PAUSED == static_cast<int>(Code::paused) &&
    FJ_NO_SPACE == static_cast<int>(Code::no_space) && FJ_NOT_SUPPORTED == static_cast<int>(Code::not_supported) &&
    FJ_NOT_ALLOWED == static_cast<int>(Code::not_allowed) && FJ_UNAVAILABLE == static_cast<int>(Code::unavailable) &&
    FJ_TIMED_OUT == static_cast<int>(Code::timed_out) && FJ_CLOSED == static_cast<int>(Code::closed) &&
    FJ_IN_USE == static_cast<int>(Code::in_use) && FJ_NOT_FOUND == static_cast<int>(Code::not_found) &&
    FJ_BAD_CONFIGURATION == static_cast<int>(Code::bad_configuration) &&
    FJ_DAMAGED == static_cast<int>(Code::damaged) && FJ_IO_ERROR == static_cast<int>(Code::io_error) &&
    FJ_IN_TRANSACTION == static_cast<int>(Code::in_transaction) &&
    FJ_ROLLED_BACK == static_cast<int>(Code::rolled_back) && FJ_MOVED == static_cast<int>(Code::moved) &&
    std::size(kCodeRows) == FJ_MOVED + 1);

struct Failure {
  Code code{Code::ok};
  Status status;  // ok if there was no memory for its sentence
};

Failure& last() {
  static thread_local Failure failure;
  return failure;
}

}  // namespace

namespace fastjournal::c {

int told(Status status) noexcept {
  if (status.ok()) return FJ_OK;
  last().code = status.code();
  last().status = std::move(status);
  return static_cast<int>(last().code);
}

int told_no_memory() noexcept {
  last() = {.code = Code::no_space, .status = {}};
  return FJ_NO_SPACE;
}

Status refused(std::string_view parameter, std::string text) {
  return Status{Code::bad_parameter, std::move(text)}.with("parameter", std::string{parameter});
}

Status bad(char const* parameter, std::string const& expected) {
  return refused(parameter, std::string{parameter} + ": expected " + expected);
}

Status check(AllNeeded needed) {
  for (auto const& [given, name] : needed)
    if (given == nullptr) return refused(name, std::string{name} + " is NULL");
  return {};
}

}  // namespace fastjournal::c

extern "C" {

char const* fj_code_name(int code) {
  if (code < 0 || code > FJ_MOVED) return "unknown";
  return row_of(static_cast<Code>(code)).wire_name.data();
}

int fj_error_code(void) { return static_cast<int>(last().code); }

char const* fj_error_text(void) {
  if (last().code == Code::ok) return "";
  if (last().status.ok()) return "there is too little memory";
  return last().status.message().c_str();
}

char const* fj_error_fact(char const* name) {
  if (name == nullptr) return nullptr;
  for (auto const& [fact, value] : last().status.facts())
    if (fact == name) return value.c_str();
  return nullptr;
}

char const* fj_version(void) { return FJ_VERSION; }

int fj_api(void) { return FJ_API; }

}  // extern "C"
