import { condition, defineQuery, defineUpdate, executeChild, proxyActivities, setHandler } from '@temporalio/workflow';
import type { CallResult } from './activities.js';

const { call } = proxyActivities<{ call(method: string, url: string, body?: string): Promise<CallResult> }>({
  startToCloseTimeout: '15s',
});

/** What a team would write by hand: ten calls in a row, the results kept, a check at the end. */
export async function tenCalls(method: string, base: string): Promise<{ results: CallResult[] }> {
  const results: CallResult[] = [];
  for (let i = 0; i < 10; i++) {
    results.push(await call(method, `${base}/${i}`, method === 'GET' ? undefined : JSON.stringify({ i })));
  }
  if (!results.every((result) => result.ok)) throw new Error('a call failed');
  return { results };
}

/** What a team would write by hand for a list: a call for each item, so many at once, and the results in order. */
export async function eachItem(method: string, base: string, of: string[], atOnce: number): Promise<string[]> {
  const results: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < of.length) {
      const index = next++;
      const body = method === 'GET' ? undefined : JSON.stringify({ n: 1 });
      const answer = await call(method, `${base}/${of[index]}`, body);
      if (!answer.ok) throw new Error('a call failed');
      results[index] = `${(answer.body as { path: string }).path}:${index}`;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** The least a Schedule can start. */
export async function nothing(): Promise<void> {}

/** The least that a Schedule whose workflow starts a child can do. */
export async function parent(): Promise<void> {
  await executeChild(nothing);
}

export interface HandWrittenEvent {
  id: string;
  payload: { n: number };
}

/** What a handler by hand does: the same as the journey of the benchmark. */
export async function handle(event: HandWrittenEvent): Promise<{ seen: string }> {
  return { seen: event.id };
}

/** What a team would write by hand for a queue: events by update, one child after another, and what became of each. */
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
