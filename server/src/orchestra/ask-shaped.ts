import { AppError } from '../lib/errors.ts';
import { textOf } from './messages.ts';
import type { CallParams, CompleteAnswer } from './ports.ts';

/** What JSON is asked for, for models that can be held to a schema. */
export interface Shape {
  name: string;
  schema: object;
}

export const text = { type: 'string' };
export const listOf = (items: object, limits = {}) => ({ type: 'array', items, ...limits });
/** An object with just these members, all of them. */
export const objectOf = (properties: Record<string, object>) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});

/** Asks for JSON of a shape. Servers that know no schemas refuse the parameter: then the prompt alone has to do. */
export async function askShaped(
  ask: (params: CallParams) => Promise<CompleteAnswer | null>,
  shape: Shape,
): Promise<string> {
  const read = (answer: CompleteAnswer | null): string => (answer ? textOf(answer.message) : '');
  try {
    const response_format = { type: 'json_schema', json_schema: shape };
    return read(await ask({ response_format }));
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    return read(await ask({}));
  }
}
