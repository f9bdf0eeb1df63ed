// Instances of instances, with parameters.
module half (input a, input b, output s, output c);
  assign s = a ^ b;
  assign c = a & b;
endmodule
module full (input a, input b, input ci, output s, output co);
  wire t, c0, c1;
  half h0 (.a(a), .b(b), .s(t), .c(c0));
  half h1 (.a(t), .b(ci), .s(s), .c(c1));
  assign co = c0 | c1;
endmodule
module ripple #(parameter N = 3) (input [N-1:0] a, input [N-1:0] b, input ci, output [N-1:0] s, output co);
  wire [N:0] c;
  assign c[0] = ci;
  genvar i;
  generate for (i = 0; i < N; i = i + 1) begin : bits
    full f (.a(a[i]), .b(b[i]), .ci(c[i]), .s(s[i]), .co(c[i+1]));
  end endgenerate
  assign co = c[N];
endmodule
module hierarchy (input [4:0] x, input [4:0] y, input [2:0] z, output [5:0] sum, output [3:0] small);
  ripple #(.N(5)) r5 (.a(x), .b(y), .ci(1'b0), .s(sum[4:0]), .co(sum[5]));
  ripple r3 (.a(x[2:0]), .b(z), .ci(x[4]), .s(small[2:0]), .co(small[3]));
endmodule
