// A counter with enable and synchronous reset, an initial value, and a register without one.
module counter (input clk, input reset, input enable, input [3:0] step, output reg [3:0] count, output reg wrapped,
                output [3:0] last);
  initial count = 4'd5;
  reg [3:0] previous;
  always @(posedge clk) begin
    previous <= count;
    if (reset) count <= 4'd2;
    else if (enable) {wrapped, count} <= count + step;
  end
  assign last = previous;
endmodule
