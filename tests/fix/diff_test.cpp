#include "integrations/report/diff.h"

#include <gtest/gtest.h>

namespace deadgrad::report {

TEST(Diff, ShowsThreeLinesAroundAChange) {
  EXPECT_EQ(unified_diff("a.py", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- a.py\n+++ a.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(Diff, JoinsChangesThatAreNear) {
  EXPECT_EQ(unified_diff("a", "1\n2\n3\n4\n5\n6\n7\n", "0\n1\n2\n3\n4\n5\n6\n"),
            "--- a\n+++ a\n@@ -1,7 +1,7 @@\n+0\n 1\n 2\n 3\n 4\n 5\n 6\n-7\n");
  EXPECT_EQ(unified_diff("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n"),
            "--- a\n+++ a\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -6,4 +7,3 @@\n 6\n 7\n 8\n-9\n");
}

TEST(Diff, SaysWhereTheLastLineHasNoEnd) {
  EXPECT_EQ(unified_diff("a", "1\n2", "1\n2\n"),
            "--- a\n+++ a\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n");
  EXPECT_EQ(unified_diff("a", "", "1\n"), "--- a\n+++ a\n@@ -0,0 +1 @@\n+1\n");
  EXPECT_EQ(unified_diff("a", "1\n", "1\n"), "");
}

TEST(Diff, OnATerminalControlCharactersAreShown) {
  EXPECT_EQ(unified_diff("a", "\x1b[2J\r\n", "\tb\n", {.color = true}),
            "\033[1m--- a\033[0m\n\033[1m+++ a\033[0m\n\033[1m@@ -1 +1 "
            "@@\033[0m\n\033[1;31m-\\x1b[2J\033[0m\n\033[1;32m+\tb\033[0m\n");
}

}  // namespace deadgrad::report
