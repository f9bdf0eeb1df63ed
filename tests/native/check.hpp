#pragma once

#include <cstddef>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A small unit test registry. A test is a named function that registers itself; a failed check prints its
// place and values, marks the test as failed and goes on, so that one run shows every failure.
//
//   TEST(literal_complement) { CHECK_EQ((!Lit(2)).raw(), 3u); }

namespace dynomite::test {

struct TestCase {
  std::string name;
  std::function<void()> run;
};

/// Every test of this executable, in the order of its source file.
std::vector<TestCase>& registry();

/// Records that a check of the running test failed, and prints it.
void fail(const char* file, int line, const std::string& message);

struct Registration {
  Registration(const char* name, std::function<void()> run) { registry().push_back({name, std::move(run)}); }
};

template <typename T>
std::string show(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, unsigned char>) {
    return std::to_string(static_cast<int>(value));
  } else if constexpr (requires(std::ostream& out) { out << value; }) {
    std::ostringstream out;
    out << value;
    return out.str();
  } else {
    return "(a value of " + std::to_string(sizeof(T)) + " bytes)";
  }
}

template <typename A, typename B>
void check_equal(const A& a, const B& b, const char* text_a, const char* text_b, const char* file, int line) {
  if (a == b) return;
  fail(file, line,
       std::string("CHECK_EQ(") + text_a + ", " + text_b + "): " + show(a) + " is not " + show(b));
}

}  // namespace dynomite::test

#define TEST(name)                                                                     \
  static void test_##name();                                                           \
  static const ::dynomite::test::Registration registration_##name{#name, test_##name}; \
  static void test_##name()

#define CHECK(condition)                                                                   \
  do {                                                                                     \
    if (!(condition)) ::dynomite::test::fail(__FILE__, __LINE__, "CHECK(" #condition ")"); \
  } while (false)

#define CHECK_EQ(a, b) ::dynomite::test::check_equal((a), (b), #a, #b, __FILE__, __LINE__)

/// `expression` has to throw `type` (or a class derived from it).
#define CHECK_THROWS(expression, type)                                                                   \
  do {                                                                                                   \
    bool thrown = false;                                                                                 \
    try {                                                                                                \
      static_cast<void>(expression);                                                                     \
    } catch (const type&) {                                                                              \
      thrown = true;                                                                                     \
    }                                                                                                    \
    if (!thrown) ::dynomite::test::fail(__FILE__, __LINE__, "CHECK_THROWS(" #expression ", " #type ")"); \
  } while (false)
