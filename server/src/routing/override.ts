import { z } from 'zod';
import { AppError } from '../lib/errors.ts';
import { strategies } from './score.ts';

const names = z.array(z.string().min(1).max(100)).max(100);
const price = z.number().nonnegative();

/** Typed clients send fields that are not set as null, which means the same as absent. */
const unset = <T extends z.ZodType>(type: T) =>
  type
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();

/** Body field `provider` of relay requests; unknown fields are ignored. */
const overrideSchema = z.object({
  /** Providers to try first, in this order. */
  order: unset(names),
  only: unset(names),
  ignore: unset(names),
  allow_fallbacks: unset(z.boolean()),
  sort: unset(z.enum(['price', 'latency', 'throughput'])),
  /** Limits the average price, or each price separately. */
  max_price: unset(
    z.union([price, z.object({ prompt: unset(price), completion: unset(price), request: unset(price) })]),
  ),
  strategy: unset(z.enum(strategies)),
});

export type Override = z.infer<typeof overrideSchema>;

/** Null and absent mean no override; an invalid value is the caller's error, reported with the path of the field. */
export function parseOverride(value: unknown): Override | null {
  if (value === undefined || value === null) return null;
  const parsed = overrideSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const param = ['provider', ...(issue?.path ?? [])].join('.');
  throw new AppError('invalid_value', `Invalid value for '${param}': ${issue?.message ?? 'not recognised'}.`, {
    param,
  });
}
