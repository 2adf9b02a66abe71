import type { Failure } from '../billing/failures.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import { type ModelToTry, mayTryNext, modelsToTry } from './model-names.ts';

/**
 * Tries the models a request names, in order, until one answers. Each is planned, held for and logged separately; an
 * error caused by the request itself ends the search at once. The request counts as failed only if no model answers.
 */
export function tryModels<T>(
  deps: Pick<RelayDeps, 'catalog' | 'failures'>,
  given: RequestContext,
  model: string,
  ask: Ask<T>,
): Promise<T> {
  const models = modelsToTry(deps.catalog, given.caller, model, given.fallbackModels ?? none);
  return models.length === 1 ? ask(given, models[0]!) : askEach(deps, given, models, ask);
}

type Ask<T> = (context: RequestContext, asked: ModelToTry) => Promise<T>;

const none: readonly string[] = [];

async function askEach<T>(
  deps: Pick<RelayDeps, 'failures'>,
  given: RequestContext,
  models: readonly ModelToTry[],
  ask: Ask<T>,
): Promise<T> {
  let last: Failure | undefined;
  const failed = (failure: Failure): void => {
    last = failure;
  };
  let insteadOf: string | undefined;
  for (const [i, asked] of models.entries()) {
    try {
      return await ask(inPlaceOf(given, { insteadOf, failed, counted: i > 0 || given.counted === true }), asked);
    } catch (error) {
      if (i < models.length - 1 && mayTryNext(error)) {
        insteadOf = asked.shown;
        continue;
      }
      if (last) deps.failures?.note(last);
      throw error;
    }
  }
  throw new Error('no model was tried');
}

/** The same request for another model. A prototype link, so that lazy getters such as `signal` stay lazy. */
const inPlaceOf = (
  context: RequestContext,
  { insteadOf = context.insteadOf, failed, counted }: Pick<RequestContext, 'insteadOf' | 'failed' | 'counted'>,
): RequestContext =>
  Object.create(context, {
    insteadOf: { value: insteadOf, enumerable: true },
    failed: { value: failed, enumerable: true },
    counted: { value: counted, enumerable: true },
  }) as RequestContext;
