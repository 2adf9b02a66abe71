import { describe, expect, test } from 'bun:test';
import { box, drawTasks, levelsOf } from './task-layers.ts';

const task = (id: string, ...dependsOn: string[]) => ({ id, dependsOn });

describe('levels of tasks', () => {
  test('are the longest path from the start', () => {
    const levels = levelsOf([task('d', 'a', 'c'), task('a'), task('b', 'a'), task('c', 'b')]);
    expect(Object.fromEntries(levels)).toEqual({ a: 0, b: 1, c: 2, d: 3 });
  });

  test('handle unknown tasks and cycles', () => {
    expect(levelsOf([task('a', 'gone')]).get('a')).toBe(0);
    expect(levelsOf([task('a', 'b'), task('b', 'a')]).size).toBe(2);
  });
});

describe('task graph', () => {
  test('places tasks in columns without overlap and connects them', () => {
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

  test('places tasks next to their dependencies', () => {
    const { nodes } = drawTasks([task('a'), task('b'), task('under-b', 'b'), task('under-a', 'a')]);
    const y = (id: string) => nodes.find((node) => node.task.id === id)!.y;
    expect(y('under-a')).toBeLessThan(y('under-b'));
  });

  test('is empty without tasks', () => {
    expect(drawTasks([])).toEqual({ nodes: [], edges: [], width: 0, height: 0 });
  });
});
