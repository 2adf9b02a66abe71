import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { canBeEchoed } from '../can-be-echoed.ts';
import { splitScopes } from '../scopes.ts';

/** Parameters of OpenID Connect (Core §3.1.2.1) and RFC 9449 §10; the last one is our own page's. */
export const openidParameters = [
  'nonce',
  'prompt',
  'max_age',
  'login_hint',
  'acr_values',
  'response_mode',
  'id_token_hint',
  'request',
  'request_uri',
  'registration',
  'dpop_jkt',
  'signed_in_after',
] as const;
export type OpenidParameters = { [Name in (typeof openidParameters)[number]]?: string | undefined };

export const prompts = ['none', 'login', 'consent', 'select_account'] as const;
type Prompt = (typeof prompts)[number];

export interface OpenidRequest {
  /** `openid` was requested, not only added: an ID token follows. */
  requested: boolean;
  nonce: string | undefined;
  prompts: ReadonlySet<Prompt>;
  /** Null: none. */
  maxAge: number | null;
  /** An ID token of the expected user. */
  idTokenHint: string | undefined;
  signedInAfter: string | undefined;
  /** The key the code is bound to. */
  dpopJkt: string | null;
}

/** Bounds what is stored with a code; genuine values are shorter. */
const mostCharacters: Partial<Record<keyof OpenidParameters, number>> = {
  nonce: 1000,
  prompt: 100,
  max_age: 10,
  login_hint: 1000,
  acr_values: 1000,
  id_token_hint: 10_000,
  signed_in_after: 1000,
};

/** Core §3.1.2.6: each of these has its own error. */
const unsupported: ['request' | 'request_uri' | 'registration', ErrorCode][] = [
  ['request', 'request_not_supported'],
  ['request_uri', 'request_uri_not_supported'],
  ['registration', 'registration_not_supported'],
];

export function readOpenidRequest(given: OpenidParameters & { scope?: string | undefined }): OpenidRequest {
  for (const [name, code] of unsupported)
    if (given[name]) throw new AppError(code, `${name} is not supported.`, { param: name });
  for (const [name, most] of Object.entries(mostCharacters) as [keyof OpenidParameters, number][])
    if ((given[name]?.length ?? 0) > most) throw fault(name, `must have at most ${most} characters`);
  if (given.nonce && !canBeEchoed(given.nonce)) throw fault('nonce', 'must be valid Unicode');
  return {
    requested: splitScopes(given.scope ?? '').includes('openid'),
    nonce: given.nonce || undefined,
    prompts: readPrompts(given.prompt),
    maxAge: readMaxAge(given.max_age),
    idTokenHint: given.id_token_hint || undefined,
    signedInAfter: given.signed_in_after || undefined,
    dpopJkt: readThumbprint(given.dpop_jkt),
  };
}

const fault = (name: keyof OpenidParameters, what: string): AppError =>
  new AppError('invalid_request', `${name} ${what}.`, { param: name });

function readPrompts(text: string | undefined): ReadonlySet<Prompt> {
  const names = splitScopes(text ?? '');
  for (const name of names)
    if (!(prompts as readonly string[]).includes(name))
      throw fault('prompt', `must contain only ${prompts.join(', ')}`);
  if (names.includes('none') && names.length > 1) throw fault('prompt', 'must be none alone, or must not include none');
  return new Set(names as Prompt[]);
}

/** RFC 7638 with SHA-256. */
function readThumbprint(text: string | undefined): string | null {
  if (!text) return null;
  if (!/^[\w-]{43}$/.test(text)) throw fault('dpop_jkt', 'must be the SHA-256 thumbprint of a key');
  return text;
}

function readMaxAge(text: string | undefined): number | null {
  if (!text) return null;
  if (!/^\d+$/.test(text)) throw fault('max_age', 'must be a number of seconds');
  return Number(text);
}
