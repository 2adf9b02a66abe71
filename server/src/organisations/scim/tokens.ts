import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { randomString } from '../../lib/ids.ts';
import type { OrganisationsContext } from '../context.ts';
import type { Membership } from '../membership.ts';
import { holdMembers } from '../store/members.ts';
import { deleteScimToken, insertScimToken, listScimTokens } from '../store/scim-tokens.ts';
import type { ScimTokenRow } from '../store/tables.ts';
import { tokenStart } from './caller.ts';

/** One in use, its successor, and a few forgotten ones. */
const mostTokens = 5;

/** The secret is returned only here. */
export async function makeToken(
  { db, clock }: Pick<OrganisationsContext, 'db' | 'clock'>,
  { organisation, userId }: Membership,
  name: string,
): Promise<{ token: string; row: ScimTokenRow }> {
  const token = tokenStart + randomString(48);
  const row = await db.transaction().execute(async (tx) => {
    await holdMembers(tx, organisation.id);
    if ((await listScimTokens(tx, organisation.id)).length >= mostTokens)
      throw new AppError(
        'conflict',
        `This organisation has reached the limit of ${mostTokens} tokens. Remove one first.`,
      );
    return insertScimToken(tx, {
      ...{ organisation_id: organisation.id, secret_hash: sha256Hex(token), name, made_by: userId },
      created_at: nowSeconds(clock),
    });
  });
  return { token, row };
}

export async function removeToken(
  { db }: Pick<OrganisationsContext, 'db'>,
  { organisation }: Membership,
  id: number,
): Promise<ScimTokenRow> {
  const gone = await deleteScimToken(db, organisation.id, id);
  if (!gone) throw new AppError('not_found', 'This token does not exist.');
  return gone;
}
