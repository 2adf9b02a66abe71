import { expect, test } from 'bun:test';
import { ConfigFaults, readConfig } from './config.ts';

test('an empty environment is a working configuration', () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    baseUrl: 'http://localhost:3000',
    webUrl: 'http://localhost:3000',
    dataDir: './data',
    demoProvider: 'auto',
    drainMs: 30_000,
    allowPrivateAddresses: false,
  });
});

test("private addresses require opting in, whatever the service's own address is", () => {
  const own = [undefined, 'http://localhost:3000', 'http://127.0.0.1:8080', 'http://[::1]', 'https://api.example.com'];
  for (const BASE_URL of own) {
    expect(readConfig({ BASE_URL }).allowPrivateAddresses).toBe(false);
    expect(readConfig({ BASE_URL, ALLOW_PRIVATE_WEBHOOKS: '1' }).allowPrivateAddresses).toBe(true);
  }
});

test('proxies are IP addresses or blocks, and invalid ones are named', () => {
  expect(readConfig({ TRUSTED_PROXIES: '10.0.0.2, 2001:db8::/64' }).trustedProxies).toEqual([
    '10.0.0.2',
    '2001:db8::/64',
  ]);
  for (const wrong of ['10.0.0.0/33', '10.0.0', '999.1.1.1', 'nginx', '::1/129', '1:2:3', '10.0.0.0/8/8', 'dead.beef'])
    expect(() => readConfig({ TRUSTED_PROXIES: `10.0.0.2,${wrong}` })).toThrow(wrong);
});

test('Stripe needs its key and its webhook secret, or neither', () => {
  expect(readConfig({}).stripe).toBeUndefined();
  const both = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
  expect(readConfig(both).stripe).toEqual({ secretKey: 'sk_test_1', webhookSecret: 'whsec_1', apiUrl: undefined });
  for (const name of Object.keys(both) as (keyof typeof both)[])
    expect(() => readConfig({ [name]: both[name] })).toThrow('must be set together');
});

test.each([
  ['[::1]', '::1'],
  ['::1', '::1'],
  ['[::]', '::'],
  ['::', '::'],
  ['0.0.0.0', '0.0.0.0'],
  ['127.0.0.2', '127.0.0.2'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
  ['localhost', 'localhost'],
  ['gate.example.', 'gate.example.'],
  ['svc_1', 'svc_1'],
])('HOST %p listens at %p', (HOST, host) => {
  expect(readConfig({ HOST }).host).toBe(host);
});

test.each([
  '[::1',
  '::1]',
  '300.1.1.1',
  '1.2.3',
  '0',
  ' 127.0.0.1',
  '127.0.0.1:80',
  '[::1]:80',
  'http://x',
  '*',
  'a b',
])('HOST %p is refused', (HOST) => {
  expect(() => readConfig({ HOST })).toThrow('HOST must be an IP address or a host name, without a port');
});

test('addresses follow the port and lose a trailing slash', () => {
  expect(readConfig({ PORT: '8080' }).baseUrl).toBe('http://localhost:8080');
  const config = readConfig({ BASE_URL: 'https://api.example.com/' });
  expect(config.baseUrl).toBe('https://api.example.com');
  expect(config.webUrl).toBe('https://api.example.com');
});

test('a line break at the end, as files have, does not belong to a value', () => {
  const plain = {
    ...{
      PORT: '8080',
      BASE_URL: 'https://svc.example',
      ADMIN_PASSWORD: 'a fine password',
      ENCRYPTION_KEY: 'ab'.repeat(32),
    },
    ...{ METRICS_TOKEN: 'token', OPENAI_API_KEY: 'sk-1', DATABASE_URL: 'postgres://u:p@db/svc', HOST: '::' },
    ...{
      TRUSTED_PROXIES: '10.0.0.2',
      OPENID_CONNECT: 'true',
      LOG_LEVEL: 'warn',
      SMTP_URL: 'smtp://mail',
      MAIL_FROM: 'a@b.c',
    },
  };
  for (const end of ['\n', '\r\n', '\r', '\n\n']) {
    const written = Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, `${value}${end}`]));
    expect(readConfig(written)).toEqual(readConfig(plain));
    expect(readConfig({ METRICS_TOKEN: end, WORKERS: end })).toEqual(readConfig({}));
  }
  expect(readConfig({ ADMIN_PASSWORD: ' with spaces ' }).admin.password).toBe(' with spaces ');
});

