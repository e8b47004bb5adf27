/* Blobs through the C API, from C99: what c_blob_test.cpp runs beside its scripted table. Returns what is wrong, or NULL. */
#include <fastjournal/fastjournal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char* blobs_from_c(const char* port, const char* datagrams, const char* data_file);

static char problem[512];

#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      snprintf(problem, sizeof problem, "line %d: %s; last failure: %s: %s", __LINE__, #condition, \
               fj_code_name(fj_error_code()), fj_error_text());                                    \
      return problem;                                                                              \
    }                                                                                              \
  } while (0)

static int is(const fj_blob* blob, const char* text) {
  return blob != NULL && fj_blob_size(blob) == strlen(text) && memcmp(fj_blob_bytes(blob), text, strlen(text)) == 0;
}

const char* blobs_from_c(const char* port, const char* datagrams, const char* data_file) {
  fj_blob_options options;
  fj_blobs* blobs;
  fj_blob* blob = NULL;
  fj_blob_place place;
  bcdb_key key = bcdb_make_key("http://example.com/", 0);
  char byte = 0;
  uint32_t file = 0;
  int descriptor = -1;
  int i;
  EXPECT(fj_api() >= 3);
  EXPECT(key.hash_value == 0xb152d153U && key.hash_id == 0x42663426682770e6ULL);
  EXPECT(bcdb_make_key("a\0b", 3).hash_value == 0x78125351U);
  EXPECT(bcdb_make_key(NULL, 7).hash_value == bcdb_make_key("", 0).hash_value);

  fj_blob_options_init(&options);
  options.read = port;
  options.write = port;
  options.datagrams = datagrams;
  options.data_file = data_file;
  options.blob_bytes_max = 1000;
  blobs = fj_blobs_open(&options);
  EXPECT(blobs != NULL);

  EXPECT(fj_blob_put(blobs, &key, "the bytes", 9, &place) == FJ_OK);
  EXPECT(place.end - place.begin == 9 && place.file == 4 && place.entry_time != 0 && place.newer == 0);
  EXPECT(place.key.hash_id == key.hash_id);
  EXPECT(fj_blob_put(blobs, &key, "refused", 7, NULL) == FJ_OVER_LIMIT);
  EXPECT(strcmp(fj_error_text(), "the quota") == 0);
  for (i = 0; i < 3; ++i) EXPECT(fj_blob_send_put(blobs, &key, "xyz", (size_t)i) == FJ_OK);
  for (i = 0; i < 3; ++i) {
    EXPECT(fj_blob_receive_put(blobs, &place) == FJ_OK);
    EXPECT(place.end - place.begin == (uint64_t)i);
  }
  EXPECT(fj_blob_receive_put(blobs, NULL) == FJ_WRONG_STATE);

  EXPECT(fj_blob_get(blobs, &key, &blob) == FJ_OK);
  EXPECT(is(blob, "the bytes"));
  fj_blob_free(blob);
  EXPECT(fj_blob_find(blobs, &key, &place) == FJ_OK);
  EXPECT(fj_blob_read(blobs, &place, &blob) == FJ_OK); /* not asked again */
  EXPECT(is(blob, "the bytes"));
  fj_blob_free(blob);
  EXPECT(fj_blob_view(blobs, &place, &blob) == FJ_OK);
  EXPECT(is(blob, "the bytes"));
  fj_blob_free(blob);
  EXPECT(fj_blob_fetch(blobs, &key, 4, UINT64_MAX, &blob) == FJ_OK);
  EXPECT(is(blob, "bytes"));
  fj_blob_free(blob);
  EXPECT(fj_blob_send_find(blobs, &key) == FJ_OK);
  EXPECT(fj_blob_send_find(blobs, &key) == FJ_OK);
  EXPECT(fj_blob_receive_find(blobs, &place) == FJ_OK);
  EXPECT(fj_blob_receive_find(blobs, NULL) == FJ_NOT_FOUND);
  EXPECT(fj_blob_get(blobs, &key, &blob) == FJ_NOT_FOUND);
  EXPECT(blob == NULL);
  EXPECT(fj_blob_attach(blobs, &descriptor, &file) == FJ_OK);
  EXPECT(file == 4 && lseek(descriptor, 4096, SEEK_SET) == 4096 && read(descriptor, &byte, 1) == 1 && byte == 't');
  close(descriptor);

  EXPECT(fj_blob_find_once(blobs, &key, &place) == FJ_OK);
  EXPECT(place.end - place.begin == 9 && place.file == 0);
  EXPECT(fj_blob_read(blobs, &place, &blob) == FJ_OK);
  EXPECT(is(blob, "the bytes"));
  fj_blob_free(blob);
  fj_blobs_close(blobs);
  return NULL;
}
