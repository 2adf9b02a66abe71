import { expect, test } from 'bun:test';
import { addChallengeParameter } from './challenge-parameter.ts';

const where = 'resource_metadata="https://svc.example/x"';

test.each([
  [null, `Bearer ${where}`],
  ['Bearer', `Bearer ${where}`],
  ['Bearer realm="svc"', `Bearer realm="svc", ${where}`],
  ['Basic realm="svc"', `Basic realm="svc", Bearer ${where}`],
  ['Bearer resource_metadata="https://svc.example/y"', 'Bearer resource_metadata="https://svc.example/y"'],
])('%p becomes %p', (before, after) => {
  const answer = new Response(null, { status: 401, headers: before === null ? {} : { 'www-authenticate': before } });
  addChallengeParameter(answer, where);
  expect(answer.headers.get('www-authenticate')).toBe(after);
  addChallengeParameter(answer, null);
  expect(answer.headers.get('www-authenticate')).toBe(after);
});
