# Reads ctest's LastTest.log and prints "PASSED FAILED". The cases of a Boost.Test program are counted one by one (it
# reports them: BOOST_TEST_REPORT_LEVEL=short), those of Node likewise (its TAP report), any other program counts as one. A program that fails without a failed
# case (a crash, a time-out, a finding of a sanitizer) counts as one more failure.

/^[0-9]+\/[0-9]+ Testing: / { cases = 0; cases_failed = 0 }
/^ +[0-9]+ test cases? out of [0-9]+ passed$/ { passed += $1; cases += $1 }
/^ +[0-9]+ test cases? out of [0-9]+ (failed|aborted)$/ { failed += $1; cases += $1; cases_failed += $1 }
/^# pass [0-9]+$/ { passed += $3; cases += $3 }
/^# fail [0-9]+$/ { failed += $3; cases += $3; cases_failed += $3 }
# In this log ctest reports a missing program as "Test Passed".
/^Unable to find executable/ { absent = 1 }
/^Test Passed\.$/ { if (absent) failed++; else if (cases == 0) passed++; absent = 0 }
/^Test Failed\.$/ { if (cases_failed == 0) failed++ }

END { printf "%d %d\n", passed, failed }
