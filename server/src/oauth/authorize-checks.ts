import { errorDescription, oauthCode } from '../lib/error-shapes.ts';
import { AppError } from '../lib/errors.ts';
import { canBeEchoed } from './can-be-echoed.ts';
import type { OAuthContext } from './context.ts';
import { type OpenidParameters, type OpenidRequest, readOpenidRequest } from './openid/request.ts';
import { type Challenge, readChallenge } from './pkce.ts';
import { isRequestUri, requestBehind } from './pushed/request-uri.ts';
import { redirectUriMatches } from './redirect-uri.ts';
import { requestedResources, requireToolResources } from './resource-indicators.ts';
import { type AnswerParameters, answerAddress, isFormPost } from './response-mode.ts';
import { allowedNow, operatorScopes, requestedScopes, type Scope, withoutOffline } from './scopes.ts';
import { applicationStatus, requireVerified, suspended } from './status.ts';
import type { PushedRow } from './store/pushed-requests.ts';
import type { ApplicationRow } from './store/tables.ts';

/** An authorization request as received (RFC 6749 §4.1.1, RFC 7636 §4.3). */
export interface AuthorizeRequest extends OpenidParameters {
  response_type?: string;
  client_id?: string;
  redirect_uri?: string;
  scope?: string;
  state?: string;
  code_challenge?: string;
  code_challenge_method?: string;
  resource?: string | string[] | undefined;
  /** The name of a parameter that was given more than once; its values are left out. */
  repeated?: string | undefined;
}

/** The request after all checks. */
export interface CheckedRequest {
  application: ApplicationRow;
  redirectUri: string;
  state: string | undefined;
  /** The answer is posted to the redirect URI. */
  formPost: boolean;
  scopes: Scope[];
  challenge: Challenge | null;
  /** Null while OpenID Connect is disabled: then its parameters are unknown. */
  openid: OpenidRequest | null;
  /** Set if it was pushed (RFC 9126). */
  pushed: PushedRow | null;
  /** The audience of the tokens; empty for our own endpoints. */
  resources: string[];
}

type Facts = {
  request: AuthorizeRequest;
  deps: Pick<OAuthContext, 'options' | 'resources'>;
  pushing: boolean;
} & Partial<CheckedRequest>;

interface Check {
  rule: string;
  /** Errors may only be sent to the redirect URI once client and URI are verified (RFC 6749 §4.1.2.1). */
  redirects: boolean;
  run(facts: Facts): void;
}

/** In this order; the first failure is the answer. */
const checks: Check[] = [
  {
    rule: 'suspended applications cannot request authorization',
    redirects: false,
    run: ({ application }) => {
      if (application!.status === applicationStatus.suspended) throw suspended();
    },
  },
  {
    rule: 'OAuth2RequireApproval: only verified applications',
    redirects: false,
    run: ({ application, deps }) => requireVerified(deps.options, application!),
  },
  {
    rule: 'RFC 6749 §3.1.2.3, RFC 9700 §2.1: registered, compared exactly',
    redirects: false,
    run: (facts) => {
      const uri = facts.request.redirect_uri;
      if (!uri) throw new AppError('invalid_request', 'redirect_uri is required.', { param: 'redirect_uri' });
      if (!redirectUriMatches(JSON.parse(facts.application!.redirect_uris), uri))
        throw new AppError('invalid_request', 'redirect_uri is not registered for this application.', {
          param: 'redirect_uri',
        });
      facts.redirectUri = uri;
    },
  },
  {
    rule: 'OAuth 2.0 Form Post Response Mode: first, as it decides how the other errors are sent',
    redirects: true,
    run: (facts) => {
      const mode = facts.deps.options.get('OAuth2OpenIDConnect') ? facts.request.response_mode : undefined;
      facts.formPost = isFormPost(mode, facts.redirectUri!);
    },
  },
  {
    rule: 'RFC 6749 §3.1: no parameter more than once',
    redirects: true,
    run: ({ request: { repeated } }) => {
      if (repeated !== undefined)
        throw new AppError('invalid_request', `${JSON.stringify(repeated)} is given more than once.`, {
          param: repeated,
        });
    },
  },
  {
    rule: 'RFC 6749 §4.1.2: state is echoed byte for byte',
    redirects: true,
    run: ({ request }) => {
      if (!isState(request.state))
        throw new AppError('invalid_request', 'state must be valid Unicode of at most 8000 characters.', {
          param: 'state',
        });
    },
  },
  {
    rule: 'RFC 9126 §5: some applications must push their requests',
    redirects: true,
    run: ({ application, pushing, pushed, deps }) => {
      const required = application!.require_pushed_requests === 1 && deps.options.get('OAuth2OpenIDConnect');
      if (required && !pushing && !pushed)
        throw new AppError('invalid_request', 'This application must use pushed authorization requests.');
    },
  },
  {
    rule: 'RFC 6749 §3.1.1',
    redirects: true,
    run: ({ request }) => {
      if (!request.response_type) throw new AppError('invalid_request', 'response_type is required.');
      if (request.response_type !== 'code')
        throw new AppError('unsupported_response_type', 'response_type must be code.');
    },
  },
  {
    rule: 'RFC 6749 §3.3: only scopes that the application and the operator allow',
    redirects: true,
    run: (facts) => {
      const { options } = facts.deps;
      const allowed = allowedNow(facts.application!.allowed_scopes, operatorScopes(options));
      facts.scopes = requestedScopes(withoutOffline(options, facts.request.scope), allowed);
    },
  },
  {
    rule: 'RFC 7636 §4.3, §4.4.1',
    redirects: true,
    run: (facts) => {
      facts.challenge = readChallenge(facts.request, facts.application!.app_type === 'public');
    },
  },
  {
    rule: 'OpenID Connect Core §3.1.2.1',
    redirects: true,
    run: (facts) => {
      facts.openid = facts.deps.options.get('OAuth2OpenIDConnect') ? readOpenidRequest(facts.request) : null;
    },
  },
  {
    rule: 'RFC 8707 §2.1',
    redirects: true,
    run: (facts) => {
      facts.resources = requestedResources(facts.deps, facts.request.resource);
    },
  },
  {
    rule: 'RFC 6749 §3.3: tool scopes only for the requested resources',
    redirects: true,
    run: ({ deps, scopes, resources }) => requireToolResources(deps, scopes!, resources!),
  },
];

