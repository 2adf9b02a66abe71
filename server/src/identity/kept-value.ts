import type { Clock } from '../lib/clock.ts';
import type { Hearing } from '../platform/shared/hearing.ts';
import type { Announcements } from './announce.ts';

/** How long what was read is believed while changes may go unheard. */
const unheardMs = 1_000;

interface KeptDeps<V> {
  /** Under which its changes are announced. */
  tag: string;
  load(): Promise<V>;
  clock: Clock;
  hearing: Pick<Hearing, 'heard'>;
  announcements: Announcements;
}

/** One value of the database that changes seldom, in memory until it does. */
export class KeptValue<V> {
  #kept: { value: V; readMs: number } | null = null;
  #reading: Promise<V> | null = null;

  constructor(readonly deps: KeptDeps<V>) {
    const forget = () => {
      this.#kept = null;
      this.#reading = null;
    };
    deps.announcements.onChanged((changed) => {
      if (changed === deps.tag) forget();
    }, forget);
  }

  get(): V | Promise<V> {
    const { clock, hearing } = this.deps;
    const kept = this.#kept;
    if (kept && (hearing.heard() || clock.steadyMs() - kept.readMs < unheardMs)) return kept.value;
    return this.#reading ?? this.#read();
  }

  /** After a change was written; tells the other processes too. */
  changed(): Promise<void> {
    return this.deps.announcements.changed(this.deps.tag);
  }

  /** One reading for all who ask meanwhile; what was changed while it ran is not kept. */
  #read(): Promise<V> {
    const readMs = this.deps.clock.steadyMs();
    const reading = this.deps.load();
    this.#reading = reading;
    const finish = (kept: { value: V; readMs: number } | null) => {
      if (this.#reading !== reading) return;
      this.#reading = null;
      this.#kept = kept;
    };
    reading.then(
      (value) => finish({ value, readMs }),
      () => finish(null),
    );
    return reading;
  }
}
