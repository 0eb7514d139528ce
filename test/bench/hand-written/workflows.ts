import { condition, defineQuery, defineSignal, defineUpdate, executeChild, setHandler } from '@temporalio/workflow';
import type { CallResult } from './activities.js';
import { type Checked, call, check, localCall } from './call.js';

/** Sequential calls as a team would write them: the results kept, a check at the end. */
export async function calls(method: 'GET' | 'POST', base: string, count: number): Promise<Checked> {
  const results: CallResult[] = [];
  for (let i = 0; i < count; i++) {
    if (method === 'GET') results.push(await localCall(method, `${base}/${i}`));
    else results.push(await call(method, `${base}/${i}`, { i }));
  }
  return check(results);
}

/** A call in each branch. */
export async function branches(base: string, count: number): Promise<Checked> {
  return check(await Promise.all(Array.from({ length: count }, (_, i) => call('POST', `${base}/${i}`, { i }))));
}

/** A list as a team would process it: a call for each item, with bounded concurrency and ordered results. */
export async function eachItem(base: string, of: string[], atOnce: number): Promise<string[]> {
  const results: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < of.length) {
      const index = next++;
      const answer = await call('POST', `${base}/${of[index]}`, { n: 1 });
      check([answer]);
      results[index] = `${(answer.body as { path: string }).path}:${index}`;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** Ends after a submission. */
export async function wait(): Promise<void> {
  let approved = false;
  setHandler(defineSignal('approve'), () => {
    approved = true;
  });
  await condition(() => approved);
}

/** The same, with a submission that returns a response. */
export async function waitForUpdate(): Promise<void> {
  let approved = false;
  setHandler(defineUpdate('approve'), () => {
    approved = true;
  });
  await condition(() => approved);
}

/** The response of a greeting journey. */
export async function hello({ name }: { name: string }): Promise<{ greeting: string; status: string }> {
  return { greeting: `Hello, ${name}!`, status: 'GREETED' };
}

/** The minimal workflow that a Schedule can start. */
export async function nothing(): Promise<void> {}

/** The minimal workflow with a child that a Schedule can start. */
export async function parent(): Promise<void> {
  await executeChild(nothing);
}

export interface HandWrittenEvent {
  id: string;
  payload: { n: number };
}

/** A hand-written handler: the same as the journey of the benchmark. */
export async function handle(event: HandWrittenEvent): Promise<{ seen: string }> {
  return { seen: event.id };
}

/** A queue as a team would write it: events by update, sequential children, and the result of each. */
export async function queue(): Promise<void> {
  const waiting: HandWrittenEvent[] = [];
  const ended: [id: string, at: number][] = [];
  setHandler(defineUpdate<string, [HandWrittenEvent]>('publish'), (event) => {
    waiting.push(event);
    return 'accepted';
  });
  setHandler(defineQuery<[string, number][]>('ended'), () => ended);
  for (;;) {
    await condition(() => waiting.length > 0);
    const event = waiting.shift()!;
    await executeChild(handle, { args: [event] });
    ended.push([event.id, Date.now()]);
  }
}
