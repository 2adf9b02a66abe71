import { expect, test } from 'bun:test';
import { DEFAULT_THEME, mergeMantineTheme } from '@mantine/core';
import { cssVariables, theme } from './theme.ts';

type Rgba = [red: number, green: number, blue: number, alpha: number];

function parse(colour: string): Rgba {
  if (colour.startsWith('#')) {
    const hex = colour.length === 4 ? colour.replace(/[^#]/g, '$&$&') : colour;
    const at = (start: number) => Number.parseInt(hex.slice(start, start + 2), 16);
    return [at(1), at(3), at(5), 1];
  }
  const [red = 0, green = 0, blue = 0, alpha = 1] = colour.match(/[\d.]+/g)!.map(Number);
  return [red, green, blue, alpha];
}

/** What is seen of a colour on an opaque ground. */
function over(colour: Rgba, ground: Rgba): Rgba {
  const mix = (top: number, below: number) => top * colour[3] + below * (1 - colour[3]);
  return [mix(colour[0], ground[0]), mix(colour[1], ground[1]), mix(colour[2], ground[2]), 1];
}

/** Relative luminance and contrast as WCAG 2.2 defines them. */
function luminance([red, green, blue]: Rgba): number {
  const linear = (value: number) =>
    value <= 0.04045 * 255 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
function contrast(one: Rgba, other: Rgba): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const merged = mergeMantineTheme(DEFAULT_THEME, theme);
const resolved = cssVariables(merged);
const colours = Object.keys(merged.colors).filter((name) => name !== 'dark');

for (const scheme of ['light', 'dark'] as const) {
  const variable = (name: string): string => (resolved[scheme] as Record<string, string>)[name]!;
  test(`tinted badges, buttons and alerts of every colour are readable in the ${scheme} scheme`, () => {
    const poor: string[] = [];
    for (const colour of colours)
      for (const ground of ['--svc-surface', '--svc-page'])
        for (const tint of ['', '-hover']) {
          const name = `--mantine-color-${colour}-light`;
          const below = over(parse(variable(`${name}${tint}`)), parse(variable(ground)));
          const ratio = contrast(parse(variable(`${name}-color`)), below);
          if (ratio < 4.5) poor.push(`${colour}${tint} on ${ground}: ${ratio.toFixed(2)}`);
        }
    expect(poor).toEqual([]);
  });

  test(`segmented controls are visible on every background in the ${scheme} scheme`, () => {
    const seen = (one: string, other: string) => contrast(parse(variable(one)), parse(variable(other))) > 1.05;
    for (const ground of ['--svc-surface', '--svc-page', '--svc-thumb'])
      expect({ ground, seen: seen('--svc-track', ground) }).toEqual({ ground, seen: true });
  });

  test(`outlines of fields, checkboxes and switches are visible on every background in the ${scheme} scheme (WCAG 1.4.11)`, () => {
    for (const ground of ['--svc-surface', '--svc-page'])
      expect(contrast(parse(variable('--svc-outline')), parse(variable(ground)))).toBeGreaterThanOrEqual(3);
  });

  test(`disabled controls are readable in the ${scheme} scheme, though WCAG does not require it`, () => {
    const below = parse(scheme === 'light' ? merged.colors.gray[2] : merged.colors.dark[6]);
    expect(contrast(parse(variable('--mantine-color-disabled-color')), below)).toBeGreaterThanOrEqual(4.5);
  });

  test(`dimmed text, errors and placeholders are readable in the ${scheme} scheme`, () => {
    for (const text of ['dimmed', 'error', 'placeholder'])
      for (const ground of ['--svc-surface', '--svc-page']) {
        const ratio = contrast(parse(variable(`--mantine-color-${text}`)), parse(variable(ground)));
        expect({ text, ground, enough: ratio >= 4.5 }).toEqual({ text, ground, enough: true });
      }
  });
}

test('contrast is computed as defined by WCAG', () => {
  expect(contrast(parse('#000'), parse('#fff'))).toBeCloseTo(21, 5);
  expect(contrast(parse('#777777'), parse('#ffffff'))).toBeCloseTo(4.48, 2);
  expect(over(parse('rgba(0, 0, 0, 0.5)'), parse('#ffffff'))).toEqual([127.5, 127.5, 127.5, 1]);
});
