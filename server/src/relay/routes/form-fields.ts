import { AppError } from '../../lib/errors.ts';
import { type Override, parseOverride } from '../../routing/override.ts';
import type { Json } from '../wire/conversation.ts';
import { invalid } from '../wire/read.ts';

/** A boolean as forms write it. */
export function flagIn(fields: Json, name: string): boolean {
  const value = fields[name];
  if (value === undefined || value === '' || value === 'false') return false;
  if (value === 'true') return true;
  throw invalid(name, `'${name}' must be true or false.`);
}

/** `provider` of a form, which contains JSON. */
export function overrideIn(form: FormData): Override | null {
  const value = form.get('provider') as unknown;
  if (typeof value !== 'string' || value === '') return parseOverride(undefined);
  try {
    return parseOverride(JSON.parse(value));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalid('provider', `'provider' must be JSON.`);
  }
}
