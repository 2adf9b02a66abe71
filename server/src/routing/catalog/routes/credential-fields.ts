import { z } from 'zod';
import { quotaPerUsd, quotaToUsd } from '../../../lib/money.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { idParams } from '../../../platform/http/paging.ts';
import type { CredentialHealth } from '../../credential-health.ts';
import type { CredentialInput } from '../credentials.ts';
import type { CredentialRecord } from '../store/credentials.ts';
import { given, hint } from './fields.ts';
import { secret, status, words } from './schemas.ts';

const perMinute = z.number().int().min(1).max(1_000_000_000).nullable();

const fields = {
  name: words,
  credential: secret.min(1),
  weight: z.number().min(0).max(1_000_000),
  status,
  requests_per_minute: perMinute,
  tokens_per_minute: perMinute,
  spend_per_day: z
    .number()
    .min(0.000002)
    .max(10_000_000)
    .nullable()
    .describe('USD per day (UTC), at the prices of the models'),
};

export const credentialChange = z.strictObject(fields).partial();
export const credentialCreate = credentialChange.required({ name: true, credential: true });

export const credentialParams = idParams.extend({ credential_id: idParams.shape.id });

const count = z.number().int();
const { credential: _, ...shown } = fields;

export const credentialView = z
  .object({
    id: count,
    channel_id: count,
    ...shown,
    first: z.boolean().describe('Its key is the one shown and changed on the channel itself'),
    credential_hint: z
      .string()
      .nullable()
      .describe('Last four characters; null if it is too short, absent or unreadable'),
    health: z
      .object({
        circuits: z
          .object({ closed: count, half_open: count, open: count })
          .describe('Circuit breakers of its models, by state'),
        at_limit: z.boolean(),
        today: z.object({ requests: count, failures: count, tokens: count, spent: z.number().describe('USD') }),
      })
      .nullable()
      .describe('Null if it is not in use, or is the only one and has no limits; see the channel’s own metrics then'),
    created_at: count,
    updated_at: count,
  })
  .meta({ id: 'ChannelCredential' });

export const credentialGiven = (body: z.infer<typeof credentialChange>): Partial<CredentialInput> =>
  given<CredentialInput>({
    name: body.name,
    credential: body.credential,
    weight: body.weight,
    status: body.status,
    requestsPerMinute: body.requests_per_minute,
    tokensPerMinute: body.tokens_per_minute,
    spendPerDay: body.spend_per_day == null ? body.spend_per_day : Math.round(body.spend_per_day * quotaPerUsd),
  });

export const viewCredential = (
  record: CredentialRecord,
  sealer: Sealer,
  health: CredentialHealth | undefined,
): z.infer<typeof credentialView> => ({
  id: record.id,
  channel_id: record.channelId,
  name: record.name,
  weight: record.weight,
  status: record.status as 1 | 2,
  requests_per_minute: record.requestsPerMinute,
  tokens_per_minute: record.tokensPerMinute,
  spend_per_day: record.spendPerDay === null ? null : quotaToUsd(record.spendPerDay),
  first: record.first,
  credential_hint: hint(record.sealed, sealer),
  health: health
    ? {
        circuits: health.circuits,
        at_limit: health.atLimit,
        today: { ...health.today, spent: quotaToUsd(health.today.spent) },
      }
    : null,
  created_at: record.createdAt,
  updated_at: record.updatedAt,
});
