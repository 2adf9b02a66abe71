import { z } from 'zod';
import type { Said } from './conversations.ts';
import type { Kind, Place, TalkQuestion, Talks } from './talks.ts';

const turn = z.looseObject({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});
const sample = z.looseObject({
  sample_id: z.string(),
  conversation: z.record(z.string(), z.unknown()),
  qa: z.array(z.looseObject({ question: z.string(), category: z.int(), evidence: z.array(z.string()) })),
});

export interface Sample extends Talks {
  name: string;
  /** Questions of the four kinds without evidence in the conversation. */
  unusable: number;
}

/** The benchmark's numbers of its kinds. The fifth asks for what was never said, so there is no evidence to find. */
const kindOf: Record<number, Kind> = { 1: 'several facts', 2: 'time', 3: 'inference', 4: 'one fact' };

/** Reads LoCoMo's `locomo10.json` (github.com/snap-research/locomo), which is not in this repository. */
export const samplesOf = (json: unknown): Sample[] => z.array(sample).parse(json).map(sampleOf);

function sampleOf({ sample_id: name, conversation, qa }: z.infer<typeof sample>): Sample {
  const sessions: Said[][] = [];
  const places = new Map<string, Place>();
  for (let number = 1; conversation[`session_${number}_date_time`] !== undefined; number += 1) {
    const turns = z.array(turn).parse(conversation[`session_${number}`] ?? []);
    if (turns.length === 0) continue;
    for (const [at, { dia_id }] of turns.entries()) places.set(dia_id, [sessions.length, at]);
    const at = timeOf(String(conversation[`session_${number}_date_time`]));
    sessions.push(turns.map((one) => ({ ...saidBy(one, conversation.speaker_a), at })));
  }
  const asked = qa.flatMap(({ question, category, evidence }): TalkQuestion[] => {
    const kind = kindOf[category];
    return kind ? [{ kind, text: question, evidence: placesIn(evidence.join(' '), places) }] : [];
  });
  const questions = asked.filter(({ evidence }) => evidence.length > 0);
  return { name, sessions, questions, unusable: asked.length - questions.length };
}

/** As in our own talks, the text starts with the speaker's name; a picture is represented by its caption. */
function saidBy({ speaker, text, blip_caption }: z.infer<typeof turn>, first: unknown): Said {
  const shared = blip_caption ? ` [shares ${blip_caption}]` : '';
  return { role: speaker === first ? 'user' : 'assistant', text: `${speaker}: ${text}${shared}` };
}

/** `1:56 pm on 8 May, 2023`. */
function timeOf(text: string): number {
  const [time, day] = text.split(' on ');
  const at = Date.parse(`${day?.replace(',', '')} ${time} UTC`);
  if (Number.isNaN(at)) throw new Error(`no time: ${text}`);
  return at;
}

/** Some entries name several messages, or use another spelling (`D:11:26`, `D30:05`). */
function placesIn(evidence: string, places: Map<string, Place>): Place[] {
  const ids = [...evidence.matchAll(/D:?(\d+):(\d+)/g)].map(([, session, at]) => `D${Number(session)}:${Number(at)}`);
  return [...new Set(ids)].flatMap((id) => {
    const place = places.get(id);
    return place ? [place] : [];
  });
}
