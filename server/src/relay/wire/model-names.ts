import type { Json } from './conversation.ts';
import { invalid, readArray, requiredString } from './read.ts';

const mostModels = 10;
const none: readonly string[] = Object.freeze([]);

/** The body's `models`: fallbacks, in order. */
export function readModels(body: Json): readonly string[] {
  if (body.models === undefined || body.models === null) return none;
  const models = readArray(body.models, 'models');
  if (models.length > mostModels) throw invalid('models', `'models' must contain at most ${mostModels} models.`);
  return models.map((name, i) => {
    if (typeof name === 'string' && name !== '') return name;
    throw invalid(`models[${i}]`, `'models[${i}]' must be the name of a model.`);
  });
}

/** `model`, or the first of `models` if it is absent. */
export const readModel = (body: Json): string =>
  body.model == null ? (readModels(body)[0] ?? requiredString(body, 'model')) : requiredString(body, 'model');
