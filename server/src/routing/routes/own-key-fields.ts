import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import type { Sealer } from '../../lib/seal.ts';
import { hint } from '../catalog/routes/fields.ts';
import { secret, status, words } from '../catalog/routes/schemas.ts';
import { builtInChannel } from '../catalog/snapshot.ts';
import { enabled } from '../catalog/store/tables.ts';
import type { OwnKeyInput } from '../own-keys.ts';
import type { RoutingDeps } from '../routing.ts';
import type { OwnKeyRecord } from '../store/own-keys.ts';

const fields = {
  name: words,
  credential: secret.min(1),
  fallback: z
    .boolean()
    .describe('Whether other channels may be used, at their price, if this key fails; otherwise only this key is used'),
  status,
};
export const ownKeyChange = z.strictObject(fields).partial();
export const ownKeyCreate = ownKeyChange
  .required({ name: true, credential: true })
  .extend({ provider: z.string().min(1).max(64) });

const { credential: _, ...shown } = fields;
export const ownKeyView = z
  .object({
    id: z.int(),
    provider: z.string(),
    ...shown,
    credential_hint: z.string().nullable().describe('Last four characters; null if it is too short or unreadable'),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'OwnKey' });
export const ownKeyList = z.object({
  keys: z.array(ownKeyView),
  fee: z
    .number()
    .nullable()
    .describe('Fee for requests with own keys, as a share of the model’s price; null if own keys are turned off'),
  providers: z.array(z.string()).describe('Providers that serve models you may use'),
});

export const viewOwnKey = (record: OwnKeyRecord, sealer: Sealer): z.infer<typeof ownKeyView> => ({
  id: record.id,
  provider: record.provider,
  name: record.name,
  fallback: record.fallback,
  status: record.status as 1 | 2,
  credential_hint: hint(record.sealed, sealer),
  created_at: record.createdAt,
  updated_at: record.updatedAt,
});

/** What users' own keys depend on in the rest of routing. */
export type OwnKeySurroundings = Pick<RoutingDeps, 'db' | 'catalog' | 'ownKeyFee'>;

export const feeOf = ({ ownKeyFee }: OwnKeySurroundings): number | null => ownKeyFee?.() ?? null;

/** The providers that a user of the group can reach. */
export async function providersFor({ catalog }: OwnKeySurroundings, group: string): Promise<string[]> {
  const names = (await catalog.allCandidates(group)).map(({ channel }) => channel.provider);
  return [...new Set(names)].filter((name) => name !== builtInChannel.provider).sort();
}

/** Throws if users' own keys are disabled, or no model is served under the provider's name. */
export async function newOwnKey(
  surroundings: OwnKeySurroundings,
  body: z.infer<typeof ownKeyCreate>,
): Promise<OwnKeyInput> {
  if (feeOf(surroundings) === null)
    throw new AppError('forbidden', 'Your own provider keys are not enabled on this service.');
  const { provider } = body;
  if (provider === builtInChannel.provider || !(await surroundings.catalog.providers()).has(provider))
    throw new AppError('invalid_value', `There is no provider '${provider}'.`, { param: 'provider' });
  return { fallback: false, status: enabled, ...body };
}
