import type { Proof, UpstreamRequest } from '../providers/kind.ts';
import { awsHeaders } from './aws-signature.ts';
import { googleToken } from './google-token.ts';

/** Adds the credential that a kind asks for; some have to be requested from the vendor first. */
export async function withCredential(request: UpstreamRequest, baseUrl: string): Promise<UpstreamRequest> {
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
