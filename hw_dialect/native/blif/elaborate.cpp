#include "hw_dialect/native/blif/elaborate.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "hw_dialect/native/blif/cover.hpp"
#include "hw_dialect/native/blif/flattening.hpp"
#include "hw_dialect/native/blif/line_lexer.hpp"
#include "hw_dialect/native/blif/port_names.hpp"

namespace hw {

using dmt::AigStore;
using dmt::Lit;
using dmt::Reset;
using dynomite::LimitError;

namespace {

// States of a flattened net that has no literal yet; above every literal of a full AIG.
constexpr std::uint32_t kUnseen = 0xFFFFFFFFU;
constexpr std::uint32_t kOpen = 0xFFFFFFFEU;     // on the search stack
constexpr std::uint32_t kChecked = 0xFFFFFFFDU;  // feeds no output; looked at for loops only
constexpr std::uint32_t kFirstState = kChecked;

constexpr std::size_t kShownLoop = 60;

class Elaborator {
 public:
  Elaborator(const Netlist& netlist, const ElaborateParams& params, std::string_view source,
             std::vector<Note>& notes, dynomite::Stop& stop)
      : netlist_(netlist),
        params_(params),
        source_(source),
        notes_(notes),
        stop_(stop),
        resolution_(resolve(netlist, params, source)),
        flat_(netlist, resolution_, limit(netlist, params), stop),
        covers_(store_),
        lits_(flat_.net_count(), kUnseen) {}

  AigStore run() {
    const Model& top = top_model();
    store_.name() = top.named_by_file && netlist_.path.starts_with("<")
                        ? std::string()
                        : unescape_name(netlist_.model_name(top));
    make_inputs(top);
    make_latches();
    make_outputs(top);
    for (std::size_t i = 0; i < latches_.size(); ++i) {
      const CellRef& latch = latches_[i];
      const Cell& cell = netlist_.cells[latch.cell];
      store_.set_next(static_cast<std::uint32_t>(i), literal(latch.instance, netlist_.cell_pins(cell)[0]));
    }
    make_box_outputs();
    check_rest();
    if (params_.net_names) name_nets();
    note_assumptions();
    return std::move(store_);
  }

 private:
  using CellRef = Flattening::CellRef;
  struct Frame {
    std::uint32_t instance;
    NetId net;
    std::uint32_t next_pin;
  };
  static std::uint64_t limit(const Netlist& netlist, const ElaborateParams& params) {
    const std::uint64_t own = netlist.nets.size() + netlist.models.size() + netlist.cells.size();
    return std::max<std::uint64_t>(params.max_flattened, 4 * own);
  }
  const Model& top_model() const { return netlist_.models[resolution_.top]; }
  [[noreturn]] void fail(std::uint32_t line, std::string_view word, const std::string& message) const {
    fail_at_line(source_, netlist_.path, line, word, message);
  }
  void poll() {
    if (stop_.poll()) throw LimitError("reading was stopped");
  }
  // Combinational inputs.

  void set_input(std::uint32_t flat_net, std::string_view name) {
    const auto index = store_.inputs().size();
    lits_[flat_net] = store_.add_input().raw();
    store_.names().inputs.set(index, name);
  }

  void make_inputs(const Model& top) {
    for (std::uint32_t p = top.ports.begin; p < top.ports.end; ++p) {
      const Port& port = netlist_.ports[p];
      if (port.kind == PortKind::kInput)
        set_input(flat_.net(0, port.net), flat_.kept_name(0, netlist_.net_name(port.net)));
    }
    // A clock of its own kind is an input only if logic reads it.
    for (std::uint32_t p = top.ports.begin; p < top.ports.end; ++p) {
      const Port& port = netlist_.ports[p];
      const bool read = (resolution_.uses[port.net.index()] & Resolution::kDataUse) != 0;
      if (port.kind != PortKind::kClock || lits_[flat_.net(0, port.net)] != kUnseen) continue;
      if (read) set_input(flat_.net(0, port.net), flat_.kept_name(0, netlist_.net_name(port.net)));
    }
    for (const CellRef& box : flat_.boxes()) {
      const Cell& cell = netlist_.cells[box.cell];
      for (const BoundPin& pin : pins_in_order(cell)) {
        if (!pin.is_output) continue;
        set_input(flat_.net(box.instance, pin.outer), flat_.box_pin_name(box, pin));
        ++box_outputs_;
      }
    }
    if (params_.free_undriven) make_free_inputs();
  }

