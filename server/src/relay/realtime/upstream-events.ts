import type { UsageStatus } from '../../billing/types.ts';
import { table } from '../../lib/table.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { readRealtimeUsage } from '../wire/usage.ts';
import { type SessionRights, transcriptionsIn } from './client-events.ts';
import type { ConversationMeter } from './meter.ts';
import { Over } from './over.ts';
import type { UpstreamReport } from './report.ts';
import { type Transcript, transcriptUsage, usageOfPart } from './transcript.ts';
import type { Turns } from './turns.ts';

const transcription = 'conversation.item.input_audio_transcription.';
/** Each becomes a row if the session ends, and an upstream may name any number. */
const mostParts = 60;
const soundDelta = /audio\.delta$/;

const statuses = table<UsageStatus>({ cancelled: 'aborted', failed: 'error', incomplete: 'ok' });
const idOf = ({ response }: Json): string => (isObject(response) && typeof response.id === 'string' ? response.id : '');

/** The part of an item that a transcript is of; empty if it is not told. */
const partOf = ({ item_id: item, content_index: index }: Json): string =>
  typeof item === 'string' && item !== '' ? `${typeof index === 'number' ? index : 0} ${item}` : '';

/** Upstream events that concern billing. */
export class UpstreamEvents {
  #transcriber = '';
  /** Characters of incomplete transcripts, by part of an item. */
  readonly #parts = new Map<string, number>();
  readonly #completed = new Over();

  constructor(
    readonly rights: SessionRights,
    readonly turns: Turns,
    readonly meter: ConversationMeter,
    readonly report: UpstreamReport,
  ) {}

  /**
   * Returns a promise if the event must be forwarded afterwards. Throws, or rejects, if the session cannot continue.
   */
  note(event: Json): Promise<void> | undefined {
    const { type } = event;
    if (typeof type !== 'string') return undefined;
    if (type === 'response.created') return this.turns.begin(idOf(event));
    if (type === 'response.done') return this.#done(event);
    if (type.startsWith(transcription)) return this.#transcript(type.slice(transcription.length), event);
    // A requested response may never start.
    if (type === 'error') this.turns.answer();
    const { item_id: item, audio_end_ms: endMs } = event;
    if (type === 'input_audio_buffer.speech_stopped' && typeof item === 'string' && typeof endMs === 'number')
      this.meter.hearing.stopped(item, endMs / 1_000);
    if (type.endsWith('.delta') && typeof event.delta === 'string' && typeof event.response_id === 'string')
      this.turns.produced(event.response_id, event.delta, soundDelta.test(type));
    else if (isObject(event.session)) this.#described(event.session);
    return undefined;
  }

  #described(session: Json): void {
    this.meter.described(session);
    const [transcription] = transcriptionsIn({ ...session });
    this.#transcriber = typeof transcription?.model === 'string' ? transcription.model : '';
  }

  async #done(event: Json): Promise<void> {
    const response = isObject(event.response) ? event.response : {};
    const status = (typeof response.status === 'string' && statuses[response.status]) || 'ok';
    if (status === 'error') this.report.responseFailed(response.status_details);
    else this.report.well();
    await this.turns.done(idOf(event), readRealtimeUsage(response.usage), status);
  }

  /** Incomplete transcripts: a client that leaves pays for what arrived. */
  unfinished(): Transcript[] {
    const candidate = this.#transcribing();
    return [...this.#parts].map(([item, letters]) => ({ candidate, usage: usageOfPart(letters), item }));
  }

  #transcribing(): Candidate {
    return this.rights.transcribers.get(this.#transcriber) ?? this.rights.candidate;
  }

  /** Beyond a few dozen, which no speaker has in progress, they are counted as one. */
  #add(part: string, letters: number): void {
    const name = this.#parts.has(part) || this.#parts.size < mostParts ? part : '';
    this.#parts.set(name, (this.#parts.get(name) ?? 0) + letters);
  }

  #transcript(what: string, event: Json): Promise<void> | undefined {
    const part = partOf(event);
    if (this.#completed.has(part)) return undefined;
    if (what === 'delta') {
      if (typeof event.delta === 'string') this.#add(part, event.delta.length);
      return undefined;
    }
    if (what === 'completed' || what === 'failed') this.#parts.delete(part);
    const item = String(event.item_id);
    if (what === 'failed') this.meter.hearing.transcribed(item, 0);
    if (what !== 'completed') return undefined;
    this.#completed.add(part);
    const candidate = this.#transcribing();
    return this.turns.transcribed({ candidate, usage: transcriptUsage(candidate, event), item });
  }
}
