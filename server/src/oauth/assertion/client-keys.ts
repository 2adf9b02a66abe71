import type { Updateable } from 'kysely';
import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { webUrl } from '../address-fields.ts';
import type { ApplicationRow } from '../store/tables.ts';
import { type KeySet, readKeySet } from './key-set.ts';

/** A client's public keys (RFC 7591 §2), or the address where they are. */
export const keyFields = {
  jwks: z
    .looseObject({})
    .transform((given, context): KeySet => {
      const read = readKeySet(given);
      if (!('fault' in read)) return read;
      context.addIssue({ code: 'custom', message: read.fault });
      return z.NEVER;
    })
    .describe('Public keys, as a JSON Web Key Set'),
  jwks_uri: webUrl
    .refine((uri) => uri === '' || isKeyAddress(uri), 'must be an https address')
    .describe('The address of such a set'),
};

/** Public keys are not secret. */
export const keySetSchema = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
/** As with client documents, loopback is allowed for development; whether it may be called is checked at call time. */
function isKeyAddress(uri: string): boolean {
  const url = URL.parse(uri);
  return url !== null && (url.protocol === 'https:' || loopback.test(url.hostname));
}

type KeyColumns = Pick<ApplicationRow, 'signs_assertions' | 'jwks' | 'jwks_uri'>;

export const keyColumns = (jwks: string, jwks_uri: string) =>
  ({ signs_assertions: Number(jwks !== '' || jwks_uri !== ''), jwks, jwks_uri }) satisfies Updateable<
    Tables['oauth_applications']
  >;
export const noKeys: KeyColumns = keyColumns('', '');

/** The owner's input; absent means unchanged, null or empty removes. */
export interface KeyInput {
  jwks?: KeySet | null;
  jwks_uri?: string;
}

const refused = (param: string, message: string): AppError => new AppError('invalid_request', message, { param });

/** A client has keys or an address of keys: one replaces the other. */
export function keysAfter({ jwks, jwks_uri }: KeyInput, before: KeyColumns, appType: string): KeyColumns {
  if (jwks && jwks_uri) throw refused('jwks_uri', 'Specify jwks or jwks_uri, not both.');
  if (appType === 'public') {
    if (jwks || jwks_uri) throw refused('app_type', 'A public client cannot have keys. Make it confidential.');
    return noKeys;
  }
  const kept = jwks === null || jwks_uri ? '' : before.jwks;
  const keptAddress = jwks || jwks_uri === '' ? '' : before.jwks_uri;
  return keyColumns(jwks ? JSON.stringify(jwks) : kept, jwks_uri || keptAddress);
}

/** As written by `keysAfter`. */
export const keysIn = ({ jwks }: Pick<ApplicationRow, 'jwks'>): KeySet | null =>
  jwks === '' ? null : (JSON.parse(jwks) as KeySet);

/** For the audit log: identifies keys, even if one reuses another's id. */
export const namesOfKeys = (set: KeySet): string[] =>
  set.keys.map((key) => [key.kid, sha256Hex(JSON.stringify(key)).slice(0, 16)].filter(Boolean).join(' '));
