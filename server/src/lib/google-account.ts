import { z } from 'zod';
import { maybeJson } from './maybe-json.ts';

/** The fields of a service account's key file that are needed to sign in. */
export interface GoogleAccount {
  projectId: string;
  email: string;
  /** PEM. */
  privateKey: string;
  keyId: string | undefined;
  tokenUrl: string;
}

export const googleTokenUrl = 'https://oauth2.googleapis.com/token';

const keyFile = z.object({
  type: z.literal('service_account'),
  project_id: z.string().regex(/^[a-z0-9.:-]{1,100}$/),
  client_email: z.email().max(320),
  private_key: z.string().startsWith('-----BEGIN PRIVATE KEY-----'),
  private_key_id: z.string().max(200).optional(),
  token_uri: z.url().max(2_000).default(googleTokenUrl),
});

/** Cached: parsing it for every request would cost more than the rest of it. */
const known = new Map<string, GoogleAccount | null>();
const mostKnown = 1_000;

/** Null for anything else, such as an API key. */
export function googleAccountOf(credential: string): GoogleAccount | null {
  if (!credential.startsWith('{')) return null;
  let account = known.get(credential);
  if (account === undefined) {
    if (known.size >= mostKnown) known.clear();
    account = accountIn(credential);
    known.set(credential, account);
  }
  return account;
}

function accountIn(text: string): GoogleAccount | null {
  const { data } = keyFile.safeParse(maybeJson(text));
  if (!data) return null;
  const { project_id: projectId, client_email: email, private_key: privateKey, token_uri: tokenUrl } = data;
  return { projectId, email, privateKey, keyId: data.private_key_id, tokenUrl };
}

/** The file in one line with only the needed fields; null if it is not a key file. */
export function keptKeyFile(text: string): string | null {
  const { data } = keyFile.safeParse(maybeJson(text));
  return data ? JSON.stringify(data) : null;
}

/** Whether a channel of this kind can use the credential: others would send the private key itself in a header. */
export const fitsKind = (kind: string, credential: string): boolean => kind === 'vertex' || !credential.startsWith('{');
