import { isHeavy } from '../../../../lib/json-shape.ts';
import { plainText } from '../../../../lib/plain-text.ts';
import { seeded } from '../seeded.ts';
import { shorten, summarise } from '../text.ts';
import { attachments, type ChatMessage, freshToolResults, lastUserIndex, lastUserText, textOf } from './request.ts';
import { firstThatFits, type Said } from './rules.ts';
import { fencedParts, section } from './sections.ts';

/** Starts the first answer of a conversation, so that it is not mistaken for a model's. */
export const simulationNotice =
  '(Simulation: this answer comes from the built-in demo provider, not from a language model. ' +
  'Add a real provider under Admin → Channels, or set a key such as OPENAI_API_KEY, and restart.)';

const withoutNotice = (text: string): string => text.replaceAll(simulationNotice, '').trim();

/** Separates a wrapped prompt: the task, results to use, or a conversation to summarise. */
function unwrap(text: string): { task: string; material: string } {
  const begins = /\bYour task: /.exec(text);
  const rest = begins ? text.slice(begins.index + begins[0].length) : '';
  const ends = rest.search(/\n\n(?:Text between|Results of|The whole request|<data)/);
  const task = ends < 0 ? rest : rest.slice(0, ends);
  if (!task) return { task: text, material: '' };
  const results = fencedParts(text).filter((part) => part.label === 'result');
  // The first line is a title that the instruction repeats.
  const instruction = task.split('\n').slice(1).join('\n').trim() || task;
  return { task: instruction, material: results.map((part) => withoutNotice(part.body)).join('\n\n') };
}

/** Combines the results of separate tasks in the instructions. */
function fromTaskResults(messages: ChatMessage[]): string | null {
  const instructions = messages.filter((one) => one.role === 'system').map(textOf);
  const results = instructions.flatMap(fencedParts).filter((part) => part.label === 'result');
  return results.length > 0 ? results.map((part) => withoutNotice(part.body)).join('\n\n') : null;
}

/** The rolling summary of a conversation: read by a program, so without the notice. */
function memorySummary(text: string): string | null {
  if (!/^Write (?:the|a) summary\b/i.test(text)) return null;
  const source = [section(text, ['summary']), section(text, ['conversation'])].filter(Boolean).join('\n');
  return shorten(summarise(withoutNotice(source || text), 8), 2000);
}

/** Of instructions with reference material, only the material counts as said. */
function said(one: ChatMessage): Said {
  const text = textOf(one);
  const fenced = one.role === 'system' ? fencedParts(text) : [];
  return { role: one.role, text: withoutNotice(fenced.length > 0 ? fenced.map((part) => part.body).join('\n') : text) };
}

function fromToolResults(results: { name: string; result: string }[]): string {
  const isLong = isHeavy(results.map(({ result }) => result));
  const lines = results.map(({ name, result }) => `${name}: ${isLong ? shortened(result) : readable(result)}`);
  return results.length === 1
    ? `According to ${lines[0]}`
    : `The tools answered:\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

function readable(result: string): string {
  try {
    const value: unknown = JSON.parse(result);
    if (value === null || typeof value !== 'object') return String(value);
    return Object.entries(value)
      .map(([key, one]) => `${key} ${plainText(one)}`)
      .join(', ');
  } catch {
    return shortened(result);
  }
}

const shortened = (result: string): string => shorten(result.trim() || '(empty)', 600);

/** The answer without the notice. */
export function answer(messages: ChatMessage[], seed: number, long: boolean): string {
  const results = freshToolResults(messages);
  if (results.length > 0) return fromToolResults(results);
  const joined = fromTaskResults(messages);
  if (joined) return joined;
  const { task: text, material } = unwrap(lastUserText(messages));
  if (text.trim() === '') return 'Your message has no text.';
  const earlier = messages.slice(0, Math.max(0, lastUserIndex(messages))).map(said);
  if (material) earlier.push({ role: 'assistant', text: material });
  const reply = firstThatFits({ text, earlier, random: seeded(text, seed), long });
  const seen = attachments(messages[lastUserIndex(messages)]);
  if (seen.length === 0) return reply;
  return `${reply}\n\n(Attached: ${seen.join(', ')}. The simulation cannot look at attachments.)`;
}

/** The answer with the notice if it is the first of a conversation. */
export function respond(messages: ChatMessage[], seed: number, long: boolean): string {
  const summary = memorySummary(lastUserText(messages));
  if (summary !== null) return summary;
  const reply = answer(messages, seed, long);
  return messages.some((one) => one.role === 'assistant') ? reply : `${simulationNotice}\n\n${reply}`;
}
