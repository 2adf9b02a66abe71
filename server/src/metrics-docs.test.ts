import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestApp, type TestApp } from './app.fixture.ts';

const fromRoot = (path: string): string => readFileSync(join(import.meta.dir, '../..', path), 'utf8');
const documented = new Map(
  [...fromRoot('docs/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map((row) => [row[1]!, row[2]!]),
);
/** Only a process that listens has them; the app without a port has everything else. */
const ofTheServer = ['svc_pending_requests', 'svc_database_damaged'];

let service: TestApp;
let text: string;

beforeAll(async () => {
  // Nobody listens there: the counters of lost spans are metrics too.
  service = await openTestApp({ env: { DEMO_PROVIDER: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } });
  const member = await service.user();
  const answer = await service.call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${await member.key()}` },
    body: { model: 'demo/chat', stream: true, messages: [{ role: 'user', content: 'hi' }] },
  });
  await answer.text();
  text = await (await service.call('/metrics')).text();
});
afterAll(() => service.close());

test('docs/metrics.md lists exactly the metrics of the service', () => {
  const answered = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map((line) => [line[1]!, line[2]!]));
  for (const name of ofTheServer) answered.set(name, 'gauge');
  // Linux alone has it.
  answered.set('process_open_fds', 'gauge');
  expect([...documented].sort()).toEqual([...answered].sort());
});

test('a streamed answer is counted: calls, tokens, time to the first token', () => {
  expect(text).toMatch(/svc_upstream_calls_total\{provider="\w+",outcome="success"\} 1/);
  expect(text).toMatch(/svc_tokens_total\{provider="\w+",direction="completion"\} [1-9]/);
  expect(text).toMatch(/svc_upstream_first_token_seconds_count\{provider="\w+"\} 1/);
  expect(text).toMatch(/svc_circuits\{state="closed"\} [1-9]/);
  expect(text).toContain('svc_open_holds 0');
});

test('every route has counts from the start, and buckets once it was asked', () => {
  const routesOf = (part: string) =>
    new Set(
      [...text.matchAll(new RegExp(`^svc_http_request_seconds_${part}\\{route="([^"]+)"`, 'gm'))].map(
        ([, route]) => route,
      ),
    );
  const [counted, inBuckets] = [routesOf('count'), routesOf('bucket')];
  expect(counted.size).toBeGreaterThan(300);
  expect(inBuckets).toContain('POST /v1/chat/completions');
  expect(inBuckets).not.toContain('DELETE /api/tokens/{id}');
  expect(counted).toContain('DELETE /api/tokens/{id}');
  expect(inBuckets.size).toBeLessThan(10);
});

test('the dashboard uses metrics that exist', () => {
  const dashboard = JSON.parse(fromRoot('deploy/grafana-dashboard.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const expressions = dashboard.panels.flatMap((panel) => panel.targets.map((target) => target.expr));
  expect(expressions.length).toBeGreaterThan(10);
  for (const expression of expressions)
    for (const [name] of expression.matchAll(/\b(svc|process)_\w+/g)) {
      const family = name.replace(/_(bucket|count|sum)$/, '');
      const type = documented.get(name) ?? documented.get(family);
      expect({ name, type: type ?? 'unknown' }).not.toEqual({ name, type: 'unknown' });
      if (name !== family && !documented.has(name)) expect(type).toBe('histogram');
    }
});
