/** Clients that hold event streams open. Sockets instead of fetch, whose own cost would dominate the measurement. */
export interface Streams {
  /** Streams that have received their first event. */
  begun(): number;
  /** Streams that have completed. */
  ended(): number;
  close(): void;
}

export async function openStreams(
  url: string,
  headers: Record<string, string>,
  body: string,
  count: number,
): Promise<Streams> {
  const { hostname, port } = new URL(url);
  const head = Object.entries({ host: 'bench', 'content-length': `${Buffer.byteLength(body)}`, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const request = `POST /v1/chat/completions HTTP/1.1\r\n${head}\r\n${body}`;
  let begun = 0;
  let ended = 0;
  const sockets: Bun.Socket<{ begun: boolean }>[] = [];
  const open = () =>
    Bun.connect<{ begun: boolean }>({
      hostname,
      port: Number(port),
      data: { begun: false },
      socket: {
        data(self, bytes) {
          if (!self.data.begun && bytes.includes('data:')) {
            self.data.begun = true;
            begun += 1;
          }
          if (bytes.includes('[DONE]')) ended += 1;
        },
        error() {},
      },
    });
  while (sockets.length < count) {
    const made = await Promise.all(Array.from({ length: Math.min(100, count - sockets.length) }, open));
    for (const socket of made) socket.write(request);
    sockets.push(...made);
  }
  return {
    begun: () => begun,
    ended: () => ended,
    close: () => {
      for (const socket of sockets) socket.terminate();
    },
  };
}

export async function until(done: () => boolean, ms: number): Promise<void> {
  const deadline = Date.now() + ms;
  while (!done() && Date.now() < deadline) await Bun.sleep(20);
}
