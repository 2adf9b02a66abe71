import { describe, expect, test } from 'bun:test';
import { bm25 } from './bm25.ts';
import { queryTerms } from './query-terms.ts';
import { applyRerank, dropBelow, rank } from './rank.ts';
import { indexTerms, isLetter, isStatement, stem, terms } from './terms.ts';
import { dot, fromBlob, toBlob, toUnit } from './vectors.ts';

describe('terms', () => {
  test('normalise case, accents and endings, and drop stop words', () => {
    expect(terms('The Cafés are caching the CITIES’ queries')).toEqual(terms('cafe cached city query'));
    expect(terms('what is it')).toEqual([]);
    expect(terms('What other kinds of pets did she get after that one?')).toEqual(terms('pets'));
  });
  test.each([
    ['running', 'runs'],
    ['cities', 'city'],
    ['boxes', 'box'],
    ['planned', 'plan'],
    ['quickly', 'quick'],
    ['deployed', 'deploys'],
  ])('%s and %s match', (a, b) => expect(stem(a)).toBe(stem(b)));
  test('leave numbers, short words and words ending in ss unchanged', () => {
    expect(['s3', 'bus', 'class', 'v2s'].map(stem)).toEqual(['s3', 'bus', 'class', 'v2s']);
  });
  test('plain text gives the same terms with and without accented text around it', () => {
    const text = "Don't the 2nd server's CACHES, e-mails and x_y re-run (v2.1) it's o'clock's?";
    expect(terms(`${text} é`)).toEqual([...terms(text), 'e']);
  });
  test('scripts without spaces are indexed by letter pairs', () => {
    expect(terms('東京都')).toEqual(['東京', '京都']);
    expect(terms('サーバー')).toEqual(['サー', 'ーハ', 'ハー']);
  });
  test.each([
    ['使用Docker部署', ['使用', 'docker', '部署']],
    ['iPhone手机', ['iphon', '手机']],
    ['don’t使用l’été東京', ['don', '使用', 'l', '東京']],
    ['2024年', ['2024', '年']],
    ['GitLab으로 배포', ['gitlab', '으로', '배포']],
    ['항구에는', ['항구에는', '항구', '구에', '에는']],
  ])('words of other scripts are separate: %s', (text, found) => expect(terms(text)).toEqual(found));
  test.each([
    ['小红对什么过敏？', ['小红', '红对', '过敏']],
    ['項目截止日期是什麼時候？', ['項目', '目截', '截止', '止日', '日期']],
    ['我们公司的目的是什么', ['公司', '目的']],
    ['車はどこに停めましたか？', ['車', '停め', 'めま']],
    ['รหัสไวไฟคืออะไร', queryTerms('รหัสไวไฟ')],
    ['what is 什么', ['什么']],
    ['berth 什么', ['berth']],
  ])('what only makes a text a question is not searched for: %s', (text, found) =>
    expect(queryTerms(text)).toEqual(found),
  );
  test('a single letter of such a script is found too', () => {
    expect(indexTerms('绿茶，茶 tea')).toEqual(['绿茶', '绿', '茶', '茶', 'tea']);
    expect(['茶', '绿茶', 't', '年'].filter(isLetter)).toEqual(['茶', '年']);
  });
  test.each([
    ['I am vegan.', true],
    ['My name is Zoë', true],
    ['我吃素', true],
    ['저는 채식주의자입니다', true],
    ['저는 베를린에 살아요', true],
    ['감사합니다', false],
    ['deploy staging now', true],
    ['ok', false],
    ['Thanks!', false],
    ['yes please', false],
    ['What is it?', false],
    ['好的', false],
    ['', false],
  ])('%s is worth finding: %p', (text, is) => expect(isStatement(text)).toBe(is));
});

describe('bm25', () => {
  const document = (text: string, before = '') => ({
    terms: terms(text),
    lent: [{ terms: terms(before), weight: 0.2 }],
  });
  test('a rare word outweighs a common one, and surrounding words count less than own words', () => {
    const scores = bm25(terms('postgres port'), [
      document('the port is open'),
      document('a port of call'),
      document('any port in a storm'),
      document('postgres listens'),
      document('it listens', 'postgres'),
      document('nothing here'),
    ]);
    expect(scores[3]!.bm25).toBeGreaterThan(scores[0]!.bm25);
    expect(scores[4]!.bm25).toBeGreaterThan(0);
    expect(scores[4]!.bm25).toBeLessThan(scores[3]!.bm25);
    expect(scores[5]).toEqual({ bm25: 0, coverage: 0, standsOut: 0 });
  });
  test('covering the whole query is a coverage of one', () => {
    const [all] = bm25(terms('red car'), [document('a red car'), document('a red door')]);
    expect(all!.coverage).toBeCloseTo(1);
  });
  test('uses the corpus rarity if it is known', () => {
    const documents = [document('common'), document('rare'), document('rare too')];
    const corpus = {
      documents: 1000,
      holders: new Map([
        ['common', 900],
        ['rare', 2],
      ]),
    };
    const [common, rare] = bm25(terms('common rare'), documents, corpus);
    expect(rare!.bm25).toBeGreaterThan(common!.bm25 * 5);
    const [alone, twice] = bm25(terms('common rare'), documents);
    expect(alone!.bm25).toBeGreaterThan(twice!.bm25);
  });
  test('handles no candidates and no words', () => {
    expect(bm25([], [document('x')])).toEqual([{ bm25: 0, coverage: 0, standsOut: 0 }]);
    expect(bm25(['x'], [])).toEqual([]);
  });
});

