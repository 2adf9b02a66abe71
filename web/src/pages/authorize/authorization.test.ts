import { expect, test } from 'bun:test';
import { destinationOf } from './authorization.ts';

test('where an address leads is told by its host, or as an app', () => {
  expect(destinationOf('https://app.example/cb?x=1')).toBe('app.example');
  expect(destinationOf('http://127.0.0.1:8765/cb')).toBe('127.0.0.1:8765');
  expect(destinationOf('com.example.app:/cb')).toBe('an app on this device (com.example.app:)');
});
