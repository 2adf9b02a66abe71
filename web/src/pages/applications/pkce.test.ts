import { expect, test } from 'bun:test';
import { newPkce } from './pkce.ts';

test('the challenge is the hash of the verifier', async () => {
  const { verifier, challenge, method } = await newPkce();
  expect(verifier).toMatch(/^[\w-]{43}$/);
  expect(method).toBe('S256');
  expect(challenge).toBe(new Bun.CryptoHasher('sha256').update(verifier).digest('base64url'));
  expect((await newPkce()).verifier).not.toBe(verifier);
});
