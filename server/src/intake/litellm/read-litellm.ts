import { isObject } from '../../lib/is-object.ts';
import { table } from '../../lib/table.ts';
import { StartFault } from '../../platform/start-fault.ts';
import { firstFault } from '../first-fault.ts';
import type { AliasIntake, ChannelIntake, ImportedData, KeyIntake } from '../imported-data.ts';
import { configRule, type LitellmConfig } from './config.ts';
import { channelsOf, type Resolve } from './deployments.ts';

type Env = Readonly<Record<string, string | undefined>>;

const variable = 'os.environ/';

/** Everything in a LiteLLM proxy's `config.yaml` that has a counterpart here. */
export async function readLitellm(file: string, env: Env): Promise<ImportedData> {
  // Not repeated in words, as an address may contain a password.
  if (/:\/\/|@tcp\(/.test(file))
    throw new StartFault("LiteLLM is imported from its config.yaml: give that file's path, not an address.");
  const text = await Bun.file(file)
    .text()
    .catch((error: Error) => {
      throw new StartFault(`${file} cannot be read: ${error.message}`);
    });
  return intakeOf(text, env);
}

export function intakeOf(text: string, env: Env): ImportedData {
  const config = parsed(text);
  const notes: string[] = [];
  const own = config.environment_variables ?? {};
  const resolve: Resolve = (said) => {
    if (!said.startsWith(variable)) return said;
    const name = said.slice(variable.length);
    return (env[name] ?? own[name]) || undefined;
  };
  const channels = channelsOf(config, resolve, notes);
  const fallbacks = fallbacksOf(config, channels, notes);
  const aliases = [...fallbacks, ...otherNames(config, fallbacks)];
  noteRest(config, notes);
  const keys = masterKey(config, resolve, notes);
  return { source: 'litellm', channels, aliases, people: [], keys, codes: [], notes };
}

function parsed(text: string): LitellmConfig {
  try {
    const { data, error } = configRule.safeParse(Bun.YAML.parse(text));
    if (!error) return data;
    throw new Error(firstFault(error));
  } catch (error) {
    throw new StartFault(`This is not a readable LiteLLM config.yaml: ${(error as Error).message}`);
  }
}

/**
 * A model with fallbacks becomes an alias of its name, which tries them in order. Models take precedence over aliases
 * of the same name, so the model itself is renamed.
 */
function fallbacksOf(config: LitellmConfig, channels: ChannelIntake[], notes: string[]): AliasIntake[] {
  const lists = [config.router_settings?.fallbacks ?? [], config.litellm_settings?.fallbacks ?? []].flat();
  const models = channels.flatMap((channel) => channel.models);
  const served = new Set(models.map(({ modelId }) => modelId));
  const renamed = new Map<string, string>();
  const aliases = lists
    .flatMap((entry) => Object.entries(entry))
    .flatMap(([name, others]): AliasIntake[] => {
      if (!served.has(name) || renamed.has(name)) {
        notes.push(
          `fallbacks of ${name} are skipped: ${renamed.has(name) ? 'they are given twice' : 'there is no such model'}`,
        );
        return [];
      }
      renamed.set(name, `${name}-first`);
      notes.push(
        `model ${name} is called ${name}-first, and ${name} is an alias that tries it before ${others.join(', ')}`,
      );
      return [{ name, models: [name, ...others] }];
    });
  for (const model of models) model.modelId = renamed.get(model.modelId) ?? model.modelId;
  // Aliases do not refer to other aliases.
  return aliases.map((alias) => ({ ...alias, models: alias.models.map((model) => renamed.get(model) ?? model) }));
}

/** An alias of a model with fallbacks stands for all of them. */
const otherNames = ({ router_settings }: LitellmConfig, fallbacks: readonly AliasIntake[]): AliasIntake[] =>
  Object.entries(router_settings?.model_group_alias ?? {}).map(([name, model]) => {
    const list = fallbacks.find((alias) => alias.name === model)?.models;
    return { name, models: list ?? [model] };
  });

/** The key that clients of a proxy without users have. Here it is an ordinary key, without administrator rights. */
function masterKey({ general_settings }: LitellmConfig, resolve: Resolve, notes: string[]): KeyIntake[] {
  const said = general_settings?.master_key;
  if (!said) return [];
  const secret = resolve(said);
  if (secret === undefined) notes.push(`the master_key is skipped: its variable (${said}) is not set`);
  if (secret === undefined) return [];
  return [
    {
      ...{ secret, owner: null, name: 'LiteLLM master key', status: 1, expiredTime: -1, remainQuota: 0 },
      ...{ unlimited: true, models: [], allowedIps: [] },
    },
  ];
}

const taken = table<readonly string[]>({
  router_settings: ['fallbacks', 'model_group_alias'],
  litellm_settings: ['fallbacks'],
  general_settings: ['master_key'],
});

function noteRest(config: LitellmConfig, notes: string[]): void {
  const { model_list: _, credential_list: __, environment_variables: ___, ...sections } = config;
  for (const [section, value] of Object.entries(sections)) {
    const names = isObject(value) ? Object.keys(value).filter((name) => !taken[section]?.includes(name)) : [];
    if (names.length > 0) notes.push(`${section} not imported: ${names.join(', ')}`);
    else if (!taken[section]) notes.push(`${section} is not imported`);
  }
  if (config.general_settings?.database_url)
    notes.push("users, teams and keys of LiteLLM's database are not imported: this file does not contain them");
}
