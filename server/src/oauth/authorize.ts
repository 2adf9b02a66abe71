import type { Origin } from '../identity/audit/log.ts';
import { requireRecentFactor } from '../identity/factors/step-up.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { askedTools } from './asked-tools.ts';
import {
  type AuthorizeRequest,
  answerWith,
  type CheckedRequest,
  checkAuthorizeRequest,
  errorRedirect,
  redirecting,
} from './authorize-checks.ts';
import type { OAuthContext } from './context.ts';
import { newCode } from './credentials.ts';
import { readHint } from './openid/hint.ts';
import { type Interaction, neededInteraction, sealSignInAgain } from './openid/interaction.ts';
import { invalidRequestUri, keepOpen } from './pushed/request-uri.ts';
import { documentHost } from './registration/document.ts';
import { storedResource } from './resource-indicators.ts';
import { describeScope, joinScopes, type Scope, scopesOf, withoutTools } from './scopes.ts';
import { announceLimits, asApproved, requireSpending, type Spending, spentIn } from './spending.ts';
import { requireEnabled } from './status.ts';
import { type NewSpending, writeCode } from './store/approve.ts';
import { findConsent } from './store/consents.ts';
import { spendingPushed, spendPushed } from './store/pushed-requests.ts';
import type { ConsentRow } from './store/tables.ts';

/** The browser's user, and since when. */
export interface SignedIn {
  userId: number;
  sessionId: number;
  signedInAt: number;
}

/** What the consent page shows. */
export async function describeRequest(deps: OAuthContext, who: SignedIn, request: AuthorizeRequest) {
  requireEnabled(deps.options);
  const checked = await checkAuthorizeRequest(deps, request);
  const { redirectUri, state, openid, pushed, resources, scopes } = checked;
  if (pushed) await keepOpen(deps, pushed);
  const interaction = openid && neededInteraction(deps, openid, who);
  if (!changesUser(interaction)) await requireHinted(deps, who, checked);
  return {
    ...(await describeAsked(deps, who.userId, checked)),
    redirect_uri: redirectUri,
    state: state ?? '',
    ...(openid && {
      resources: await Promise.all(
        resources.map(async (uri) => {
          const servers = await askedTools(deps.resources, who.userId, uri, scopes);
          return { uri, name: deps.resources.at(uri)!.name, ...(servers && { servers }) };
        }),
      ),
      interaction,
      signed_in_after: sealSignInAgain(deps, who),
    }),
  };
}

/** After these, another user may be logged in. */
const changesUser = (interaction: Interaction): boolean => interaction === 'login' || interaction === 'select_account';

/**
 * OpenID Connect Core §3.1.2.2: the user must be the one of the `id_token_hint`. A token that is not ours names nobody.
 */
async function requireHinted(deps: OAuthContext, { userId }: SignedIn, checked: CheckedRequest): Promise<void> {
  const { idTokenHint } = checked.openid ?? {};
  const hint = idTokenHint ? await readHint(deps, idTokenHint) : null;
  if (hint && hint.sub !== `${userId}`)
    throw redirecting(new AppError('not_logged_in', 'Another user is logged in.'), checked, deps);
}

/** What a user is asked for, on any page. */
type AskedFor = Pick<CheckedRequest, 'application' | 'scopes' | 'resources'>;

/** Who asks for what, and what the user allowed before. */
export async function describeAsked(
  deps: Pick<OAuthContext, 'db' | 'clock' | 'options'>,
  userId: number,
  asked: AskedFor,
) {
  const { application, scopes } = asked;
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
      ...(deps.options.get('OAuth2OpenIDConnect') && { source: application.source, host: documentHost(application) }),
    },
    requested_scopes: scopes.map((name) => ({ name, description: describeScope(name) })),
    has_existing_consent: consent !== null,
    existing_scopes: consent?.scopes ?? null,
    needs_reconsent: consent !== null && !covers(consent, asked),
    ...(scopes.includes('models:use') && { spending: await spendingOf(deps, consent) }),
  };
}

