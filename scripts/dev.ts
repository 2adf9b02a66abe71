/** `npm run dev`: restarts the server when its code changes, and bundles the web app again when its files change. */
import { watch } from 'node:fs';

// Editors write a file in several steps; rebuild once for all of them.
const settleMs = 80;

const server = Bun.spawn([process.execPath, '--watch', '--no-clear-screen', 'server/src/main.ts'], {
  stdio: ['inherit', 'inherit', 'inherit'],
});

let building = false;
let again = false;

async function rebuild(): Promise<void> {
  if (building) {
    again = true;
    return;
  }
  building = true;
  const startedMs = performance.now();
  const code = await Bun.spawn([process.execPath, 'scripts/build-web.ts'], { stdio: ['ignore', 'ignore', 'inherit'] })
    .exited;
  const tookMs = Math.round(performance.now() - startedMs);
  console.error(
    code === 0 ? `svc: web app built in ${tookMs} ms; reload the page` : 'svc: web app could not be built; see above',
  );
  building = false;
  if (again) {
    again = false;
    await rebuild();
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;
watch('web', { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(() => void rebuild(), settleMs);
});

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    server.kill(signal);
  });
}
process.exit(await server.exited);
