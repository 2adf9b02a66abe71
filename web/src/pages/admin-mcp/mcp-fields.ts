import { t } from '../../language/words.ts';
import type { McpServer } from './mcp-servers.ts';

/** A server as its form holds it; numbers may be half typed. */
export interface McpFields {
  name: string;
  url: string;
  /** A line each, `Name: value`; empty: stays as it is. */
  headers: string;
  timeoutSeconds: number | string;
  /** 0: no limit. */
  callsPerMinute: number | string;
  auth: McpServer['auth'];
  /** Of a client that was registered by hand; empty: none. */
  clientId: string;
  /** Empty: stays as it is. */
  clientSecret: string;
  /** Whether one is stored, and whether it is to be forgotten. */
  hasClientSecret: boolean;
  dropsClientSecret: boolean;
  /** In place of a secret; empty: stays as it is. */
  clientKey: string;
  hasClientKey: boolean;
  /** In which the platform keeps the token that is traded in. */
  assertionFile: string;
  /** The provider that vouches for users; empty: none chosen yet. */
  vouchedBy: string;
  /** Of an organisation's server. */
  signIn: McpServer['sign_in'];
  /** What is passed on besides tools. */
  offers: McpServer['offers'];
  audience: McpServer['audience'];
  userIds: string[];
}

export const audiences: { value: McpServer['audience']; label: string }[] = [
  { value: 'administrators', label: t('Administrators') },
  { value: 'everyone', label: t('Everybody') },
  { value: 'users', label: t('Some users') },
];

export const authKinds: { value: McpServer['auth']; label: string }[] = [
  { value: 'headers', label: t('By its headers, or by nothing') },
  { value: 'oauth', label: t('Each user signs in to it') },
  { value: 'enterprise', label: t('A provider vouches for each user') },
  { value: 'client_credentials', label: t('The service signs in to it') },
  { value: 'jwt_bearer', label: t('By a token of the platform') },
];

/** What the platform says of the service, and the company of its people, is shown to servers of the operator alone. */
export const ownAuthKinds = authKinds.filter(({ value }) => value !== 'jwt_bearer' && value !== 'enterprise');

/** Where no user signs in there, the service shows who it is. */
export const needsClient = ({ auth }: Pick<McpFields, 'auth'>): boolean =>
  auth === 'client_credentials' || auth === 'enterprise';

export const signIns: { value: McpServer['sign_in']; label: string }[] = [
  { value: 'each', label: t('Each member, for themselves') },
  { value: 'shared', label: t('One for everybody') },
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

/** Stored headers are never sent to another origin than the one they were entered for. */
export const isMoved = (fields: McpFields, before: McpFields): boolean => originOf(fields.url) !== originOf(before.url);

const isCallLimit = (given: number | string): boolean =>
  given !== '' && Number.isInteger(Number(given)) && Number(given) >= 0 && Number(given) <= 1_000_000;

/** What was typed before it was said that there is no secret any more does not count. */
const enteredOf = (fields: McpFields): { id: string; secret: string; key: string } => ({
  id: fields.clientId.trim(),
  secret: fields.dropsClientSecret ? '' : fields.clientSecret.trim(),
  key: fields.clientKey.trim(),
});

/** A secret or a key is one client's, at one place. `before`: the server as it is stored. */
function clientFaultsOf(fields: McpFields, before?: McpFields): McpFaults {
  const { id, secret, key } = enteredOf(fields);
  const itself = needsClient(fields);
  if (fields.auth === 'headers' || (!itself && id === '' && secret === '' && key === '')) return {};
  if (id === '') return { clientId: t('The id of the client is needed.') };
  if (key !== '' && secret !== '') return { clientKey: t('Enter a secret or a private key, not both.') };
  if (key !== '' && !/^(\{|-----BEGIN )/.test(key))
    return { clientKey: t('A private key, in PEM or as a JSON Web Key.') };
  if (key !== '' || secret !== '') return {};
  if (before && (id !== before.clientId || isMoved(fields, before))) {
    if (before.hasClientSecret && !fields.dropsClientSecret)
      return { clientSecret: t('Enter the secret again for another client or address.') };
    if (before.hasClientKey) return { clientKey: t('Enter the key again for another client or address.') };
  }
  const stored = (before?.hasClientSecret && !fields.dropsClientSecret) || before?.hasClientKey;
  return itself && !stored ? { clientSecret: t('A secret or a private key is needed.') } : {};
}

/** What the service would refuse, said beside the field. `stored`: the server before, where it has headers; `before`: in any case. */
export function faultsOf(fields: McpFields, stored?: McpFields, before = stored): McpFaults {
  const faults: McpFaults = clientFaultsOf(fields, before);
  // One that is stored stays as it is, and may be an organisation's.
  const isNamed = fields.name !== '' && fields.name === before?.name;
  if (!isNamed && !/^[a-z0-9-]{1,24}$/.test(fields.name))
    faults.name = t('Use 1 to 24 lower-case letters, digits and hyphens.');
  if (!/^https?:$/.test(URL.parse(fields.url.trim())?.protocol ?? '')) faults.url = t('An http or https address.');
  if (!linesOf(fields.headers).every((line) => /^[^\s:]+:\s*\S/.test(line)))
    faults.headers = t('A line each: Name: value');
  else if (stored && fields.headers.trim() === '' && isMoved(fields, stored))
    faults.headers = t('Enter the headers again for the new address.');
  if (fields.auth === 'jwt_bearer' && !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(fields.assertionFile.trim()))
    faults.assertionFile = t('The name of a file, without its directory.');
  if (fields.auth === 'enterprise' && fields.vouchedBy === '')
    faults.vouchedBy = t('Choose the provider that vouches.');
  if (fields.timeoutSeconds === '') faults.timeoutSeconds = t('A number is needed.');
  if (!isCallLimit(fields.callsPerMinute)) faults.callsPerMinute = t('A whole number, at most a million.');
  if (fields.audience === 'users' && fields.userIds.length === 0) faults.userIds = t('Name at least one user.');
  if (!fields.userIds.every((id) => /^[1-9]\d{0,14}$/.test(id))) faults.userIds = t('Ids of users, such as 7.');
  return faults;
}

/** A server that nobody signs in to has no client. */
function clientOf(fields: McpFields): { client_id?: string; client_secret?: string; client_key?: string } {
  const { id, secret, key } = enteredOf(fields);
  if (fields.auth === 'headers') return id === '' ? {} : { client_id: '' };
  return {
    client_id: id,
    ...((secret !== '' || fields.dropsClientSecret) && { client_secret: secret }),
    ...(key !== '' && { client_key: key }),
  };
}

/** What is sent, but for the name, which never changes. A server of one's own is for nobody else, which is not asked. */
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
