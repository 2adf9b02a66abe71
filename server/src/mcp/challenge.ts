/** What a server says to whoever comes without a token, or with one that is not enough (RFC 9728 §5.1, RFC 6750 §3.1). */
export interface Challenge {
  resourceMetadataUrl?: URL;
  scope?: string;
  /** Tokens that are bound to a key (RFC 9449 §7.1): others are not taken, or are taken too. */
  proof?: 'needed' | 'taken';
}

/** What of its header the library understands; `error` besides. */
export async function readChallenge(header: string | undefined): Promise<Challenge & { error?: string }> {
  if (header === undefined) return {};
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  const headers = { 'www-authenticate': header };
  const {
    resourceMetadataUrl,
    scope: given = '',
    error,
  } = extractWWWAuthenticateParams(new Response(null, { headers }));
  // RFC 6749 §3.3: what is no scope is not asked for either.
  const scope = given
    .split(' ')
    .filter((one) => /^[!#-[\]-~]+$/.test(one))
    .join(' ');
  return {
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(scope !== '' && { scope }),
    ...(error !== undefined && { error }),
    ...proofIn(header),
  };
}

/** By the schemes that it names; what it quotes is none. */
function proofIn(header: string): Pick<Challenge, 'proof'> {
  const bare = header.toLowerCase().replace(/"[^"]*"/g, '');
  const schemes = bare.split(',').map((part) => part.trim().split(' ', 1)[0]);
  if (!schemes.includes('dpop')) return {};
  return { proof: schemes.includes('bearer') ? 'taken' : 'needed' };
}
