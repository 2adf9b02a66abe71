import { describe, expect, test } from 'bun:test';
import { IntlMessageFormat } from 'intl-messageformat';
import words from '../web/src/language/zh-CN/index.ts';
import { wordsIn } from './check-words.ts';

const outside = (code: string): string[] => wordsIn('page.tsx', code).outside;

describe('texts outside the catalogs', () => {
  test.each([
    ['export const page = <p>Nothing here</p>', ['Nothing here']],
    ['export const page = <p>Nothing <b>here yet</b></p>', ['Nothing ', 'here yet']],
    ['export const page = <Button aria-label="Close">x</Button>', ['Close']],
    ["const columns = [{ key: 'name', header: 'Name' }]", ['Name']],
    [['notifySuccess(`', '{name} is deleted`)'].join('$'), ['… is deleted']],
    ["const words = on ? 'Turned on' : 'Turned off'", ['Turned on', 'Turned off']],
    ["function say() { return 'Try again.'; }", ['Try again.']],
  ])('%s', (code, texts) => {
    expect(outside(code)).toEqual(texts);
  });

  test.each([
    "export const page = <p>{t('Nothing here')}</p>",
    "export const page = <p>{rich('Delete <b>{name}</b>?', { b: bold })}</p>",
    'export const page = <p className="svc-code svc plain" id="Main">{name}</p>',
    "import { Button } from 'Some Where';",
    "if (answer.act === 'Log Out') leave();",
    "get('/api/Some where')",
    "const unit = ' ms'",
  ])('not a text: %s', (code) => {
    expect(outside(code)).toEqual([]);
  });
});

test('messages are found wherever they are selected', () => {
  expect(wordsIn('page.tsx', "t(on ? 'On' : 'Off'); rich('<b>Both</b>', { b })").messages).toEqual([
    'On',
    'Off',
    '<b>Both</b>',
  ]);
});

/** Names of values and of tags, at any depth. */
function namesIn(message: string): string[] {
  const names = new Set<string>();
  const visit = (parts: Part[]): void => {
    for (const { type, value, children, options } of parts) {
      if (type !== 0 && type !== 7) names.add(String(value));
      if (children) visit(children);
      for (const option of Object.values(options ?? {})) visit(option.value);
    }
  };
  visit(IntlMessageFormat.__parse!(message.replace(/##.*$/s, ''), { ignoreTag: false }) as Part[]);
  return [...names].sort();
}

interface Part {
  type: number;
  value?: string;
  children?: Part[];
  options?: Record<string, { value: Part[] }>;
}

test('a translation has the values and tags of its English text, and no others', () => {
  const withValues = Object.entries(words).filter(([english]) => /[{]|<(\w+)>.*<\/\1>/.test(english));
  expect(withValues.length).toBeGreaterThan(400);
  for (const [english, chinese] of withValues) expect([english, namesIn(chinese)]).toEqual([english, namesIn(english)]);
});

/** Names, and signs between values. */
const sameInBoth = ['Verifier', 'Webhook', '{price} / {unit}', 'OpenAI base URL', 'Anthropic base URL'];

test('a translation differs from its English text', () => {
  const copied = Object.entries(words).filter(([english, chinese]) => english === chinese && /[a-z]{3}/i.test(chinese));
  expect(copied.map(([english]) => english).sort()).toEqual(sameInBoth.sort());
});
