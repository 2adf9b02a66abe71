/** OpenID Connect Core §2: every library supports RS256; ES256 signs in a tenth of the time. */
export const signingAlgorithms = ['RS256', 'ES256'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];
