import { expect, test } from 'bun:test';
import { renderToStaticMarkup } from 'react-dom/server';
import { LongName } from './long-name.tsx';

test.each([
  ['ada.lovelace@example.org', 'ada.|lovelace@|example.org'],
  ['northwind/gpt-4.1-mini', 'northwind/|gpt-4.1-|mini'],
  ['http://127.0.0.1:8080/v1', 'http://|127.0.0.1:|8080/|v1'],
  ['$998,000.00', '$998,000.00'],
  ['Research', 'Research'],
  ['', ''],
])('%s can wrap between its parts', (text, parts) => {
  expect(renderToStaticMarkup(<LongName text={text} />)).toBe(parts.replaceAll('|', '<wbr/>'));
});
