import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { openLog } from './platform/log.ts';
import { openPlatform } from './platform/open.ts';

/** The OpenAPI document without a running service, for the web app's types. */
export async function openApiDocument(): Promise<unknown> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-openapi-'));
  const config = readConfig({ DATA_DIR: dataDir });
  const platform = await openPlatform(config, openLog('silent'));
  const app = await buildApp(platform, config);
  const document = app.document();
  await app.stop();
  await platform.close();
  rmSync(dataDir, { recursive: true });
  return document;
}
