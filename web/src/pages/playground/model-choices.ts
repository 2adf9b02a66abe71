import type { ListedModel } from '../../models.ts';
import { orchestrationModel } from './settings.ts';

/** The list says what a model is for only where the service knows; names tell the rest. */
const notForChat = /embed|rerank|moderation|whisper|transcri|speech|\btts\b|-tts|dall-e|image|imagen|video|sora|veo/i;

type Described = ListedModel & { types?: string[] };

export const isChat = ({ id, types = [] }: Described): boolean =>
  types.length > 0 ? types.includes('chat') : !notForChat.test(id);

export interface ModelGroup {
  group: string;
  items: { value: string; label: string }[];
}

/** Chat models by who owns them; the orchestration model stands first. */
export function modelGroups(models: ListedModel[]): ModelGroup[] {
  const groups = new Map<string, ModelGroup>();
  const chat = models.filter(isChat).sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const { id, owned_by } of chat) {
    const name = id === orchestrationModel ? 'Orchestration' : owned_by || 'Other';
    const group = groups.get(name) ?? { group: name, items: [] };
    group.items.push({ value: id, label: id });
    groups.set(name, group);
  }
  return [...groups.values()].sort((a, b) => Number(b.group === 'Orchestration') - Number(a.group === 'Orchestration'));
}

/** Where a newcomer starts: a plain chat model, a real one before the simulation. */
export function firstModel(models: ListedModel[]): string {
  const ids = modelGroups(models).flatMap(({ items }) => items.map(({ value }) => value));
  const plain = ids.filter((id) => id !== orchestrationModel);
  return plain.find((id) => !id.startsWith('demo/')) ?? plain[0] ?? ids[0] ?? '';
}
