import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Stage, scriptedModels, stage } from '../scripted.fixture.ts';
import { engines } from '../store/db.fixture.ts';
import { openRouter } from './router.fixture.ts';

const long = Array.from({ length: 1200 }, (_, i) => `filler${i}`).join(' ');

/** About as many different pairs of letters as a real text of this length has. */
const chinese = Array.from({ length: 9_990 }, (_, i) => String.fromCodePoint(0x4e00 + (i % 79), 0x5e00 + (i % 73)));
const manyKeywords = Array.from({ length: 50 }, (_, i) => `keyword${i}`.padEnd(64, 'x'));

const entries = {
  docker: { content: '我们使用Docker部署服务。' },
  phone: { content: '买了3个苹果和一台iPhone15手机' },
  tea: { content: '我喜欢喝绿茶，每天早上。' },
  tokyo: { content: '東京のカフェでWi-Fiを使う' },
  thai: { content: 'ใช้GitHubทุกวัน' },
  berths: { content: '항구에는 열두 개의 정박지가 있다.' },
  gitlab: { content: '우리는 GitLab으로 배포합니다.' },
  greenTea: { content: '저는 매일 차를 마셔요.' },
  lao: { content: 'ທ່າເຮືອມີສິບສອງບ່ອນຈອດ' },
  khmer: { content: 'កំពង់ផែមានកន្លែងចតដប់ពីរ' },
  burmese: { content: 'ဆိပ်ကမ်းတွင်ဆိပ်ခံတံတားဆယ့်နှစ်ခုရှိသည်' },
  end: { content: `${long} quetzalcoatl` },
  keyword: { content: long, keywords: ['zebrafish'] },
  longest: { content: `${'lorem ipsum dolor '.repeat(1100)}`.trim(), keywords: ['axolotl'] },
  chinese: { content: `${chinese.join('')}青岛啤酒` },
  fullest: { content: `${'dolor sit amet '.repeat(1332)} ocelot`, keywords: manyKeywords },
  sentence: { content: 'The harbour has twelve berths.' },
};

/** Without an embedding model, entries are found by words alone. */
describe.each(await engines())('%s', (_, open) => {
  let s: Stage;
  let router: ReturnType<typeof openRouter>;

  beforeAll(async () => {
    s = await stage(() => 'never asked', { models: () => scriptedModels.filter(({ type }) => type === 'chat') }, open);
    router = openRouter(s.deps);
    for (const [category, entry] of Object.entries(entries)) {
      const made = await router.call('POST', '/knowledge', { category, title: '-', ...entry });
      expect(made.status).toBe(201);
    }
  });
  afterAll(async () => {
    await router.close();
    await s.close();
  });

  test.each([
    ['docker', 'Docker'],
    ['docker', 'docker 部署'],
    ['docker', '部署'],
    ['phone', 'iphone15'],
    ['phone', '苹果'],
    ['phone', '手机'],
    ['tea', '绿茶'],
    ['tea', '茶'],
    ['tea', '喝'],
    ['tokyo', 'カフェ'],
    ['tokyo', 'wi-fi'],
    ['thai', 'github'],
    ['berths', '항구'],
    ['berths', '항구 정박지'],
    ['gitlab', 'gitlab'],
    ['gitlab', 'GitLab에서 배포'],
    ['greenTea', '차'],
    ['lao', 'ທ່າເຮືອ'],
    ['khmer', 'កំពង់ផែ'],
    ['burmese', 'ဆိပ်ကမ်း'],
    ['end', 'quetzalcoatl'],
    ['keyword', 'zebrafish'],
    ['longest', 'axolotl'],
    ['chinese', '啤酒'],
    ['chinese', '岛'],
    ['fullest', 'ocelot'],
    ['sentence', 'berth'],
    [null, '水'],
    [null, '자동차 보험'],
    [null, 'Kubernetes'],
  ] as const)('finds %s by %s', async (name, q) => {
    const { body } = await router.call('GET', `/knowledge?q=${encodeURIComponent(q)}`);
    expect(body.data.map(({ category }: { category: string }) => category)).toEqual(name === null ? [] : [name]);
  });
});
