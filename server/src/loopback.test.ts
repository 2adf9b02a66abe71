import { expect, test } from 'bun:test';
import { readConfig } from './config.ts';
import { vendorOf } from './lib/vendors/find-vendor.ts';
import { redirectUriFault, redirectUriMatches } from './oauth/redirect-uri.ts';
import { isLoopbackAddress } from './platform/http/client-ip.ts';

/** Hosts that begin or end like the machine's own name, and belong to anybody. */
const lookalikes = [
  ...['127.0.0.1.example.com', 'localhost.example.com', 'localhost.', 'localhost-x', 'xlocalhost'],
  ...[
    '127.example.com',
    '127.0.0.1x',
    '1270.0.0.1',
    'localhost%2eexample.com',
    '[::1].example.com',
    '[::2]',
    '[::1:1]',
  ],
  ...['127.0.0.1@example.com', 'localhost:80@example.com', '127.0.0.1\\.example.com', 'localhosts', '0x7f.1.example'],
];

test.each(lookalikes)('%s is not this machine', (host) => {
  const uri = `http://${host}/callback`;
  expect(redirectUriFault(uri)).not.toBeNull();
  expect(
    redirectUriMatches(['http://127.0.0.1/callback', 'http://localhost/callback', 'http://[::1]/callback'], uri),
  ).toBe(false);
  expect(isLoopbackAddress(host)).toBe(false);
});

test('loopback addresses are this machine, with any port', () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    for (const port of ['', ':80', ':65535']) {
      expect(redirectUriFault(`http://${host}${port}/callback`)).toBeNull();
      expect(redirectUriMatches([`http://${host}/callback`], `http://${host}${port}/callback`)).toBe(true);
    }
  }
  for (const address of ['127.0.0.1', '127.255.255.254', '::1', '[::1]', '::ffff:127.0.0.1', '::ffff:7f00:1'])
    expect(isLoopbackAddress(address)).toBe(true);
  for (const address of ['128.0.0.1', '0.0.0.0', '::', '::2', '::ffff:128.0.0.1', 'localhost', '', '127.0.0'])
    expect(isLoopbackAddress(address)).toBe(false);
});

test('a vendor is recognised by its own hosts, not by names that contain them', () => {
  const own: [string, string][] = [
    ['https://api.openai.com/v1', 'openai'],
    ['https://eu.api.openai.com/v1', 'openai'],
    ['https://mine.openai.azure.com/openai', 'azure'],
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://api.together.ai/v1', 'together'],
    ['https://api.moonshot.cn/v1', 'moonshot'],
  ];
  for (const [url, id] of own) expect(vendorOf(undefined, url).id).toBe(id);
  const others = [
    'api.openai.com.example',
    'xapi.openai.com',
    'my-openrouter.ai',
    'api.together.example',
    'example.com/api.openai.com',
  ];
  for (const host of others) expect(vendorOf(undefined, `https://${host}/v1`).id).toBe('compatible');
});

test('https is recognised in any spelling', () => {
  expect(readConfig({ BASE_URL: 'HTTPS://Svc.Example.com/' }).baseUrl).toBe('https://svc.example.com');
  expect(readConfig({ BASE_URL: 'https://svc.example.com/below/' }).baseUrl).toBe('https://svc.example.com/below');
});
