// Comparisons and logic with operands of different widths and signs.
module compare (input [4:0] a, input [3:0] b, input signed [4:0] s, input signed [3:0] t, output [11:0] y,
                output [2:0] wide);
  assign y = {a < b, a <= b, a > b, a >= b, a == b, a != b, s < t, s <= t, s > t, s >= t, s == t, s < b};
  assign wide = {a && b, a || !b, !a} & {3{&a | ^b}} | {~|a, ~&b, ~^a};
endmodule
