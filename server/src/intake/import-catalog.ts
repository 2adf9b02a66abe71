import { channelDefaults, refuseUnfit } from '../routing/catalog/channels.ts';
import { viewPrices } from '../routing/catalog/prices-field.ts';
import { channelChange, modelName, prices, secret } from '../routing/catalog/routes/schemas.ts';
import { insertAliasIn } from '../routing/catalog/store/aliases.ts';
import { findChannel, insertChannel } from '../routing/catalog/store/channels.ts';
import { insertCredentialIn } from '../routing/catalog/store/credentials.ts';
import { insertProviderModels } from '../routing/catalog/store/provider-models.ts';
import { enabled } from '../routing/catalog/store/tables.ts';
import type { ImportRun } from './import-run.ts';
import type { AliasIntake, ChannelIntake, CredentialIntake, ModelIntake } from './imported-data.ts';

export async function takeChannels(taking: ImportRun, channels: readonly ChannelIntake[]): Promise<void> {
  for (const channel of channels) {
    const known = taking.taken.find('channel', channel.foreignId);
    if (known !== undefined) taking.outcome.before += 1;
    const id = known ?? (await makeChannel(taking, channel));
    // A channel deleted here since stays deleted, with its models.
    if (id !== null && (await findChannel(taking.tx, id))) await takeModels(taking, id, channel);
  }
}

/** Null if it violates the API's rules for channels. */
async function makeChannel(taking: ImportRun, channel: ChannelIntake): Promise<number | null> {
  const { tx, now, outcome } = taking;
  const { data, error } = channelChange.safeParse({
    ...{ name: channel.name, provider: channel.provider, base_url: channel.baseUrl, priority: channel.priority },
    ...{ weight: channel.weight, group: channel.group, timeout_ms: channel.timeoutMs },
  });
  const credentials = channel.credentials.flatMap((one, i) => usableCredential(taking, channel, one, i));
  const lost = channel.credentials.length > 0 && credentials.length === 0;
  if (!data || lost) {
    const why = error ? `${error.issues[0]!.path.join('.')} ${error.issues[0]!.message}` : 'none of its keys is usable';
    outcome.notes.push(`channel "${channel.name}" is skipped: ${why}`);
    return null;
  }
  const made = await insertChannel(
    tx,
    {
      ...{ name: data.name!, provider: data.provider!, kind: channel.kind, baseUrl: data.base_url! },
      ...{ sealedCredential: '', priority: data.priority!, weight: data.weight!, status: channel.status },
      ...{ models: [], group: data.group!, timeoutMs: data.timeout_ms ?? channelDefaults.timeoutMs },
    },
    now,
  );
  for (const [i, { secret: given, ...limits }] of credentials.entries()) {
    const fields = { ...limits, name: i === 0 ? 'First' : `Key ${i + 1}`, weight: 1, spendPerDay: null };
    await insertCredentialIn(tx, made.id, { ...fields, sealed: taking.sealer.seal(given) }, now);
  }
  await taking.taken.add('channel', channel.foreignId, made.id);
  const many = credentials.length > 1 ? `, ${credentials.length} keys` : '';
  const state = channel.status === enabled ? '' : ', disabled';
  outcome.channels.push(`${made.name} (${made.provider}, ${made.baseUrl}, group ${made.group}${many}${state})`);
  return made.id;
}

function usableCredential(
  { outcome }: ImportRun,
  { name, kind }: ChannelIntake,
  credential: CredentialIntake,
  place: number,
): CredentialIntake[] {
  const { data, error } = secret.min(1).safeParse(credential.secret);
  try {
    if (error) throw error.issues[0]!;
    refuseUnfit(kind, data);
    return [{ ...credential, secret: data }];
  } catch (fault) {
    const { message } = fault as { message: string };
    outcome.notes.push(`channel "${name}": key number ${place + 1} is skipped: ${message}`);
    return [];
  }
}

async function takeModels(taking: ImportRun, channelId: number, channel: ChannelIntake): Promise<void> {
  const { tx, now, taken, outcome } = taking;
  for (const model of channel.models) {
    const foreignId = `${channel.foreignId} ${model.modelId}`;
    if (taken.find('model', foreignId) !== undefined) {
      outcome.before += 1;
      continue;
    }
    const fault = faultOf(model);
    if (fault) {
      outcome.notes.push(`model ${model.modelId} of channel "${channel.name}" is skipped: ${fault}`);
      continue;
    }
    const [row] = await insertProviderModels(tx, [{ ...model, channelId }], now);
    if (!row) {
      outcome.notes.push(
        `model ${model.modelId}: channel "${channel.name}" already has a model with this name, which is left unchanged`,
      );
      continue;
    }
    await taken.add('model', foreignId, row.id);
    outcome.models.push(`${model.modelId} (${model.modelName} of ${channel.name}): ${shownPrice(model)}`);
    if (model.status !== enabled)
      outcome.notes.push(
        `model ${model.modelId} of channel "${channel.name}" is disabled because it has no price. Set a price and enable it.`,
      );
  }
}

function faultOf(model: ModelIntake): string | null {
  const wrong = modelName.safeParse(model.modelId).error ?? modelName.safeParse(model.modelName).error;
  const fault = wrong ?? prices.safeParse(viewPrices(model)).error;
  return fault ? fault.issues[0]!.message : null;
}

const shownPrice = (model: ModelIntake): string =>
  model.status !== enabled
    ? 'no price'
    : Object.entries(viewPrices(model))
        .flatMap(([part, usd]) => (typeof usd === 'number' ? `${part} ${usd}` : 'higher above some context length'))
        .join(', ');

export async function takeAliases(taking: ImportRun, aliases: readonly AliasIntake[]): Promise<void> {
  const { tx, now, taken, outcome } = taking;
  for (const { name, models } of aliases) {
    if (taken.find('alias', name) !== undefined) {
      outcome.before += 1;
      continue;
    }
    const fault = [name, ...models].map((one) => modelName.safeParse(one).error).find((error) => error);
    const made = fault ? null : await insertAliasIn(tx, { name, models, status: enabled }, now);
    if (made === null) outcome.notes.push(`alias ${name} is skipped: ${fault!.issues[0]!.message}`);
    else if (made === 'duplicate') outcome.notes.push(`alias ${name}: already exists and is left unchanged`);
    else {
      await taken.add('alias', name, made.id);
      outcome.aliases.push(`${name} → ${models.join(', ')}`);
    }
  }
}
