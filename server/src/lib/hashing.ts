import { timingSafeEqual } from 'node:crypto';

/** How secrets of high entropy are stored. */
export function sha256Hex(text: string): string {
  return Bun.SHA256.hash(text, 'hex');
}

export function hmacSha256Hex(secret: string, text: string): string {
  return new Bun.CryptoHasher('sha256', secret).update(text).digest('hex');
}

/** Compares in constant time; both are hashed first, so that lengths do not leak. */
export function constantTimeEqual(a: string, b: string): boolean {
  return timingSafeEqual(Bun.SHA256.hash(a), Bun.SHA256.hash(b));
}

/** The same for two hex digests, whose length is not secret. */
export function equalDigests(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i += 1) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

/** Value of `X-Svc-Signature`. The time is signed too, so that a receiver can refuse replayed calls. */
export function signPayload(secret: string, body: string, nowSeconds: number): string {
  return `t=${nowSeconds},v1=${hmacSha256Hex(secret, `${nowSeconds}.${body}`)}`;
}
