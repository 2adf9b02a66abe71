import type { RelayDeps, RequestContext } from './deps.ts';
import { type AskedModel, askedModels, mayAskNext } from './model-names.ts';

/**
 * Asks the models that a request names, one after the other, until one answers. Each is planned, held for and logged by
 * itself; what the request itself is to blame for ends it at once.
 */
export async function askInTurn<T>(
  deps: Pick<RelayDeps, 'catalog'>,
  given: RequestContext,
  model: string,
  ask: (context: RequestContext, asked: AskedModel) => Promise<T>,
): Promise<T> {
  const models = askedModels(deps.catalog, given.caller, model, given.fallbackModels ?? []);
  let context = given;
  for (let i = 0; i < models.length - 1; i += 1) {
    try {
      return await ask(context, models[i]!);
    } catch (error) {
      if (!mayAskNext(error)) throw error;
      context = inPlaceOf(given, models[i]!.shown);
    }
  }
  return ask(context, models.at(-1)!);
}

/** The same request, asked in place of another model. What it looks up when asked, such as its signal, stays where it is. */
const inPlaceOf = (context: RequestContext, insteadOf: string): RequestContext =>
  Object.create(context, { insteadOf: { value: insteadOf, enumerable: true } }) as RequestContext;
