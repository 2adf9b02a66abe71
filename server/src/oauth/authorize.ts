import type { Origin } from '../identity/audit/log.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import {
  type AuthorizeRequest,
  type CheckedRequest,
  checkAuthorizeRequest,
  errorRedirect,
  issuerFor,
  redirecting,
} from './authorize-checks.ts';
import { newCode } from './credentials.ts';
import { readHint } from './openid/hint.ts';
import { neededInteraction, sealSignInAgain } from './openid/interaction.ts';
import { withParameters } from './redirect-uri.ts';
import type { Room } from './room.ts';
import { joinScopes, type Scope, scopesOf, scopeTable } from './scopes.ts';
import { changeSpending, requireSpending, type Spending, spentIn } from './spending.ts';
import { requireEnabled } from './status.ts';
import { findConsent } from './store/consents.ts';
import type { ApplicationRow, ConsentRow } from './store/tables.ts';

/** Whose browser it is, and since when. */
export interface SignedIn {
  userId: number;
  sessionId: number;
  signedInAt: number;
}

/** What the consent screen shows. */
export async function describeRequest(deps: Room, who: SignedIn, request: AuthorizeRequest) {
  requireEnabled(deps.options);
  const { application, redirectUri, state, scopes, openid } = await checkAuthorizeRequest(deps, request);
  const consent = await findConsent(deps.db, who.userId, application.id);
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
    ...(openid && {
      interaction: neededInteraction(deps, openid, who),
      signed_in_after: sealSignInAgain(deps, who),
    }),
    ...(scopes.includes('models:use') && { spending: await spendingOf(deps, consent) }),
  };
}

/** Null where the user has set no limit yet. */
async function spendingOf(deps: Room, consent: ConsentRow | null) {
  if (!consent || consent.spending_limit === null) return null;
  const spent = (await spentIn(deps, [consent])).get(consent.id) ?? 0;
  return { limit: consent.spending_limit, window: consent.spending_window, spent };
}

/** A consent given before a suspension must be given again, and one that pays needs a limit. */
function covers(consent: ConsentRow, application: ApplicationRow, scopes: Scope[]): boolean {
  const given = scopesOf(consent.scopes);
  if (scopes.includes('models:use') && consent.spending_limit === null) return false;
  return consent.epoch === application.epoch && scopes.every((name) => given.includes(name));
}

export interface Decision extends SignedIn {
  approved: boolean;
  origin: Origin;
  /** What the application may spend, where the user says so. */
  spending: Spending | null;
}

/** The user's answer; returns where the browser goes next (RFC 6749 §4.1.2). */
export async function decide(deps: Room, decision: Decision, request: AuthorizeRequest): Promise<string> {
  requireEnabled(deps.options);
  const checked = await checkAuthorizeRequest(deps, request);
  const { application, redirectUri, openid } = checked;
  const { userId, origin } = decision;
  const entry = { application_id: application.id, user_id: userId };
  if (!decision.approved) {
    deps.audit.record('authorization_denied', origin, { ...entry, metadata: { redirect_uri: redirectUri } });
    return errorRedirect(checked, 'access_denied', 'The user denied the request.', deps);
  }
  if (openid && neededInteraction(deps, openid, decision) === 'login')
    throw new AppError('not_logged_in', 'The application asks that you log in again.');
  return approve(deps, decision, checked);
}

/**
 * OpenID Connect Core §3.1.2.1, `prompt=none`: an answer without asking anybody, or the reason why there is none. Whoever
 * would be asked by the page is not passed by here.
 */
export async function decideSilently(
  deps: Room,
  who: SignedIn | null,
  origin: Origin,
  request: AuthorizeRequest,
): Promise<string> {
  requireEnabled(deps.options);
  const checked = await checkAuthorizeRequest(deps, request);
  const { application, openid, scopes } = checked;
  if (!openid?.prompts.has('none')) throw new AppError('invalid_request', 'prompt must be none.', { param: 'prompt' });
  if (!who || neededInteraction(deps, openid, who) === 'login')
    throw redirecting(new AppError('not_logged_in', 'The user has to log in.'), checked, deps);
  // Core §3.1.2.2: of somebody else, or of nobody we know, nothing is told.
  if (openid.idTokenHint && (await readHint(deps, openid.idTokenHint))?.sub !== `${who.userId}`)
    throw redirecting(new AppError('not_logged_in', 'Another user is logged in.'), checked, deps);
  const consent = await findConsent(deps.db, who.userId, application.id);
  if (application.is_verified !== 1 || !consent || !covers(consent, application, scopes))
    throw redirecting(new AppError('consent_required', 'The user has to be asked.'), checked, deps);
  return approve(deps, { ...who, approved: true, origin, spending: null }, checked);
}

/** Writes the consent and a code, and leads back with it. */
async function approve(deps: Room, decision: Decision, checked: CheckedRequest): Promise<string> {
  const { application, redirectUri, state, scopes, challenge, openid } = checked;
  const { userId, origin } = decision;
  const entry = { application_id: application.id, user_id: userId };
  const spending = await agreedSpending(deps, decision, checked);
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
      sign_in: openid?.requested ? { auth_time: decision.signedInAt, nonce: openid.nonce } : null,
    },
    (existing) => mergedScopes(existing, scopes, application.epoch),
    decision.sessionId,
    spending,
  );
  if (!written) throw new AppError('not_logged_in', 'You are not logged in.');
  deps.audit.record('authorization_granted', origin, {
    ...entry,
    metadata: { scopes: scope, redirect_uri: redirectUri, ...(spending && { spending }) },
  });
  deps.webhooks.notify(application, 'consent_granted', userId, { scopes: scope });
  return withParameters(redirectUri, { code, state, iss: issuerFor(application, deps) });
}

/** A limit that was set before is changed by itself, since money may be under way within it; a first one is part of the consent. */
async function agreedSpending(deps: Room, decision: Decision, checked: CheckedRequest): Promise<Spending | null> {
  const { application, scopes } = checked;
  if (!scopes.includes('models:use')) return null;
  const { userId, spending } = decision;
  const consent = await findConsent(deps.db, userId, application.id);
  requireSpending(scopes, spending, consent);
  if (spending && consent && consent.spending_limit !== null)
    await changeSpending(deps, userId, application.id, spending);
  return spending;
}

/** Consents only grow, but one of before a suspension counts for nothing. */
function mergedScopes(existing: Pick<ConsentRow, 'scopes' | 'epoch'> | null, scopes: Scope[], epoch: number): string {
  const before = existing && existing.epoch === epoch ? scopesOf(existing.scopes) : [];
  return joinScopes(new Set([...before, ...scopes]));
}
