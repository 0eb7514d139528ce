// Migrates a schedule and dies, as by kill -9, right after the server has accepted its nth write.
// Arguments: address, schedule, file of the target journey, n.
import { readFileSync } from 'node:fs';
import { loadConfig } from '../../../dist/src/config/load-config.js';
import { load } from '../../../dist/src/language/load-journey.js';
import { connect } from '../../../dist/src/temporal/connection.js';
import { migrateBinding } from '../../../dist/src/temporal/schedules/bindings/migrate-binding-to-journey-version.js';

const [address, scheduleId, file, last] = process.argv.slice(2);

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
  const migrating = migrateBinding(dying, config, scheduleId, { definition, hash: 'another' }, 'test');
  // A run is briefly active at its time.
  const error = await migrating.catch((thrown) => thrown);
  if (error.problem?.code !== 'RUN_ACTIVE') throw error;
}
