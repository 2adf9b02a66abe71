import { t } from '../../language/words.ts';
import type { IdentityProvider } from './identity-providers.ts';

/** Form state of an identity provider. */
export interface ProviderFields {
  preset: string;
  slug: string;
  name: string;
  kind: IdentityProvider['kind'];
  issuer: string;
  clientId: string;
  /** Empty: unchanged. */
  clientSecret: string;
  scopes: string;
  allowSignUp: boolean;
  trustEmail: boolean;
  emailDomains: string[];
  roleClaim: string;
  /** One mapping per line: `group = administrator`. */
  roleMap: string;
  vouches: boolean;
}

const blank: ProviderFields = {
  ...{ preset: 'custom', slug: '', name: '', kind: 'openid', issuer: '', clientId: '', clientSecret: '' },
  ...{ scopes: 'openid email profile', allowSignUp: true, trustEmail: false, emailDomains: [] },
  ...{ roleClaim: '', roleMap: '', vouches: false },
};

interface Preset {
  value: string;
  label: string;
  /** The provider's console, where the client is registered. */
  console: string;
  fields: Partial<ProviderFields>;
}

/**
 * Settings that are the same for every client. Microsoft does not trust emails: its customers can enter unverified
 * addresses.
 */
export const presets: Preset[] = [
  { value: 'custom', label: 'OpenID Connect', console: '', fields: {} },
  {
    value: 'google',
    label: 'Google',
    console: 'https://console.cloud.google.com/auth/clients',
    fields: { slug: 'google', name: 'Google', issuer: 'https://accounts.google.com', trustEmail: true },
  },
  {
    value: 'microsoft',
    label: 'Microsoft',
    console: 'https://entra.microsoft.com',
    fields: { slug: 'microsoft', name: 'Microsoft', issuer: 'https://login.microsoftonline.com/TENANT-ID/v2.0' },
  },
  {
    value: 'github',
    label: 'GitHub',
    console: 'https://github.com/settings/developers',
    fields: {
      ...{ slug: 'github', name: 'GitHub', kind: 'github', issuer: 'https://github.com', trustEmail: true },
      scopes: 'read:user user:email',
    },
  },
];

/** Keeps the client id and secret already entered. */
export const withPreset = (fields: ProviderFields, value: string): ProviderFields => ({
  ...blank,
  ...{ clientId: fields.clientId, clientSecret: fields.clientSecret },
  ...presets.find((preset) => preset.value === value)?.fields,
  preset: value,
});

export const emptyProvider: ProviderFields = blank;

/** A map, since administrators type the names that are looked up. */
const roleNames = new Map<string, 1 | 10>([
  ['user', 1],
  ['administrator', 10],
]);
const nameOf = (role: number): string => [...roleNames].find(([, one]) => one === role)?.[0] ?? 'user';

export const fieldsOf = (provider: IdentityProvider): ProviderFields => ({
  preset: 'custom',
  slug: provider.slug,
  name: provider.name,
  kind: provider.kind,
  issuer: provider.issuer,
  clientId: provider.client_id,
  clientSecret: '',
  scopes: provider.scopes,
  allowSignUp: provider.allow_sign_up,
  trustEmail: provider.trust_email,
  emailDomains: provider.email_domains,
  roleClaim: provider.role_claim,
  roleMap: Object.entries(provider.role_map)
    .map(([group, role]) => `${group} = ${nameOf(role)}`)
    .join('\n'),
  vouches: provider.vouches,
});

export type ProviderFaults = Partial<Record<keyof ProviderFields, string>>;

function mapOf(text: string): Record<string, 1 | 10> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => {
    const at = line.lastIndexOf('=');
    return [line.slice(0, at).trim(), roleNames.get(line.slice(at + 1).trim())] as const;
  });
  if (!pairs.every(([group, role]) => group !== '' && role !== undefined)) return null;
  return Object.fromEntries(pairs) as Record<string, 1 | 10>;
}

/** Validation errors by field, matching the service's own checks. */
export function faultsOf(fields: ProviderFields): ProviderFaults {
  const faults: ProviderFaults = {};
  if (!/^[a-z0-9-]{1,32}$/.test(fields.slug)) faults.slug = t('Use 1 to 32 lower-case letters, digits and hyphens.');
  if (fields.name.trim() === '') faults.name = t('Enter a name.');
  if (!/^https?:$/.test(URL.parse(fields.issuer.trim())?.protocol ?? '')) faults.issuer = t('Enter an https address.');
  else if (fields.issuer.includes('TENANT-ID')) faults.issuer = t('Replace TENANT-ID with the ID of your directory.');
  if (fields.clientId.trim() === '') faults.clientId = t('Enter the client ID.');
  if (mapOf(fields.roleMap) === null) faults.roleMap = t('Use one line per group: group = administrator');
  else if (fields.roleMap.trim() !== '' && fields.roleClaim.trim() === '')
    faults.roleClaim = t('Enter the claim that lists the groups.');
  return faults;
}

/** The request body, without the immutable fields. */
export const bodyOf = (fields: ProviderFields) => ({
  name: fields.name.trim(),
  issuer: fields.issuer.trim(),
  client_id: fields.clientId.trim(),
  ...(fields.clientSecret.trim() !== '' && { client_secret: fields.clientSecret.trim() }),
  scopes: fields.scopes.trim().replace(/\s+/g, ' '),
  allow_sign_up: fields.allowSignUp,
  trust_email: fields.trustEmail,
  email_domains: fields.emailDomains,
  role_claim: fields.roleClaim.trim(),
  role_map: mapOf(fields.roleMap) ?? {},
  // Only OpenID Connect providers support this.
  vouches: fields.kind === 'openid' && fields.vouches,
});
