#include <chrono>
#include <memory>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "dynomite/native/base/shared_array.hpp"
#include "dynomite/native/base/stop.hpp"
#include "tests/native/check.hpp"

namespace {

using dynomite::ParseError;
using dynomite::Random;
using dynomite::SharedArray;
using dynomite::Stop;
using dynomite::StopReason;

TEST(random_is_the_published_sequence) {
  // First outputs of SplitMix64 for seed 0.
  Random random(0);
  CHECK_EQ(random.next(), 0xE220A8397B1DCDAFULL);
  CHECK_EQ(random.next(), 0x6E789E6AA1B965F4ULL);
  CHECK_EQ(random.next(), 0x06C45D188009454FULL);
}

TEST(random_below_stays_below_and_reaches_everything) {
  Random random(7);
  unsigned seen = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t value = random.below(10);
    CHECK(value < 10);
    seen |= 1U << value;
  }
  CHECK_EQ(seen, 0x3FFU);
}

TEST(stop_by_flag_deadline_and_hook) {
  Stop flag;
  CHECK(!flag.poll());
  flag.cancel();
  CHECK(flag.poll());
  CHECK(flag.reason() == StopReason::kCancelled);

  Stop deadline;
  deadline.set_deadline(Stop::Clock::now());
  CHECK(deadline.poll_clock());
  CHECK(deadline.reason() == StopReason::kDeadline);

  Stop hook;
  hook.set_signal_hook([] { return true; });
  bool stopped = false;
  for (int i = 0; i < 1000 && !stopped; ++i) stopped = hook.poll();
  CHECK(stopped);
  CHECK(hook.reason() == StopReason::kSignal);
}

TEST(shared_array_view_keeps_its_memory_while_the_array_grows) {
  SharedArray<int> array;
  for (int i = 0; i < 100; ++i) array.push_back(i);
  const int* seen = array.data();
  const std::shared_ptr<const void> view = array.share();
  CHECK(array.is_shared());
  for (int i = 100; i < 100000; ++i) array.push_back(i);
  CHECK(array.data() != seen);
  for (int i = 0; i < 100; ++i) CHECK_EQ(seen[i], i);
  for (int i = 0; i < 100000; ++i) CHECK_EQ(array[static_cast<std::size_t>(i)], i);
  CHECK(!array.is_shared());
}

TEST(shared_array_copy_is_independent) {
  SharedArray<int> array;
  array.push_back(1);
  SharedArray<int> copy = array;
  copy.push_back(2);
  copy.mutable_data()[0] = 5;
  CHECK_EQ(array.size(), 1U);
  CHECK_EQ(array[0], 1);
  CHECK_EQ(copy[0], 5);
  copy.push_back(copy[0]);  // a reference into the array survives its growth
  CHECK_EQ(copy.back(), 5);
}

TEST(shared_array_adopts_foreign_memory_and_copies_before_growing) {
  auto owner = std::make_shared<std::vector<int>>(3, 9);
  SharedArray<int> array;
  array.adopt(owner->data(), owner->size(), owner);
  CHECK_EQ(array.data(), owner->data());
  array.push_back(1);
  CHECK(array.data() != owner->data());
  CHECK_EQ(owner->size(), 3U);
  CHECK_EQ(array[2], 9);
  CHECK_EQ(array[3], 1);
}

TEST(parse_error_carries_its_place) {
  const ParseError error("a.blif", {3, 7, 41}, "unknown command", ".nmaes a");
  CHECK_EQ(error.path(), "a.blif");
  CHECK_EQ(error.place().line, 3U);
  CHECK_EQ(error.place().column, 7U);
  CHECK_EQ(error.text(), ".nmaes a");
  CHECK_THROWS(throw error, std::runtime_error);
}

}  // namespace
