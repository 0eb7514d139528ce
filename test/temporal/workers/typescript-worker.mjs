// A worker of the tests with one activity, as a user would write it. Arguments: the address and the task queue.
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, activityInfo, CancelledFailure, heartbeat, sleep as rest } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';

async function TypeScriptWork({ do: what, item }, amount) {
  const { attempt } = activityInfo();
  console.log(what, attempt);
  if (what === 'decline') throw ApplicationFailure.nonRetryable('no money', 'CardDeclined', item);
  if (what === 'hang') await sleep(60_000);
  while (what === 'beat' || (what === 'survive' && attempt === 1)) {
    heartbeat();
    await rest(100).catch((error) => {
      if (error instanceof CancelledFailure) console.log('cancelled');
      throw error;
    });
  }
  return { by: 'typescript', item, amount };
}

const [address, taskQueue] = process.argv.slice(2);
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({ connection, taskQueue, activities: { TypeScriptWork } });
console.log('ready');
await worker.run();
