import { z } from 'zod';
import { redirectUriFault } from './redirect-uri.ts';

/** An address that we show or call; empty for none. */
export const webUrl = z
  .string()
  .trim()
  .max(2000, 'must have at most 2000 characters')
  .refine((value) => value === '' || isWebUrl(value), 'must be an http or https address')
  .overwrite(inAscii);

/** Normalises lookalike and invisible characters as browsers do: hosts in Punycode, the rest percent-encoded. */
function inAscii(value: string): string {
  return /^[ -~]*$/.test(value) ? value : (URL.parse(value)?.href ?? value);
}

function isWebUrl(value: string): boolean {
  const url = URL.parse(value);
  if (!url || !/^https?:\/\//i.test(value) || /[\s\\<>"]/.test(value)) return false;
  return url.username === '' && url.password === '';
}

const redirectUri = z.string().superRefine((uri, context) => {
  const fault = redirectUriFault(uri);
  if (fault) context.addIssue({ code: 'custom', message: fault });
});

/** Addresses that browsers are redirected to. */
export const redirectUris = z
  .array(redirectUri)
  .max(10, 'must contain at most 10 addresses')
  .transform((list) => [...new Set(list)]);
