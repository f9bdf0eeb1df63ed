#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dmt_dialect/native/bdd/bdd_manager.hpp"

/// DDDMP 2.0, the format in which CUDD stores diagrams: text and binary.
namespace dmt::bdd {

/// Writes `roots`, with `names` for each of them or none. Names of variables and roots are to be without
/// blanks; throws UsageError otherwise.
std::string write_dddmp(const BddManager& manager, std::span<const BddEdge> roots,
                        std::span<const std::string> names, bool binary);

/// The functions of a file.
struct DddmpRoots {
  std::vector<BddEdge> edges;
  /// As many, or none.
  std::vector<std::string> names;
};

/// Reads in two steps. `declare` takes the header apart and adds the variables that the manager does not
/// have, in the order of the file; they are matched by name, and called x and their number where the file has
/// no names. `build` makes the nodes and is to run inside an operation; the orders need not agree. Both throw
/// ParseError.
class DddmpReader {
 public:
  DddmpReader(std::string_view bytes, std::string path) : bytes_(bytes), path_(std::move(path)) {}
  void declare(BddManager& manager);
  DddmpRoots build(BddStore& store) const;

 private:
  using Words = std::vector<std::string_view>;

  void read_header();
  void match_variables(BddManager& manager);
  std::vector<BddEdge> text_nodes(BddStore& store) const;
  std::vector<BddEdge> binary_nodes(BddStore& store) const;
  BddEdge make(BddStore& store, std::size_t rank, BddEdge high, BddEdge low) const;
  [[noreturn]] void fail(const std::string& message, std::size_t offset) const;

  std::string_view bytes_;
  std::string path_;
  bool binary_ = false;
  int varinfo_ = 4;
  std::size_t nodes_ = 0;
  /// Where the nodes begin.
  std::size_t body_ = 0;
  std::size_t root_place_ = 0;
  Words support_names_, ordered_names_, root_names_;
  std::vector<long long> ids_, permids_, root_ids_;
  /// Variables of the support, by their rank in the order of the file.
  std::vector<std::uint32_t> vars_;
};

}  // namespace dmt::bdd
