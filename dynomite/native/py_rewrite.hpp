#pragma once

#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynomite/native/py_builder.hpp"
#include "dynomite/native/rewrite/driver.hpp"

namespace dynomite::rewrite {

namespace nb = nanobind;

/// A Python function of a rule, and the names whose bindings it is given.
struct PyFunction {
  nb::object function;
  std::vector<std::string> names;
};

/// A rule as Python builds it; numbers of callbacks are indices of `functions`.
struct PyRule {
  std::shared_ptr<ir::Registry> registry;
  Rule rule;
  std::vector<PyFunction> functions;

  std::uint32_t add(nb::object function, std::vector<std::string> names) {
    functions.push_back({std::move(function), std::move(names)});
    return static_cast<std::uint32_t>(functions.size() - 1);
  }
};

/// Compiled rules with the Python functions they call.
struct PyRuleSet {
  std::shared_ptr<ir::Registry> registry;
  std::unique_ptr<RuleSet> set;
  std::vector<PyFunction> functions;
};

void bind_rewrite_rules(nb::module_& m);

}  // namespace dynomite::rewrite
