/** Our side of a WebSocket opened by a client. */
export interface SocketEnd {
  opened(socket: ClientSocket): void;
  received(data: string | Buffer): void;
  /** The send buffer is empty again. */
  drained(): void;
  closed(): void;
}

export type ClientSocket = Bun.ServerWebSocket<SocketEnd>;

/** Per message, in both directions. */
export const mostMessageBytes = 16 * 1024 * 1024;

/**
 * One handler object for all sockets; each dispatches to its own end. Bun sends pings after half of the idle timeout.
 */
export const socketHandlers: Bun.WebSocketHandler<SocketEnd> = {
  maxPayloadLength: mostMessageBytes,
  idleTimeout: 120,
  sendPings: true,
  perMessageDeflate: false,
  // Senders throttle themselves by the result of `send`; this is only a last resort.
  backpressureLimit: 4 * mostMessageBytes,
  closeOnBackpressureLimit: true,
  open: (socket) => socket.data.opened(socket),
  message: (socket, data) => socket.data.received(data),
  drain: (socket) => socket.data.drained(),
  close: (socket) => socket.data.closed(),
};
