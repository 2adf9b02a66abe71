import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { engines } from '../../billing/engines.fixture.ts';
import { until } from '../../lib/until.fixture.ts';
import { followResponse } from './follow.ts';
import { newId } from './items.ts';
import { ada, openProcess, responseOf, said, textsOf } from './responses.fixture.ts';
import { readResponse } from './store/background.ts';

describe.each(engines)('after a kill ($name)', (engine) => {
  test('the next process finds the chain and takes over the work under another request id', async () => {
    const open = await engine.open();
    const [chain, id] = [newId('resp'), newId('resp')];
    const program = join(import.meta.dir, 'responses.fixture.ts');
    const told = JSON.stringify({ where: open.where, engine: engine.name, chain, id });
    const child = Bun.spawn([process.execPath, program, told], { stdout: 'pipe', stderr: 'inherit' });
    let output = '';
    const reading = (async () => {
      for await (const bytes of child.stdout) output += Buffer.from(bytes).toString();
    })();
    await until('it works on the response', () => output.includes('began'));
    await until('its event is written', async () => (await readResponse(open.db, id))!.last_seq === 3);
    child.kill('SIGKILL');
    await child.exited;
    await reading;
    expect(output.trim()).toBe(`began ${id}-1`);

    const asked: string[] = [];
    const next = await openProcess(open, engine, async (owner, body, attempt) => {
      asked.push(attempt.requestId);
      expect(owner).toEqual(ada);
      const before = await next.kept.keeper.before(owner, { previousResponseId: chain });
      attempt.tell({ type: 'response.output_text.delta', delta: 'found' });
      return responseOf('another', [said(newId('msg'), [...textsOf(before), body.input].join(' '))]);
    });
    await next.start();
    await until('the other has finished it', async () => {
      await next.beat();
      return (await readResponse(open.db, id))!.status === 'completed';
    });
    expect(asked).toEqual([`${id}-2`]);
    const all = textsOf(await next.kept.keeper.before(ada, { previousResponseId: id }));
    expect(all).toEqual(['question', 'answer', 'go on', 'question answer go on']);
    // Whoever reads from the beginning finds nothing of the attempt that was lost, and numbers that only grow.
    let text = '';
    await followResponse(next.kept.deps, { id, after: -1, include: [] }, new AbortController().signal, (bytes) => {
      text += bytes;
    });
    expect(text).toContain('found');
    expect(text).not.toContain('lost');
    const numbers = [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    await next.close();
    await open.drop();
  });
});
