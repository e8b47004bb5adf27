// The commands of a blob table, typed: over any connection, with the bytes in messages. The protocols and the data file
// of blob.h are made for many and large blobs.
//
//   BlobTable images(connection, "images");
//   Result<StoredBlob> stored = images.put("logo", bytes);
//   Result<std::optional<Blob>> blob = images.get("logo", {.offset = 0, .length = 4096});
//   if (blob.ok() && blob->has_value()) show(blob.value()->data);
//
// Every call returns what Connection::call does when it fails.
#pragma once

#include "clients/cpp/made_blob_table.h"
