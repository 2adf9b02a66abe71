/** Events of an open WebSocket to an upstream; none while it is paused. */
export interface SocketListener {
  message(payload: Buffer, binary: boolean): void;
  /** Anything arrived, including pongs. */
  heard(): void;
  /** Called once, however it ended; 1006 if the connection was lost. */
  closed(code: number, reason: string): void;
}