test('every fault is reported at once', () => {
  try {
    readConfig({ PORT: 'eighty', BASE_URL: 'ftp://x', DEMO_PROVIDER: 'maybe', WORKERS: '4', S3_BUCKET: 'b' });
    throw new Error('accepted');
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigFaults);
    expect((error as ConfigFaults).faults.map((f) => f.split(' ')[0])).toEqual([
      'PORT',
      'BASE_URL',
      'DEMO_PROVIDER',
      'WORKERS',
      'S3_BUCKET',
    ]);
  }
});

test.each([
  [
    { BASE_URL: 'https://user:secret@svc.example' },
    'BASE_URL must not contain a user name, password, query or fragment',
  ],
  [{ BASE_URL: 'https://svc.example/?tenant=1' }, 'BASE_URL must not contain a user name, password, query or fragment'],
  [{ WEB_URL: 'https://svc.example/#start' }, 'WEB_URL must not contain a user name, password, query or fragment'],
  [{ MAIL_FROM: 'x', SMTP_URL: 'smtp://mail' }, 'MAIL_FROM must be an address, or a name and <address>'],
  [
    { MAIL_FROM: 'svc\r\nBcc: a@b.example', SMTP_URL: 'smtp://mail' },
    'MAIL_FROM must be an address, or a name and <address>',
  ],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent'],
  [{ DEMO_PROVIDER: 'yes' }, 'DEMO_PROVIDER must be one of auto, on, off'],
  [{ OPENID_CONNECT: 'on' }, 'OPENID_CONNECT must be one of 0, 1, true, false'],
  [{ S3_ENDPOINT: 'https://s3.example' }, 'S3_ENDPOINT requires S3_BUCKET'],
  [{ S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }, 'S3_ACCESS_KEY_ID requires S3_BUCKET'],
])('%p is refused in words, once', (environment, fault) => {
  expect(() => readConfig(environment)).toThrow(new ConfigFaults([fault]));
});

test.each(['svc@svc.example', 'Our gateway <svc@svc.example>', 'svc@localhost'])('%s can send mail', (MAIL_FROM) => {
  expect(readConfig({ MAIL_FROM, SMTP_URL: 'smtp://mail' }).mail?.from).toBe(MAIL_FROM);
});

test('provider keys and option defaults are collected by name', () => {
  const config = readConfig({ OPENAI_API_KEY: 'k', GROQ_API_KEY: '', OAUTH2_CODE_TTL: '60' });
  expect(config.providerKeys).toEqual({ OPENAI_API_KEY: 'k' });
  expect(config.optionDefaults).toEqual({ OAuth2CodeTTL: 60 });
  expect(readConfig({ OPENID_CONNECT: '1' }).optionDefaults).toEqual({ OAuth2OpenIDConnect: true });
  expect(readConfig({ OPENID_CONNECT: '' }).optionDefaults).toEqual({});
});

test("collector headers are read in OpenTelemetry's format", () => {
  const read = (text: string) => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: text }).otelHeaders;
  expect(read('Authorization=Basic%20YTpi, x-team=one')).toEqual({ authorization: 'Basic YTpi', 'x-team': 'one' });
  expect(readConfig({}).otelHeaders).toEqual({});
  expect(() => read('no pairs')).toThrow('OTEL_EXPORTER_OTLP_HEADERS');
  expect(() => read('a=%zz')).toThrow('OTEL_EXPORTER_OTLP_HEADERS');
});

test('a proxy or unchecked certificates use fetch, which supports them', () => {
  expect(readConfig({}).fetchOnly).toBe(false);
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'])
    expect(readConfig({ [name]: 'http://proxy.test:3128' }).fetchOnly).toBe(true);
  expect(readConfig({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }).fetchOnly).toBe(true);
});

test('whatever is wrong with a variable is said as what it must be', async () => {
  const source = await Bun.file(new URL('config.ts', import.meta.url)).text();
  const names = [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map((match) => match[1]!);
  const values = [
    'x',
    '-1',
    '1e9',
    '99999999999',
    'x'.repeat(5_000),
    'http://',
    'http://a b',
    '{}',
    '\u0000',
    'ä',
    '🔑 ',
    '%zz',
  ];
  for (const name of [...names, 'OLLAMA_BASE_URL', 'OPENAI_API_KEY'])
    for (const value of values)
      try {
        readConfig({ [name]: value });
      } catch (error) {
        for (const fault of (error as ConfigFaults).faults)
          expect([name, value, fault]).toEqual([
            name,
            value,
            expect.stringMatching(/ (must |requires |contains ".+", which is not )/),
          ]);
      }
});
