import type { Origin } from '../identity/audit/log.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { type AuthorizeRequest, checkAuthorizeRequest, errorRedirect } from './authorize-checks.ts';
import { newCode } from './credentials.ts';
import { withParameters } from './redirect-uri.ts';
import type { Room } from './room.ts';
import { joinScopes, type Scope, scopesOf, scopeTable } from './scopes.ts';
import { requireEnabled } from './status.ts';
import { findConsent } from './store/consents.ts';
import type { ApplicationRow, ConsentRow } from './store/tables.ts';

/** What the consent screen shows. */
export async function describeRequest(deps: Room, userId: number, request: AuthorizeRequest) {
  requireEnabled(deps.options);
  const { application, redirectUri, state, scopes } = await checkAuthorizeRequest(deps, request);
  const consent = await findConsent(deps.db, userId, application.id);
  return {
    application: {
      id: application.id,
      name: application.name,
      description: application.description,
      homepage_url: application.homepage_url,
      logo_url: application.logo_url,
      client_id: application.client_id,
      is_verified: application.is_verified === 1,
    },
    requested_scopes: scopes.map((name) => ({ name, description: scopeTable[name] })),
    has_existing_consent: consent !== null,
    existing_scopes: consent?.scopes ?? null,
    needs_reconsent: consent !== null && !covers(consent, application, scopes),
    redirect_uri: redirectUri,
    state: state ?? '',
  };
}

/** A consent given before a suspension must be given again. */
function covers(consent: ConsentRow, application: ApplicationRow, scopes: Scope[]): boolean {
  const given = scopesOf(consent.scopes);
  return consent.epoch === application.epoch && scopes.every((name) => given.includes(name));
}

export interface Decision {
  userId: number;
  sessionId: number;
  approved: boolean;
  origin: Origin;
}

/** The user's answer; returns where the browser goes next (RFC 6749 §4.1.2). */
export async function decide(deps: Room, decision: Decision, request: AuthorizeRequest): Promise<string> {
  requireEnabled(deps.options);
  const checked = await checkAuthorizeRequest(deps, request);
  const { application, redirectUri, state, scopes, challenge } = checked;
  const { userId, origin } = decision;
  const entry = { application_id: application.id, user_id: userId };
  if (!decision.approved) {
    deps.audit.record('authorization_denied', origin, { ...entry, metadata: { redirect_uri: redirectUri } });
    return errorRedirect(checked, 'access_denied', 'The user denied the request.', deps.baseUrl);
  }
  const code = newCode();
  const now = nowSeconds(deps.clock);
  const scope = joinScopes(scopes);
  const written = await deps.approvals.approve(
    {
      code_hash: sha256Hex(code),
      application_id: application.id,
      user_id: userId,
      redirect_uri: redirectUri,
      scope,
      state: state ?? null,
      code_challenge: challenge?.code_challenge ?? null,
      code_challenge_method: challenge?.code_challenge_method ?? null,
      epoch: application.epoch,
      created_at: now,
      expires_at: now + deps.options.get('OAuth2CodeTTL'),
    },
    (existing) => mergedScopes(existing, scopes, application.epoch),
    decision.sessionId,
  );
  if (!written) throw new AppError('not_logged_in', 'You are not logged in.');
  deps.audit.record('authorization_granted', origin, {
    ...entry,
    metadata: { scopes: scope, redirect_uri: redirectUri },
  });
  deps.webhooks.notify(application, 'consent_granted', userId, { scopes: scope });
  // RFC 9207 §2: the issuer, so that a client with several servers cannot be made to mix them up.
  return withParameters(redirectUri, { code, state, iss: deps.baseUrl });
}

/** Consents only grow, but one of before a suspension counts for nothing. */
function mergedScopes(existing: Pick<ConsentRow, 'scopes' | 'epoch'> | null, scopes: Scope[], epoch: number): string {
  const before = existing && existing.epoch === epoch ? scopesOf(existing.scopes) : [];
  return joinScopes(new Set([...before, ...scopes]));
}
