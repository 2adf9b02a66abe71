import type { AccountDeps } from '../identity/accounts.ts';
import type { TokenReader } from '../identity/authenticators.ts';
import type { Sealer } from '../lib/seal.ts';
import { first } from '../platform/db/statement.ts';
import { type Db, engineOf } from '../platform/db/tables.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import { sendGuarded } from '../platform/http/outgoing.ts';
import type { Authenticators, Route } from '../platform/http/route.ts';
import type { Log } from '../platform/log.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import { endApplicationsOf } from './applications.ts';
import { openKeyAddresses } from './assertion/key-addresses.ts';
import { openAudit } from './audit.ts';
import { type BearerPrincipal, identifyBearer } from './bearer.ts';
import type { OAuthContext, TeamApplications } from './context.ts';
import { openTokenIds } from './credentials.ts';
import { forgetUser } from './forget-user.ts';
import { openTokensUsed } from './last-used.ts';
import { openBackchannelLogouts } from './openid/backchannel-logouts.ts';
import { openSigningKeys } from './openid/signing-keys.ts';
import { type Origins, openOrigins } from './origins.ts';
import { openPayingTokens } from './paying-tokens.ts';
import { openClientDocuments } from './registration/client-documents.ts';
import { openClientSweep } from './registration/sweep.ts';
import type { Audience } from './resource-indicators.ts';
import { openResources, type Resources } from './resources.ts';
import { adminRoutes } from './routes/admin.ts';
import { apiTokenRoutes } from './routes/api-tokens.ts';
import { applicationRoutes } from './routes/applications.ts';
import { authorizeRoutes } from './routes/authorize.ts';
import { consentRoutes } from './routes/consents.ts';
import { deviceRoutes } from './routes/device.ts';
import { discoveryRoutes } from './routes/discovery.ts';
import { endSessionRoutes } from './routes/end-session.ts';
import { formPostRoute } from './routes/form-post.ts';
import { identifyPosted } from './routes/posted-bearer.ts';
import { preflightRoutes } from './routes/preflight.ts';
import { protectedResourceRoutes } from './routes/protected-resource.ts';
import { pushedRoute } from './routes/pushed.ts';
import { registrationRoutes } from './routes/registration.ts';
import { signingKeyRoutes } from './routes/signing-keys.ts';
import { tokenRoute } from './routes/token.ts';
import { tokenStatusRoutes } from './routes/tokens-status.ts';
import { userinfoRoutes } from './routes/userinfo.ts';
import { applicationNames } from './store/applications.ts';
import { openApprovals } from './store/approve.ts';
import { openIssuer } from './store/issue.ts';
import { openLookups } from './store/lookups.ts';
import { moveSignIns } from './store/sign-ins.ts';
import { openSweep } from './sweep.ts';
import { openWebhooks } from './webhooks.ts';

export interface OAuthDeps {
  db: Db;
  /** Identity's accounts, for which applications act. */
  accounts: AccountDeps;
  sealer: Sealer;
  teams: TeamApplications;
  jobs: Jobs;
  log: Log;
  cacheSync: Pick<CacheSync, 'heard'>;
  config: { baseUrl: string; webUrl: string; allowPrivateAddresses: boolean };
}

export interface OAuth {
  routes: Route[];
  authenticators: Pick<Authenticators, 'bearer' | 'postedBearer'>;
  /** Accepts paying access tokens in place of API keys. */
  pay: TokenReader;
  origins: Pick<Origins, 'has'>;
  /** Token audiences; other rooms add theirs. */
  resources: Pick<Resources, 'add' | 'challengeAt' | 'listToolsBy'>;
  /** Authenticates an access token at a resource; throws 401 and 403 as in RFC 6750. */
  identify(request: Request, audience: Audience, again?: boolean): BearerPrincipal | Promise<BearerPrincipal>;
  /** Ends the user's consents and applications, and deletes personal data. Idempotent. */
  forgetUser(userId: number): Promise<void>;
  /** Deletes expired data, a bounded number at a time. */
  sweep(): Promise<void>;
  /** Flushes buffers and gives pending webhooks a moment to finish. */
  stop(): Promise<void>;
}

/** Webhook timeout; waiting longer at a shutdown would be useless. */
const drainMs = 10_000;

