import type { Proof, UpstreamRequest } from '../providers/kind.ts';
import { awsHeaders } from './aws-signature.ts';
import { googleToken } from './google-token.ts';

/** The request with what proves who asks. Kinds only say which proof their vendor wants: some have to be asked for. */
export async function proven(request: UpstreamRequest, baseUrl: string): Promise<UpstreamRequest> {
  const { proof } = request;
  return proof
    ? { ...request, headers: { ...request.headers, ...(await headersOf(request, proof, baseUrl)) } }
    : request;
}

async function headersOf(request: UpstreamRequest, proof: Proof, baseUrl: string): Promise<Record<string, string>> {
  switch (proof.by) {
    case 'google':
      return { authorization: `Bearer ${await googleToken(proof.credential, baseUrl)}` };
    case 'aws':
      return awsHeaders(request, proof);
  }
}
