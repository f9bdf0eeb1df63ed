// A register file of taps and a linear feedback, with bits of one vector driven in several blocks.
module shift_register (input clk, input load, input [5:0] d, input s, output [5:0] q, output parity);
  reg [5:0] r = 6'b100101;
  integer i;
  always @(posedge clk)
    if (load) r <= d;
    else for (i = 0; i < 6; i = i + 1) r[i] <= i == 0 ? s ^ r[5] ^ r[2] : r[i-1];
  assign q = r;
  assign parity = ^r;
endmodule
