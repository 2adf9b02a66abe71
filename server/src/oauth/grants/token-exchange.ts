import { statuses } from '../../identity/user.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { ClientCredentials } from '../client-auth.ts';
import { readToken, type TokenKey } from '../credentials.ts';
import { narrowedResource } from '../resource-indicators.ts';
import { allowedNow, joinScopes, keepingTools, operatorScopes, type Scope, splitScopes } from '../scopes.ts';
import { applicationStatus } from '../status.ts';
import type { Client, PresentedToken } from '../store/columns.ts';
import { insertExchanged } from '../store/exchange.ts';
import { effectiveScopes, isTokenValid } from '../token-validity.ts';
import { type Actor, chainLength, longestChain } from './actor.ts';
import { authenticate, type GrantDeps, type Issued, issuePair, requireProof } from './grant.ts';

export interface TokenExchange {
  credentials: ClientCredentials;
  subjectToken: string;
  subjectTokenType: string;
  actorToken: string | undefined;
  actorTokenType: string | undefined;
  requestedTokenType: string | undefined;
  scope: string | undefined;
  /** The key the client proved possession of. */
  proofKey: string | null;
  audience: string | undefined;
  /** Resources to narrow to; none for all of the token's. */
  resources: string[];
}

/** RFC 8693 §3. */
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/** RFC 8693 §2.2.2: a problem with a presented token is an invalid request. */
const invalidRequest = (message: string, param?: string): AppError =>
  new AppError('invalid_request', message, param === undefined ? {} : { param });

/**
 * RFC 8693: an application that received a user's token exchanges it for its own, with no more rights and no longer
 * lifetime, which names the actor.
 */
export async function exchangeToken(deps: GrantDeps, request: TokenExchange): Promise<Issued> {
  const { lookups, options, clock } = deps;
  const key = readToken(request.subjectToken);
  const found = await lookups.clientWithToken(request.credentials.clientId, key);
  const client = authenticate(found?.client ?? null, request.credentials);
  // RFC 6749 §5.2. Only authenticated clients may act for others.
  if (client.token_exchange !== 1 || client.app_type !== 'confidential')
    throw new AppError('unauthorized_client', 'This client is not allowed to exchange tokens.');
  checkTypes(request);
  checkAudience(deps, client, request.audience);
  requireProof(deps, client, request.proofKey);
  const now = nowSeconds(clock);
  const { from, token } = await subjectOf(deps, key, client, now);
  if (found?.user_status !== statuses.enabled) throw unacceptable();
  // A bound token without its key is stolen, and exchanging it would unbind it.
  if (token.jkt !== null && token.jkt !== request.proofKey) throw unacceptable();
  const scopes = narrowed(request.scope, effectiveScopes(token, from, options), client, operatorScopes(options));
  const act = await actorOf(deps, request, client, token, now);
  const resource = narrowedResource(deps, token.access_resource, request.resources);
  const granted = {
    family: token.family,
    application_id: client.id,
    user_id: token.user_id,
    scope: joinScopes(scopes),
    epoch: client.epoch,
    sign_in: null,
    jkt: request.proofKey,
    resource: token.access_resource,
    notAfter: token.access_expires_at,
  };
  const issued = await issuePair(deps, granted, { scopes, resource }, (row) =>
    insertExchanged(deps.db, {
      ...row,
      // Cannot be refreshed, and is swept after it expired.
      expires_at: row.access_expires_at,
      subject_id: token.subject_id ?? token.id,
      parent_id: token.id,
      act: JSON.stringify(act),
    }),
  );
  if (!issued) throw unacceptable();
  return {
    ...issued,
    refreshToken: null,
    issuedTokenType: accessTokenType,
    told: { subject_client_id: from.client_id, act },
  };
}

