import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Gateway, leftOut, startGateway } from './gateway.ts';
import { installOnce, runStep } from './install.ts';
import { freePort, type Running, start } from './process.ts';

const name = 'Bifrost';
const source = 'github.com/maximhq/bifrost/transports';
const version = 'v1.6.0';
/** Compared here because the public checksum database, which Go asks by default, is not reachable from every network. */
const checksum = 'h1:65XycjyQbWroy5Eek+Mm1WmteRkZ3oti40mkReTJPO4=';
/** Bifrost treats keys with this prefix as its own virtual keys. */
const key = 'sk-bf-bench';
/**
 * Bifrost's HTTP gateway, with keys in SQLite and without logging; null, with the reason printed, if it is not
 * available.
 */
export async function startBifrost(upstream: Running): Promise<Gateway | null> {
  const go = Bun.which('go') ?? ['/usr/local/go/bin/go'].find((path) => existsSync(path));
  if (!go) return leftOut(name, 'Go is not installed');
  const folder = await installOnce(name, version, (place) => install(go, place));
  if (!folder) return null;
  return startGateway(name, key, async (place) => {
    const port = freePort();
    const prices = join(place, 'prices.json');
    writeFileSync(prices, '{}');
    writeFileSync(join(place, 'config.json'), JSON.stringify(configOf(upstream, place, `file://${prices}`)));
    const address = ['-host', '127.0.0.1', '-port', String(port)];
    return start(name, [join(folder, 'bifrost-http'), ...address, '-app-dir', place, '-log-level', 'error'], {
      port,
      path: '/health',
      cwd: place,
    });
  });
}

/**
 * Not by `go install`: the program embeds web pages from another build that are missing in the module. Built from a
 * copy of the module, so that its own go.sum pins every dependency.
 */
async function install(go: string, place: string): Promise<void> {
  const env = {
    GOMODCACHE: join(place, 'modules'),
    GOCACHE: join(place, 'cache'),
    GOFLAGS: '-modcacherw -buildvcs=false',
    GOWORK: 'off',
    GONOSUMDB: source,
  };
  const told = await runStep([go, 'mod', 'download', '-json', `${source}@${version}`], place, env);
  const { Dir: module, Sum: sum } = JSON.parse(told) as { Dir: string; Sum: string };
  if (sum !== checksum) throw new Error(`${source}@${version} has another checksum than expected: ${sum}`);
  const copy = join(place, 'source');
  cpSync(module, copy, { recursive: true });
  mkdirSync(join(copy, 'bifrost-http/ui'), { recursive: true });
  writeFileSync(join(copy, 'bifrost-http/ui/index.html'), '<!doctype html>\n');
  await runStep([go, 'build', '-o', join(place, 'bifrost-http'), './bifrost-http'], copy, env);
}

/** The part of the model's name before the slash is the provider. */
const configOf = (upstream: Running, place: string, prices: string) => ({
  client: { enable_logging: false, enforce_auth_on_inference: true, drop_excess_requests: false },
  // Without a config store it has no keys.
  config_store: { enabled: true, type: 'sqlite', config: { path: join(place, 'config.db') } },
  logs_store: { enabled: false },
  // It downloads these from its vendor's site before it starts, and does not start without them.
  framework: { pricing: { pricing_url: prices, model_parameters_url: prices } },
  providers: {
    bench: {
      keys: [{ name: 'bench', value: 'sk-upstream-credential', models: ['*'], weight: 1 }],
      network_config: { base_url: upstream.url },
      custom_provider_config: {
        base_provider_type: 'openai',
        allowed_requests: { chat_completion: true, chat_completion_stream: true },
      },
    },
  },
  governance: {
    virtual_keys: [
      {
        id: 'bench',
        name: 'bench',
        value: key,
        is_active: true,
        provider_configs: [{ provider: 'bench', allowed_models: ['*'], key_ids: ['*'], weight: 1 }],
      },
    ],
  },
});
