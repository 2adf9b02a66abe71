import { createHash } from 'node:crypto';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { randomString } from '../../lib/ids.ts';
import type { OAuthTest } from '../oauth.fixture.ts';

export interface ProofChanges {
  method?: string;
  /** The access token that goes with it. */
  token?: string;
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  /** What signs it instead of the key in its header. */
  key?: CryptoKey | Uint8Array;
}

/** A client's key, and the proofs that it makes. */
export interface Prover {
  jwk: JWK;
  privateJwk: JWK;
  privateKey: CryptoKey;
  jkt: string;
  prove(path: string, changes?: ProofChanges): Promise<string>;
}

const athOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

export async function newProver(t: Pick<OAuthTest, 'clock' | 'config'>, alg = 'ES256'): Promise<Prover> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    jwk,
    privateJwk: await exportJWK(privateKey),
    privateKey,
    jkt: await calculateJwkThumbprint(jwk),
    prove: (path, { method = 'POST', token, claims = {}, header = {}, key = privateKey } = {}) => {
      const payload: unknown = {
        htm: method,
        htu: `${t.config.baseUrl}${path}`,
        iat: Math.floor(t.clock.nowMs() / 1000),
        jti: randomString(20),
        ...(token && { ath: athOf(token) }),
        ...claims,
      };
      // Also what no client should send, which the types know nothing of.
      const head: unknown = { alg, typ: 'dpop+jwt', jwk, ...header };
      return new SignJWT(payload as JWTPayload).setProtectedHeader(head as JWTHeaderParameters).sign(key);
    },
  };
}
