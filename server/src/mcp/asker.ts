import { applicationsOfKeys } from '../identity/store/application-keys.ts';
import { findKeysById } from '../identity/store/keys.ts';
import type { Db } from '../platform/db/tables.ts';

/** The program that asks for a call: an application with a user's token, an API key, or a page of a logged-in user. */
export type Asker = `application:${number}` | `key:${number}` | 'session';

export const askerOf = ({ applicationId, keyId }: { applicationId?: number; keyId: number | null }): Asker => {
  if (applicationId !== undefined) return `application:${applicationId}`;
  return keyId === null ? 'session' : `key:${keyId}`;
};

export interface ShownAsker {
  type: 'application' | 'api_key' | 'session';
  id: number | null;
  /** Null once it is deleted. */
  name: string | null;
}

/** Names of applications by id. */
export type ApplicationNames = (ids: number[]) => Promise<Map<number, string>>;

/** The askers as stored, with their current names. */
export async function describeAskers(
  { db, applicationNames }: { db: Db; applicationNames: ApplicationNames },
  askers: readonly string[],
): Promise<(asker: string) => ShownAsker | null> {
  const idsOf = (kind: string): number[] => [
    ...new Set(askers.filter((asker) => asker.startsWith(`${kind}:`)).map(idIn)),
  ];
  const [keyIds, applicationIds] = [idsOf('key'), idsOf('application')];
  const keys = new Map((await findKeysById(db, keyIds)).map((key) => [key.id, key.name]));
  // An application's allowance for models is a key that its user never sees.
  const allowances = await applicationsOfKeys(db, keyIds);
  const names = applicationIds.length > 0 ? await applicationNames(applicationIds) : new Map<number, string>();
  return (asker) => {
    if (asker === '') return null;
    if (asker === 'session') return { type: 'session', id: null, name: null };
    const id = idIn(asker);
    if (asker.startsWith('application:')) return { type: 'application', id, name: names.get(id) ?? null };
    const allowance = allowances.get(id);
    if (allowance) return { type: 'application', ...allowance };
    return { type: 'api_key', id, name: keys.get(id) ?? null };
  };
}

const idIn = (asker: string): number => Number(asker.slice(asker.indexOf(':') + 1));
