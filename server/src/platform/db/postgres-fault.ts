import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { table } from '../../lib/table.ts';

/** A user, a database and a server, as `DATABASE_URL` names them. */
interface Target {
  user: string;
  database: string;
  host: string;
}

/** SQLSTATEs and the client's codes, and what an operator does about them. */
const causes = table<(target: Target) => string>({
  '28P01': ({ user }) => `rejects the password of user "${user}": correct it in DATABASE_URL`,
  '3D000': ({ database }) => `has no database "${database}": create it, or correct DATABASE_URL`,
  '42501': ({ user }) => `gives user "${user}" too few rights: make it the owner of the database`,
  '53300': () => 'has too many connections: raise its max_connections or the limit of the user, or lower DATABASE_POOL',
  '57P03': () => 'is starting or stopping: try again when it runs',
  '25006': () => 'is a read-only standby: DATABASE_URL must lead to the primary',
  ERR_POSTGRES_TLS_NOT_AVAILABLE: () =>
    'does not speak TLS: turn ssl on there, or remove sslmode from DATABASE_URL if the network is private',
  ERR_POSTGRES_CONNECTION_REFUSED: () => 'refuses connections: start it, or correct DATABASE_URL',
  ERR_POSTGRES_CONNECTION_TIMEOUT: () => 'does not respond: check the network, or correct DATABASE_URL',
});

/** Why a PostgreSQL cannot be used, in words an operator can act on, without its password. */
export async function wordsForPostgres(error: unknown, url: string): Promise<string> {
  const { code = '', errno, message = String(error) } = error as { code?: string; errno?: unknown; message?: string };
  const { hostname, port, username, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const target = { user: decodeURIComponent(username), database: decodeURIComponent(pathname.slice(1)), host };
  const at = `PostgreSQL at ${hostname}:${port || 5432}`;
  if (code === 'ERR_POSTGRES_CONNECTION_REFUSED' && (await isNameless(host)))
    return `${at} has a name without an address: correct DATABASE_URL`;
  const cause = causes[typeof errno === 'string' ? errno : code];
  if (errno === '28000') return `${at} ${wordsForRefusedLogin(message)}`;
  if (cause) return `${at} ${cause(target)}`;
  if (/CERT|ISSUER|ALTNAME/.test(code))
    return `${at} has a certificate that is not trusted (${code}): put its authority into a file and its path into NODE_EXTRA_CA_CERTS`;
  return message;
}

const isNameless = async (host: string): Promise<boolean> =>
  isIP(host) === 0 && !(await lookup(host).catch(() => null));

/** One state stands for whatever pg_hba.conf refuses. */
function wordsForRefusedLogin(message: string): string {
  if (message.includes('no encryption'))
    return 'refuses unencrypted connections of this user: add ?sslmode=require to DATABASE_URL, or allow them in its pg_hba.conf';
  return `refuses the login (${message}): correct the user in DATABASE_URL, or allow it in its pg_hba.conf`;
}
