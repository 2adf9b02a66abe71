import { connect, createServer } from 'node:net';

/** A proxy that knows one user (`ann`), and leads wherever it is asked to; `asked` has the hosts. */
export async function someProxy() {
  const asked: string[] = [];
  const server = createServer((client) => {
    client.on('error', () => {});
    client.once('data', (bytes) => {
      const text = bytes.toString();
      const tunnel = /^CONNECT (\S+):(\d+) HTTP\/1.1\r\n/.exec(text);
      const target = tunnel ?? /^[A-Z]+ http:\/\/([^/:]+):(\d+)/.exec(text);
      asked.push(target ? target[1]! : text);
      const known = `proxy-authorization: Basic ${Buffer.from('ann:p@ss').toString('base64')}`;
      if (!target || !text.toLowerCase().includes(known.toLowerCase()))
        client.end('HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n');
      else if (target[1] === 'never.test') return;
      else {
        const host = target[1]!.endsWith('.example') ? '127.0.0.1' : target[1]!;
        const way = connect(Number(target[2]), host, () =>
          tunnel ? client.write('HTTP/1.1 200 Go\r\n\r\n') : way.write(text.replace(/ http:\/\/[^/]+/, ' ')),
        );
        way.on('error', () => client.destroy());
        client.pipe(way).pipe(client);
      }
    });
  }).listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const { port } = server.address() as { port: number };
  return { asked, url: (user: string) => `http://${user}127.0.0.1:${port}`, stop: () => server.close() };
}
