import type { Socket } from 'bun';

/** A connection as the server sees it. */
export interface Peer {
  socket: Socket<Peer>;
  /** Everything received so far. */
  text: string;
  /** Bytes the other side has taken. */
  sent: number;
  closed: boolean;
}

export interface RawServer {
  url: string;
  peers: Peer[];
  stop(): void;
}

/** A server that speaks whatever its script writes; the script is told of every whole request. */
export function rawServer(script: (peer: Peer, count: number) => void, tls?: { key: string; cert: string }): RawServer {
  const peers: Peer[] = [];
  let count = 0;
  const server = Bun.listen<Peer>({
    // Every address of the loopback: a certificate is good for some of them only.
    hostname: '0.0.0.0',
    port: 0,
    ...(tls && { tls }),
    socket: {
      open(socket) {
        socket.data = { socket, text: '', sent: 0, closed: false };
        peers.push(socket.data);
      },
      data(socket, bytes) {
        const peer = socket.data;
        peer.text += bytes.toString('latin1');
        const headEnd = peer.text.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/.exec(peer.text)?.[1] ?? 0);
        if (headEnd === -1 || peer.text.length < headEnd + 4 + length) return;
        peer.text = '';
        count += 1;
        script(peer, count);
      },
      close(socket) {
        socket.data.closed = true;
      },
      error() {},
    },
  });
  return {
    url: `http${tls ? 's' : ''}://localhost:${server.port}/v1`,
    peers,
    stop: () => server.stop(true),
  };
}