  std::vector<BoundPin> pins_in_order(const Cell& cell) const {
    const std::span<const BoundPin> pins = resolution_.cell_pins(cell);
    std::vector<BoundPin> ordered(pins.begin(), pins.end());
    std::sort(ordered.begin(), ordered.end(),
              [](const BoundPin& a, const BoundPin& b) { return a.binding < b.binding; });
    return ordered;
  }

  void make_free_inputs() {
    for (std::uint32_t i = 0; i < flat_.size(); ++i) {
      const Model& model = flat_.model(i);
      for (std::uint32_t n = model.nets.begin; n < model.nets.end; ++n) {
        const NetId net(n);
        if ((resolution_.uses[n] & Resolution::kDataUse) == 0) continue;
        const Driver& driver = resolution_.drivers[n];
        const bool open_port = driver.cell == Driver::kPort && i != 0 && flat_.outer_net(i, net).none();
        if (driver.cell != Driver::kNone && !open_port) continue;
        poll();
        set_input(flat_.net(i, net), flat_.kept_name(i, netlist_.net_name(net)));
        if (free_inputs_++ == 0) first_free_ = netlist_.net_name(net);
      }
    }
  }

  void make_latches() {
    for (std::uint32_t i = 0; i < flat_.size(); ++i) {
      const Model& model = flat_.model(i);
      for (std::uint32_t c = model.cells.begin; c < model.cells.end; ++c) {
        const Cell& cell = netlist_.cells[c];
        if (cell.kind != CellKind::kLatch) continue;
        const Reset reset = cell.init == 0   ? Reset::kZero
                            : cell.init == 1 ? Reset::kOne
                                             : Reset::kUninitialised;
        const NetId output = netlist_.cell_pins(cell)[1];
        store_.names().latches.set(latches_.size(), flat_.kept_name(i, netlist_.net_name(output)));
        lits_[flat_.net(i, output)] = store_.add_latch(reset).raw();
        latches_.push_back({i, c});
        note_clock(i, cell);
      }
    }
  }

  /// Collects the distinct clocks, followed up to where their net is driven.
  void note_clock(std::uint32_t instance, const Cell& cell) {
    const auto type = static_cast<LatchType>(cell.detail);
    if (type == LatchType::kActiveHigh || type == LatchType::kActiveLow || type == LatchType::kAsynchronous) {
      if (level_latches_++ == 0) first_level_line_ = cell.line;
    }
    constexpr std::size_t kMaxClocks = 16;
    if (clocks_.size() >= kMaxClocks) return;
    if (type == LatchType::kAbsent) {
      clocks_.insert({cell.detail, kUnseen});
      return;
    }
    NetId net = netlist_.cell_pins(cell)[2];
    constexpr int kMaxClimb = 64;
    for (int step = 0; step < kMaxClimb && instance != 0; ++step) {
      if (resolution_.drivers[net.index()].cell != Driver::kPort) break;
      const NetId outer = flat_.outer_net(instance, net);
      if (outer.none()) break;
      net = outer;
      instance = flat_.instance(instance).parent;
    }
    clocks_.insert({cell.detail, flat_.net(instance, net)});
  }

  // Outputs.

  void make_outputs(const Model& top) {
    for (std::uint32_t p = top.ports.begin; p < top.ports.end; ++p) {
      const Port& port = netlist_.ports[p];
      if (port.kind != PortKind::kOutput) continue;
      store_.names().outputs.set(store_.outputs().size(), flat_.kept_name(0, netlist_.net_name(port.net)));
      const Lit lit = literal(0, port.net);
      store_.outputs().push_back(lit);
    }
  }

  void make_box_outputs() {
    for (const CellRef& box : flat_.boxes()) {
      const Cell& cell = netlist_.cells[box.cell];
      for (const BoundPin& pin : pins_in_order(cell)) {
        if (pin.is_output) continue;
        store_.names().outputs.set(store_.outputs().size(), flat_.box_pin_name(box, pin));
        const Lit lit = literal(box.instance, pin.outer);
        store_.outputs().push_back(lit);
        ++box_inputs_;
      }
    }
  }

