import { echoOf } from '../wire/responses/echo.ts';
import type { Item, ResponseObject } from './keeper.ts';

/**
 * Most fields of a response are defaults. They are not stored each time: a row has the differences and a mark for this
 * table. If defaults change, they get another table and mark.
 */
const usual: Item = { object: 'response', error: null, incomplete_details: null, ...echoOf({}) };
const mark = 'svc_usual';

const texts = new Map(
  Object.entries(usual).map(([name, value]) => [
    name,
    { value, text: `,${JSON.stringify(name)}:${JSON.stringify(value)}` },
  ]),
);

/** A response without its output, as stored and as sent; both are JSON without the closing brace. */
interface Parted {
  stored: string;
  sent: string;
}

const open = (value: Item): string => JSON.stringify(value).slice(0, -1);

export function splitDefaults(response: ResponseObject): Parted {
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
  // Another vendor's response may lack a field, which must not appear when it is read.
  if (named < texts.size || mark in response) {
    const whole = open({ ...response, output: undefined });
    return { stored: whole, sent: whole };
  }
  const text = open(own);
  return { stored: `${text},"${mark}":1`, sent: text + alike };
}

/** Restores a response without its output. */
export function restoreDefaults(stored: string): Item {
  const own = JSON.parse(stored) as Item;
  if (own[mark] !== 1) return own;
  const { [mark]: _, ...rest } = own;
  return { ...usual, ...rest };
}
