/** A server's answer to a request without a token, or with an insufficient one (RFC 9728 §5.1, RFC 6750 §3.1). */
export interface Challenge {
  resourceMetadataUrl?: URL;
  scope?: string;
  /** Whether tokens bound to a key (RFC 9449 §7.1) are required, or accepted besides bearer tokens. */
  proof?: 'needed' | 'taken';
}

/** The parts of the header that the library parses, and `error`. */
export async function readChallenge(header: string | undefined): Promise<Challenge & { error?: string }> {
  if (header === undefined) return {};
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  const headers = { 'www-authenticate': header };
  const {
    resourceMetadataUrl,
    scope: given = '',
    error,
  } = extractWWWAuthenticateParams(new Response(null, { headers }));
  // RFC 6749 §3.3: invalid scopes are not requested.
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

/** Looks at the schemes only, not inside quoted strings. */
function proofIn(header: string): Pick<Challenge, 'proof'> {
  const bare = header.toLowerCase().replace(/"[^"]*"/g, '');
  const schemes = bare.split(',').map((part) => part.trim().split(' ', 1)[0]);
  if (!schemes.includes('dpop')) return {};
  return { proof: schemes.includes('bearer') ? 'taken' : 'needed' };
}
