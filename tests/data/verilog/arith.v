// Arithmetic of several widths and signs; results wider and narrower than the operands.
module arith (input [5:0] a, input [3:0] b, input signed [4:0] s, input signed [2:0] t,
              output [6:0] sum, output [5:0] dif, output [9:0] product, output signed [7:0] sproduct,
              output [3:0] cut, output signed [5:0] negated, output [5:0] quotient, output [3:0] rest,
              output signed [5:0] squotient, output signed [4:0] srest);
  assign sum = a + b;
  assign dif = a - b;
  assign product = a * b;
  assign sproduct = s * t;
  assign cut = a + b + 3;
  assign negated = -s;
  assign quotient = a / (b | 4'd1);
  assign rest = a % (b | 4'd1);
  assign squotient = s / (t | 3'sd1);
  assign srest = s % (t | 3'sd1);
endmodule
