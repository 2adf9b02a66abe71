import type { z } from 'zod';
import { Secret } from '../../../lib/changes.ts';
import type { Subject } from '../../../platform/http/audit-rule.ts';
import { callbackUrl } from '../begin.ts';
import type { SignInContext } from '../context.ts';
import type { ProviderInput } from '../providers.ts';
import { findProvider, type Provider } from '../store/providers.ts';
import type { providerChange, providerView } from './schemas.ts';

/** Only given fields, so that spreading the result overrides nothing. */
export function givenOf(body: z.infer<typeof providerChange>): Partial<Omit<ProviderInput, 'slug' | 'kind'>> {
  const fields = {
    name: body.name,
    issuer: body.issuer,
    clientId: body.client_id,
    clientSecret: body.client_secret,
    scopes: body.scopes,
    enabled: body.enabled,
    allowSignUp: body.allow_sign_up,
    trustEmail: body.trust_email,
    emailDomains: body.email_domains && [...new Set(body.email_domains)],
    roleClaim: body.role_claim,
    roleMap: body.role_map,
    vouches: body.vouches,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export const viewProvider = (
  room: Pick<SignInContext, 'webUrl'>,
  provider: Provider,
): z.infer<typeof providerView> => ({
  id: provider.id,
  slug: provider.slug,
  name: provider.name,
  kind: provider.kind,
  issuer: provider.issuer,
  client_id: provider.clientId,
  has_secret: provider.sealedSecret !== '',
  scopes: provider.scopes,
  enabled: provider.enabled,
  allow_sign_up: provider.allowSignUp,
  trust_email: provider.trustEmail,
  email_domains: provider.emailDomains,
  role_claim: provider.roleClaim,
  role_map: provider.roleMap,
  vouches: provider.vouches,
  callback_url: callbackUrl(room, provider),
  created_at: provider.createdAt,
  updated_at: provider.updatedAt,
});

/** What the audit log compares; the secret only shows that it changed. */
export const providerSubject = (room: Pick<SignInContext, 'db' | 'webUrl'>): Subject => ({
  type: 'identity_provider',
  look: async (id) => {
    const provider = await findProvider(room.db, Number(id));
    if (!provider) return null;
    const { id: _, created_at, updated_at, callback_url, has_secret, ...state } = viewProvider(room, provider);
    return { name: provider.slug, state: { ...state, client_secret: new Secret(provider.sealedSecret) } };
  },
});
