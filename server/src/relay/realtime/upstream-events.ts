import { userShort } from '../../billing/short.ts';
import type { UsageStatus } from '../../billing/types.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { readRealtimeUsage } from '../wire/usage.ts';
import { type SessionRights, transcriptionsIn } from './client-events.ts';
import type { ConversationMeter } from './meter.ts';
import type { UpstreamReport } from './report.ts';
import { transcriptUsage } from './transcript.ts';
import type { Turns } from './turns.ts';

const transcribed = 'conversation.item.input_audio_transcription.completed';
const soundDelta = /audio\.delta$/;

const statuses: Record<string, UsageStatus> = { cancelled: 'aborted', failed: 'error', incomplete: 'ok' };
const idOf = ({ response }: Json): string => (isObject(response) && typeof response.id === 'string' ? response.id : '');

/** What the upstream says that has to do with money. */
export class UpstreamEvents {
  #transcriber = '';

  constructor(
    readonly rights: SessionRights,
    readonly turns: Turns,
    readonly meter: ConversationMeter,
    readonly report: UpstreamReport,
  ) {}

  /** A promise where the event may be handed on only afterwards. Throws, or rejects, where the session cannot go on. */
  note(event: Json): Promise<void> | undefined {
    const { type } = event;
    if (typeof type !== 'string') return undefined;
    if (type === 'response.created') return this.turns.begin(idOf(event));
    if (type === 'response.done') return this.#done(event);
    if (type === transcribed) return this.#transcribed(event);
    // It may be that no response comes of what was asked.
    if (type === 'error') this.turns.answer();
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
    const status = statuses[String(response.status)] ?? 'ok';
    if (status === 'error') this.report.responseFailed(response.status_details);
    else this.report.well();
    await this.turns.done(idOf(event), readRealtimeUsage(response.usage), status);
  }

  async #transcribed(event: Json): Promise<void> {
    const candidate = this.rights.transcribers.get(this.#transcriber) ?? this.rights.candidate;
    const paid = await this.turns.beside(candidate, transcriptUsage(candidate, event));
    if (!paid) throw userShort(false);
  }
}
