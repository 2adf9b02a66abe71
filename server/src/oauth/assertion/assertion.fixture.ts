import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import type { Clock } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
import type { OAuthTest, TestClient } from '../oauth.fixture.ts';

export const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface AssertionChanges {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  /** What signs it instead of the client's key. */
  key?: CryptoKey | Uint8Array;
}

/** A key of a client, and what it signs with it. */
export interface Signer {
  /** The public half, as it stands in a set. */
  jwk: JWK;
  privateJwk: JWK;
  privateKey: CryptoKey;
  assertion(client: Pick<TestClient, 'clientId'>, changes?: AssertionChanges): Promise<string>;
  /** The parameters of a request by which the client proves itself. */
  signed(client: Pick<TestClient, 'clientId'>, changes?: AssertionChanges): Promise<Record<string, string>>;
}

export const parametersOf = (client_assertion: string) => ({ client_assertion_type: jwtBearer, client_assertion });

export async function newSigner(
  t: { clock: Clock; config: Pick<OAuthTest['config'], 'baseUrl'> },
  alg = 'ES256',
  named: JWK | { kid?: string } = { kid: randomString(8) },
): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), ...named };
  const assertion: Signer['assertion'] = ({ clientId }, { claims = {}, header = {}, key = privateKey } = {}) => {
    const now = Math.floor(t.clock.nowMs() / 1000);
    const payload: unknown = {
      ...{ iss: clientId, sub: clientId, aud: t.config.baseUrl },
      ...{ iat: now, exp: now + 60, jti: randomString(20), ...claims },
    };
    // Also what no client should send, which the types know nothing of.
    const head: unknown = { alg, kid: jwk.kid, ...header };
    return new SignJWT(payload as JWTPayload).setProtectedHeader(head as JWTHeaderParameters).sign(key);
  };
  const signed: Signer['signed'] = async (client, changes) => parametersOf(await assertion(client, changes));
  return { jwk, privateJwk: { ...(await exportJWK(privateKey)), ...named }, privateKey, assertion, signed };
}

/** The steps of a client that proves itself by a signature. */
export function signingSteps(t: OAuthTest) {
  const exchange = (client: TestClient, code: string, proof: Record<string, string>) =>
    t.post('/api/oauth2/token', {
      ...{ grant_type: 'authorization_code', code, redirect_uri: client.redirectUri, ...proof },
    });
  const refresh = (refresh_token: string, proof: Record<string, string>) =>
    t.post('/api/oauth2/token', { grant_type: 'refresh_token', refresh_token, ...proof });
  /** Whether it is let in; nothing of a code is needed for that. */
  const letIn = async (proof: Record<string, string>): Promise<[number, string]> => {
    const answer = await refresh('svcrt_none', proof);
    const { error } = (await answer.json()) as { error: string };
    return [answer.status, error];
  };
  return { exchange, refresh, letIn };
}
/** What somebody hears who was let in and then had nothing to show. */
export const wasLetIn: [number, string] = [400, 'invalid_grant'];
export const notLetIn: [number, string] = [401, 'invalid_client'];