export async function checkAuthorizeRequest(
  deps: Pick<OAuthContext, 'db' | 'clock' | 'documents' | 'options' | 'resources' | 'baseUrl' | 'sealer'>,
  given: AuthorizeRequest,
  { pushing = false, find = deps.documents.client } = {},
): Promise<CheckedRequest> {
  if (!given.client_id) throw new AppError('invalid_request', 'client_id is required.', { param: 'client_id' });
  const application = await find(given.client_id);
  if (!application) throw new AppError('not_found', 'There is no application with this client_id.');
  const names = !pushing && deps.options.get('OAuth2OpenIDConnect') && isRequestUri(given.request_uri);
  const pushed = names ? await requestBehind(deps, application, given.request_uri!) : null;
  const request = pushed ? unfolded(pushed, given) : given;
  const state = (isState(request.state) && request.state) || undefined;
  const facts: Facts = { request, deps, application, pushing, pushed, state, formPost: false };
  for (const check of checks) {
    try {
      check.run(facts);
    } catch (error) {
      throw check.redirects && error instanceof AppError ? redirecting(error, facts as CheckedRequest, deps) : error;
    }
  }
  return facts as Facts & CheckedRequest;
}

const isState = (state: string | undefined): boolean => !state || (state.length <= 8000 && canBeEchoed(state));

/** RFC 9126 §4, RFC 9101 §5: parameters beside `request_uri` are ignored, except for those our own page adds. */
const unfolded = (pushed: PushedRow, { signed_in_after }: AuthorizeRequest): AuthorizeRequest => ({
  ...(JSON.parse(pushed.request) as AuthorizeRequest),
  ...(signed_in_after !== undefined && { signed_in_after }),
});

/** The answer stays JSON; the page follows `redirect_url`. */
export function redirecting(error: AppError, to: Destination, deps: AnswerDeps): AppError {
  const redirect_url = errorRedirect(to, oauthCode(error), error.message, deps);
  return new AppError(error.code, error.message, { ...error.extras, body: { redirect_url } });
}

type Destination = Pick<CheckedRequest, 'redirectUri' | 'state' | 'application' | 'formPost'>;
type AnswerDeps = Pick<OAuthContext, 'baseUrl' | 'clock' | 'sealer'>;

/**
 * RFC 9207 §2: the issuer prevents mix-up attacks on clients with several servers. Some libraries refuse it, so an
 * application can opt out.
 */
const issuerFor = ({ send_iss }: Pick<ApplicationRow, 'send_iss'>, deps: AnswerDeps): string | undefined =>
  send_iss === 0 ? undefined : deps.baseUrl;

/** RFC 6749 §4.1.2: where the browser goes with this answer. */
export const answerWith = (to: Destination, answer: AnswerParameters, deps: AnswerDeps): string =>
  answerAddress(to, { ...answer, state: to.state, iss: issuerFor(to.application, deps) }, deps);

/** RFC 6749 §4.1.2.1. */
export const errorRedirect = (to: Destination, error: string, description: string, deps: AnswerDeps): string =>
  answerWith(to, { error, error_description: errorDescription(description) }, deps);
