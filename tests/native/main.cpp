#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "tests/native/check.hpp"

namespace dynomite::test {

namespace {
std::size_t failures_of_test = 0;
}  // namespace

std::vector<TestCase>& registry() {
  static std::vector<TestCase> tests;
  return tests;
}

void fail(const char* file, int line, const std::string& message) {
  ++failures_of_test;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, message.c_str());
}

/// Runs one test; an exception that leaves it is a failure.
static bool passes(const TestCase& test) {
  failures_of_test = 0;
  try {
    test.run();
  } catch (const std::exception& error) {
    ++failures_of_test;
    std::fprintf(stderr, "%s: exception: %s\n", test.name.c_str(), error.what());
  } catch (...) {
    ++failures_of_test;
    std::fprintf(stderr, "%s: unknown exception\n", test.name.c_str());
  }
  if (failures_of_test != 0) std::fprintf(stderr, "FAILED %s\n", test.name.c_str());
  return failures_of_test == 0;
}

}  // namespace dynomite::test

/// Runs the tests whose names contain the argument, or all without one.
int main(int argc, char** argv) {
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  std::size_t passed = 0;
  std::size_t failed = 0;
  for (const auto& test : dynomite::test::registry()) {
    if (test.name.find(wanted) == std::string::npos) continue;
    if (dynomite::test::passes(test)) {
      ++passed;
    } else {
      ++failed;
    }
  }
  std::printf("%zu passed, %zu failed\n", passed, failed);
  return failed == 0 && passed != 0 ? 0 : 1;
}
