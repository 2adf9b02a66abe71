import { t } from '../../language/words.ts';
import type { McpServer } from './mcp-servers.ts';

/** Form state of a server; numbers may be partially typed. */
export interface McpFields {
  name: string;
  url: string;
  /** One header per line: `Name: value`. Empty: unchanged. */
  headers: string;
  timeoutSeconds: number | string;
  /** 0: no limit. */
  callsPerMinute: number | string;
  auth: McpServer['auth'];
  /** Id of a manually registered client; empty: none. */
  clientId: string;
  /** Empty: unchanged. */
  clientSecret: string;
  /** Whether a secret is stored, and whether to delete it. */
  hasClientSecret: boolean;
  dropsClientSecret: boolean;
  /** Used instead of a secret. Empty: unchanged. */
  clientKey: string;
  hasClientKey: boolean;
  /** File in which the platform keeps the assertion that is exchanged for a token. */
  assertionFile: string;
  /** Slug of the identity provider that vouches for users; empty: not chosen yet. */
  vouchedBy: string;
  /** Only for servers of an organisation. */
  signIn: McpServer['sign_in'];
  /** What is forwarded besides tools. */
  offers: McpServer['offers'];
  audience: McpServer['audience'];
  userIds: string[];
}

export const audiences: { value: McpServer['audience']; label: string }[] = [
  { value: 'administrators', label: t('Administrators') },
  { value: 'everyone', label: t('Everybody') },
  { value: 'users', label: t('Specific users') },
];

export const authKinds: { value: McpServer['auth']; label: string }[] = [
  { value: 'headers', label: t('Headers, or none') },
  { value: 'oauth', label: t('Each user signs in') },
  { value: 'enterprise', label: t('Identity provider asserts user identity') },
  { value: 'client_credentials', label: t('This service signs in') },
  { value: 'jwt_bearer', label: t('Platform token') },
];

/**
 * The platform's assertions about the service, and a company's about its users, are sent only to the operator's
 * servers.
 */
export const ownAuthKinds = authKinds.filter(({ value }) => value !== 'jwt_bearer' && value !== 'enterprise');

/** Without a sign-in by users, the service authenticates as a client of its own. */
export const needsClient = ({ auth }: Pick<McpFields, 'auth'>): boolean =>
  auth === 'client_credentials' || auth === 'enterprise';

export const signIns: { value: McpServer['sign_in']; label: string }[] = [
  { value: 'each', label: t('Each member separately') },
  { value: 'shared', label: t('One sign-in for everyone') },
];

export const offerings: { value: McpServer['offers'][number]; label: string }[] = [
  { value: 'resources', label: t('Resources') },
  { value: 'prompts', label: t('Prompts') },
];

export const emptyServer: McpFields = {
  ...{ name: '', url: '', headers: '', timeoutSeconds: 60, callsPerMinute: 0 },
  ...{ clientId: '', clientSecret: '', hasClientSecret: false, dropsClientSecret: false },
  ...{ clientKey: '', hasClientKey: false, assertionFile: '', vouchedBy: '', signIn: 'each', offers: [] },
  ...{ auth: 'headers', audience: 'administrators', userIds: [] },
};

export const fieldsOf = (server: McpServer): McpFields => ({
  name: server.name,
  url: server.url,
  headers: '',
  timeoutSeconds: server.timeout_ms / 1_000,
  callsPerMinute: server.calls_per_minute,
  auth: server.auth,
  clientId: server.client_id,
  clientSecret: '',
  hasClientSecret: server.has_client_secret,
  dropsClientSecret: false,
  clientKey: '',
  hasClientKey: server.has_client_key,
  assertionFile: server.assertion_file,
  vouchedBy: server.vouched_by,
  signIn: server.sign_in,
  offers: server.offers,
  audience: server.audience,
  userIds: server.user_ids.map(String),
});

export type McpFaults = Partial<Record<keyof McpFields, string>>;

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );

const originOf = (url: string): string => URL.parse(url.trim())?.origin ?? url.trim();

/** Stored headers are only ever sent to the origin they were entered for. */
export const isMoved = (fields: McpFields, before: McpFields): boolean => originOf(fields.url) !== originOf(before.url);

const isCallLimit = (given: number | string): boolean =>
  given !== '' && Number.isInteger(Number(given)) && Number(given) >= 0 && Number(given) <= 1_000_000;

/** Ignores a typed secret once the user has chosen to delete the secret. */
const enteredOf = (fields: McpFields): { id: string; secret: string; key: string } => ({
  id: fields.clientId.trim(),
  secret: fields.dropsClientSecret ? '' : fields.clientSecret.trim(),
  key: fields.clientKey.trim(),
});

