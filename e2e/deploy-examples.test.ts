/** What is shipped for operators to start from is safe as it stands. */
import { expect, test } from 'bun:test';
import { YAML } from 'bun';
import { clientIp, parseBlock } from '../server/src/platform/http/client-ip.ts';

const read = (path: string): Promise<string> => Bun.file(new URL(`../${path}`, import.meta.url)).text();

interface Compose {
  services: Record<
    string,
    { environment?: Record<string, string>; ports?: string[]; networks?: Record<string, { ipv4_address?: string }> }
  >;
}

test('compose trusts its own proxy and nobody else, and is published on loopback', async () => {
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

test('the proxy says who it was called by, not what the caller says', async () => {
  const lines = (await read('deploy/nginx.conf')).split('\n').filter((line) => /X-Forwarded-For/.test(line));
  expect(lines.map((line) => line.trim())).toEqual(['proxy_set_header X-Forwarded-For $remote_addr;']);
});

test('the example for Kubernetes trusts no network', async () => {
  const blocks = (await read('deploy/kubernetes.yaml')).split(/^---$/m).map((text) => YAML.parse(text));
  const { data } = blocks.find((block) => (block as { kind: string }).kind === 'ConfigMap') as {
    data: Record<string, string>;
  };
  expect(data.TRUSTED_PROXIES ?? '').toBe('');
});
