import { z } from 'zod';
import { AppError } from '../lib/errors.ts';
import { strategies } from './score.ts';

const names = z.array(z.string().min(1).max(100)).max(100);
const price = z.number().nonnegative();
const sort = z.enum(['price', 'latency', 'throughput']);

/** Typed clients send fields that are not set as null, which means the same as absent. */
const unset = <T extends z.ZodType>(type: T) =>
  type
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();

interface PriceLimits {
  prompt?: number | undefined;
  completion?: number | undefined;
  request?: number | undefined;
}

/** Every member is a limit to keep, so that a price unknown here is refused instead of ignored. */
const maxPrice = z
  .object({ prompt: unset(price), completion: unset(price), request: unset(price) })
  .catchall(z.null('is not supported'))
  .transform(({ prompt, completion, request }): PriceLimits => ({ prompt, completion, request }));

/** OpenRouter's longer form of `sort`. Which model comes first is said by `models` alone. */
const sortWithinModel = z
  .object({ by: unset(sort), partition: unset(z.literal('model', "must be 'model'")) })
  .transform(({ by }) => by);

/**
 * Body field `provider` of relay requests. Unknown fields are ignored, and so are OpenRouter's mere preferences,
 * `preferred_min_throughput` and `preferred_max_latency`.
 */
const overrideSchema = z.object({
  /** Providers to try first, in this order. */
  order: unset(names),
  only: unset(names),
  ignore: unset(names),
  allow_fallbacks: unset(z.boolean()),
  sort: unset(z.union([sort, sortWithinModel])),
  /** Limits the average price, or each price separately. */
  max_price: unset(z.union([price, maxPrice])),
  strategy: unset(z.enum(strategies)),
  /** Only providers that honour every optional parameter of the request. */
  require_parameters: unset(z.boolean()),
  /* Only providers that the operator describes so: see demands.ts. */
  data_collection: unset(z.enum(['allow', 'deny'])),
  zdr: unset(z.boolean()),
  quantizations: unset(names),
  enforce_distillable_text: unset(z.boolean()),
});

export type Override = z.infer<typeof overrideSchema>;

/** Null and absent mean no override; an invalid value is the caller's error, reported with the path of the field. */
export function parseOverride(value: unknown): Override | null {
  if (value === undefined || value === null) return null;
  const parsed = overrideSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const { path, message } = issue ? innermost(issue) : { path: [], message: 'not recognised' };
  const param = ['provider', ...path].join('.');
  throw new AppError('invalid_value', `Invalid value for '${param}': ${message}.`, { param });
}

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'>;

/** Of a value that may have several types, the fault within the type that it seems to have. */
function innermost(issue: z.core.$ZodIssue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.flat().find(({ path }) => path.length > 0);
  return inner ? { path: [...issue.path, ...inner.path], message: inner.message } : issue;
}
