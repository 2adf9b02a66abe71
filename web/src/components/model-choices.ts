import { type ProviderModel, switchedOff, switchedOn } from '../catalog.ts';

/** What is chosen for a model, as its row holds it; numbers may be half typed. */
export interface Choice {
  on: boolean;
  prompt: number | string;
  completion: number | string;
}
export type Choices = Record<number, Choice>;

export const choiceOf = (model: ProviderModel): Choice => ({
  on: model.status === switchedOn,
  prompt: model.prompt_price,
  completion: model.completion_price,
});

/** Whether whoever may call it would do so for nothing. Some are priced by the request alone. */
export const isFree = ({ request_price }: ProviderModel, { prompt, completion }: Choice): boolean =>
  Number(prompt) === 0 && Number(completion) === 0 && request_price === 0;

/** A model that had no price is chosen with its first one. */
export function priced(model: ProviderModel, choice: Choice, changes: Partial<Choice>): Choice {
  const next = { ...choice, ...changes };
  return isFree(model, choice) && !isFree(model, next) ? { ...next, on: true } : next;
}

/** What differs from what is stored, as the service takes it. */
export function changesOf(models: readonly ProviderModel[], choices: Choices) {
  return models.flatMap((model) => {
    const before = choiceOf(model);
    const { on, prompt, completion } = choices[model.id] ?? before;
    const change = {
      ...(on !== before.on && { status: on ? (switchedOn as 1) : (switchedOff as 2) }),
      ...(Number(prompt) !== before.prompt && { prompt_price: Number(prompt) }),
      ...(Number(completion) !== before.completion && { completion_price: Number(completion) }),
    };
    return Object.keys(change).length === 0 ? [] : [{ id: model.id, ...change }];
  });
}
