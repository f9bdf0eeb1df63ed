// Powers and functions.
module power (input [3:0] a, input [2:0] n, output [7:0] two, output [3:0] ones);
  assign two = 2 ** n;
  function [3:0] count(input [3:0] x);
    integer i;
    begin
      count = 0;
      for (i = 0; i < 4; i = i + 1) count = count + x[i];
    end
  endfunction
  assign ones = count(a) + count({n, 1'b1});
endmodule
