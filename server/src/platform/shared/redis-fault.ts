import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { table } from '../../lib/table.ts';

/** How long a server may take to say what is wrong. */
const patienceMs = 1_000;

/** What a server answered before it closed the connection, or why there is none. */
interface Heard {
  text: string;
  error?: Error & { code?: string };
}

/** What Redis begins its refusals with, and what an operator does about them. */
const refusals: [RegExp, (address: URL) => string][] = [
  [/^-WRONGPASS/, () => 'rejects the user name or password: correct them in REDIS_URL'],
  [/^-NOAUTH/, () => 'requires a password: put it into REDIS_URL, as in redis://:password@host'],
  [/^-ERR (DB|invalid DB) index/, ({ pathname }) => `has no database ${pathname.slice(1)}: correct it in REDIS_URL`],
  [/^-READONLY/, () => 'is a read-only replica: REDIS_URL must lead to the primary'],
  [/^-NOPERM/, () => 'refuses this user some commands, keys or channels: allow it all that begin with REDIS_PREFIX'],
  [/^-ERR max number of clients/, () => 'has too many clients: raise its maxclients'],
  [/^-DENIED/, () => 'accepts only its own machine (protected mode): set a password there'],
  [/^-LOADING/, () => 'is still loading its data: wait until it has'],
  [/^-OOM/, () => 'has no memory left: raise its maxmemory, or set a maxmemory-policy that evicts'],
  [/^-MISCONF/, () => 'accepts no writes because it cannot save to its disk: see its log'],
];

const unreached = table<string>({
  ECONNREFUSED: 'refuses connections: start it, or correct REDIS_URL',
  ENOTFOUND: 'has a name without an address: correct REDIS_URL',
  EAI_AGAIN: 'has a name that cannot be looked up now: check the name server',
  EHOSTUNREACH: 'cannot be reached from this machine: check the network',
  ENETUNREACH: 'cannot be reached from this machine: check the network',
});

/**
 * Why a Redis cannot be used, in words an operator can act on, without its password. Asks on a connection of its own,
 * since the client reports that the connection was closed, whatever the reason. Null if nothing is found.
 */
export async function findRedisFault(url: string, prefix: string): Promise<string | null> {
  const address = new URL(url);
  const secure = address.protocol === 'rediss:';
  const heard = await ask(address, { secure, trusting: false }, firstCommands(address, prefix));
  const refusal = heard.text.split('\r\n').find((line) => line.startsWith('-'));
  if (refusal) return wordsFor(refusal, address);
  if (isAnswer(heard.text)) return null;
  const code = heard.error?.code ?? '';
  if (unreached[code]) return unreached[code];
  // Without the password, which may be readable on this connection.
  const otherwise = await ask(address, { secure: !secure, trusting: true }, [['PING']]);
  if (isAnswer(otherwise.text) || asksForCertificate(otherwise))
    return secure
      ? 'does not speak TLS: begin REDIS_URL with redis://'
      : 'requires TLS: begin REDIS_URL with rediss://';
  if (asksForCertificate(heard)) return 'asks for a client certificate: set its tls-auth-clients to no';
  if (/CERT|ISSUER|ALTNAME/.test(code)) return distrust(code);
  return heard.text ? 'does not answer like Redis: correct REDIS_URL' : null;
}

const distrust = (code: string): string =>
  `has a certificate that is not trusted (${code}): put its authority into a file and its path into NODE_EXTRA_CA_CERTS`;

const asksForCertificate = ({ error }: Heard): boolean => error?.code?.includes('CERTIFICATE_REQUIRED') ?? false;
const isAnswer = (text: string): boolean => /^[+-][^\r\n]*\r\n/.test(text);

function wordsFor(refusal: string, address: URL): string {
  const known = refusals.find(([shape]) => shape.test(refusal));
  return known ? known[1](address) : `answers: ${refusal.slice(1)}`;
}

/** What a process needs: the login, the database, a key it may write and a channel it may publish to. */
function firstCommands({ username, password, pathname }: URL, prefix: string): string[][] {
  const database = pathname.slice(1);
  return [
    ...(username || password
      ? [['AUTH', decodeURIComponent(username) || 'default', decodeURIComponent(password)]]
      : []),
    ...(database ? [['SELECT', database]] : []),
    ...readyCommands(prefix),
  ];
}

/** Succeed only where this process can do its work: not on a replica, a full server, or without permissions. */
export const readyCommands = (prefix: string): string[][] => [
  ['SET', `${prefix}ready`, '1', 'PX', '1000'],
  ['PUBLISH', `${prefix}channel:ready`, '1'],
];

const encoded = (command: string[]): string =>
  `*${command.length}\r\n${command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;

/** `trusting` accepts any certificate, to find out what is spoken at all. */
function ask(
  { hostname, port }: URL,
  how: { secure: boolean; trusting: boolean },
  commands: string[][],
): Promise<Heard> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const where = { host, port: Number(port || 6379) };
  return new Promise((resolve) => {
    let text = '';
    const send = () => void socket.write(commands.map(encoded).join(''));
    const named = isIP(host) === 0 ? { servername: host } : {};
    const socket: Socket = how.secure
      ? connectSecurely({ ...where, ...named, rejectUnauthorized: !how.trusting }, send)
      : connect(where, send);
    const end = (error?: Error) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, ...(error && { error }) });
    };
    const timer = setTimeout(end, patienceMs, new Error('no answer'));
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      const lines = text.split('\r\n').length - 1;
      if (lines >= commands.length || /^-|\n-/.test(text)) end();
    });
    socket.on('error', end);
    socket.on('close', () => end());
  });
}
