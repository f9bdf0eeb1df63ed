// A state machine: Mealy and Moore outputs.
module fsm (input clk, input rst, input x, output reg done, output [1:0] where, output hit);
  localparam IDLE = 2'd0, ONE = 2'd1, TWO = 2'd2, END = 2'd3;
  reg [1:0] state = IDLE;
  initial done = 0;
  always @(posedge clk)
    if (rst) begin state <= IDLE; done <= 0; end
    else begin
      case (state)
        IDLE: state <= x ? ONE : IDLE;
        ONE: state <= x ? ONE : TWO;
        TWO: state <= x ? END : IDLE;
        END: state <= IDLE;
      endcase
      done <= state == END;
    end
  assign where = state;
  assign hit = state == TWO && x;
endmodule
