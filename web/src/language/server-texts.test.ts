import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { budgetExceeded } from '../../../server/src/billing/insufficient-quota.ts';
import { levelNames, spans } from '../../../server/src/billing/levels.ts';
import { optionTable, readOptionValue } from '../../../server/src/identity/option-table.ts';
import { faultTexts } from '../../../server/src/orchestra/import/faults.ts';
import { candidateOf, measuredOf } from '../../../server/src/routing/candidate.fixture.ts';
import { explain } from '../../../server/src/routing/explain.ts';
import { noneEligible, reasonTexts, type Scored } from '../../../server/src/routing/rank.ts';
import { reasonWords } from '../pages/routing-decisions/words.ts';
import { serverText } from './server-texts.ts';
import { speak } from './words.ts';
import options from './zh-CN/server-options.ts';
import service from './zh-CN/service.ts';

const entries = Object.entries(service);
const placeholder = /\{(\w+)\}/g;
const namesIn = (text: string): string[] => [...text.matchAll(placeholder)].map(([, name]) => name!).sort();

/** As people read it: texts that are put together of lines are one, and codes are told with spaces. */
const readable = (source: string): string =>
  source
    .replaceAll(/['"`]\s*\+\s*['"`]/g, '')
    .replaceAll("\\'", "'")
    .replaceAll('_', ' ')
    .toLowerCase();

/** What an English text says itself, without notes and the places of values. */
const piecesOf = (english: string): string[] =>
  readable(english.replace(/##.*$/, '').replaceAll(placeholder, '\n'))
    .split('\n')
    .map((piece) => piece.trim())
    .filter((piece) => piece.replaceAll(/[^a-z]/g, '').length >= 4);

async function sourcesOf(folder: string): Promise<string[]> {
  const files = [...new Glob('**/*.ts').scanSync(folder)].filter((file) => !/\.(?:test|fixture)\.ts$/.test(file));
  return Promise.all(files.map(async (file) => readable(await Bun.file(`${folder}/${file}`).text())));
}

describe('catalogs of service messages', () => {
  test('contain only texts that the service still has', async () => {
    const sources = await sourcesOf(`${import.meta.dir}/../../../server/src`);
    sources.push(readable(await Bun.file(require.resolve('zod/v4/locales/en.js')).text()));
    const gone = Object.keys(service)
      .filter((english) => !Object.hasOwn(options, english))
      .filter((english) => {
        const pieces = piecesOf(english);
        return !sources.some((source) => pieces.every((piece) => source.includes(piece)));
      });
    expect(gone).toEqual([]);
  });

  test('use the same placeholders in both languages, each once', () => {
    const wrong = entries.filter(([english, chinese]) => {
      const names = namesIn(english);
      return new Set(names).size < names.length || namesIn(chinese).join() !== names.join();
    });
    expect(wrong).toEqual([]);
  });

  test('have text between placeholders, and no entry without text', () => {
    expect(entries.filter(([english]) => english.includes('}{'))).toEqual([]);
    const bare = entries.filter(
      ([english]) => english.includes('{') && piecesOf(english).length === 0 && !/\{fault/.test(english),
    );
    expect(bare).toEqual([]);
  });
});

describe('messages of the service', () => {
  afterEach(() => speak({ pages: {}, service: {} }));
  const inChinese = (text: string): string => {
    speak({ pages: {}, service });
    return serverText(text);
  };

  test.each([
    ['You are not logged in.', '你尚未登录。'],
    ['There is no key 7.', '没有密钥 7。'],
    ['name: must not be empty', 'name：不能为空'],
    ['OwnKeyFee must be between 0 and 1.', 'OwnKeyFee 必须在 0 到 1 之间。'],
    ["'messages' must contain at least one message.", "'messages' 至少包含一条消息。"],
    ['name: Too big: expected string to have <=64 characters', 'name：过长：字符串长度应为 <=64 个字符'],
    [
      'The budget of this team, $5.00 a month, does not cover this request. It resets at 2026-12-01 00:00 (UTC).',
      '该团队的预算（每月 $5.00）不足以支付此请求。将于 2026-12-01 00:00（UTC）重新开始计算。',
    ],
    [
      'The server docs failed: it did not respond in time. The tool was not called.',
      '服务器 docs 出错：服务器响应超时。未调用该工具。',
    ],
    [
      "No provider of 'a/b' is available: each one is ignored by this request or above the price limit.",
      "'a/b' 没有可用的提供商：均被此请求忽略，或超出价格上限。",
    ],
    ["'temperature' must be a number between 0 and 2.", "'temperature' 必须是 0 到 2 之间的数字。"],
    ['its address is not allowed: Not a valid URL.', '不允许调用该地址：不是有效的 URL。'],
    [
      'No chat model is available for a: every model is above the price limit.',
      '没有可供 a 使用的对话模型：均超出价格上限。',
    ],
    ['demo did not answer (server error 503)', 'demo 未响应（提供商内部错误，503）'],
    ['502: the upstream stopped responding', '502：上游停止响应'],
  ])('%j is translated into Chinese', (english, chinese) => {
    expect(inChinese(english)).toBe(chinese);
  });

  test.each([
    '',
    'What a model wrote.',
    'A valid login is required.',
    'Summary: nothing of this is known',
    '429: Slow down, please',
    'constructor',
    '{field}: {fault} {status}',
  ])('%j stays unchanged', (text) => {
    expect(inChinese(text)).toBe(text);
  });

  test('stay unchanged in English', () => {
    for (const [english] of entries) expect(serverText(english)).toBe(english);
  });

  test('a translated message is not translated again', () => {
    speak({ pages: {}, service });
    const again = entries.filter(([english, chinese]) => !english.includes('##') && serverText(chinese) !== chinese);
    expect(again).toEqual([]);
  });

  test('are translated in linear time, also with many repeated fragments', () => {
    speak({ pages: {}, service });
    const took = (text: string): number => {
      const began = performance.now();
      serverText(text);
      return performance.now() - began;
    };
    // Of many, as others may have the processor meanwhile.
    const least = (text: string): number => Math.min(...Array.from({ length: 12 }, () => took(text)));
    // The words that stand between values, over and over, with a beginning that fits and an end that does not.
    for (const unit of [': ', ' or ', ' failed: ', "' ", ' is not supported by ']) {
      const text = (length: number): string => `The server a${unit.repeat(length / unit.length)}.`;
      const short = least(text(10_000));
      const long = least(text(100_000));
      // A tenfold text takes about ten times as long; a hundred times it would if each place were tried with each.
      expect(long).toBeLessThan(Math.max(short, 0.2) * 40);
    }
  });
});

/* Of sentences that the service puts together, the whole must come out, whatever is in them. */
describe('composed messages of the service are translated completely', () => {
  afterEach(() => speak({ pages: {}, service: {} }));
  const leftInEnglish = (texts: string[], words: (text: string) => string = serverText): string[] => {
    speak({ pages: {}, service });
    return texts.map(words).filter((text) => /[a-z]{2,} [a-z]{2,}/.test(text) || !/\p{Script=Han}/u.test(text));
  };

  test('budgets', () => {
    const texts = [...levelNames, 'person' as const].flatMap((level) =>
      spans.flatMap((span) =>
        [0, 1_800_000_000].map(
          (endsAt) =>
            budgetExceeded({
              level,
              span,
              amount: 2_500_000,
              hard: true,
              windowId: 1,
              endsAt,
              timeZone: 'Europe/Vienna',
            }).message,
        ),
      ),
    );
    expect(texts).toHaveLength(40);
    expect(leftInEnglish(texts)).toEqual([]);
  });

  test('options', () => {
    const names = Object.keys(optionTable) as (keyof typeof optionTable)[];
    const texts = names.flatMap((name) =>
      [7.5e12, 0.123, {}, 'wrong words', '-5'].flatMap((given) => {
        const read = readOptionValue(name, given);
        return 'fault' in read ? [`${name} ${read.fault}.`] : [];
      }),
    );
    expect(texts.length).toBeGreaterThan(names.length);
    expect(leftInEnglish(texts.map((text) => text.replace('not wrong words', 'not wrong')))).toEqual([]);
  });

  test('imports', () => {
    expect(leftInEnglish(Object.values(faultTexts))).toEqual([]);
  });

  const scored: Scored = {
    ...{ candidate: candidateOf(1), measured: measuredOf(), score: 0.5, boosted: false, circuit: 'closed' },
    ...{ overSoftLimit: false, dropped: null },
  };

  test('excluded providers', () => {
    const dropped = Object.keys(reasonTexts) as (keyof typeof reasonTexts)[];
    const texts = dropped.flatMap((first) =>
      dropped.map(
        (other) =>
          noneEligible(
            'a/b',
            [first, other].map((one) => ({ ...scored, dropped: one })),
          ).message,
      ),
    );
    expect(leftInEnglish(texts)).toEqual([]);
  });

  test('routing decisions', () => {
    const hows = [
      'drawn',
      'only_one',
      'round_robin',
      'order',
      'sort',
      'tiers',
      'probe',
      'own_key',
      'affinity',
    ] as const;
    const causes = [
      ...(['connection', 'timeout', 'server_error', 'malformed', 'truncated', 'rate_limited', 'refused'] as const),
      ...(['unauthorized', 'client_left', 'shortage', 'stopping'] as const),
    ];
    const texts = hows.flatMap((how) =>
      causes.flatMap((cause) =>
        [undefined, 503].map((status) => {
          const failed = { candidate: candidateOf(1), outcome: 'failure' as const, cause, latencyMs: 1 };
          return explain({
            ...{
              choice: {
                scored: [scored],
                picked: scored.candidate,
                reason: { how, among: 3, chance: 0.5 },
                strategy: 'balanced',
              },
            },
            ...{
              attempts: [
                { ...failed, ...(status && { status }) },
                { ...failed, outcome: 'success' },
              ],
            },
            ...{ skipped: [candidateOf(2)], insteadOf: 'c/d', sort: 'price' },
          } as unknown as Parameters<typeof explain>[0]);
        }),
      ),
    );
    expect(leftInEnglish(texts, reasonWords)).toEqual([]);
    expect(texts.map(reasonWords).filter((text) => /[a-z]{3,}/.test(text))).toEqual([]);
  });
});

describe('translated words inside a sentence', () => {
  const hanApart = /\p{Script=Han} +\p{Script=Han}/u;
  beforeEach(() => speak({ pages: {}, service }));
  afterEach(() => speak({ pages: {}, service: {} }));

  /** What the service may say at a place: all that has a translation for it, or as a sentence within a sentence. */
  const wordsFor = (name: string): string[] =>
    /^(?:fault|more)/.test(name)
      ? ['must be a number', 'must be a string']
      : entries.flatMap(([english]) => (english.endsWith(`##${name}`) ? [english.slice(0, -name.length - 2)] : []));
  const cases = entries.flatMap(([english, translation]) =>
    [...new Set(namesIn(english))].flatMap((name) =>
      wordsFor(name).map((word) => [english.replaceAll(`{${name}}`, word), translation] as const),
    ),
  );

  test('the cases are not empty, and the known sentence has no extra space', () => {
    expect(cases.length).toBeGreaterThan(20);
    expect(serverText('The body is required.')).toBe('缺少请求正文。');
  });

  test('have no spaces between Chinese characters; names and numbers keep theirs', () => {
    const apart = cases
      .filter(([, translation]) => !hanApart.test(translation))
      .map(([english]) => serverText(english));
    expect(apart.filter((text) => hanApart.test(text))).toEqual([]);
    expect(serverText('temperature is required.')).toBe('缺少 temperature。');
  });
});