  // Logic.

  Lit literal(std::uint32_t instance, NetId net) {
    visit(instance, net, true);
    return Lit::from_raw(lits_[flat_.net(instance, net)]);
  }

  /// Depth-first search below a net. `build`: gives every net on the way its literal; else marks it.
  void visit(std::uint32_t root_instance, NetId root, bool build) {
    if (lits_[flat_.net(root_instance, root)] != kUnseen) return;
    lits_[flat_.net(root_instance, root)] = kOpen;
    stack_.clear();
    stack_.push_back({root_instance, root, 0});
    while (!stack_.empty()) {
      poll();
      Frame& frame = stack_.back();
      const Driver& driver = resolution_.drivers[frame.net.index()];
      const std::uint32_t count = flat_.fanin_count(driver);
      bool descended = false;
      while (frame.next_pin < count) {
        const auto [instance, net] = flat_.fanin(frame.instance, frame.net, driver, frame.next_pin++);
        if (net.none()) break;
        std::uint32_t& state = lits_[flat_.net(instance, net)];
        if (state == kOpen) fail_loop(instance, net);
        if (state != kUnseen) continue;
        state = kOpen;
        stack_.push_back({instance, net, 0});
        descended = true;
        break;
      }
      if (descended) continue;
      const Frame done = stack_.back();
      stack_.pop_back();
      lits_[flat_.net(done.instance, done.net)] = build ? build_net(done, driver).raw() : kChecked;
    }
  }

  Lit build_net(const Frame& at, const Driver& driver) {
    const std::uint32_t count = flat_.fanin_count(driver);
    inputs_.clear();
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto [instance, net] = flat_.fanin(at.instance, at.net, driver, k);
      if (net.none()) return dmt::kFalse;  // reported by resolve unless no logic reads it
      inputs_.push_back(Lit::from_raw(lits_[flat_.net(instance, net)]));
    }
    if (driver.cell == Driver::kNone) return dmt::kFalse;  // likewise
    if (driver.cell == Driver::kPort) return inputs_[0];
    const Cell& cell = netlist_.cells[driver.cell];
    if (cell.kind == CellKind::kNames) {
      return covers_.build(std::string_view(netlist_.text).substr(cell.text_begin), cell.text_count, inputs_,
                           cell.detail != 0);
    }
    if (cell.kind == CellKind::kFunction) return build_function(cell);
    return inputs_[0];
  }

  Lit build_function(const Cell& cell) {
    const auto function = static_cast<Function>(cell.detail);
    switch (function) {
      case Function::kAnd: return balanced_and(store_, inputs_);
      case Function::kNand: return ~balanced_and(store_, inputs_);
      case Function::kOr: return balanced_or(store_, inputs_);
      case Function::kNor: return ~balanced_or(store_, inputs_);
      case Function::kXor: return balanced_xor(store_, inputs_);
      case Function::kXnor: return ~balanced_xor(store_, inputs_);
      case Function::kNot: return ~inputs_[0];
      case Function::kBuffer: return inputs_[0];
      case Function::kMux: return store_.mux(inputs_[0], inputs_[2], inputs_[1]);
      case Function::kZero: return dmt::kFalse;
      case Function::kOne: return dmt::kTrue;
      case Function::kLut: return build_lut(store_, netlist_.cell_text(cell), inputs_);
    }
    return dmt::kFalse;
  }

  /// The search came back to an open net: the loop is the stack from there up, in the direction of the
  /// signals.
  [[noreturn]] void fail_loop(std::uint32_t instance, NetId net) {
    std::size_t first = stack_.size();
    while (first-- > 0) {
      if (stack_[first].instance == instance && stack_[first].net == net) break;
    }
    const std::string start = shown(flat_.path_name(instance, netlist_.net_name(net)));
    std::string loop = start;
    const std::size_t length = stack_.size() - first;
    for (std::size_t i = stack_.size(); i-- > first + 1;) {
      const std::size_t listed = stack_.size() - 1 - i;
      if (listed == kShownLoop) {
        loop += " -> ... (" + std::to_string(length - 1 - listed) + " more)";
        break;
      }
      loop += " -> " + shown(flat_.path_name(stack_[i].instance, netlist_.net_name(stack_[i].net)));
    }
    const Driver& driver = resolution_.drivers[net.index()];
    const std::uint32_t line = driver.cell < netlist_.cells.size()
                                   ? netlist_.cells[driver.cell].line
                                   : netlist_.cells[flat_.instance(instance).cell].line;
    fail(line, netlist_.net_name(net), "combinational loop: " + loop + " -> " + start);
  }

