import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { searchAttributes } from '../search-attributes.js';

/**
 * A development server feels slow because of its polling: 20 polls a second on its single shard are the 50 ms between steps, and timers
 * wait up to a second. These settings remove both; the design has the measurements.
 */
const tuning: Readonly<Record<string, string>> = {
  'history.transferProcessorMaxPollRPS': '2000',
  'history.timerProcessorMaxPollRPS': '2000',
  'history.visibilityProcessorMaxPollRPS': '2000',
  'history.timerProcessorMaxTimeShift': '"25ms"',
  'system.enableActivityEagerExecution': 'true',
};

/** WAL survives the death of the process with `synchronous=1`, at a third of the disk time. */
const pragmas = ['journal_mode=WAL', 'synchronous=1'];

/** The database of the embedded server. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'temporal.db');
}

/** What `temporal` is started with. */
export function serverArguments(config: Config, port: number): string[] {
  const { server, temporal } = config;
  const ui = server.uiPort === 0 ? ['--headless'] : ['--ui-port', String(server.uiPort), ...uiCodec(config)];
  const database = server.inMemory
    ? []
    : ['--db-filename', databaseFile(server.dataDir), ...pragmas.flatMap((it) => ['--sqlite-pragma', it])];
  return [
    'server',
    'start-dev',
    ...['--ip', server.ip, '--port', String(port), ...ui],
    ...['--namespace', temporal.namespace, '--log-level', 'warn'],
    ...database,
    ...Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ...Object.entries(tuning).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
    ...server.args,
  ];
}

/** Where the Web UI has payloads decrypted. A port that is not known yet cannot be told. */
function uiCodec({ encryption, gateway: { host, port, publicUrl } }: Config): string[] {
  const url = publicUrl ?? (port === 0 ? undefined : `http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return encryption.keys.length === 0 || url === undefined ? [] : ['--ui-codec-endpoint', `${url}/codec`];
}