/** A secret or key belongs to one client at one address. `before`: the saved server. */
function clientFaultsOf(fields: McpFields, before?: McpFields): McpFaults {
  const { id, secret, key } = enteredOf(fields);
  const itself = needsClient(fields);
  if (fields.auth === 'headers' || (!itself && id === '' && secret === '' && key === '')) return {};
  if (id === '') return { clientId: t('Enter the client ID.') };
  if (key !== '' && secret !== '') return { clientKey: t('Enter a secret or a private key, not both.') };
  if (key !== '' && !/^(\{|-----BEGIN )/.test(key))
    return { clientKey: t('Enter a private key in PEM or JSON Web Key format.') };
  if (key !== '' || secret !== '') return {};
  if (before && (id !== before.clientId || isMoved(fields, before))) {
    if (before.hasClientSecret && !fields.dropsClientSecret)
      return { clientSecret: t('Enter the secret again for another client or address.') };
    if (before.hasClientKey) return { clientKey: t('Enter the key again for another client or address.') };
  }
  const stored = (before?.hasClientSecret && !fields.dropsClientSecret) || before?.hasClientKey;
  return itself && !stored ? { clientSecret: t('Enter a secret or a private key.') } : {};
}

/**
 * Validation errors by field, matching the service's own checks. `before`: the saved server; `stored`: the same, if it
 * has headers.
 */
export function faultsOf(fields: McpFields, stored?: McpFields, before = stored): McpFaults {
  const faults: McpFaults = clientFaultsOf(fields, before);
  // A saved name cannot change; an organisation's server ends in `_` and its id, which the pattern below rejects.
  const isNamed = fields.name !== '' && fields.name === before?.name;
  if (!isNamed && !/^[a-z0-9-]{1,24}$/.test(fields.name))
    faults.name = t('Use 1 to 24 lower-case letters, digits and hyphens.');
  if (!/^https?:$/.test(URL.parse(fields.url.trim())?.protocol ?? ''))
    faults.url = t('Enter an http or https address.');
  if (!linesOf(fields.headers).every((line) => /^[^\s:]+:\s*\S/.test(line)))
    faults.headers = t('Use one line per header: Name: value');
  else if (stored && fields.headers.trim() === '' && isMoved(fields, stored))
    faults.headers = t('Enter the headers again for the new address.');
  if (fields.auth === 'jwt_bearer' && !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(fields.assertionFile.trim()))
    faults.assertionFile = t('Enter a file name without its directory.');
  if (fields.auth === 'enterprise' && fields.vouchedBy === '') faults.vouchedBy = t('Choose an identity provider.');
  if (fields.timeoutSeconds === '') faults.timeoutSeconds = t('Enter a number.');
  if (!isCallLimit(fields.callsPerMinute)) faults.callsPerMinute = t('Enter a whole number of at most 1,000,000.');
  if (fields.audience === 'users' && fields.userIds.length === 0) faults.userIds = t('Enter at least one user.');
  if (!fields.userIds.every((id) => /^[1-9]\d{0,14}$/.test(id))) faults.userIds = t('Enter user IDs, for example 7.');
  return faults;
}

/** A server without sign-in has no client. */
function clientOf(fields: McpFields): { client_id?: string; client_secret?: string; client_key?: string } {
  const { id, secret, key } = enteredOf(fields);
  if (fields.auth === 'headers') return id === '' ? {} : { client_id: '' };
  return {
    client_id: id,
    ...((secret !== '' || fields.dropsClientSecret) && { client_secret: secret }),
    ...(key !== '' && { client_key: key }),
  };
}

/** The request body, without the immutable name. A user's or organisation's own server has no audience to choose. */
export const bodyOf = (fields: McpFields, own = false) => ({
  url: fields.url.trim(),
  timeout_ms: Math.round(Number(fields.timeoutSeconds) * 1_000),
  calls_per_minute: Number(fields.callsPerMinute),
  auth: fields.auth,
  offers: fields.offers,
  ...clientOf(fields),
  ...(fields.auth === 'jwt_bearer' && { assertion_file: fields.assertionFile.trim() }),
  ...(fields.auth === 'enterprise' && { vouched_by: fields.vouchedBy }),
  ...(own && fields.auth === 'oauth' && { sign_in: fields.signIn }),
  ...(!own && { audience: fields.audience, user_ids: fields.userIds.map(Number) }),
  ...(fields.headers.trim() !== '' && { headers: headersOf(fields.headers) }),
});
