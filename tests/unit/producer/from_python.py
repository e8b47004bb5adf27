"""A producer in Python by ctypes: from_python.py LIBRARY TABLE_FILE FOLDER."""
import ctypes
import sys

library, table_file, folder = sys.argv[1:]
fj = ctypes.CDLL(library)
fj.fj_spool_open.restype = fj.fj_spool_row_new.restype = ctypes.c_void_p
fj.fj_spool_error_code.restype = fj.fj_spool_error_text.restype = ctypes.c_char_p
fj.fj_spool_error_fact.restype = ctypes.c_char_p
NUL = ctypes.c_size_t(-1)


def failure():
    return fj.fj_spool_error_code(), fj.fj_spool_error_text().decode(), fj.fj_spool_error_fact(b"parameter")


def check(result):
    if result not in (0, None) and result != -1:
        return ctypes.c_void_p(result)
    assert result == 0, failure()


assert fj.fj_spool_open(b"/no/such/folder/there", None) is None
assert failure()[0] == b"io_error", failure()
spool = check(fj.fj_spool_open(folder.encode(), None))
check(fj.fj_spool_declare(spool, table_file.encode(), None))
row = check(fj.fj_spool_row_new(b"jobs"))
check(fj.fj_spool_set_text(row, b"name", b"first", NUL))
check(fj.fj_spool_set_binary(row, b"payload", b"\x01\x02", ctypes.c_size_t(2)))
check(fj.fj_spool_set_priority(row, 3))
check(fj.fj_spool_save(spool, row))
check(fj.fj_spool_set_priority(row, 300))
assert fj.fj_spool_save(spool, row) == -1
assert failure()[0] == b"bad_parameter" and failure()[2] == b"priority", failure()
assert "expected a whole number from 0 to 255" in failure()[1], failure()
check(fj.fj_spool_row_clear(row))
check(fj.fj_spool_set_text(row, b"name", "zwölf".encode(), NUL))
check(fj.fj_spool_save(spool, row))
fj.fj_spool_row_free(row)
fj.fj_spool_close(spool)
