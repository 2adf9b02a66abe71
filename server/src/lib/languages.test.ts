import { expect, test } from 'bun:test';
import { acceptedLanguage, asLanguage } from './languages.ts';

test.each([
  ['zh-CN,zh;q=0.9,en;q=0.8', 'zh-CN'],
  ['zh-TW', 'zh-CN'],
  ['ZH', 'zh-CN'],
  ['en-GB, en;q=0.9', 'en'],
  ['en;q=0.5, zh;q=0.7', 'zh-CN'],
  ['de, fr;q=0.9, zh ; Q=0.1', 'zh-CN'],
  ['zh;q=0, en;q=0.1', 'en'],
  ['zh;q=0', null],
  ['zh;q=much, de', null],
  ['*', null],
  ['de-CH', null],
  ['', null],
  [null, null],
] as const)('Accept-Language %p selects %p', (header, language) => {
  expect(acceptedLanguage(header)).toBe(language);
});

test('only the beginning of an overlong header is read', () => {
  expect(acceptedLanguage(`${'x,'.repeat(8_000)}zh`)).toBeNull();
});

test('a language is recognised only in its stored spelling', () => {
  expect(['en', 'zh-CN', 'zh', 'zh-cn', '', 'constructor'].map(asLanguage)).toEqual([
    ...['en' as const, 'zh-CN' as const, null, null, null, null],
  ]);
});