  /// Logic that feeds no output: only its loops matter.
  void check_rest() {
    for (std::uint32_t i = 0; i < flat_.size(); ++i) {
      const Model& model = flat_.model(i);
      for (std::uint32_t n = model.nets.begin; n < model.nets.end; ++n) {
        if (resolution_.drivers[n].cell == Driver::kNone) continue;
        if (i == 0 && resolution_.drivers[n].cell == Driver::kPort) continue;
        visit(i, NetId(n), false);
      }
    }
  }

  // Side information.

  /// Names of AND nodes, first those of nets with the node's own value, then of nets with its complement.
  void name_nets() {
    std::vector<bool> named(store_.node_count(), false);
    for (const bool complemented : {false, true}) {
      for (std::uint32_t i = 0; i < flat_.size(); ++i) {
        const Model& model = flat_.model(i);
        for (std::uint32_t n = model.nets.begin; n < model.nets.end; ++n) {
          const std::uint32_t raw = lits_[flat_.net(i, NetId(n))];
          if (raw >= kFirstState) continue;
          const Lit lit = Lit::from_raw(raw);
          if (lit.complemented() != complemented) continue;
          if (!store_.is_and(lit.node()) || named[lit.node().index()]) continue;
          named[lit.node().index()] = true;
          std::string name = flat_.kept_name(i, netlist_.net_name(NetId(n)));
          if (!name.empty()) store_.net_names().push_back({lit, std::move(name)});
        }
      }
    }
  }

  void note_assumptions() {
    if (!flat_.boxes().empty()) {
      notes_.push_back({netlist_.cells[flat_.boxes().front().cell].line,
                        std::to_string(flat_.boxes().size()) +
                            (flat_.boxes().size() == 1 ? " instance" : " instances") +
                            " without logic cut as black boxes: " + std::to_string(box_outputs_) +
                            " pins became inputs, " + std::to_string(box_inputs_) + " became outputs"});
    }
    if (resolution_.chosen_directions != 0) {
      notes_.push_back({netlist_.cells[flat_.boxes().front().cell].line,
                        "nothing says which of two missing models drives a signal: chosen for " +
                            std::to_string(resolution_.chosen_directions) + " pins"});
    }
    if (free_inputs_ != 0) {
      notes_.push_back({0, std::to_string(free_inputs_) +
                               " signals without a driver became inputs, first \"" + shown(first_free_) +
                               "\""});
    }
    if (clocks_.size() > 1) {
      notes_.push_back({netlist_.cells[latches_.front().cell].line,
                        "latches with different clocks or edges: the AIG has one clock for all of them"});
    }
    if (level_latches_ != 0) {
      notes_.push_back(
          {first_level_line_, std::to_string(level_latches_) +
                                  " latches of type ah, al or as are taken for edge-triggered ones"});
    }
  }

  const Netlist& netlist_;
  const ElaborateParams& params_;
  std::string_view source_;
  std::vector<Note>& notes_;
  dynomite::Stop& stop_;
  const Resolution resolution_;
  Flattening flat_;
  AigStore store_;
  CoverBuilder covers_;
  std::vector<CellRef> latches_;
  std::vector<std::uint32_t> lits_;  // by flattened net: literal or state
  std::vector<Frame> stack_;
  std::vector<Lit> inputs_;                                  // fanins of the net being built
  std::set<std::pair<std::uint8_t, std::uint32_t>> clocks_;  // type, flattened net
  std::size_t box_inputs_ = 0;
  std::size_t box_outputs_ = 0;
  std::size_t free_inputs_ = 0;
  std::size_t level_latches_ = 0;
  std::uint32_t first_level_line_ = 0;
  std::string_view first_free_;
};

}  // namespace

AigStore elaborate(const Netlist& netlist, const ElaborateParams& params, std::string_view source,
                   std::vector<Note>& notes, dynomite::Stop& stop) {
  return Elaborator(netlist, params, source, notes, stop).run();
}

}  // namespace hw
