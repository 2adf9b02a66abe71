import { Secret, TOTP } from 'otpauth';

const stepSeconds = 30;
/** Accepts one step before and after: phone clocks differ (RFC 6238 §5.2). */
const window = 1;
/** 160 bits, as RFC 4226 §4 recommends. */
const secretBytes = 20;

export const newSecret = (): string => new Secret({ size: secretBytes }).base32;

const totpOf = (secret: string, names: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({ ...names, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: stepSeconds });

/** The content of the QR code. */
export const addressOf = (secret: string, issuer: string, label: string): string =>
  totpOf(secret, { issuer, label }).toString();

/** The time step of a code, or null if it is not valid now. */
export function stepOf(secret: string, code: string, nowSeconds: number): number | null {
  const delta = totpOf(secret).validate({ token: code, timestamp: nowSeconds * 1000, window });
  return delta === null ? null : Math.floor(nowSeconds / stepSeconds) + delta;
}
