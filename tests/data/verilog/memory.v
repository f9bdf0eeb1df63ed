// A memory with one write and two reads, one of them clocked, all words initialised.
module memory (input clk, input we, input [1:0] wa, input [2:0] wd, input [1:0] ra, input [1:0] rb,
               output [2:0] now, output reg [2:0] later);
  reg [2:0] words [0:3];
  integer i;
  initial begin
    for (i = 0; i < 4; i = i + 1) words[i] = i + 3;
    later = 0;
  end
  always @(posedge clk) begin
    if (we) words[wa] <= wd;
    later <= words[rb];
  end
  assign now = words[ra];
endmodule
