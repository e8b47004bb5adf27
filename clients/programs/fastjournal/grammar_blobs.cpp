// The commands `blob ...`, for blob tables, with their options and help.
#include "clients/programs/fastjournal/grammar.h"
#include "clients/programs/fastjournal/option_types.h"

namespace fastjournal::cli {

void Grammar::add_blob_verbs() {
  CLI::App& blob = verb("blob", "blobs of a blob table: store and read them, list, check and maintain the table");
  blob.require_subcommand(1);
  blob.callback([this] { out_.verb = "blob " + blob_verb_; });
  add_blob_bytes(blob);
  add_blob_keeping(blob);
}

CLI::App& Grammar::blob_verb(CLI::App& blob, std::string const& name, std::string const& description) {
  CLI::App* made = blob.add_subcommand(name, description);
  made->fallthrough();
  // Called before the callback of `blob`.
  made->callback([this, name] { blob_verb_ = name; });
  made->add_option("TABLE", out_.table, "name of the table")->required();
  return *made;
}

CLI::Option* Grammar::add_blob_key(CLI::App& to) {
  CLI::Option* key = to.add_option("KEY", out_.blob.key, "the key");
  to.add_flag("--hash", out_.blob.is_hash, "KEY is the hash of a key, 24 hex digits, as `blob ls` shows it");
  return key;
}

void Grammar::add_blob_bytes(CLI::App& blob) {
  CLI::App& put = blob_verb(blob, "put", "store a blob under a key, in place of the one that is there");
  add_blob_key(put)->required();
  put.add_option("FILE", out_.file, "the bytes; - or nothing: standard input");
  CLI::Option* const port =
      put.add_option(
             "--port", out_.blob.port,
             "address of the table's socket of the protocol blobwrite, as unix:PATH: for blobs that are larger than "
             "a message may be")
          ->type_name("ADDRESS");
  put.add_option("--key-secret-file", out_.blob.key_secret_file,
                 "with --port: a file with the key-secret of the table, if it has one; mode 0600")
      ->needs(port)
      ->type_name("FILE");
  put.footer(
      "When the command returns, the blob is durable, and whoever asks sees it. Without --port it goes in one "
      "message,\n"
      "of 32 MiB at most unless `frame-bytes` of the daemon's <limits> says otherwise, and with --text of "
      "`line-bytes`\n"
      "as base64. With --port a file is read as it is sent; standard input goes to a temporary file first.");
  CLI::App& get = blob_verb(blob, "get", "write the bytes of a blob to standard output or a file");
  add_blob_key(get)->required();
  get.add_option("-o,--output", out_.blob.output, "into this file, which appears when all of it is there")
      ->type_name("FILE");
  number(get, "--offset", out_.blob.offset, "from this byte of the blob on");
  number(get, "--length", out_.blob.length, "so many bytes at most");
  get.footer(
      "The bytes are read from the data file where this computer has it and you may read it; otherwise, and with\n"
      "--offset or --length, the daemon sends them. A whole blob is compared with its content hash. Exit code 4: there "
      "is\nno such blob; 7: its bytes are not those that were stored.");
}

void Grammar::add_blob_keeping(CLI::App& blob) {
  CLI::App& ls = blob_verb(blob, "ls", "list blobs in the order of their hashes");
  ls.add_option("--after", out_.after, "go on where an earlier list ended");
  number(ls, "--count", out_.count, "how many at most (default 100, with --json all)", 1);
  ls.footer("Keys are not stored, only what is made of them: 24 hex digits, with which --hash of the others works.");
  CLI::App& stat = blob_verb(blob, "stat", "show what is known of a blob, or the figures of the table");
  add_blob_key(stat);
  stat.footer("Exit code 4: there is no such blob.");
  CLI::App& omit = blob_verb(blob, "omit", "have the next maintenance leave a blob out, unless it is stored again");
  add_blob_key(omit)->required();
  omit.footer("Needs the right manage. Until then the blob is found and read as before. Exit code 4: there is none.");
  CLI::App& maintain =
      blob_verb(blob, "maintain", "begin a maintenance: blobs that are kept are copied into a new data file");
  CLI::Option* age = duration(maintain, "--age", out_.blob.age,
                              "leave out blobs stored longer ago; 0: none (default: the table's expire-age)");
  CLI::Option* bytes = size(maintain, "--size", out_.blob.size,
                            "leave out the oldest blobs beyond so many bytes; 0: none (default: expire-size)");
  CLI::Option* unreferenced = duration(maintain, "--unreferenced", out_.blob.unreferenced,
                                       "leave out blobs not read for so long; 0: none (default: expire-unreferenced)");
  CLI::Option* wait = maintain.add_flag("--wait", out_.blob.wait, "until it has ended, with its progress");
  CLI::Option* cancel = maintain.add_flag("--cancel", out_.blob.cancel, "give up the one that runs");
  for (CLI::Option* one : {age, bytes, unreferenced, wait}) cancel->excludes(one);
  maintain.footer(
      "Needs the right manage, and room for a second data file. Blobs are stored and read meanwhile. If one runs "
      "already,\nthat one is shown, and keeps the limits that it began with. Exit code 4: --cancel found none, or it "
      "was "
      "cancelled\nwhile --wait waited.");
  CLI::App& check = blob_verb(blob, "check", "read all blobs, and say which are not what was stored");
  check.footer(
      "Compares each with its content hash: from the data file where this computer has it and you may read it, which "
      "the\ndaemon does not notice; otherwise the daemon sends them, and each counts as read. Exit code 7: at least "
      "one "
      "is damaged.");
}

}  // namespace fastjournal::cli
