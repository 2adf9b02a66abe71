import { decodeJwt, jwtVerify } from 'jose';
import type { Member, TestApp } from '../../app.fixture.ts';
import { type Clock, nowSeconds } from '../../lib/clock.ts';
import { startLiar } from './liar.fixture.ts';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const idJag = 'urn:ietf:params:oauth:token-type:id-jag';

/** How a company's provider stands to its people; each may be changed by a test. */
export interface Company {
  /** Who signs in next. */
  person: string;
  /** How long ID tokens last. */
  idTokenSeconds: number;
  /** Gives refresh tokens to those who ask for them. */
  refreshes: boolean;
  /** Over what it answers when it is asked to vouch, and over the claims of its assertion. */
  answer: Record<string, unknown> | Response | null;
  claims: Record<string, unknown>;
  /** In place of what it answers when it is asked for new tokens. */
  refreshed: Record<string, unknown> | Response | null;
  /** Before it answers either. */
  wait: () => Promise<unknown>;
}

/** A company's provider: people sign in, tokens are renewed once each, and it vouches for whom it knows. */
export function startVoucher(clock: Clock) {
  const liar = startLiar();
  const company: Company = {
    ...{ person: 'ann', idTokenSeconds: 300, refreshes: true, wait: async () => {} },
    ...{ answer: null, claims: {}, refreshed: null },
  };
  const asked: URLSearchParams[] = [];
  const refreshTokens = new Map<string, string>();
  let count = 0;
  const newRefreshToken = (person: string): { refresh_token?: string } => {
    if (!company.refreshes) return {};
    count += 1;
    refreshTokens.set(`refresh-${person}-${count}`, person);
    return { refresh_token: `refresh-${person}-${count}` };
  };
  const says = (person: string) => {
    liar.state.lies.claims = {
      sub: person,
      name: person,
      email: person.includes('@') ? person : undefined,
      exp: nowSeconds(clock) + company.idTokenSeconds,
    };
  };
  const refused = (error: string) =>
    Response.json({ error, error_description: `not ${[...asked.at(-1)!]}` }, { status: 400 });
  const vouch = async (sent: URLSearchParams) => {
    const known = await jwtVerify(sent.get('subject_token') ?? '', liar.publicKey, {
      issuer: liar.issuer,
      audience: 'svc',
    }).catch(() => null);
    if (!known) return refused('invalid_grant');
    if (company.answer instanceof Response) return company.answer.clone();
    const iat = nowSeconds(clock);
    const access_token = liar.signed(
      { typ: 'oauth-id-jag+jwt' },
      {
        ...{ iss: liar.issuer, sub: known.payload.sub, aud: sent.get('audience'), resource: sent.get('resource') },
        ...{ client_id: 'app', jti: crypto.randomUUID(), iat, exp: iat + 300, ...company.claims },
      },
    );
    return { access_token, issued_token_type: idJag, token_type: 'N_A', expires_in: 300, ...company.answer };
  };
  liar.state.lies.token = async (sent, idToken) => {
    asked.push(sent);
    const grant = sent.get('grant_type');
    if (grant !== 'authorization_code') await company.wait();
    if (grant === exchangeGrant) return vouch(sent);
    if (grant === 'authorization_code') {
      says(company.person);
      const tokens = { access_token: 'a', token_type: 'bearer', id_token: idToken(sent.get('code')!) };
      return { ...tokens, ...newRefreshToken(company.person) };
    }
    const person = refreshTokens.get(sent.get('refresh_token') ?? '');
    refreshTokens.delete(sent.get('refresh_token') ?? '');
    if (!person) return refused('invalid_grant');
    if (company.refreshed instanceof Response) return company.refreshed.clone();
    says(person);
    return {
      access_token: 'a',
      token_type: 'bearer',
      id_token: idToken(),
      ...newRefreshToken(person),
      ...company.refreshed,
    };
  };
  return {
    ...{ issuer: liar.issuer, company, asked, refreshTokens, stop: liar.stop },
    /** Over what its document says. */
    says: (document: Record<string, unknown>) => {
      liar.state.lies.document = document;
    },
    /** How often each was asked for. */
    exchanges: () => asked.filter((one) => one.get('grant_type') === exchangeGrant),
    refreshes: () => asked.filter((one) => one.get('grant_type') === 'refresh_token'),
    /** As an authorization server that trusts the company reads what it says; null for what it does not believe. */
    believed: async (assertion: string, audience: string): Promise<string | null> => {
      const currentDate = new Date((decodeJwt(assertion).iat ?? 0) * 1_000);
      const options = { issuer: liar.issuer, audience, typ: 'oauth-id-jag+jwt', currentDate };
      return jwtVerify(assertion, liar.publicKey, options).then(
        ({ payload }) => payload.sub ?? null,
        () => null,
      );
    },
  };
}

export type Voucher = ReturnType<typeof startVoucher>;

/** Connects the account that the company knows the person by to that of a member; where it ends, and what was asked for. */
export async function signInThrough(
  by: Pick<Member, 'cookie' | 'call'>,
  slug: string,
  password = 'a fine password',
): Promise<{ at: string; scope: string }> {
  const begun = await by.call('/api/user/identities', {
    method: 'POST',
    body: { provider: slug, return_to: '/tools', password },
  });
  const { data } = (await begun.json()) as { data: { url: string } };
  const { searchParams: left } = new URL(data.url);
  const cookie = `${by.cookie}; ${begun.headers.get('set-cookie')!.split(';')[0]}`;
  const query = new URLSearchParams({ code: left.get('nonce')!, state: left.get('state')! });
  const back = await by.call(`/api/auth/${slug}/callback?${query}`, { headers: { cookie } });
  const place = new URL(back.headers.get('location')!);
  return { at: place.pathname + place.search, scope: left.get('scope')! };
}

/** What is stored of sign-ins, opened. */
export async function keptGrants({ platform, app }: TestApp): Promise<(Record<string, unknown> | null)[]> {
  const { db } = platform.database;
  const rows = await db.selectFrom('user_identities').select('grant_sealed').orderBy('id').execute();
  return rows.map(({ grant_sealed }) =>
    grant_sealed === '' ? null : JSON.parse(app.mcp.room.sealer.open(grant_sealed)),
  );
}
