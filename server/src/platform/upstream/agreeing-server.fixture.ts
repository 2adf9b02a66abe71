import { createHash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';

/** A frame as servers send it. */
export function serverFrame(opcode: number, payload: Uint8Array, last = true): Buffer {
  const { length } = payload;
  const head = length <= 125 ? [length] : length < 65_536 ? [126, length >> 8, length & 255] : [127, 0, 0, 0, 0];
  if (length >= 65_536) for (const shift of [24, 16, 8, 0]) head.push((length >> shift) & 255);
  return Buffer.concat([Buffer.from([(last ? 0x80 : 0) | opcode, ...head]), payload]);
}

/** A server that agrees to a WebSocket, reads no more, and does with the connection whatever it is told. */
export async function agreeingServer(then: (socket: Socket) => void): Promise<{ url: string; stop(): void }> {
  const held: Socket[] = [];
  const server = createServer((socket) => {
    held.push(socket);
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      const [, key] = /sec-websocket-key: (\S+)/i.exec(bytes.toString())!;
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Ok\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
      );
      socket.pause();
      then(socket);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    stop: () => {
      for (const socket of held) socket.destroy();
      server.close();
    },
  };
}
