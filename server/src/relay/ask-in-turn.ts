import type { Failure } from '../billing/failures.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import { type AskedModel, askedModels, mayAskNext } from './model-names.ts';

/**
 * Asks the models that a request names, one after the other, until one answers. Each is planned, held for and logged by
 * itself; what the request itself is to blame for ends it at once. Only a request that none of them answers has failed.
 */
export function askInTurn<T>(
  deps: Pick<RelayDeps, 'catalog' | 'failures'>,
  given: RequestContext,
  model: string,
  ask: Ask<T>,
): Promise<T> {
  const models = askedModels(deps.catalog, given.caller, model, given.fallbackModels ?? none);
  return models.length === 1 ? ask(given, models[0]!) : askEach(deps, given, models, ask);
}

type Ask<T> = (context: RequestContext, asked: AskedModel) => Promise<T>;

const none: readonly string[] = [];

async function askEach<T>(
  deps: Pick<RelayDeps, 'failures'>,
  given: RequestContext,
  models: readonly AskedModel[],
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
      if (i < models.length - 1 && mayAskNext(error)) {
        insteadOf = asked.shown;
        continue;
      }
      if (last) deps.failures?.note(last);
      throw error;
    }
  }
  throw new Error('there is always a model to ask');
}

/** The same request, asked otherwise. What it looks up when asked, such as its signal, stays where it is. */
const inPlaceOf = (
  context: RequestContext,
  { insteadOf = context.insteadOf, failed, counted }: Pick<RequestContext, 'insteadOf' | 'failed' | 'counted'>,
): RequestContext =>
  Object.create(context, {
    insteadOf: { value: insteadOf, enumerable: true },
    failed: { value: failed, enumerable: true },
    counted: { value: counted, enumerable: true },
  }) as RequestContext;
