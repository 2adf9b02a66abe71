import { echoOf } from '../wire/responses/echo.ts';
import type { Item, ResponseObject } from './keeper.ts';

/**
 * Most of a response says that its request asked for nothing in particular. That is not written for each: a row has what is
 * its own, and a mark that the rest is as here. Other defaults, one day, are a table of their own under another mark.
 */
const usual: Item = { object: 'response', error: null, incomplete_details: null, ...echoOf({}) };
const mark = 'svc_usual';

const texts = new Map(
  Object.entries(usual).map(([name, value]) => [
    name,
    { value, text: `,${JSON.stringify(name)}:${JSON.stringify(value)}` },
  ]),
);

/** A response but for its output, as it is stored and as it is sent; both are JSON without the brace at their end. */
interface Parted {
  stored: string;
  sent: string;
}

const open = (value: Item): string => JSON.stringify(value).slice(0, -1);

export function partUsual(response: ResponseObject): Parted {
  const own: Item = {};
  let alike = '';
  let named = 0;
  for (const name in response) {
    const value = response[name];
    if (name === 'output' || value === undefined) continue;
    const known = texts.get(name);
    if (known !== undefined) named += 1;
    if (known?.value === value) alike += known.text;
    else own[name] = value;
  }
  // One that another vendor made may leave something out, and is not to say it when it is read.
  if (named < texts.size || mark in response) {
    const whole = open({ ...response, output: undefined });
    return { stored: whole, sent: whole };
  }
  const text = open(own);
  return { stored: `${text},"${mark}":1`, sent: text + alike };
}

/** A response but for its output, from what was stored of it. */
export function readUsual(stored: string): Item {
  const own = JSON.parse(stored) as Item;
  if (own[mark] !== 1) return own;
  const { [mark]: _, ...rest } = own;
  return { ...usual, ...rest };
}
