// A move of a schedule that dies, as by kill -9, right after the server has taken its nth write.
// Arguments: the address, the schedule, a file with the journey it moves to, and n.
import { readFileSync } from 'node:fs';

const [address, scheduleId, file, last] = process.argv.slice(2);
const dist = new URL('../../../dist/src/', import.meta.url);
const { loadConfig } = await import(new URL('config/load.js', dist));
const { load } = await import(new URL('language/load.js', dist));
const { connect } = await import(new URL('temporal/connection.js', dist));
const { moveBinding } = await import(new URL('temporal/schedules/move.js', dist));

const config = loadConfig();
const { client } = await connect(config, { address });
const { definition } = load({ text: readFileSync(file, 'utf8') }, { minScheduleIntervalSec: 1 });
let writes = 0;
const service = new Proxy(client.workflowService, {
  get(target, name) {
    const call = target[name];
    if (name !== 'updateSchedule' && name !== 'createSchedule') return call;
    return async (...args) => {
      await call.apply(target, args);
      writes += 1;
      if (writes < Number(last)) return;
      process.kill(process.pid, 'SIGKILL');
      await new Promise(() => {});
    };
  },
});
const dying = Object.create(client, { workflowService: { value: service } });
for (;;) {
  const moving = moveBinding(dying, config, scheduleId, { definition, hash: 'another' }, 'test');
  // A run is active for a moment at its time.
  const error = await moving.catch((thrown) => thrown);
  if (error.problem?.code !== 'RUN_ACTIVE') throw error;
}
