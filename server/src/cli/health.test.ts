import { expect, test } from 'bun:test';
import { readConfig } from '../config.ts';
import { health } from './health.ts';

const hosts = [
  '127.0.0.1',
  '0.0.0.0',
  'localhost',
  '::1',
  '[::1]',
  '::',
  '[::]',
  '0:0:0:0:0:0:0:0',
  '::ffff:127.0.0.1',
];

const open = (hostname: string) => {
  try {
    return Bun.serve({ hostname, port: 0, fetch: () => new Response('ready') });
  } catch {
    return null;
  }
};
const hasV6 = open('::1');
void hasV6?.stop(true);

test.each(hosts.filter((host) => hasV6 || !host.includes(':')))(
  'what HOST %p makes the service listen at is found healthy with the same HOST',
  async (HOST) => {
    const server = open(readConfig({ HOST }).host)!;
    const said: string[] = [];
    const config = readConfig({ HOST, PORT: `${server.port}` });
    const call = { config, args: [], flags: new Set<string>(), env: {}, print: (line: string) => void said.push(line) };
    expect({ code: await health(call), said }).toEqual({ code: 0, said: ['ready'] });
    await server.stop(true);
    expect(await health(call)).toBe(1);
    expect(said[1]).toStartWith(`No response from ${config.host} at port ${config.port}: `);
  },
);
