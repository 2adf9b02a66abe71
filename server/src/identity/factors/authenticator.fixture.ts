import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/** What a device is made to get wrong. */
export interface Quirks {
  origin?: string;
  rpId?: string;
  /** False: it did not look at whom it serves. */
  verified?: boolean;
  /** Instead of the number that follows. */
  counter?: number;
  challenge?: string;
  /** Whose it says the passkey is; nothing of it where left out. */
  userHandle?: string;
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** The few forms of CBOR that are needed (RFC 8949 §3). */
const head = (major: number, n: number): Buffer =>
  n < 24
    ? Buffer.of((major << 5) | n)
    : n < 256
      ? Buffer.of((major << 5) | 24, n)
      : Buffer.of((major << 5) | 25, n >> 8, n & 255);
const integer = (n: number): Buffer => (n < 0 ? head(1, -1 - n) : head(0, n));
const bytes = (data: Uint8Array): Buffer => Buffer.concat([head(2, data.length), data]);
const text = (data: string): Buffer => Buffer.concat([head(3, data.length), Buffer.from(data)]);
const map = (...pairs: [Buffer, Buffer][]): Buffer => Buffer.concat([head(5, pairs.length), ...pairs.flat()]);

/** A device with one ES256 passkey, in software. */
export function openAuthenticator(origin: string) {
  const rpId = new URL(origin).hostname;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  let signatures = 0;

  const clientData = (type: string, challenge: string, quirks: Quirks): Buffer =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: quirks.challenge ?? challenge,
        origin: quirks.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const dataOf = (quirks: Quirks, attested: Buffer = Buffer.alloc(0)): Buffer => {
    signatures = quirks.counter ?? signatures + 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(signatures);
    const flags = 1 | (quirks.verified === false ? 0 : 4) | (attested.length > 0 ? 64 : 0);
    return Buffer.concat([sha256(quirks.rpId ?? rpId), Buffer.of(flags), counter, attested]);
  };
  const common = { id: base64url(id), rawId: base64url(id), type: 'public-key' as const, clientExtensionResults: {} };

  return {
    id: common.id,
    create(options: { challenge: string }, quirks: Quirks = {}): RegistrationResponseJSON {
      const key = map(
        [integer(1), integer(2)],
        [integer(3), integer(-7)],
        [integer(-1), integer(1)],
        [integer(-2), bytes(Buffer.from(jwk.x!, 'base64url'))],
        [integer(-3), bytes(Buffer.from(jwk.y!, 'base64url'))],
      );
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, key]);
      const attestation = map(
        [text('fmt'), text('none')],
        [text('attStmt'), map()],
        [text('authData'), bytes(dataOf(quirks, attested))],
      );
      const clientDataJSON = base64url(clientData('webauthn.create', options.challenge, quirks));
      return { ...common, response: { clientDataJSON, attestationObject: base64url(attestation) } };
    },
    get(options: { challenge: string }, quirks: Quirks = {}): AuthenticationResponseJSON {
      const client = clientData('webauthn.get', options.challenge, quirks);
      const data = dataOf(quirks);
      const signature = createSign('sha256')
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey);
      const response = {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        ...(quirks.userHandle !== undefined && { userHandle: base64url(Buffer.from(quirks.userHandle)) }),
      };
      return { ...common, response };
    },
  };
}
