import { AwsV4Signer } from 'aws4fetch';
import type { Proof, UpstreamRequest } from '../providers/kind.ts';
import { UpstreamFault } from '../wire/conversation.ts';

/** Signing keys by secret, day and region; in memory only, as they are as good as the secret for a day. */
const signingKeys = new Map<string, ArrayBuffer>();
/** More than any operator uses in a day. */
const mostKept = 1_000;

/**
 * Headers of an access-key signature (Signature Version 4). It covers the URL, the body and the time; of the headers
 * only the host, so that others may change on the way.
 */
export async function awsHeaders(
  { url, method, body }: UpstreamRequest,
  { credential, service, region }: Extract<Proof, { by: 'aws' }>,
  datetime?: string,
): Promise<Record<string, string>> {
  const [accessKeyId = '', secretAccessKey = '', ...token] = credential.split(':');
  if (accessKeyId === '' || secretAccessKey === '')
    throw refused('the credential must be an access key ID and its secret, separated by a colon');
  if (signingKeys.size >= mostKept) signingKeys.clear();
  const sessionToken = token.join(':');
  const signer = new AwsV4Signer({
    ...{ url, method, service, region, accessKeyId, secretAccessKey, cache: signingKeys },
    ...(body !== undefined && { body }),
    ...(sessionToken !== '' && { sessionToken }),
    ...(datetime !== undefined && { datetime }),
  });
  const { headers } = await signer.sign();
  return Object.fromEntries(headers);
}

const refused = (message: string): UpstreamFault =>
  new UpstreamFault({ kind: 'auth', status: 401, message, headers: {} });
