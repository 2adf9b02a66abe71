import { expect, test } from 'bun:test';
import { Hearing } from './hearing.ts';

function heard(seconds: number): Hearing {
  const hearing = new Hearing();
  hearing.sent(seconds);
  return hearing;
}

test('what is transcribed is over, and what follows is not, however much the upstream counts', () => {
  const hearing = heard(100);
  hearing.transcribed('a', 40);
  expect(hearing.seconds).toBe(60);
  hearing.transcribed('b', 1_000);
  expect(hearing.seconds).toBe(0);
  hearing.sent(50);
  expect(hearing.seconds).toBe(50);
  hearing.stopped('c', 1_000);
  hearing.transcribed('c', 1);
  hearing.sent(30);
  expect(hearing.seconds).toBe(30);
});

test('utterances are over one by one, in any order, with the silence before them', () => {
  const hearing = heard(300);
  hearing.stopped('a', 200);
  hearing.stopped('b', 260);
  hearing.stopped('b', 260);
  hearing.transcribed('b', 5);
  expect(hearing.seconds).toBe(240);
  hearing.transcribed('a', 5);
  expect(hearing.seconds).toBe(40);
});
