import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { trimEndOf } from '../lib/trim-end.ts';
import type { McpDeps } from './context.ts';
import { McpFault } from './fault.ts';
import type { McpServer } from './store/servers.ts';

/*
 * A token by which the platform identifies the service, in a file that the platform renews before it expires (a
 * projected token of Kubernetes, an SVID). It is exchanged at the server's authorization server
 * (`urn:ietf:params:oauth:grant-type:jwt-bearer`, RFC 7523 §2.1).
 */

type Deps = Pick<McpDeps, 'assertionsDir' | 'clock'>;

/** Platform tokens have two or three kilobytes. */
const mostBytes = 16 * 1024;

const refuse = (why: string): AppError =>
  new AppError('invalid_value', `assertion_file: ${why}`, { param: 'assertion_file' });

/** The platform's token identifies the operator's service, so only the operator's servers may use it. */
export function requireAssertion(
  { assertionsDir }: Pick<Deps, 'assertionsDir'>,
  { auth, assertionFile, ownerId }: Pick<McpServer, 'auth' | 'assertionFile' | 'ownerId'>,
): void {
  if (auth !== 'jwt_bearer') return;
  if (ownerId !== null) throw refuse("is only for the operator's servers");
  if (assertionsDir === undefined) throw refuse('MCP_ASSERTIONS_DIR, the directory of these files, is not set');
  if (assertionFile === '') throw refuse('is required when the service exchanges a token of its platform');
}

/**
 * Reads the current token. It is only returned if its audience is this authorization server, so that it is not
 * disclosed to another.
 */
export async function assertionFor(
  deps: Deps,
  { assertionFile }: Pick<McpServer, 'assertionFile'>,
  discovery: OAuthDiscoveryState | undefined,
): Promise<string> {
  if (deps.assertionsDir === undefined) throw fault('MCP_ASSERTIONS_DIR is not set');
  const text = await read(join(deps.assertionsDir, assertionFile));
  const { issuer, token_endpoint } = discovery?.authorizationServerMetadata ?? {};
  const why = faultIn(deps, text, [issuer, token_endpoint]);
  if (why !== null) throw fault(why);
  return text;
}

/**
 * Why the token must not be sent; null if it may be. RFC 7523 §3: the audience is the authorization server or its token
 * endpoint, and the token is sent only there. With `alone`, no other audience is allowed. The authorization server
 * verifies the signature.
 */
export function faultIn(
  { clock }: Pick<Deps, 'clock'>,
  text: string,
  asking: (string | undefined)[],
  alone = false,
): string | null {
  const claims = claimsOf(text);
  if (!claims) return 'it is not a signed JWT';
  const { aud, exp } = claims;
  if (typeof exp !== 'number' || exp <= nowSeconds(clock)) return 'it has expired';
  const asks = asking.flatMap((one) => (one === undefined ? [] : [trimEndOf(one, '/')]));
  const isMeant = (one: unknown) => typeof one === 'string' && asks.includes(trimEndOf(one, '/'));
  const meant = [aud].flat();
  return meant.some(isMeant) && (!alone || meant.every(isMeant))
    ? null
    : `its audience is not ${asks[0] ?? 'its authorization server'}`;
}

const fault = (why: string): McpFault =>
  new McpFault('it is not configured', `the token of the platform cannot be used: ${why}`);

async function read(path: string): Promise<string> {
  const file = await open(path).catch(() => {
    throw fault('the file does not exist or is not readable');
  });
  try {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(mostBytes + 1) });
    if (bytesRead > mostBytes) throw fault(`it has more than ${mostBytes} bytes`);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } catch (error) {
    throw error instanceof McpFault ? error : fault('it cannot be read');
  } finally {
    await file.close();
  }
}

function claimsOf(text: string): { aud?: unknown; exp?: unknown } | null {
  const [, payload = ''] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(text) ?? [];
  try {
    return Object(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  } catch {
    return null;
  }
}
