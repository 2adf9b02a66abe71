import { describe, expect, test } from 'bun:test';
import { openSealer, resealWithin, SealError } from './seal.ts';

const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
const sealer = openSealer({ keys: [{ id: 'a', key: keyOf(1) }] });

/** Flips one bit of the encoded part's byte at `index` (negative counts from the end). */
function flip(sealed: string, index: number): string {
  const [version, id, text] = sealed.split('.');
  const bytes = Buffer.from(text!, 'base64url');
  bytes[index < 0 ? bytes.length + index : index]! ^= 1;
  return `${version}.${id}.${bytes.toString('base64url')}`;
}

describe('sealer', () => {
  test('opens what it sealed, for any text', () => {
    for (const text of ['', 'sk-secret', 'ключ 🔑', 'x'.repeat(10_000)])
      expect(sealer.open(sealer.seal(text))).toBe(text);
  });

  test('hides the text and produces different output each time', () => {
    const sealed = sealer.seal('sk-secret');
    expect(sealed).toMatch(/^s1\.a\.[A-Za-z0-9_-]+$/);
    expect(Buffer.from(sealed.split('.')[2]!, 'base64url').toString('latin1')).not.toContain('secret');
    expect(sealer.seal('sk-secret')).not.toBe(sealed);
  });

  test('rejects text with a changed nonce, ciphertext or tag', () => {
    const sealed = sealer.seal('sk-secret');
    for (const index of [0, 14, -1]) expect(() => sealer.open(flip(sealed, index))).toThrow(SealError);
  });

  test('rejects text moved to another key id, even one with the same key', () => {
    const twins = openSealer({ keys: ['a', 'b'].map((id) => ({ id, key: keyOf(1) })) });
    const sealed = twins.seal('sk-secret');
    expect(() => twins.open(sealed.replace('s1.a.', 's1.b.'))).toThrow(SealError);
  });

  test('rejects text that is not sealed', () => {
    for (const text of ['', 'sk-plain', 's1.a', 's1.a.', 's2.a.AAAA', 's1.a.AAAA', `${sealer.seal('x')}.y`])
      expect(() => sealer.open(text)).toThrow(SealError);
  });

  test('rotates: a new first key seals, the old one still opens, reseal re-encrypts', () => {
    const old = sealer.seal('sk-secret');
    const keys = [
      { id: 'b', key: keyOf(2) },
      { id: 'a', key: keyOf(1) },
    ];
    const rotated = openSealer({ keys });
    expect(rotated.open(old)).toBe('sk-secret');
    const moved = rotated.reseal(old);
    expect(moved).toStartWith('s1.b.');
    expect(rotated.reseal(moved)).toBe(moved);
    expect(openSealer({ keys: keys.slice(0, 1) }).open(moved)).toBe('sk-secret');
    expect(() => openSealer({ keys: keys.slice(0, 1) }).open(old)).toThrow('key "a"');
  });

  test('reseals text inside other text; text that only looks sealed, or has an unknown key, stays unchanged', () => {
    const other = openSealer({ keys: [{ id: 'c', key: keyOf(3) }] });
    const rest = `${other.seal('theirs')}, s1.a.short, s1.a.${'A'.repeat(60)}`;
    const text = (sealed: string) => JSON.stringify([{ content: `svc.${sealed}` }, rest]);
    const rotated = openSealer({ keys: [2, 1].map((n) => ({ id: n === 1 ? 'a' : 'b', key: keyOf(n) })) });
    const before = text(sealer.seal('x'));
    const after = resealWithin(before, rotated.reseal);
    const moved = /s1\.b\.[\w-]+/.exec(after)![0];
    expect(after).toBe(text(moved));
    expect(rotated.open(moved)).toBe('x');
    expect(resealWithin(after, rotated.reseal)).toBe(after);
  });

  test('rejects unusable keys', () => {
    expect(() => openSealer({ keys: [] })).toThrow(SealError);
    expect(() => openSealer({ keys: [{ id: 'a', key: new Uint8Array(16) }] })).toThrow('32 bytes');
    expect(() => openSealer({ keys: [{ id: 'a.b', key: keyOf(1) }] })).toThrow('id');
    expect(() => openSealer({ keys: ['a', 'a'].map((id) => ({ id, key: keyOf(1) })) })).toThrow('same id');
  });
});
