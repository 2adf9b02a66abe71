import { groupsOf, type ListedModel, type ModelGroup } from './models.ts';

export interface ModelOption {
  value: string;
  label: string;
  owner: string;
}

/**
 * The options of a model picker, in the order of their groups. Not grouped, because the component library copies all
 * options once per group on every letter typed: with 5,000 models of 100 owners a letter took half a second.
 */
export const modelOptions = (models: ListedModel[]): ModelOption[] =>
  groupsOf(models).flatMap(({ group, items }) => items.map((item) => ({ ...item, owner: group })));

/** Stops at the last option that is shown. */
export function firstOf<Option>(options: readonly Option[], most: number, fits: (option: Option) => boolean): Option[] {
  const found: Option[] = [];
  for (const option of options) {
    if (found.length === most) break;
    if (fits(option)) found.push(option);
  }
  return found;
}

/** Groups the options to show by owner again. */
export function grouped(options: readonly ModelOption[]): ModelGroup[] {
  const groups = new Map<string, ModelGroup>();
  for (const { owner, value, label } of options) {
    const group = groups.get(owner) ?? { group: owner, items: [] };
    group.items.push({ value, label });
    groups.set(owner, group);
  }
  return [...groups.values()];
}