export function openOAuth(deps: OAuthDeps): OAuth {
  const { db, accounts, sealer, log, cacheSync, config } = deps;
  const { clock, options, shared, announcements } = accounts;
  const audit = openAudit(accounts.audit);
  accounts.audit.nameTargets('application', (ids) => applicationNames(db, ids));
  const webhooks = openWebhooks({ clock, log, sealer, allowPrivate: config.allowPrivateAddresses, send: sendGuarded });
  const lastUsed = openTokensUsed({ db, log });
  const lookups = openLookups({
    read: (query, parameters) => first(db, query, parameters),
    soleWriter: engineOf(db) === 'sqlite',
  });
  announcements.onChanged(
    () => lookups.forget(),
    () => lookups.forget(),
  );
  const origins = openOrigins({ db, clock, cacheSync, announcements });
  const room: OAuthContext = {
    db,
    clock,
    log,
    options,
    shared,
    announcements,
    sealer,
    lookups,
    origins,
    approvals: openApprovals(db),
    issuer: openIssuer(db),
    nextTokenId: openTokenIds(),
    documents: openClientDocuments({
      ...{ db, clock, shared, options, lookups, origins, announcements, audit },
      ...{ allowPrivate: config.allowPrivateAddresses, send: sendGuarded },
    }),
    keyAddresses: openKeyAddresses({ clock, shared, allowPrivate: config.allowPrivateAddresses, send: sendGuarded }),
    resources: openResources(config.baseUrl, () => options.get('OAuth2OpenIDConnect')),
    signingKeys: openSigningKeys({ db, clock, sealer, options, cacheSync, announcements }),
    audit,
    webhooks,
    lastUsed,
    sessions: accounts.sessions,
    teams: deps.teams,
    recallKey: accounts.recallKey,
    logOut: async (userId, sessionId, origin) => {
      await accounts.sessions.end(userId, sessionId);
      accounts.audit.record({
        action: 'logged_out',
        actor: userId,
        target: { type: 'session', id: sessionId },
        origin,
      });
    },
    ownOrigins: [...new Set([new URL(config.baseUrl).origin, new URL(config.webUrl).origin])],
    baseUrl: config.baseUrl,
    webUrl: config.webUrl,
  };
  // A login that one application requires must not log its user out of all others.
  accounts.sessions.onContinued((before, after) => moveSignIns(db, before, after));
  deps.teams.onEnd((ownerId, by) => endApplicationsOf(room, ownerId, by));
  const sweep = openSweep(room);
  const sweepClients = openClientSweep(room);
  /** Userinfo and the user's API tokens: also accept tokens without a resource, as always. */
  const ourselves: Audience = { resource: config.baseUrl, named: false };
  const logouts = openBackchannelLogouts({ ...room, jobs: deps.jobs, allowPrivate: config.allowPrivateAddresses });
  return {
    routes: [
      ...discoveryRoutes(room),
      ...protectedResourceRoutes(room),
      ...preflightRoutes(room),
      ...signingKeyRoutes(room),
      ...endSessionRoutes(room),
      ...registrationRoutes(room),
      ...authorizeRoutes(room),
      formPostRoute(room),
      pushedRoute(room),
      ...deviceRoutes(room),
      tokenRoute(room),
      ...tokenStatusRoutes(room),
      ...userinfoRoutes(accounts),
      ...apiTokenRoutes(deps.accounts),
      ...applicationRoutes(room),
      ...consentRoutes(room),
      ...adminRoutes(room),
    ],
    authenticators: {
      // Repeated after the body arrived, when the caller is already known.
      bearer: (call) => identifyBearer(room, call.request, ourselves, call.principal !== null),
      postedBearer: (call) => identifyPosted(room, call, ourselves),
    },
    pay: openPayingTokens({ ...room, cacheSync }),
    origins: room.origins,
    resources: room.resources,
    identify: (request, audience, again) => identifyBearer(room, request, audience, again),
    forgetUser: (userId) => forgetUser(room, userId),
    sweep: async () => {
      await sweep();
      await sweepClients();
      await logouts.sweep();
      if (options.get('OAuth2OpenIDConnect')) await room.signingKeys.sweep();
    },
    stop: async () => {
      await webhooks.stop(drainMs);
      await lastUsed.stop();
    },
  };
}
