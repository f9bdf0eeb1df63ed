// Wiring: concatenations, replications, slices, reversed buses, constants, a wide word.
module words (input [3:0] a, input [69:0] w, output [15:0] y, output [0:3] reversed, output [69:0] v, output one);
  assign y = {a, {3{a[1]}}, a[2:0], 4'b1010, a[3], a[0]};
  assign reversed = {a[0], a[1], a[2], a[3]};
  assign v = w + {66'd1, a};
  assign one = w[69:66] == a;
endmodule
