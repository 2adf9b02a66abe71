import { type ProviderModel, switchedOff, switchedOn } from '../catalog.ts';

/** The form state of a model's row; numbers may be incomplete. */
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

/** Whether calls to the model would be free. Some models have a price per request only. */
export const isFree = ({ request_price }: ProviderModel, { prompt, completion }: Choice): boolean =>
  Number(prompt) === 0 && Number(completion) === 0 && request_price === 0;

/** A model without a price gets enabled when its first price is entered. */
export function priced(model: ProviderModel, choice: Choice, changes: Partial<Choice>): Choice {
  const next = { ...choice, ...changes };
  return isFree(model, choice) && !isFree(model, next) ? { ...next, on: true } : next;
}

/** The differences from the stored values, as the API expects them. */
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
