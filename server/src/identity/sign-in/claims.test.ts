import { expect, test } from 'bun:test';
import { type Claims, personOf } from './claims.ts';
import type { Provider } from './store/providers.ts';

const provider: Provider = {
  ...{ id: 1, slug: 'company', name: 'Company', kind: 'openid', clientId: 'svc', sealedSecret: '', scopes: 'openid' },
  ...{
    enabled: true,
    allowSignUp: true,
    trustEmail: true,
    emailDomains: [],
    roleClaim: '',
    roleMap: {},
    vouches: false,
  },
  ...{ issuer: '', createdAt: 0, updatedAt: 0 },
};

const ofMicrosoft = ['microsoftonline.com', 'microsoftonline.us', 'partner.microsoftonline.cn'].map(
  (cloud) => `https://login.${cloud}/7a4c/v2.0`,
);
const others = [
  'https://login.microsoftonline.com.evil.example/7a4c',
  'https://evil.example/login.microsoftonline.us/',
];

test.each<[says: Partial<Claims>, issuer: string, verified: boolean]>([
  ...ofMicrosoft.flatMap((issuer): [Partial<Claims>, string, boolean][] => [
    [{ xms_edov: true }, issuer, true],
    [{ xms_edov: '1' }, issuer, true],
    [{ xms_edov: false }, issuer, false],
    [{}, issuer, false],
  ]),
  ...others.map((issuer): [Partial<Claims>, string, boolean] => [{ xms_edov: true }, issuer, false]),
  [{ email_verified: true }, others[0]!, true],
])('an address with %j at %s', (says, issuer, verified) => {
  const claims = { sub: 'ada', email: 'ada@acme.example', ...says };
  expect(personOf({ ...provider, issuer }, claims).emailVerified).toBe(verified);
  expect(personOf({ ...provider, issuer, trustEmail: false }, claims).emailVerified).toBe(false);
});
