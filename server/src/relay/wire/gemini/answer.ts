import { citationsIn, lettersIn } from '../citations.ts';
import { type Answer, isObject, type Json, type Part } from '../conversation.ts';
import { renameMember } from '../rewrite-model.ts';
import { renderGeminiFinish } from './finish.ts';
import { type SaidPart, writeGrounding } from './grounding.ts';
import { writeMedia } from './media.ts';
import { PartWriter } from './part-writer.ts';
import { renderGeminiUsage } from './usage.ts';

interface RenderOptions {
  /** The name the client asked for. */
  model: string;
  id: string;
  showThoughts?: true | undefined;
}

/** Renders an answer as the body of `generateContent`. */
export function renderGeminiAnswer(answer: Answer, { model, id, showThoughts }: RenderOptions): Json {
  const usage = answer.usage && { usageMetadata: renderGeminiUsage(answer.usage) };
  if (answer.source?.format === 'gemini') return { ...usage, ...answer.source.body, modelVersion: model };
  const { parts, said } = writeParts(answer.parts, showThoughts);
  const finishReason = renderGeminiFinish(answer.finish);
  const searches = answer.parts.filter((part) => part.type === 'search');
  const grounding = writeGrounding(citationsIn(answer.parts), said, searches);
  return {
    candidates: [{ content: { parts, role: 'model' }, finishReason, index: 0, ...grounding }],
    ...usage,
    modelVersion: model,
    responseId: id,
    ...answer.extra,
  };
}

function writeParts(parts: Part[], showThoughts: true | undefined): { parts: Json[]; said: SaidPart[] } {
  const writer = new PartWriter({ answer: true, showThoughts });
  const written: Json[] = [];
  const said: SaidPart[] = [];
  let before = 0;
  for (const part of parts) {
    if (part.type === 'text' && !part.refusal) {
      said.push({ partIndex: written.length, text: part.text, before });
      before += lettersIn(part.text);
    }
    written.push(...(writer.write(part) ?? writeMedia(part) ?? []));
  }
  const all = [...written, ...writer.end()];
  // Clients consider an answer without parts broken.
  return { parts: all.length > 0 ? all : [{ text: '' }], said };
}

/** The upstream's text with only the model name replaced; null if more has to change. */
export const renamedGeminiText = (text: string, body: Json, model: string): string | null =>
  isObject(body.usageMetadata) ? renameMember(text, 'modelVersion', body.modelVersion, model) : null;
