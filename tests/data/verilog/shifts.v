// Shifts by signals, wider results, arithmetic shifts, bit and part selects by signals.
module shifts (input [7:0] a, input signed [7:0] s, input [3:0] n, input [2:0] i,
               output [11:0] left, output [7:0] right, output signed [7:0] sright, output signed [11:0] wide,
               output [7:0] zright, output bit_at, output [1:0] part);
  assign left = a << n;
  assign right = a >> n;
  assign sright = s >>> n;
  assign wide = s >>> i;
  assign zright = s >> n;
  assign bit_at = a[i];
  wire [9:0] padded = {a, 2'b00};
  assign part = padded[i +: 2];
endmodule
