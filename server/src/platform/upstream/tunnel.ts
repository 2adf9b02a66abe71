import type { Socket } from 'bun';
import { type OutgoingProxy, proxyFor } from '../../lib/outgoing-proxy.ts';
import { addressOf, type Origin } from './address.ts';

const mostHeadBytes = 65_536;

/** A connection through a proxy (RFC 9110 §9.3.6): handed over once the proxy's response head was read. */
function tunnel(proxy: URL, { hostname, port }: Origin, signal: AbortSignal): Promise<Socket<undefined>> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket<undefined>>();
  const target = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
  const overTls = proxy.protocol === 'https:';
  let head = '';
  let leave = (): void => {};
  let over = false;
  const fail = (socket: Socket<undefined>, why: Error): void => {
    reject(why);
    socket.terminate();
  };
  const ask = (socket: Socket<undefined>): void => {
    leave = () => fail(socket, new Error('the call was cancelled'));
    signal.addEventListener('abort', leave, { once: true });
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${authorization(proxy)}\r\n`);
  };
  Bun.connect<undefined>({
    ...{ hostname: proxy.hostname, port: Number(proxy.port) || (overTls ? 443 : 80), data: undefined },
    ...(overTls && { tls: { serverName: proxy.hostname, rejectUnauthorized: true } }),
    socket: {
      open: (socket) => void (overTls || ask(socket)),
      handshake: (socket, trusted, error) =>
        trusted && !error
          ? ask(socket)
          : fail(socket, error ?? new Error("the proxy's certificate could not be verified")),
      data: (socket, bytes) => {
        // Later bytes belong to the TLS session on top.
        if (over) return;
        head += bytes.toString('latin1');
        if (head.includes('\r\n\r\n')) {
          over = true;
          signal.removeEventListener('abort', leave);
          const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head) ?? [];
          if (status?.startsWith('2')) resolve(socket);
          else fail(socket, new Error(`the proxy returned ${status ?? 'something other than HTTP'}`));
        } else if (head.length > mostHeadBytes) fail(socket, new Error('the head of the proxy’s answer is too large'));
      },
      close: () => reject(new Error('the proxy closed the connection')),
      error: (_, error) => reject(error),
    },
  }).catch(reject);
  return promise;
}

function authorization({ username, password }: URL): string {
  if (username === '') return '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `proxy-authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`;
}

/** A connection to an address, through the proxy that the environment sets for it. */
export async function connectThroughProxy<D>(
  { url, outgoingProxy }: { url: string; outgoingProxy?: OutgoingProxy | undefined },
  data: D,
  events: Bun.SocketHandler<D>,
  signal: AbortSignal,
): Promise<void> {
  const { origin } = addressOf(url);
  const { hostname, port } = origin;
  const secure = origin.tls && { tls: { serverName: hostname, rejectUnauthorized: !outgoingProxy?.trusting } };
  const proxy = outgoingProxy && proxyFor(outgoingProxy, new URL(url));
  if (!proxy) {
    await Bun.connect<D>({ ...{ hostname, port, data, socket: events }, ...secure });
    return;
  }
  const way = await tunnel(proxy, origin, signal);
  if (secure) way.upgradeTLS<D>({ data, socket: events, ...secure });
  else {
    // From here on, events go to the caller's handlers.
    const taken = way as Socket<unknown> as Socket<D>;
    taken.data = data;
    taken.reload({ socket: events });
    events.open!(taken);
  }
}
