// Under a sanitizer the numbers of the paper would take hours, and it does not look at them: the
// tests run on less data, for the sanitizer's sake, and judge nothing.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "nodl/types.h"

namespace nodl::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// `count` of something, or a few under a sanitizer.
inline Index shortened(Index count, Index few) { return kSanitized ? std::min(count, few) : count; }

/// Stands between the run and what is expected of it.
#define NODL_ONLY_RUN_UNDER_SANITIZERS()                                               \
  if (nodl::test::kSanitized) {                                                        \
    GTEST_SKIP() << "ran on less data: a sanitizer looks for errors, not for numbers"; \
  }

}  // namespace nodl::test
