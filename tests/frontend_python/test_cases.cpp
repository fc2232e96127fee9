// One construct per file: cases/x.py must lower to cases/x.dgir. DEADGRAD_BLESS=1 rewrites the latter.
#include <cstdlib>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "analyzer/ir/text.h"
#include "frontends/python/python.h"
#include "tests/frontend_python/support.h"

namespace deadgrad::python {

TEST(PythonFrontend, LowersEveryCaseAsWritten) {
  std::map<std::string, std::string> expected;
  for (const Case& golden : cases(".dgir")) expected[golden.name] = golden.text;
  const bool bless = std::getenv("DEADGRAD_BLESS") != nullptr;
  for (const Case& source : cases(".py")) {
    SCOPED_TRACE(source.name);
    const std::string text = printed(source.text);
    if (bless)
      std::ofstream(std::string(DEADGRAD_CASES) + "/" + source.name + ".dgir", std::ios::binary) << text;
    else
      EXPECT_EQ(text, expected[source.name]);
  }
}

TEST(PythonFrontend, PrintsAndParsesBack) {
  for (const Case& source : cases(".py")) {
    SCOPED_TRACE(source.name);
    const std::string text = ir::print(checked(source.text));
    const auto parsed = ir::parse(text);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(ir::print(*parsed), text);
  }
}

TEST(PythonFrontend, IsDeterministic) {
  for (const Case& source : cases(".py")) EXPECT_EQ(printed(source.text), printed(source.text));
}

}  // namespace deadgrad::python
