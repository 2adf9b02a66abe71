import { type Answer, isObject, type Json, type Part } from '../conversation.ts';
import { renameMember } from '../rewrite-model.ts';
import { renderGeminiFinish } from './finish.ts';
import { writeMedia } from './media.ts';
import { PartWriter } from './part-writer.ts';
import { renderGeminiUsage } from './usage.ts';

interface RenderOptions {
  /** The name the client asked for. */
  model: string;
  id: string;
  showThoughts?: true | undefined;
}

/** An answer as the body of `generateContent`. */
export function renderGeminiAnswer(answer: Answer, { model, id, showThoughts }: RenderOptions): Json {
  const usage = answer.usage && { usageMetadata: renderGeminiUsage(answer.usage) };
  if (answer.source?.format === 'gemini') return { ...usage, ...answer.source.body, modelVersion: model };
  const parts = writeParts(answer.parts, showThoughts);
  return {
    candidates: [{ content: { parts, role: 'model' }, finishReason: renderGeminiFinish(answer.finish), index: 0 }],
    ...usage,
    modelVersion: model,
    responseId: id,
    ...answer.extra,
  };
}

function writeParts(parts: Part[], showThoughts: true | undefined): Json[] {
  const writer = new PartWriter({ answer: true, showThoughts });
  const written = parts.flatMap((part) => writer.write(part) ?? writeMedia(part) ?? []);
  const all = [...written, ...writer.end()];
  // Clients take an answer without parts for a broken one.
  return all.length > 0 ? all : [{ text: '' }];
}

/** The text as it came, with the client's name for the model; null where more has to change. */
export const renamedGeminiText = (text: string, body: Json, model: string): string | null =>
  isObject(body.usageMetadata) ? renameMember(text, 'modelVersion', body.modelVersion, model) : null;
