import { afterEach, describe, expect, test } from 'bun:test';
import { describeEvent } from '../../../../server/src/orchestra/autonomous/timeline-events.ts';
import { speak } from '../../language/words.ts';
import { failureWords, translateServerText } from './server-words.ts';

const detail = (event: string, data: object): string =>
  describeEvent({ seq: 1, event, data: JSON.stringify(data), created_at: 1 }, new Map()).detail!;

const sentences = [
  detail('execution_started', { plan: { tasks: [1, 2] } }),
  detail('model_failover', { from: 'a/b', to: 'c/d', why: 'rate_limit_exceeded' }),
  detail('task_evaluated', { task_id: 'a', score: 0.5, feedback: 'Two\nlines' }),
  detail('progress_update', { goal_confidence: 0.7, iteration: 2 }),
  detail('execution_completed', { goal_confidence: 0.9 }),
  'More is wanted. (2 added, 1 to redo, 1 dropped)',
  '(1 dropped)',
  'calling a/b',
  '120 characters so far',
  '"A "quoted" title" failed: no result',
  '"A" could not be redone: the model refused',
  '"A" scored 0.4: Still missing: b',
  '"A" scored 0.4',
  'Missing: c',
  'An earlier attempt failed: the answer was empty.',
  'What a model wrote.',
];

describe('texts of the service about a run', () => {
  afterEach(() => speak({ pages: {}, service: {} }));

  test('stay unchanged in English', () => {
    expect(sentences.map(translateServerText)).toEqual(sentences);
    // But for one of a kind, which the service does not tell from many.
    expect(translateServerText('1 tasks planned')).toBe('1 task planned');
  });

  test('are translated, including nested parts', () => {
    speak({
      pages: {
        '"{task}" scored {score}: {feedback}': '{task} {score} {feedback}',
        'Still missing: {what}': '还缺 {what}',
        '{description}({parts})': '{description}（{parts}）',
        '{count} dropped': '移除 {count}',
      },
      service: { 'the model refused': '模型拒绝' },
    });
    expect(translateServerText('"A" scored 0.4: Still missing: b')).toBe('A 0.4 还缺 b');
    expect(translateServerText('Why. (1 dropped)')).toBe('Why. （移除 1）');
    expect(translateServerText('the model refused')).toBe('模型拒绝');
  });
});

test('an unknown failure code is shown without underscores', () => {
  expect([failureWords('cut_off'), failureWords('a_new_code')]).toEqual(['cut off', 'a new code']);
});
