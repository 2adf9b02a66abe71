import type { Result } from '../../api.ts';
import { redirectUrisOf } from '../../components/app-identity.tsx';
import { splitScopes } from '../../components/scopes.tsx';
import { t } from '../../language/words.ts';

export type Application = Result<'/api/oauth2/applications', 'get'>['applications'][number];
export type AppType = 'confidential' | 'public';
/** How a confidential application authenticates: by a secret, by keys, or by the address of its keys. */
export type ClientProof = 'secret' | 'keys' | 'address';

export interface ApplicationFields {
  name: string;
  description: string;
  homepage_url: string;
  logo_url: string;
  redirect_uris: string[];
  scopes: string[];
  app_type: AppType;
  webhook_url: string;
  /** Null while OpenID Connect is turned off. */
  openid: OpenidFields | null;
}

export interface OpenidFields {
  /** One per line. */
  post_logout_redirect_uris: string;
  backchannel_logout_uri: string;
  id_token_signed_response_alg: 'RS256' | 'ES256';
  require_pushed_requests: boolean;
  dpop_bound_access_tokens: boolean;
  send_iss: boolean;
  token_exchange: boolean;
  /** One per line. */
  token_exchange_clients: string;
  proof: ClientProof;
  /** A JSON Web Key Set, as typed. */
  jwks: string;
  jwks_uri: string;
}

export interface ApplicationFaults {
  name?: string;
  description?: string;
  homepage_url?: string;
  logo_url?: string;
  webhook_url?: string;
  scopes?: string;
  jwks?: string;
  jwks_uri?: string;
  /** Indexed like the addresses; undefined if an address is valid. */
  redirect_uris?: (string | undefined)[];
}

export const mostRedirectUris = 10;

export const emptyApplication: ApplicationFields = {
  name: '',
  description: '',
  homepage_url: '',
  logo_url: '',
  redirect_uris: [''],
  scopes: ['openid'],
  app_type: 'confidential',
  webhook_url: '',
  openid: null,
};

export const emptyOpenid: OpenidFields = {
  post_logout_redirect_uris: '',
  backchannel_logout_uri: '',
  id_token_signed_response_alg: 'RS256',
  require_pushed_requests: false,
  dpop_bound_access_tokens: false,
  send_iss: true,
  token_exchange: false,
  token_exchange_clients: '',
  proof: 'secret',
  jwks: '',
  jwks_uri: '',
};

export const fieldsOf = (application: Application): ApplicationFields => ({
  name: application.name,
  description: application.description,
  homepage_url: application.homepage_url,
  logo_url: application.logo_url,
  redirect_uris: redirectUrisOf(application),
  scopes: splitScopes(application.allowed_scopes),
  app_type: application.app_type === 'public' ? 'public' : 'confidential',
  webhook_url: application.webhook_url,
  openid:
    application.post_logout_redirect_uris === undefined
      ? null
      : {
          post_logout_redirect_uris: application.post_logout_redirect_uris.join('\n'),
          backchannel_logout_uri: application.backchannel_logout_uri ?? '',
          id_token_signed_response_alg: application.id_token_signed_response_alg === 'ES256' ? 'ES256' : 'RS256',
          require_pushed_requests: application.require_pushed_requests ?? false,
          dpop_bound_access_tokens: application.dpop_bound_access_tokens ?? false,
          send_iss: application.send_iss ?? true,
          token_exchange: application.token_exchange ?? false,
          token_exchange_clients: (application.token_exchange_clients ?? []).join('\n'),
          proof: application.jwks ? 'keys' : application.jwks_uri ? 'address' : 'secret',
          jwks: application.jwks ? JSON.stringify(application.jwks, null, 2) : '',
          jwks_uri: application.jwks_uri ?? '',
        },
});

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);
const refused = /^(javascript|data|file|blob|about|vbscript|filesystem|view-source|wss?|ftp|mailto|tel|sms):/i;

/** Basic validation while typing; the service checks the rest. */
export function redirectUriFault(uri: string): string | undefined {
  if (uri === '') return t('Enter an address, or remove the line.');
  if (uri.length > 2000) return t('Use at most 2,000 characters.');
  if (/[\s\\]/.test(uri)) return t('Addresses cannot contain spaces or backslashes.');
  if (uri.includes('#')) return t('Remove the # and everything after it.');
  if (uri.includes('*')) return t('Wildcards are not supported. Register each address in full.');
  const url = URL.parse(uri);
  if (!url) return t('Enter a full address such as https://app.example/callback.');
  if (refused.test(uri)) return t('{protocol} addresses are not supported.', { protocol: url.protocol });
  if (url.username || url.password) return t('Remove the user name and password.');
  if (url.protocol === 'http:' && !loopback.has(url.hostname))
    return t('Use https; http is allowed for localhost only.');
  return undefined;
}

