const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

export interface Pkce {
  verifier: string;
  challenge: string;
  method: 'S256' | 'plain';
}

/**
 * RFC 7636 §4: a new verifier and its challenge. Browsers provide hashing only on https and localhost; elsewhere the
 * method is `plain`.
 */
export async function newPkce(): Promise<Pkce> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  if (!globalThis.crypto.subtle) return { verifier, challenge: verifier, method: 'plain' };
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { verifier, challenge: base64url(new Uint8Array(hash)), method: 'S256' };
}

export const newState = (): string => base64url(crypto.getRandomValues(new Uint8Array(12)));
