import { hmacSha256Hex } from './hashing.ts';

/**
 * Value of `X-Svc-Signature`. The time is part of what is signed, so that a receiver can refuse a call
 * recorded and sent again later.
 */
export function signPayload(secret: string, body: string, nowSeconds: number): string {
  return `t=${nowSeconds},v1=${hmacSha256Hex(secret, `${nowSeconds}.${body}`)}`;
}
