#include "tests/unit/pipeline/compare.h"

#include <map>

namespace fastjournal::pipeline::test {
namespace {

// For people, when something is wrong.
std::string shown_of(Reference const& reference, std::string const& id, Reply const& reply, std::size_t at) {
  std::string out = "\n got";
  for (auto const& [name, value] : reply.messages[at]) out += " " + name + "=" + value;
  Reference::Doc const& doc = reference.at(id);
  out += "\n expected generation=" + std::to_string(doc.generation) + " declared=" + std::to_string(doc.declared) +
         " states " + reference.states(id) + " children";
  for (auto const& [other, child] : reference.docs)
    if (child.parent == id)
      out += " " + other + "(" + std::to_string(child.generation) + (reference.done(other) ? " done" : "") + ")";
  return out;
}

// Of documents of all sources, or of one.
std::string check_destination(Harness& table, Reference const& reference, int at, std::string const& source) {
  std::map<std::string, std::uint64_t> counts;
  for (auto const& [id, doc] : reference.docs) {
    if (!source.empty() && doc.source != source) continue;
    ++counts[doc.places[at].in_doubt ? "in_doubt" : doc.places[at].state];
    if (doc.places[at].leased) ++counts["with_workers"];
  }
  Texts with{{"destination", Reference::kNames[at]}};
  if (!source.empty()) with["source"] = source;
  Reply const destination = table.run("DESTINATIONS", with);
  for (std::string const what : {"processing", "restart", "dirty", "force", "error", "batched", "sending", "sent",
                                 "dropped", "dead", "error_doc", "in_doubt", "with_workers"}) {
    std::string const expected = counts[what] == 0 ? "-" : std::to_string(counts[what]);
    if (std::string const wrong = differs(what, destination.get(what), expected); !wrong.empty()) return wrong;
  }
  return differs("mode", destination.get("mode"), reference.targets[at].mode);
}

}  // namespace

std::string compare(Harness& table, Reference const& reference) {
  Reply const reply = table.run("DOCUMENTS", {{"count", "1000"}});
  std::size_t const shown = reply.name() == "NOTHING" ? 0 : reply.messages.size();
  if (shown != reference.docs.size())
    return std::to_string(shown) + " documents, expected " + std::to_string(reference.docs.size());
  for (std::size_t at = 0; at < shown; ++at) {
    std::string const id = reply.get("document", at);
    if (!reference.docs.contains(id)) return "there is a document " + id;
    std::string const of = "document " + id + ": ";
    for (auto const& [what, expected] :
         std::map<std::string, std::string>{{"states", reference.states(id)},
                                            {"done", reference.done(id) ? "1" : "-"},
                                            {"orphan", reference.orphan(reference.at(id)) ? "1" : "-"}})
      if (std::string const wrong = differs(of + what, reply.get(what, at), expected); !wrong.empty())
        return wrong + shown_of(reference, id, reply, at);
    if (reference.at(id).is_child() || reply.get("missing_below", at) == "-") continue;
    int missing = 0;
    int in_hands = 0;
    for (std::string const& child : reference.below(id))
      for (int cell = 0; cell < 3; ++cell) {
        missing += Reference::missing(reference.at(child).places[cell]) ? 1 : 0;
        in_hands += reference.at(child).places[cell].leased ? 1 : 0;
      }
    for (auto const& [what, expected] :
         std::map<std::string, int>{{"missing_below", missing}, {"in_hands_below", in_hands}})
      if (std::string const wrong = differs(of + what, reply.get(what, at), std::to_string(expected)); !wrong.empty())
        return wrong;
  }
  for (int at = 0; at < 3; ++at)
    for (std::string const source : {"", "s", "t"})
      if (std::string const wrong = check_destination(table, reference, at, source); !wrong.empty())
        return Reference::kNames[at] + (" " + source) + " " + wrong;
  return "";
}

}  // namespace fastjournal::pipeline::test
