import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import type { Shared } from '../platform/shared/port.ts';
import {
  type OptionName,
  type OptionOf,
  type OptionRule,
  type OptionValue,
  optionTable,
  readOptionValue,
} from './option-table.ts';
import { readOptions, writeOption } from './store/options.ts';

/**
 * Runtime options, cached; changes are announced to all processes, and re-read periodically in case a message was
 * missed.
 */
export interface Options {
  get<N extends OptionName>(name: N): OptionOf<N>;
  all(): { key: string; value: OptionValue; default: OptionValue; description: string }[];
  set(name: string, value: unknown): Promise<void>;
  onChange(listener: () => void): void;
  reload(): Promise<void>;
  close(): Promise<void>;
}

const channel = 'options';
const rereadMs = 5_000;
/** While changes may be missed. */
const unheardMs = 1_000;

export async function openOptions(deps: {
  db: Db;
  shared: Shared;
  cacheSync: CacheSync;
  clock: Clock;
  defaults: Record<string, number | boolean>;
}): Promise<Options> {
  const { db, shared, cacheSync, clock } = deps;
  let values = new Map<string, OptionValue>();
  const listeners: (() => void)[] = [];
  const defaultOf = (name: OptionName): OptionValue => deps.defaults[name] ?? optionTable[name].default;

  let readMs = 0;
  let [started, applied] = [0, 0];
  const reload = async () => {
    started += 1;
    const ticket = started;
    readMs = clock.steadyMs();
    const stored = await readOptions(db);
    // Reads may overtake each other; an older one must not undo a newer.
    if (ticket < applied) return;
    applied = ticket;
    values = new Map([...stored].map(([name, text]) => [name, JSON.parse(text) as OptionValue]));
    for (const listener of listeners) listener();
  };
  const quietly = () => reload().catch(() => {});

  await reload();
  const unsubscribe = await shared.subscribe(channel, quietly, quietly);
  cacheSync.onGap(quietly);
  const stopRereading = clock.every(unheardMs, () => {
    if (!cacheSync.heard() || clock.steadyMs() - readMs >= rereadMs) void quietly();
  });

  return {
    get: <N extends OptionName>(name: N) => (values.get(name) ?? defaultOf(name)) as OptionOf<N>,
    all: () =>
      (Object.entries(optionTable) as [OptionName, OptionRule][]).map(([key, rule]) => ({
        key,
        value: values.get(key) ?? defaultOf(key),
        default: defaultOf(key),
        description: rule.help,
      })),
    set: async (name, given) => {
      if (!Object.hasOwn(optionTable, name))
        throw new AppError('invalid_value', `There is no option ${JSON.stringify(name)}.`);
      const read = readOptionValue(name as OptionName, given);
      if ('fault' in read) throw new AppError('invalid_value', `${name} ${read.fault}.`);
      await writeOption(db, name, JSON.stringify(read.value), nowSeconds(clock));
      await reload();
      await shared.publish(channel, name);
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
    reload,
    close: async () => {
      stopRereading();
      await unsubscribe();
    },
  };
}
