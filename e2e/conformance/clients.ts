/** Third-party clients, unmodified, that are given only the address of a server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ownNode } from '../clients/install.ts';
import { freePort, until } from '../service.ts';
import { approveConsent } from './approve-consent.ts';
import { refusedTool } from './reference-tools.ts';
import { runProgram, signInPageIn } from './run-program.ts';
import { type StepResult, step } from './step-result.ts';
import type { World } from './world.ts';

const modules = join(import.meta.dir, 'programs/node_modules');

/** For each address, a tool that the client may call and one that it may not. */
const places = [
  { path: '/mcp/svc', tool: 'list_models', refused: 'no_such_tool' },
  { path: '/mcp/sessions', tool: 'test_simple_text', refused: refusedTool },
  { path: '/mcp/modern', tool: 'test_simple_text', refused: refusedTool },
] as const;
type Place = (typeof places)[number];

/** Without a PATH a program finds no browser to open. */
const bare = (folder: string) => ({ PATH: folder, HOME: folder, MCP_REMOTE_CONFIG_DIR: folder });

/** As a desktop program starts it, in the previous protocol and in the newest. */
async function remote(
  world: World,
  { path, tool, refused }: Place,
  protocol: 'legacy' | 'auto',
): Promise<StepResult[]> {
  const group = `mcp-remote, --protocol ${protocol}, ${path}`;
  const folder = mkdtempSync(join(tmpdir(), 'svc-mcp-remote-'));
  const transport = new StdioClientTransport({
    command: ownNode() === 'node' ? Bun.which('node')! : ownNode(),
    args: [
      join(modules, 'mcp-remote/dist/proxy.js'),
      ...[`${world.service.url}${path}`, `${freePort()}`, '--protocol', protocol, '--auth-timeout', '120'],
    ],
    env: bare(folder),
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr!.on('data', (text) => {
    said += text;
  });
  const client = new Client({ name: 'an-agent', version: '1.0.0' });
  const authorizes = await step(group, 'authorizes in a browser', async () => {
    const agreed = until('it says where to sign in', () => signInPageIn(said) !== undefined).then(() =>
      approveConsent(world.site!, signInPageIn(said)!),
    );
    // Awaited together, so that a program that ends early fails this step and not the run.
    await Promise.all([client.connect(transport, { timeout: 120_000 }), agreed]);
  });
  const rest = authorizes.fault
    ? []
    : [
        await step(group, 'lists', async () => {
          const names = (await client.listTools()).tools.map(({ name }) => name);
          if (!names.includes(tool)) throw new Error(`${tool} is not among ${names}`);
          if (names.includes(refused)) throw new Error(`${refused} is listed`);
        }),
        await step(group, 'calls', async () => {
          const { content, isError } = await client.callTool({ name: tool, arguments: {} });
          if (isError || !Array.isArray(content) || content.length === 0) throw new Error(JSON.stringify(content));
        }),
        await step(group, 'is refused', () =>
          client.callTool({ name: refused, arguments: {} }).then(
            () => Promise.reject(new Error('it was called')),
            (error: Error) => (error.message.includes('Unknown tool') ? null : Promise.reject(error)),
          ),
        ),
      ];
  await client.close();
  rmSync(folder, { recursive: true });
  return [authorizes, ...rest];
}

/** Its command line, a new process each time; the first one signs in. */
async function inspector(
  world: World,
  { path, tool, refused }: Place,
  era: 'legacy' | 'modern',
): Promise<StepResult[]> {
  const group = `inspector --cli, --protocol-era ${era}, ${path}`;
  const folder = mkdtempSync(join(tmpdir(), 'svc-inspector-'));
  const program = join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  const callback = `http://127.0.0.1:${freePort()}/oauth/callback`;
  const ask = (...args: string[]): Promise<string> => {
    let agreed: Promise<void> | undefined;
    return runProgram({
      command: [
        ...[ownNode() === 'node' ? Bun.which('node')! : ownNode(), program, '--cli', `${world.service.url}${path}`],
        ...['--transport', 'http', '--protocol-era', era, '--callback-url', callback, ...args],
      ],
      env: { ...bare(folder), MCP_AUTO_OPEN_ENABLED: 'true' },
      mostMs: 180_000,
      heard: (said) => {
        const address = signInPageIn(said);
        if (address) agreed ??= approveConsent(world.site!, address);
        return agreed;
      },
    });
  };
  const has = (said: string, wanted: string) => {
    if (!said.includes(wanted)) throw new Error(said.slice(0, 300) || 'it said nothing');
  };
  const call = (name: string) => ask('--method', 'tools/call', '--tool-name', name);
  const seen = [
    await step(group, 'authorizes in a browser, lists', async () =>
      has(await ask('--method', 'tools/list'), `"${tool}"`),
    ),
    await step(group, 'calls', async () => has(await call(tool), '"content"')),
    await step(group, 'is refused', async () => has(await call(refused), refused)),
  ];
  rmSync(folder, { recursive: true });
  return seen;
}

export async function realClients(world: World): Promise<StepResult[]> {
  const seen: StepResult[] = [];
  for (const place of places) {
    for (const protocol of ['legacy', 'auto'] as const) seen.push(...(await remote(world, place, protocol)));
    for (const era of ['legacy', 'modern'] as const) seen.push(...(await inspector(world, place, era)));
  }
  return seen;
}
