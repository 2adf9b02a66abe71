import { AppError } from '../lib/errors.ts';
import { textOf } from './messages.ts';
import type { CallParams, CompleteAnswer } from './ports.ts';

/** The requested JSON, for models that support a schema. */
export interface Shape {
  name: string;
  schema: object;
}

export const text = { type: 'string' };
export const listOf = (items: object, limits = {}) => ({ type: 'array', items, ...limits });
/** An object with exactly these members, all required. */
export const objectOf = (properties: Record<string, object>) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});

/**
 * Asks for JSON of a shape. Upstreams without schema support reject the parameter; then retry with the prompt alone.
 */
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
