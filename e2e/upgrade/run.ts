/** `npm run test:upgrade -- <commit>`: from that release, or the last tag, to what is here, under load. */
const [ref] = process.argv.slice(2);
const child = Bun.spawn([process.execPath, 'test', '--timeout=600000', 'e2e/upgrade/'], {
  env: { ...process.env, ...(ref && { SVC_UPGRADE_FROM: ref }) },
  stdio: ['ignore', 'inherit', 'inherit'],
});
process.exit(await child.exited);

export {};
