import { expect, test } from 'bun:test';
import { proxyFor, readOutgoingProxy } from './outgoing-proxy.ts';

test('the proxy is chosen by protocol, except for hosts in NO_PROXY', () => {
  const both = { HTTP_PROXY: 'http://one:3128', HTTPS_PROXY: 'two:8080' };
  const cases: [environment: Record<string, string>, url: string, proxy: string | null][] = [
    [{}, 'https://api.test', null],
    [both, 'http://api.test', 'http://one:3128/'],
    [both, 'https://api.test', 'http://two:8080/'],
    [{ HTTP_PROXY: 'http://one:3128' }, 'https://api.test', null],
    [{ ...both, https_proxy: 'http://small' }, 'https://api.test', 'http://small/'],
    [{ ...both, NO_PROXY: 'other.test, api.test' }, 'https://api.test', null],
    [{ ...both, NO_PROXY: 'api.test' }, 'https://eu.api.test', null],
    [{ ...both, NO_PROXY: '.api.test' }, 'https://eu.api.test', null],
    [{ ...both, no_proxy: '*.API.test' }, 'https://eu.api.test', null],
    [{ ...both, NO_PROXY: 'api.test' }, 'https://myapi.test', 'http://two:8080/'],
    [{ ...both, NO_PROXY: 'api.test:8443' }, 'https://api.test:8443', null],
    [{ ...both, NO_PROXY: 'api.test:8443' }, 'https://api.test', 'http://two:8080/'],
    [{ ...both, NO_PROXY: '*' }, 'http://api.test', null],
    [{ ...both, NO_PROXY: '' }, 'http://api.test', 'http://one:3128/'],
  ];
  for (const [environment, url, proxy] of cases)
    expect([environment, url, proxyFor(readOutgoingProxy(environment), new URL(url))?.href ?? null]).toEqual([
      environment,
      url,
      proxy,
    ]);
});
