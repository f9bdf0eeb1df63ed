// Asynchronous resets of both polarities and a falling clock edge.
module async_reset (input clk, input rst_n, input rst, input en, input [2:0] d, output reg [2:0] q, output reg [2:0] r);
  initial begin q = 3'd3; r = 3'd0; end
  always @(posedge clk or negedge rst_n)
    if (!rst_n) q <= 3'd6;
    else if (en) q <= d;
  always @(posedge clk or posedge rst)
    if (rst) r <= 3'd1;
    else r <= q ^ d;
endmodule
