#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hw_dialect/native/blif/name_pool.hpp"

namespace hw {

/// A net of one model; ids are dense over the whole netlist, those of a model are consecutive.
class NetId {
 public:
  constexpr NetId() = default;
  constexpr explicit NetId(std::uint32_t index) : index_(index) {}
  constexpr std::uint32_t index() const { return index_; }
  constexpr bool none() const { return index_ == UINT32_MAX; }
  constexpr bool operator==(const NetId&) const = default;

 private:
  std::uint32_t index_ = UINT32_MAX;
};

enum class PortKind : std::uint8_t { kInput, kOutput, kClock };

struct Port {
  NetId net;
  std::uint32_t line = 0;
  PortKind kind = PortKind::kInput;
};

/// `kFunction` is a gate of an ISCAS .bench file; all others are BLIF lines of the same name.
/// `kConnection` is `.conn`, `.barbuf` or `.short`. `kDirective` is a line or section that carries no logic.
enum class CellKind : std::uint8_t {
  kNames,
  kLatch,
  kSubckt,
  kGate,
  kMlatch,
  kConnection,
  kDirective,
  kFunction
};

/// Type field of `.latch`, as written.
enum class LatchType : std::uint8_t {
  kAbsent,
  kFallingEdge,
  kRisingEdge,
  kActiveHigh,
  kActiveLow,
  kAsynchronous
};

enum class Function : std::uint8_t {
  kAnd,
  kNand,
  kOr,
  kNor,
  kXor,
  kXnor,
  kNot,
  kBuffer,
  kMux,
  kZero,
  kOne,
  kLut
};

/// Init field of a latch that has none in the file; BLIF takes it for 3.
inline constexpr std::uint8_t kNoInit = 255;

/// One element of a model: 32 bytes. The meaning of the ranges depends on the kind:
///   kNames       pins = inputs, then the output; text = `text_count` rows of (pin_count - 1) characters each
///   kLatch       pins = input, output, and the control if the line has a type
///   kSubckt...   bindings (formal name, net); kMlatch: the control's net comes last with no formal name
///   kConnection  pins = source, sink; `name` = the keyword
///   kDirective   text = the raw text of the line or section
///   kFunction    pins = inputs, then the output; kLut: text = hexadecimal digits, most significant first
struct Cell {
  CellKind kind = CellKind::kNames;
  std::uint8_t detail = 1;      // kNames: phase of the rows; kLatch: LatchType; kFunction: Function
  std::uint8_t init = kNoInit;  // kLatch, kMlatch: 0..3 or kNoInit
  std::uint32_t line = 0;
  std::uint32_t pin_begin = 0;
  std::uint32_t pin_count = 0;
  NameId name;  // kSubckt, kGate, kMlatch: the model
  std::uint32_t text_count = 0;
  std::uint64_t text_begin = 0;
};
static_assert(sizeof(Cell) == 32);

struct Binding {
  NameId formal;
  NetId net;
};

enum class AttributeKind : std::uint8_t { kCellName, kAttribute, kParameter };

/// EBLIF `.cname`, `.attr`, `.param`: belongs to the cell before it, or to the model if there is none yet.
struct Attribute {
  static constexpr std::uint32_t kOfModel = UINT32_MAX;
  std::uint32_t cell = kOfModel;
  std::uint32_t line = 0;
  NameId key;  // of a `.cname`: the name itself
  std::uint32_t value_size = 0;
  std::uint64_t value_begin = 0;
  AttributeKind kind = AttributeKind::kCellName;
};

/// Index range [begin, end) in one of the netlist's arrays.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t size() const { return end - begin; }
};

struct Model {
  static constexpr std::uint32_t kNoModel = UINT32_MAX;
  NameId name;
  std::uint32_t line = 0;
  Range nets, ports, cells, attributes;
  /// The model that holds this one's `.exdc` section, or kNoModel.
  std::uint32_t exdc = kNoModel;
  bool is_exdc = false;
  bool black_box = false;
  bool named_by_file = false;  // no `.model` line, or one without a name
};

/// Something the reader or the elaboration has to tell: a line that was skipped, an assumption.
struct Note {
  std::uint32_t line = 0;  // 0: no particular line
  std::string text;
};

/// What a BLIF file says, in file order, nothing resolved: models with ports, cells and attributes.
/// All models share the arrays; a model holds ranges of them. Names are kept exactly as written.
struct Netlist {
  std::string path;
  NamePool names;
  std::vector<Model> models;
  std::vector<NameId> nets;  // name of each net
  std::vector<Port> ports;
  std::vector<Cell> cells;
  std::vector<NetId> pins;
  std::vector<Binding> bindings;
  std::vector<Attribute> attributes;
  std::string text;
  std::vector<Note> notes;
  /// Models that can be instantiated, by name index.
  std::unordered_map<std::uint32_t, std::uint32_t> model_by_name;

  std::string_view net_name(NetId id) const { return names.text(nets[id.index()]); }
  std::string_view model_name(const Model& model) const { return names.text(model.name); }
  std::span<const NetId> cell_pins(const Cell& cell) const {
    return std::span(pins).subspan(cell.pin_begin, cell.pin_count);
  }
  std::span<const Binding> cell_bindings(const Cell& cell) const {
    return std::span(bindings).subspan(cell.pin_begin, cell.pin_count);
  }
  /// Raw text of a kDirective or the digits of a kLut.
  std::string_view cell_text(const Cell& cell) const {
    return std::string_view(text).substr(cell.text_begin, cell.text_count);
  }
  /// Input part of row `row` of a kNames cell.
  std::string_view cover_row(const Cell& cell, std::uint32_t row) const {
    const std::size_t width = cell.pin_count - 1;
    return std::string_view(text).substr(cell.text_begin + row * width, width);
  }
  std::string_view attribute_value(const Attribute& attribute) const {
    return std::string_view(text).substr(attribute.value_begin, attribute.value_size);
  }
  std::size_t memory() const {
    return names.memory() + models.capacity() * sizeof(Model) + nets.capacity() * sizeof(NameId) +
           ports.capacity() * sizeof(Port) + cells.capacity() * sizeof(Cell) +
           pins.capacity() * sizeof(NetId) + bindings.capacity() * sizeof(Binding) +
           attributes.capacity() * sizeof(Attribute) + text.capacity();
  }
};

inline bool is_instance(CellKind kind) {
  return kind == CellKind::kSubckt || kind == CellKind::kGate || kind == CellKind::kMlatch;
}

}  // namespace hw
