import type { Origin } from '../../identity/audit/log.ts';
import { originOf } from '../../identity/audit/record-acts.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Call } from '../../platform/http/route.ts';
import type { OrganisationsContext } from '../context.ts';
import { findScimToken, touchScimToken } from '../store/scim-tokens.ts';
import type { OrganisationRow } from '../store/tables.ts';

/** A directory, identified by its token. */
export interface Directory {
  organisation: OrganisationRow;
  /** Its name in the audit log. */
  actor: string;
  origin: Origin;
  limitKey: string;
}

declare module '../../platform/http/route.ts' {
  interface Principals {
    scim: Directory;
  }
}

export const tokenStart = 'svcscim_';
/** Accurate enough to see whether a token is in use, with one write a minute. */
const seenSeconds = 60;

const refused = () =>
  new AppError('invalid_token', 'Send the organisation’s SCIM token as Authorization: Bearer svcscim_…', {
    // RFC 6750 §3.
    headers: { 'www-authenticate': 'Bearer realm="scim"' },
  });

/** A token gives access to its organisation only; no other credential is accepted here. */
export const directoryOf =
  ({ db, clock }: Pick<OrganisationsContext, 'db' | 'clock'>) =>
  async (call: Call): Promise<Directory> => {
    const [, secret] = /^bearer +(svcscim_\w{1,200}) *$/i.exec(call.request.headers.get('authorization') ?? '') ?? [];
    const found = secret === undefined ? null : await findScimToken(db, sha256Hex(secret));
    if (!found) throw refused();
    const { token, organisation } = found;
    const now = nowSeconds(clock);
    if (now - (token.last_used_at ?? 0) >= seenSeconds) await touchScimToken(db, token.id, now);
    const limitKey = `scim:${organisation.id}`;
    return { organisation, actor: `SCIM: ${token.name}`, origin: originOf(call), limitKey };
  };
