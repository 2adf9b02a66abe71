import { expect, test } from 'bun:test';
import { readUpstreamError } from './providers/kind/errors.ts';
import { redactCredential } from './redact-credential.ts';

test.each([
  ['sk-whole-credential', 'no sk-whole-credential here', 'no [redacted] here'],
  ['AKIDEXAMPLE:wJalrXUtnFEMI/K7', 'key wJalrXUtnFEMI/K7 of AKIDEXAMPLE', 'key [redacted] of [redacted]'],
  ['', 'nothing to hide', 'nothing to hide'],
  ['a:b', 'a bed', 'a bed'],
])('redacts %p', (credential, said, told) => {
  expect(redactCredential(said, credential)).toBe(told);
});

test.each(['AKIAIOSFODNN7EXAMPLE', 'ASIAIOSFODNN7EXAMPLE', 'ABSKQmVkcm9ja0FQSUtleQ', 'ya29.c.b0Aaekm1K-abcdefgh'])(
  '%s repeated by an upstream is redacted',
  (key) => {
    const { message } = readUpstreamError(403, new Headers(), JSON.stringify({ message: `the key ${key} is refused` }));
    expect(message).not.toContain(key.slice(0, 16));
    expect(message).toContain('[redacted]');
  },
);
