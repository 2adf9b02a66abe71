import { expect, test } from 'bun:test';
import { LazySubscription } from './lazy-subscription.ts';
import { memoryShared } from './memory.ts';

test('subscribes once, when it is first needed, until it stops', async () => {
  const shared = memoryShared();
  const heard: string[] = [];
  let subscribed = 0;
  const subscription = new LazySubscription(() => {
    subscribed += 1;
    return shared.subscribe('news', (text) => heard.push(text));
  });
  await shared.publish('news', 'too early');
  expect(subscription.begin()).toBe(false);
  await subscription.begun();
  expect(subscription.begin()).toBe(true);
  await shared.publish('news', 'in time');
  await subscription.stop();
  await shared.publish('news', 'too late');
  expect({ heard, subscribed }).toEqual({ heard: ['in time'], subscribed: 1 });
});

test('a subscription that fails is tried again at the next need', async () => {
  let tries = 0;
  const subscription = new LazySubscription(async () => {
    tries += 1;
    if (tries === 1) throw new Error('unreachable');
    return async () => {};
  });
  await subscription.begun();
  expect(subscription.begin()).toBe(false);
  await subscription.begun();
  expect(subscription.begin()).toBe(true);
  expect(tries).toBe(2);
});

test('stopping one that was never needed does nothing', async () => {
  let tries = 0;
  await new LazySubscription(async () => {
    tries += 1;
    return async () => {};
  }).stop();
  expect(tries).toBe(0);
});
