import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Gateway, leftOut, startGateway } from './gateway.ts';
import { installOnce, runStep } from './install.ts';
import { freePort, type Running, start } from './process.ts';

const name = 'LiteLLM';
const version = '1.99.4';
const key = 'sk-bench-litellm';
/** Its imports take many seconds before it listens. */
const startsWithinMs = 120_000;

/** LiteLLM's proxy, one worker, without a database; null, with the reason printed, if it is not available. */
export async function startLiteLLM(upstream: Running): Promise<Gateway | null> {
  const python = Bun.which('python3');
  if (!python) return leftOut(name, 'Python is not installed');
  const folder = await installOnce(name, version, (place) => install(python, place));
  if (!folder) return null;
  return startGateway(name, key, async (place) => {
    const port = freePort();
    // JSON is YAML too.
    writeFileSync(join(place, 'config.yaml'), JSON.stringify(configOf(upstream)));
    writeFileSync(join(place, 'log.json'), JSON.stringify(onlyErrors));
    const program = join(folder, 'environment/bin/litellm');
    const files = ['--config', 'config.yaml', '--log_config', 'log.json'];
    const address = ['--host', '127.0.0.1', '--port', String(port)];
    return start(name, [program, ...files, ...address, '--num_workers', '1', '--telemetry', 'False'], {
      port,
      path: '/health/liveliness',
      cwd: place,
      env: { LITELLM_MODE: 'PRODUCTION', LITELLM_LOG: 'ERROR', LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
      withinMs: startsWithinMs,
    });
  });
}

async function install(python: string, place: string): Promise<void> {
  await runStep([python, '-m', 'venv', 'environment'], place);
  const pip = join(place, 'environment/bin/pip');
  await runStep([pip, 'install', '--quiet', '--only-binary', ':all:', `litellm[proxy]==${version}`], place);
}

const configOf = (upstream: Running) => ({
  model_list: [
    {
      model_name: 'bench/model',
      litellm_params: {
        model: 'openai/bench-model',
        api_base: `${upstream.url}/v1`,
        api_key: 'sk-upstream-credential',
      },
    },
  ],
  general_settings: { master_key: key },
});

/** Otherwise its server logs a line per request, which no other contender does. */
const onlyErrors = {
  version: 1,
  disable_existing_loggers: false,
  loggers: { uvicorn: { level: 'ERROR' }, 'uvicorn.access': { level: 'ERROR' } },
};
