import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, plainBun, type Running, start } from './process.ts';

const folder = join(import.meta.dir, '../peers');

export async function startUpstream(env: Record<string, string> = {}): Promise<Running> {
  return start('upstream', [process.execPath, join(folder, 'upstream.ts')], { port: freePort(), env });
}

export async function startBareProxy(upstream: Running, env: Record<string, string> = {}): Promise<Running> {
  return start('bare Bun proxy', [process.execPath, join(folder, 'bare-proxy.ts')], {
    port: freePort(),
    env: { UPSTREAM: upstream.url, ...plainBun, ...env },
  });
}

/** Installs the other programs on first use, into their own folder. */
export async function installPeers(): Promise<void> {
  if (existsSync(join(folder, 'node_modules/oidc-provider'))) return;
  console.log('installing the peers (once)…');
  const install = Bun.spawn(['npm', 'ci', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if ((await install.exited) !== 0) throw new Error('the peers could not be installed');
}

export async function startPortkey(): Promise<Running> {
  await installPeers();
  const port = freePort();
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  return start('Portkey', ['node', program, '--headless', `--port=${port}`], {
    port,
    env: { NODE_ENV: 'production' },
    anyStatus: true,
  });
}

/** Null if nginx is not installed. */
export async function startNginx(upstream: Running): Promise<Running | null> {
  const program = Bun.which('nginx') ?? (existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : null);
  if (!program) return null;
  const port = freePort();
  const place = mkdtempSync(join(tmpdir(), 'svc-nginx-'));
  const config = join(place, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off; master_process off; worker_processes 1; pid ${place}/pid; error_log ${place}/error.log;
events { worker_connections 8192; }
http { access_log off; client_body_temp_path ${place}/body; proxy_temp_path ${place}/proxy; fastcgi_temp_path ${place}/f; uwsgi_temp_path ${place}/u; scgi_temp_path ${place}/s;
upstream u { server ${new URL(upstream.url).host}; keepalive 256; }
server { listen 127.0.0.1:${port}; location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; } } }`,
  );
  return start('nginx', [program, '-c', config, '-e', `${place}/error.log`], { port });
}

export async function startOidcProvider(): Promise<Running> {
  await installPeers();
  return start('oidc-provider', ['node', join(folder, 'oidc-provider.mjs')], {
    port: freePort(),
    path: '/.well-known/openid-configuration',
    env: { NODE_ENV: 'production' },
  });
}
