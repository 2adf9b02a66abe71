/** What is told of an open WebSocket to an upstream. Nothing is told while it is paused. */
export interface SocketListener {
  message(payload: Buffer, binary: boolean): void;
  /** Anything came, be it an answer to a ping. */
  heard(): void;
  /** Once, however it ended; 1006 where the connection was lost. */
  closed(code: number, reason: string): void;
}
