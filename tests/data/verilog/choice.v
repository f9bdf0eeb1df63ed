// case, nested conditions, casez: $pmux, $mux, $eq.
module choice (input [1:0] op, input [2:0] key, input [3:0] a, input [3:0] b, output reg [3:0] y,
               output reg [1:0] first, output [3:0] nested);
  always @* begin
    case (op)
      2'd0: y = a + b;
      2'd1: y = a & b;
      2'd2: y = a ^ b;
      default: y = ~a;
    endcase
    casez (key)
      3'b??1: first = 2'd0;
      3'b?10: first = 2'd1;
      3'b100: first = 2'd2;
      default: first = 2'd3;
    endcase
  end
  assign nested = op[0] ? (op[1] ? a : b) : (key[0] ? {a[1:0], b[3:2]} : 4'd9);
endmodule
