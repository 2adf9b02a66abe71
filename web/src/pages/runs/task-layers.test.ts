import { describe, expect, test } from 'bun:test';
import { box, drawTasks, levelsOf } from './task-layers.ts';

const task = (id: string, ...dependsOn: string[]) => ({ id, dependsOn });

describe('levels', () => {
  test('are the longest way from the start', () => {
    const levels = levelsOf([task('d', 'a', 'c'), task('a'), task('b', 'a'), task('c', 'b')]);
    expect(Object.fromEntries(levels)).toEqual({ a: 0, b: 1, c: 2, d: 3 });
  });

  test('come to an end with unknown tasks and circles', () => {
    expect(levelsOf([task('a', 'gone')]).get('a')).toBe(0);
    expect(levelsOf([task('a', 'b'), task('b', 'a')]).size).toBe(2);
  });
});

describe('the drawing', () => {
  test('stands in columns that do not overlap, joined by lines', () => {
    const { nodes, edges, width, height } = drawTasks([task('a'), task('b'), task('c', 'a', 'b'), task('d', 'a')]);
    expect(edges.map(({ from, to }) => `${from}${to}`).sort()).toEqual(['ac', 'ad', 'bc']);
    expect(width).toBe(2 * box.width + box.gapX);
    expect(height).toBe(2 * box.height + box.gapY);
    for (const { x, y } of nodes) {
      expect(x >= 0 && x + box.width <= width && y >= 0 && y + box.height <= height).toBe(true);
      const others = nodes.filter((other) => other.x === x && Math.abs(other.y - y) < box.height);
      expect(others).toHaveLength(1);
    }
  });

  test('puts tasks beside what they depend on', () => {
    const { nodes } = drawTasks([task('a'), task('b'), task('under-b', 'b'), task('under-a', 'a')]);
    const y = (id: string) => nodes.find((node) => node.task.id === id)!.y;
    expect(y('under-a')).toBeLessThan(y('under-b'));
  });

  test('of nothing is empty', () => {
    expect(drawTasks([])).toEqual({ nodes: [], edges: [], width: 0, height: 0 });
  });
});