const webAddressFault = (text: string): string | undefined => {
  if (text.trim() === '') return undefined;
  const url = URL.parse(text.trim());
  return url && /^https?:$/.test(url.protocol) ? undefined : t('Enter an address that starts with https://.');
};

/** Null if there is no list of keys. The service validates the keys themselves. */
function keySetIn(text: string): { keys: Record<string, unknown>[] } | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('keys' in value)) return null;
    return Array.isArray(value.keys) ? { keys: value.keys } : null;
  } catch {
    return null;
  }
}

/** How the application authenticates. Public applications do not, so the default applies. */
const proofOf = ({ app_type, openid }: ApplicationFields): ClientProof =>
  app_type === 'public' ? 'secret' : (openid?.proof ?? 'secret');

const keysFault = (fields: ApplicationFields): string | undefined =>
  proofOf(fields) === 'keys' && keySetIn(fields.openid!.jwks) === null
    ? t('Paste a JSON Web Key Set, an object with a list called keys.')
    : undefined;

function keyAddressFault(fields: ApplicationFields): string | undefined {
  if (proofOf(fields) !== 'address') return undefined;
  const address = fields.openid!.jwks_uri.trim();
  return address === '' ? t('Enter an address that starts with https://.') : webAddressFault(address);
}

export function faultsOf(fields: ApplicationFields): ApplicationFaults {
  const uris = fields.redirect_uris.map((uri) => redirectUriFault(uri.trim()));
  const letters = (text: string) => [...text.trim()].length;
  const faults: ApplicationFaults = {
    name:
      letters(fields.name) === 0
        ? t('Enter a name.')
        : letters(fields.name) > 64
          ? t('At most 64 characters.')
          : undefined,
    description: letters(fields.description) > 500 ? t('At most 500 characters.') : undefined,
    homepage_url: webAddressFault(fields.homepage_url),
    logo_url: webAddressFault(fields.logo_url),
    webhook_url: webAddressFault(fields.webhook_url),
    jwks: keysFault(fields),
    jwks_uri: keyAddressFault(fields),
    redirect_uris: uris.some(Boolean) ? uris : undefined,
  };
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined));
}

/** Fields that an administrator has verified; changing any of them withdraws the verification. */
const vouchedFor = [
  'name',
  'description',
  'homepage_url',
  'logo_url',
  'redirect_uris',
  'app_type',
  'post_logout_redirect_uris',
] as const;

export function losesBadge(fields: ApplicationFields, application: Application): boolean {
  if (!application.is_verified) return false;
  const [now, before] = [bodyOf(fields), bodyOf(fieldsOf(application))];
  return (
    changesSecret(fields, application) ||
    vouchedFor.some((name) => JSON.stringify(now[name]) !== JSON.stringify(before[name]))
  );
}

/** Whether the change switches to or from a client secret. The old secret stops working then. */
export function changesSecret(fields: ApplicationFields, application: Application): boolean {
  const before = fieldsOf(application);
  const hasSecret = (of: ApplicationFields) => of.app_type === 'confidential' && proofOf(of) === 'secret';
  return hasSecret(fields) !== hasSecret(before);
}

export const bodyOf = (fields: ApplicationFields) => ({
  name: fields.name.trim(),
  description: fields.description.trim(),
  homepage_url: fields.homepage_url.trim(),
  logo_url: fields.logo_url.trim(),
  redirect_uris: fields.redirect_uris.map((uri) => uri.trim()),
  // Every application has this scope, requested or not.
  scopes: [...new Set(['openid', ...fields.scopes])].join(' '),
  app_type: fields.app_type,
  webhook_url: fields.webhook_url.trim(),
  ...(fields.openid && openidBodyOf(fields, fields.openid)),
});

function openidBodyOf(fields: ApplicationFields, { proof: _, ...openid }: OpenidFields) {
  const by = proofOf(fields);
  return {
    ...openid,
    post_logout_redirect_uris: linesOf(openid.post_logout_redirect_uris),
    backchannel_logout_uri: openid.backchannel_logout_uri.trim(),
    token_exchange_clients: linesOf(openid.token_exchange_clients),
    jwks: by === 'keys' ? keySetIn(openid.jwks) : null,
    jwks_uri: by === 'address' ? openid.jwks_uri.trim() : '',
  };
}
