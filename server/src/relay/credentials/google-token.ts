import { importPKCS8, SignJWT } from 'jose';
import { type GoogleAccount, googleAccountOf, googleTokenUrl } from '../../lib/google-account.ts';
import { maybeJson } from '../../lib/maybe-json.ts';
import { readRefusal } from '../../platform/http/read-answer.ts';
import { readUpstreamError } from '../providers/kind/errors.ts';
import { failure, isObject, UpstreamFault } from '../wire/conversation.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const patienceMs = 10_000;
/** A token that expires during a request would be refused. */
const spareMs = 60_000;
/** More accounts than any operator has; the least recently used is evicted. */
const mostKept = 1_000;

interface Kept {
  token: Promise<string>;
  goodUntilMs: number;
}

/** By credential. In memory only, as a token is as good as a key for an hour. */
const kept = new Map<string, Kept>();

/** An access token for a service account; concurrent callers share one request. `baseUrl`: where it will be used. */
export function googleToken(credential: string, baseUrl: string, nowMs = Date.now()): Promise<string> {
  const name = `${new URL(baseUrl).origin} ${credential}`;
  const known = kept.get(name);
  if (known && nowMs < known.goodUntilMs) return known.token;
  if (kept.size >= mostKept) kept.delete(kept.keys().next().value!);
  const entry: Kept = { goodUntilMs: nowMs + patienceMs, token: Promise.resolve('') };
  entry.token = askToken(credential, baseUrl, nowMs).then(
    ({ token, seconds }) => {
      entry.goodUntilMs = nowMs + seconds * 1_000 - spareMs;
      return token;
    },
    (error) => {
      if (kept.get(name) === entry) kept.delete(name);
      throw error;
    },
  );
  kept.set(name, entry);
  return entry.token;
}

async function askToken(
  credential: string,
  baseUrl: string,
  nowMs: number,
): Promise<{ token: string; seconds: number }> {
  const account = googleAccountOf(credential);
  if (!account) throw refused('the credential is not a service account key file');
  const response = await fetch(tokenUrlOf(account, baseUrl), {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await assertionOf(account, nowMs),
    }),
    redirect: 'manual',
    signal: AbortSignal.timeout(patienceMs),
  });
  const text = await readRefusal(response);
  if (!response.ok) throw faultOf(response, text);
  const said = maybeJson(text);
  const { access_token: token, expires_in: seconds } = isObject(said) ? said : {};
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token))
    throw new UpstreamFault(failure('the token endpoint returned no token'));
  return { token, seconds: typeof seconds === 'number' ? seconds : 3_600 };
}

/** Users may bring their own key files: the token URL must be Google's or the channel's own host. */
function tokenUrlOf({ tokenUrl }: GoogleAccount, baseUrl: string): string {
  if (tokenUrl === googleTokenUrl || new URL(tokenUrl).origin === new URL(baseUrl).origin) return tokenUrl;
  throw refused(`token_uri of the key file must be ${googleTokenUrl}`);
}

async function assertionOf({ email, privateKey, keyId, tokenUrl }: GoogleAccount, nowMs: number): Promise<string> {
  const key = await importPKCS8(privateKey, 'RS256').catch(() => {
    throw refused('the private key of the key file cannot be read');
  });
  const nowSeconds = Math.floor(nowMs / 1_000);
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
    .setIssuer(email)
    .setAudience(tokenUrl)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + 3_600)
    .sign(key);
}

const refused = (message: string): UpstreamFault =>
  new UpstreamFault({ kind: 'auth', status: 401, message, headers: {} });

/** A problem with a key file is the channel's, never the request's. */
function faultOf({ status, headers }: Response, text: string): UpstreamFault {
  const said = readUpstreamError(status, headers, text);
  const message = `Google issued no token for the service account: ${said.message}`;
  return new UpstreamFault({ ...said, message, kind: said.kind === 'caller' ? 'auth' : said.kind });
}