/** Null if the user has set no limit yet. */
async function spendingOf(deps: Pick<OAuthContext, 'db' | 'clock'>, consent: ConsentRow | null) {
  if (!consent || consent.spending_limit === null) return null;
  const spent = (await spentIn(deps, [consent])).get(consent.id) ?? 0;
  return { limit: consent.spending_limit, window: consent.spending_window, spent };
}

/** The page of a pushed request was opened, possibly before a login; returns whether interaction is allowed. */
export async function openPushed(deps: OAuthContext, request: AuthorizeRequest): Promise<{ silent: boolean }> {
  requireEnabled(deps.options);
  const { pushed, openid } = await checkAuthorizeRequest(deps, request, { find: deps.documents.known });
  if (!pushed) throw invalidRequestUri();
  await keepOpen(deps, pushed);
  return { silent: openid?.prompts.has('none') ?? false };
}

/**
 * A consent from before a suspension must be renewed, and a paying one needs a limit. Consents for resources are never
 * remembered: they are asked for each time, so that a sign-in consent opens nothing else.
 */
function covers(consent: ConsentRow, { application, scopes, resources }: AskedFor): boolean {
  const given = scopesOf(consent.scopes);
  if (scopes.includes('models:use') && consent.spending_limit === null) return false;
  const all = scopes.every((name) => given.includes(name));
  return consent.epoch === application.epoch && all && resources.length === 0;
}

export interface Decision extends SignedIn {
  approved: boolean;
  origin: Origin;
  /** The spending limit, if the user set one. */
  spending: Spending | null;
}

/** Records the user's answer; returns where the browser goes next (RFC 6749 §4.1.2). */
export async function decide(deps: OAuthContext, decision: Decision, request: AuthorizeRequest): Promise<string> {
  requireEnabled(deps.options);
  const checked = await checkAuthorizeRequest(deps, request);
  const { application, redirectUri, openid, pushed } = checked;
  const { userId, origin } = decision;
  const entry = { application_id: application.id, user_id: userId };
  if (!decision.approved) {
    if (pushed && !(await spendPushed(deps.db, pushed, nowSeconds(deps.clock)))) throw invalidRequestUri();
    deps.audit.record('authorization_denied', origin, { ...entry, metadata: { redirect_uri: redirectUri } });
    return errorRedirect(checked, 'access_denied', 'The user denied the request.', deps);
  }
  if (openid && neededInteraction(deps, openid, decision) === 'login')
    throw new AppError('not_logged_in', 'The application requires you to log in again.');
  await requireHinted(deps, decision, checked);
  return approve(deps, decision, checked);
}

/**
 * OpenID Connect Core §3.1.2.1, `prompt=none`: an answer without interaction, or the reason why there is none. What the
 * page would ask for is not skipped.
 */
export async function decideSilently(
  deps: OAuthContext,
  who: SignedIn | null,
  origin: Origin,
  request: AuthorizeRequest,
): Promise<string> {
  requireEnabled(deps.options);
  const { documents } = deps;
  const checked = await checkAuthorizeRequest(deps, request, {
    find: who ? documents.client : documents.known,
  });
  const { application, openid } = checked;
  if (!openid?.prompts.has('none')) throw new AppError('invalid_request', 'prompt must be none.', { param: 'prompt' });
  if (!who || neededInteraction(deps, openid, who) === 'login')
    throw redirecting(new AppError('not_logged_in', 'The user must log in.'), checked, deps);
  // Core §3.1.2.2: nothing is revealed about another or an unknown user.
  if (openid.idTokenHint && (await readHint(deps, openid.idTokenHint))?.sub !== `${who.userId}`)
    throw redirecting(new AppError('not_logged_in', 'Another user is logged in.'), checked, deps);
  const consent = await findConsent(deps.db, who.userId, application.id);
  if (application.is_verified !== 1 || !consent || !covers(consent, checked))
    throw redirecting(new AppError('consent_required', 'The user must be asked for consent.'), checked, deps);
  return approve(deps, { ...who, approved: true, origin, spending: null }, checked);
}

