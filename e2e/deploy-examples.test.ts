/** What is shipped for operators to start from is safe as it stands. */
import { expect, test } from 'bun:test';
import { YAML } from 'bun';
import { readConfig } from '../server/src/config.ts';
import { clientIp, parseBlock } from '../server/src/platform/http/client-ip.ts';
import runtimeEnvironment from '../server/src/runtime-environment.json' with { type: 'json' };
import { maxRequestBodySize } from '../server/src/serve.ts';

const read = (path: string): Promise<string> => Bun.file(new URL(`../${path}`, import.meta.url)).text();

interface Compose {
  services: Record<
    string,
    {
      environment?: Record<string, string>;
      ports?: string[];
      networks?: Record<string, { ipv4_address?: string }>;
      command?: string[];
      stop_grace_period?: string;
    }
  >;
}

test('compose trusts only its own proxy, and publishes ports on loopback only', async () => {
  const { services } = YAML.parse(await read('compose.yaml')) as Compose;
  const proxy = services.nginx!.networks!.default!.ipv4_address!;
  for (const name of ['svc-1', 'svc-2']) {
    const { environment, ports } = services[name]!;
    expect(environment!.TRUSTED_PROXIES).toBe(proxy);
    expect(environment).not.toHaveProperty('ALLOW_PRIVATE_WEBHOOKS');
    expect(ports).toBeUndefined();
  }
  for (const { ports } of Object.values(services))
    for (const port of ports ?? []) expect(port).toMatch(/^(\$\{\w+:-)?127\.0\.0\.1\}?:/);
  // A caller from a private network, the host's own gateway for instance, and what it says of itself.
  const trusted = [parseBlock(proxy)!];
  for (const caller of ['172.18.0.1', '10.1.2.3', '192.168.1.7', '203.0.113.9'])
    expect(clientIp(proxy, `198.51.100.1, ${caller}`, trusted)).toBe(caller);
});

test('nginx sets X-Forwarded-For itself and ignores the caller’s', async () => {
  const lines = (await read('deploy/nginx.conf')).split('\n').filter((line) => /X-Forwarded-For/.test(line));
  expect(lines.map((line) => line.trim())).toEqual(['proxy_set_header X-Forwarded-For $remote_addr;']);
});

test('proxies let through whatever the service accepts, as do the words about them', async () => {
  const mebibytes = maxRequestBodySize / 1024 / 1024;
  for (const file of ['deploy/nginx.conf', 'deploy/kubernetes.yaml', 'docs/guides/operator.md']) {
    const limits = [...(await read(file)).matchAll(/(?:client_max_body_size|proxy-body-size:) (\d+)m/g)];
    expect([file, ...limits.map(([, limit]) => Number(limit))]).toEqual([file, mebibytes]);
  }
});

test('the Kubernetes example trusts no network', async () => {
  const blocks = (await read('deploy/kubernetes.yaml')).split(/^---$/m).map((text) => YAML.parse(text));
  const { data } = blocks.find((block) => (block as { kind: string }).kind === 'ConfigMap') as {
    data: Record<string, string>;
  };
  expect(data.TRUSTED_PROXIES ?? '').toBe('');
});

/** The last answers get so long after the drain. */
const lastSeconds = 5;
/** For people and backups, beside what the service needs. */
const spareConnections = 10;

test('the systemd unit has time to drain, its own folder and enough connections', async () => {
  const unit = await read('deploy/svc.service');
  const set = Object.fromEntries([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));
  expect(Number(set.TimeoutStopSec)).toBeGreaterThanOrEqual(readConfig({}).drainMs / 1000 + lastSeconds);
  expect(set.Environment).toContain(`DATA_DIR=/var/lib/${set.StateDirectory} `);
  for (const [name, value] of Object.entries(runtimeEnvironment)) expect(set.Environment).toContain(`${name}=${value}`);
});

test('the image has the settings of the runtime, so that its process is not replaced at every start', async () => {
  const image = await read('Dockerfile');
  for (const [name, value] of Object.entries(runtimeEnvironment)) expect(image).toContain(` ${name}=${value}`);
});

test('compose has enough database connections for all processes, and time for each to drain', async () => {
  const { services } = YAML.parse(await read('compose.yaml')) as Compose;
  const instances = Object.entries(services).filter(([name]) => name.startsWith('svc-'));
  expect(instances.length).toBeGreaterThan(1);
  const { WORKERS, DATABASE_POOL, DRAIN_SECONDS } = instances[0]![1].environment!;
  const ofOne = Number(WORKERS) * Number(DATABASE_POOL);
  const most = Number(/max_connections=(\d+)/.exec(services.postgres!.command!.join(' '))![1]);
  expect(most).toBeGreaterThanOrEqual((instances.length + 1) * ofOne + spareConnections);
  const proxy = await read('deploy/nginx.conf');
  for (const [name, { stop_grace_period }] of instances) {
    expect(Number.parseInt(stop_grace_period!, 10)).toBeGreaterThanOrEqual(Number(DRAIN_SECONDS) + lastSeconds);
    expect(proxy).toContain(`server ${name}:3000 resolve max_fails=1`);
  }
});

test('the Kubernetes example states its database connections and gives pods time to drain', async () => {
  const text = await read('deploy/kubernetes.yaml');
  // biome-ignore lint/suspicious/noExplicitAny: documents of different kinds, read field by field
  const blocks = text.split(/^---$/m).map((part) => YAML.parse(part) as any);
  const of = (kind: string) => blocks.find((block) => block.kind === kind);
  const { WORKERS, DATABASE_POOL, DRAIN_SECONDS } = of('ConfigMap').data;
  const { replicas, template, strategy } = of('Deployment').spec;
  const needed = (replicas + strategy.rollingUpdate.maxSurge) * WORKERS * DATABASE_POOL + spareConnections;
  expect(text).toContain(`: ${needed} as it stands`);
  expect(of('PodDisruptionBudget').spec.minAvailable).toBeLessThan(replicas);
  const [{ lifecycle, readinessProbe }] = template.spec.containers;
  const ending = lifecycle.preStop.sleep.seconds + Number(DRAIN_SECONDS) + lastSeconds;
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(ending);
  expect(readinessProbe.httpGet.path).toBe('/readyz');
});
