#include "plugins/pipeline/returns.h"

#include <string>

namespace fastjournal::pipeline {

bool read_archived_document(TableState const& shared, Archive::Number number, Decision& decision, DocumentBody& body,
                            Verdict& verdict) {
  Archive const& archive = shared.documents.archive();
  Archive::AtHand const* const page = archive.at_hand(number);
  // What could not be read for an earlier command is tried again.
  if (page == nullptr || (!page->status.ok() && decision.step == 0)) {
    decision.wanted = archive.extent_of(number);
    verdict = Verdict::fetch;
    return false;
  }
  verdict = Verdict::done;
  if (decision.refuses(page->status)) return false;
  if (archive.read(number, *page, body)) return true;
  decision.status =
      Status{Code::damaged, "document " + std::to_string(archive.id_of(number).value) + " of table " + shared.table() +
                                ": its page outside the log is not what was written there"}
          .with("document", std::to_string(archive.id_of(number).value));
  return false;
}

Verdict bring_back(TableState const& shared, Archive::Number number, Decision& decision) {
  Archive const& archive = shared.documents.archive();
  DocumentBody body;
  Verdict verdict = Verdict::done;
  if (!read_archived_document(shared, number, decision, body, verdict)) return verdict;
  model::append_record(decision.records, archive.id_of(number), body);
  if (!archive.thins_out(number)) return Verdict::again;
  for (Archive::Number const other : archive.beside(number)) {
    DocumentBody its;
    if (archive.read(other, *archive.at_hand(number), its))
      model::append_record(decision.records, archive.id_of(other), its);
  }
  return Verdict::again;
}

}  // namespace fastjournal::pipeline
