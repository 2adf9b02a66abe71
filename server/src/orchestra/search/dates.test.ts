import { describe, expect, test } from 'bun:test';
import { datesIn, isOn } from './dates.ts';
import { rank } from './rank.ts';

describe('dates in a question', () => {
  test.each([
    ['What did she paint on 8 May, 2023?', 2023, 5, 8],
    ['What did she paint on May 8th, 2023?', 2023, 5, 8],
    ['What was said in October 2022?', 2022, 10, null],
    ['Who came on the 3rd of June?', null, 6, 3],
    ['What broke on 2024-02-09?', 2024, 2, 9],
    ['Was haben wir am 3. März 2024 beschlossen?', 2024, 3, 3],
    ['Qu’avons-nous décidé le 14 juillet 2023 ?', 2023, 7, 14],
    ['¿Qué pasó el 2 de enero de 2024?', 2024, 1, 2],
    ['Что было 5 мая 2023?', 2023, 5, 5],
    ['2023年5月8日に何をしましたか', 2023, 5, 8],
    ['5月8日我们决定了什么？', null, 5, 8],
    ['12月25号谁来了？', null, 12, 25],
    ['2023년 5월 8일에 무엇을 결정했나요?', 2023, 5, 8],
    ['2022년 10월에 뭐라고 했지?', 2022, 10, null],
    ['5월 8일에 누가 왔지?', null, 5, 8],
  ])('%s', (text, year, month, day) => expect(datesIn(text)).toEqual([{ year, month, day }]));

  test.each([
    'May I march in 3 protests?',
    'It may take 5 days.',
    'Port 2023, error 5-31, version 20230508',
    'on 2023-13-40',
    '我等了5个月8天',
    '2023年13月40日',
    'What is it?',
  ])('none in: %s', (text) => expect(datesIn(text)).toEqual([]));

  test('a text full of dates is read quickly and gives only a few', () => {
    expect(datesIn('2023-05-08 12:00 started\n'.repeat(50_000)).length).toBeLessThan(10);
  });
});

test('a day covers all time zones', () => {
  const date = { year: 2023, month: 5, day: 8 };
  expect(isOn(Date.UTC(2023, 4, 7, 11), date)).toBe(true);
  expect(isOn(Date.UTC(2023, 4, 9, 11), date)).toBe(true);
  expect(isOn(Date.UTC(2023, 4, 6, 23), date)).toBe(false);
  expect(isOn(Date.UTC(2023, 4, 9, 13), date)).toBe(false);
  expect(isOn(Date.UTC(2023, 11, 31, 23), { year: null, month: 1, day: 1 })).toBe(true);
  expect(isOn(Date.UTC(2024, 4, 8), { ...date, year: null, day: null })).toBe(true);
});

test('messages of the requested day rank before those of another', async () => {
  const said = (text: string, month: number) => ({ text, vector: null, saidAtMs: Date.UTC(2023, month - 1, 8) });
  const candidates = [said('The harbour was full of boats', 5), said('The harbour was full of boats again', 6)];
  const first = async (text: string) => (await rank({ text, vector: null }, candidates))[0]!.saidAtMs;
  expect(await first('Who was in the harbour in May 2023?')).toBe(Date.UTC(2023, 4, 8));
  expect(await first('Who was in the harbour on June 8, 2023?')).toBe(Date.UTC(2023, 5, 8));
});

test('a matching day alone is not relevant', async () => {
  const candidates = [{ text: 'Tea is ready', vector: null, saidAtMs: Date.UTC(2023, 4, 8) }];
  const [tea] = await rank({ text: 'Which boats came on 8 May 2023?', vector: null }, candidates);
  expect(tea!.relevance).toBe(0);
});