function checkTypes(request: TokenExchange): void {
  const { subjectTokenType, actorToken, actorTokenType, requestedTokenType } = request;
  if (subjectTokenType !== accessTokenType)
    throw invalidRequest(`subject_token_type must be ${accessTokenType}.`, 'subject_token_type');
  if (requestedTokenType !== undefined && requestedTokenType !== accessTokenType)
    throw invalidRequest(`requested_token_type must be ${accessTokenType}.`, 'requested_token_type');
  // §2.1: both or neither.
  if ((actorToken === undefined) !== (actorTokenType === undefined))
    throw invalidRequest('actor_token and actor_token_type must be sent together.', 'actor_token_type');
  if (actorTokenType !== undefined && actorTokenType !== accessTokenType)
    throw invalidRequest(`actor_token_type must be ${accessTokenType}.`, 'actor_token_type');
}

/** Our tokens, and their exchanges, are for this service; `resource` names the part. */
function checkAudience({ baseUrl }: GrantDeps, client: Client, audience: string | undefined): void {
  if (audience === undefined || [baseUrl, `${baseUrl}/`, client.client_id].includes(audience)) return;
  throw new AppError('invalid_target', 'Tokens are only valid for this server: audience must be its address.');
}

/** The same answer for every reason, so that the holder of a foreign token learns nothing. */
const unacceptable = (): AppError =>
  invalidRequest(
    'The subject_token is invalid, expired, revoked or cannot be exchanged by this client.',
    'subject_token',
  );

/** The subject token, of this client or one that allows this client to exchange its tokens. */
async function subjectOf(
  { lookups }: GrantDeps,
  key: TokenKey | null,
  client: Client,
  now: number,
): Promise<{ from: Client; token: PresentedToken }> {
  const found = key?.kind === 'access' ? await lookups.token(key) : null;
  if (!found) throw unacceptable();
  const { client: from, token } = found;
  const lives = from.status === applicationStatus.active && isTokenValid(token, from, 'access', now);
  const shared: string[] = JSON.parse(from.token_exchange_clients);
  if (!lives || (from.id !== client.id && !shared.includes(client.client_id))) throw unacceptable();
  return { from, token };
}

/** At most the token's scopes, and the client's. */
function narrowed(asked: string | undefined, had: Scope[], client: Client, operator: string): Scope[] {
  const allowed = allowedNow(client.allowed_scopes, operator);
  const most = had.filter((name) => allowed.has(name));
  const names = splitScopes(asked ?? '');
  const beyond = names.find((name) => !(most as string[]).includes(name));
  if (beyond !== undefined)
    throw new AppError('invalid_scope', `The scope ${JSON.stringify(beyond)} is not available to this client.`);
  const scopes =
    names.length === 0
      ? most
      : keepingTools(
          most.filter((name) => names.includes(name)),
          most,
        );
  if (scopes.length === 0)
    throw new AppError('invalid_scope', 'This client is not allowed any of the scopes of the subject_token.');
  return scopes;
}

/** §4.1: this client acts, or the user of an actor token issued to it; previous actors are nested. */
async function actorOf(
  { lookups }: GrantDeps,
  { actorToken, proofKey }: TokenExchange,
  client: Client,
  subject: PresentedToken,
  now: number,
): Promise<Actor> {
  const before = subject.act === null ? undefined : (JSON.parse(subject.act) as Actor);
  if (chainLength(before) >= longestChain)
    throw invalidRequest(`At most ${longestChain} clients may act on behalf of one another.`, 'subject_token');
  const act = { client_id: client.client_id, ...(before && { act: before }) };
  if (actorToken === undefined) return { sub: client.client_id, ...act };
  const key = readToken(actorToken);
  const found = key?.kind === 'access' ? await lookups.bearer(key) : null;
  const ours = found?.client.id === client.id && found.user.status === statuses.enabled;
  // As with the subject token: a bound token without its key proves nothing.
  const stolen = found !== null && found.token.jkt !== null && found.token.jkt !== proofKey;
  if (!found || !ours || stolen || !isTokenValid(found.token, found.client, 'access', now))
    throw invalidRequest('The actor_token is not a valid access token of this client.', 'actor_token');
  return { sub: `${found.user.id}`, ...act };
}
