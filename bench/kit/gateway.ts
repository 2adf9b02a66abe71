import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Running } from './process.ts';
import { chatBody } from './service.ts';

/** Another gateway, called like svc: with a key, and rejecting requests without one. */
export interface Gateway extends Running {
  key: string;
}

/** Null, with the reason printed, if it does not start or does not do what it is compared for. */
export async function startGateway(
  name: string,
  key: string,
  launch: (place: string) => Promise<Running>,
): Promise<Gateway | null> {
  const place = mkdtempSync(join(tmpdir(), 'svc-peer-'));
  const cleanUp = () => rmSync(place, { recursive: true, force: true });
  try {
    const running = await launch(place);
    const stop = () => running.stop().finally(cleanUp);
    await prove(running, key).catch(async (error) => {
      await stop();
      throw error;
    });
    return { ...running, key, stop };
  } catch (error) {
    cleanUp();
    return leftOut(name, (error as Error).message);
  }
}

export function leftOut(name: string, reason: string): null {
  console.log(`${name} skipped: ${reason}`);
  return null;
}

/** A gateway that answers by itself or without a key would do less work than the others. */
async function prove(running: Running, key: string): Promise<void> {
  const answer = await ask(running, key);
  const text = await answer.text();
  if (!answer.ok || !text.includes('Hello to everybody')) throw new Error(`${answer.status} ${text}`);
  const refusal = await ask(running, 'sk-of-somebody-else');
  if (refusal.ok) throw new Error('it accepts an unknown key');
}

const ask = (running: Running, key: string): Promise<Response> =>
  fetch(`${running.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: chatBody(),
  });
