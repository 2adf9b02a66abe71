/** `npm run test:upgrade -- <commit>`: upgrades from that release, or the last tag, to the current version, under load. */
const [ref] = process.argv.slice(2);
const child = Bun.spawn([process.execPath, 'test', '--timeout=600000', 'e2e/upgrade/'], {
  env: { ...process.env, ...(ref && { SVC_UPGRADE_FROM: ref }) },
  stdio: ['ignore', 'inherit', 'inherit'],
});
process.exit(await child.exited);

export {};