/** Writes consent and code, and returns the redirect. */
async function approve(deps: OAuthContext, decision: Decision, checked: CheckedRequest): Promise<string> {
  const { application, redirectUri, state, scopes, challenge, openid, pushed, resources } = checked;
  const { userId, origin } = decision;
  const entry = { application_id: application.id, user_id: userId };
  await requireFactor(deps, decision, checked);
  const spending = await agreedSpending(deps, decision, checked);
  const code = newCode();
  const now = nowSeconds(deps.clock);
  const scope = joinScopes(scopes);
  const common = { application_id: application.id, user_id: userId, epoch: application.epoch, created_at: now };
  const row = {
    ...common,
    code_hash: sha256Hex(code),
    redirect_uri: redirectUri,
    scope,
    state: state ?? null,
    code_challenge: challenge?.code_challenge ?? null,
    code_challenge_method: challenge?.code_challenge_method ?? null,
    expires_at: now + deps.options.get('OAuth2CodeTTL'),
    dpop_jkt: openid?.dpopJkt ?? null,
    resource: storedResource(resources),
  };
  const approved = await deps.approvals.approve(
    {
      ...common,
      sign_in: openid?.requested ? { auth_time: decision.signedInAt, nonce: openid.nonce } : null,
      spend: pushed && spendingPushed(pushed, now),
      spending,
      grant: (signIn) => writeCode(row, signIn),
    },
    (existing) => mergedScopes(existing, scopes, application.epoch),
    decision.sessionId,
  );
  if (approved === 'session_ended') throw new AppError('not_logged_in', 'You are not logged in.');
  if (approved === 'spent') throw invalidRequestUri();
  deps.audit.record('authorization_granted', origin, {
    ...entry,
    metadata: {
      ...{ scopes: scope, redirect_uri: redirectUri },
      ...(resources.length > 0 && { resources }),
      ...(spending && { spending: decision.spending }),
    },
  });
  if (approved.limited) await announceLimits(deps, userId, approved.limited);
  if (approved.consent !== null)
    deps.webhooks.notify(application, 'consent_granted', userId, { scopes: approved.consent });
  return answerWith(checked, { code }, deps);
}

/** Scopes that create secrets or spend money. */
const lasting: readonly Scope[] = ['tokens:write', 'models:use'];

/**
 * Creating a key requires a recent second factor, if there is one. An application with these scopes, or more money,
 * could create or replace a key, and outlives the session.
 */
export async function requireFactor(
  deps: Pick<OAuthContext, 'db' | 'clock'>,
  { userId, sessionId, spending }: Pick<Decision, 'userId' | 'sessionId' | 'spending'>,
  { application, scopes }: Pick<CheckedRequest, 'application' | 'scopes'>,
): Promise<void> {
  const asked = scopes.filter((name) => lasting.includes(name));
  if (asked.length === 0) return;
  const consent = await findConsent(deps.db, userId, application.id);
  const given = consent && consent.epoch === application.epoch ? scopesOf(consent.scopes) : [];
  const same = spending === null || isWithin(spending, consent);
  if (same && asked.every((name) => given.includes(name))) return;
  await requireRecentFactor(deps, { user: { id: userId }, sessionId });
}

const isWithin = ({ limit, window }: Spending, before: ConsentRow | null): boolean =>
  before !== null &&
  before.spending_limit !== null &&
  before.spending_window === window &&
  limit <= before.spending_limit;

/** The limit that the user set, as part of what is approved. */
export async function agreedSpending(
  deps: Pick<OAuthContext, 'db' | 'clock'>,
  { userId, spending }: Decision,
  { application, scopes }: Pick<CheckedRequest, 'application' | 'scopes'>,
): Promise<(Spending & NewSpending) | null> {
  if (!scopes.includes('models:use')) return null;
  const consent = await findConsent(deps.db, userId, application.id);
  requireSpending(scopes, spending, consent);
  return spending && asApproved(spending, nowSeconds(deps.clock));
}

/** Consents accumulate, but those from before a suspension do not count. */
export function mergedScopes(
  existing: Pick<ConsentRow, 'scopes' | 'epoch'> | null,
  scopes: Scope[],
  epoch: number,
): string {
  const before = existing && existing.epoch === epoch ? scopesOf(existing.scopes) : [];
  return joinScopes(new Set([...before, ...withoutTools(scopes)]));
}
