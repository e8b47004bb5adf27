#include "model/plan/xml.h"

#include <string_view>

namespace fastjournal::plan {
namespace {

// Names are a letter, then letters, digits, _ and -: nothing in them needs to be escaped.
void put(std::string& out, std::string_view name, std::string_view value) {
  out.append(" ").append(name).append("=\"").append(value).append("\"");
}
void put(std::string& out, std::string_view name, std::uint64_t value) { put(out, name, std::to_string(value)); }
void put_ms(std::string& out, std::string_view name, std::int64_t ms) {
  put(out, name, ms % 1000 == 0 ? std::to_string(ms / 1000) + "s" : std::to_string(ms) + "ms");
}

// What is as in `usual` is left out.
std::string retry_of(Retry const& retry, Retry const& usual) {
  std::string out;
  if (retry.max_attempts != usual.max_attempts) put(out, "max-attempts", std::uint64_t{retry.max_attempts});
  if (retry.first_ms != usual.first_ms) put_ms(out, "first", retry.first_ms);
  if (retry.factor != usual.factor) put(out, "factor", std::uint64_t{retry.factor});
  if (retry.max_ms != usual.max_ms) put_ms(out, "max", retry.max_ms);
  if (retry.jitter_percent != usual.jitter_percent) put(out, "jitter", std::uint64_t{retry.jitter_percent});
  if (retry.timeout_ms != usual.timeout_ms) put_ms(out, "timeout", retry.timeout_ms);
  if (retry.cancel_timeout_ms != usual.cancel_timeout_ms) put_ms(out, "cancel-timeout", retry.cancel_timeout_ms);
  if (retry.on_timeout != usual.on_timeout) put(out, "on-timeout", word_of(kOnTimeoutWords, retry.on_timeout));
  return out;
}

void put_router(std::string& out, Step const& step) {
  if (step.router == Router::none) return;
  put(out, "router", word_of(kRouterWords, step.router));
  if (step.router == Router::by_name && step.copies_max != 1) put(out, "copies-max", std::uint64_t{step.copies_max});
}

void put_source(std::string& out, Step const& step) {
  out += "  <source";
  put(out, "name", step.name);
  if (step.hash != Hash::xxh3) put(out, "hash", word_of(kHashWords, step.hash));
  if (!step.remembers) put(out, "remember", "false");
  if (step.keeps_versions) put(out, "versions", word_of(kVersionsWords, step.keeps_versions));
  if (step.tells_deleted) put(out, "deleted", word_of(kDeletedWords, step.tells_deleted));
  put_router(out, step);
  out += "/>\n";
}

void put_step(std::string& out, Plan const& plan, Step const& step) {
  std::string after;
  for (StepIndex const before : step.before) after.append(after.empty() ? "" : " ").append(plan.step(before).name);
  out += "  <step";
  put(out, "name", step.name);
  put(out, "after", after);
  if (step.kind != Kind::safe) put(out, "kind", word_of(kKindWords, step.kind));
  Effect const usual = step.kind == Kind::safe ? Effect::mutating : Effect::preserving;
  if (step.effect != usual) put(out, "effect", word_of(kEffectWords, step.effect));
  if (step.guarantee != Guarantee::at_most_once) put(out, "guarantee", word_of(kGuaranteeWords, step.guarantee));
  if (step.any_path) put(out, "any-path", "true");
  put_router(out, step);
  std::string const retry = retry_of(step.retry, Retry{});
  out += retry.empty() ? "/>\n" : ">\n    <retry" + retry + "/>\n  </step>\n";
}

}  // namespace

std::string to_xml(Plan const& plan) {
  std::string out = "<plan";
  put(out, "name", plan.name);
  put(out, "version", std::uint64_t{plan.version});
  if (!plan.fault_tolerant) put(out, "fault-tolerance", "false");
  if (plan.strict) put(out, "strict", "true");
  out += ">\n";
  for (Step const& step : plan.steps) step.is_source ? put_source(out, step) : put_step(out, plan, step);
  return out + "</plan>\n";
}

}  // namespace fastjournal::plan
