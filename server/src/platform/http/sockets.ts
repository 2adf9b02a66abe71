/** Our end of a WebSocket that a client opened. */
export interface SocketEnd {
  opened(socket: ClientSocket): void;
  received(data: string | Buffer): void;
  /** What waited to be sent is gone. */
  drained(): void;
  closed(): void;
}

export type ClientSocket = Bun.ServerWebSocket<SocketEnd>;

/** Of one message, either way. */
export const mostMessageBytes = 16 * 1024 * 1024;

/** One set for all sockets: each goes to the end that it was opened with. Half of the quiet time pings go out by themselves. */
export const socketHandlers: Bun.WebSocketHandler<SocketEnd> = {
  maxPayloadLength: mostMessageBytes,
  idleTimeout: 120,
  sendPings: true,
  perMessageDeflate: false,
  // Whoever sends holds back by what `send` says; this only stops what would be beyond all measure.
  backpressureLimit: 4 * mostMessageBytes,
  closeOnBackpressureLimit: true,
  open: (socket) => socket.data.opened(socket),
  message: (socket, data) => socket.data.received(data),
  drain: (socket) => socket.data.drained(),
  close: (socket) => socket.data.closed(),
};