test('vectors keep length one through storage', () => {
  const back = fromBlob(toBlob([3, 4]));
  expect([...back].map((value) => Number(value.toFixed(6)))).toEqual([0.6, 0.8]);
  expect(dot(toUnit([1, 0]), toUnit([1, 0, 0]))).toBe(0);
  expect([...toUnit([0, 0])]).toEqual([0, 0]);
});

describe('rank', () => {
  const vector = (x: number, y: number) => toUnit([x, y]);
  test('adds words and meaning', async () => {
    const ranked = await rank({ text: 'database port', vector: vector(1, 0) }, [
      { text: 'the port of the database is 5432', vector: vector(1, 0.1) },
      { text: 'database', vector: vector(0, 1) },
      { text: 'unrelated', vector: vector(0, 1) },
    ]);
    expect(ranked.map(({ text }) => text.slice(0, 8))).toEqual(['the port', 'database', 'unrelate']);
    expect(ranked[0]!.score).toBeCloseTo(1);
  });
  test('ranks the same meaning before a shared word, and does not inflate the best of poor matches', async () => {
    const ranked = await rank({ text: 'automobile insurance price', vector: vector(1, 0) }, [
      { text: 'the price of tea', vector: vector(0, 1) },
      { text: 'what the car cover costs', vector: vector(1, 0.1) },
    ]);
    expect(ranked.map(({ text }) => text.slice(0, 8))).toEqual(['what the', 'the pric']);
    expect(ranked[1]!.score).toBeLessThan(0.5);
  });
  test('works with words alone and with meaning alone', async () => {
    const alone = await rank({ text: 'port', vector: null }, [
      { text: 'harbour', vector: null },
      { text: 'port', vector: null },
    ]);
    expect(alone.map(({ text }) => text)).toEqual(['port', 'harbour']);
    const meant = await rank({ text: 'zzz', vector: vector(0, 1) }, [
      { text: 'a', vector: vector(1, 0) },
      { text: 'b', vector: vector(0, 1) },
    ]);
    expect(meant[0]).toMatchObject({ text: 'b', relevance: 1 });
  });
  test('does not rank chance similarity before words that are rare in the corpus', async () => {
    const corpus = { documents: 2000, holders: new Map([['walru', 3]]) };
    const candidates = [
      { text: 'tea', vector: vector(0.3, 1) },
      { text: 'walrus', vector: vector(0, 1) },
    ];
    const order = async (noise: { mean: number; deviation: number } | null) => {
      const ranked = await rank({ text: 'walrus', vector: vector(1, 0) }, candidates, { corpus, noise });
      return ranked.map(({ text }) => text);
    };
    expect(await order({ mean: 0, deviation: 0.2 })).toEqual(['walrus', 'tea']);
    expect(await order({ mean: 0, deviation: 0.02 })).toEqual(['tea', 'walrus']);
  });
  test('cuts the best result if nothing is relevant', async () => {
    const ranked = await rank({ text: 'port', vector: vector(1, 0) }, [{ text: 'tea', vector: vector(0.1, 1) }]);
    expect(ranked[0]!.score).toBeGreaterThan(0);
    expect(dropBelow(ranked, 0.5)).toEqual([]);
    expect(dropBelow(ranked, 0)).toHaveLength(1);
  });
  test('what else was found does not make a text less relevant', async () => {
    const said = (i: number) => ({ text: `remark number${i}`, vector: vector(0, 1) });
    const berth = { text: 'Berth seven belongs to Solveig', vector: vector(0, 1) };
    const around = { before: [], after: [berth] };
    const corpus = { documents: 20, holders: new Map([...terms(berth.text).map((term) => [term, 1] as const)]) };
    const query = { text: 'Wem gehört berth seven?', vector: vector(1, 0) };
    const relevant = async (others: Parameters<typeof rank>[1]) =>
      (await rank(query, [berth, ...others], { corpus, noise: null })).find(({ text }) => text === berth.text)!
        .relevance;
    const [alone] = [await relevant([])];
    expect(await relevant([1, 2, 3].map((i) => ({ ...said(i), around })))).toBe(alone!);
  });
  test('a reranker decides the order but cannot add results', async () => {
    const ranked = await rank({ text: 'a b', vector: null }, [
      { text: 'a', vector: null },
      { text: 'b', vector: null },
    ]);
    const scores = [
      { index: 0, relevance_score: 0.2 },
      { index: 1, relevance_score: 0.9 },
      { index: 7, relevance_score: 1 },
      { index: 0, relevance_score: Number.NaN },
    ];
    expect(applyRerank(ranked, scores).map(({ relevance }) => relevance)).toEqual([0.9, 0.2]);
  });
});
