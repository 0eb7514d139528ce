import { join } from 'node:path';
import type { Config } from '../../config/config-types.js';
import { searchAttributes } from '../search-attribute-types.js';

/**
 * A development server is slow because of its polling: 20 polls per second on its single shard mean 50 ms between steps, and timers wait up to
 * a second. These settings remove both.
 */
const tuning: Readonly<Record<string, string>> = {
  'history.transferProcessorMaxPollRPS': '2000',
  'history.timerProcessorMaxPollRPS': '2000',
  'history.visibilityProcessorMaxPollRPS': '2000',
  'history.timerProcessorMaxTimeShift': '"25ms"',
  'system.enableActivityEagerExecution': 'true',
};

/** With WAL, `synchronous=1` survives the death of the process at a third of the disk time. */
const pragmas = ['journal_mode=WAL', 'synchronous=1'];

/** The database of the embedded server. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'temporal.db');
}

/** Arguments of `temporal`. */
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

/** The codec endpoint of the Web UI; undefined if the port is not known yet. */
function uiCodec({ encryption, gateway: { host, port, publicUrl } }: Config): string[] {
  const url = publicUrl ?? (port === 0 ? undefined : `http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return encryption.keys.length === 0 || url === undefined ? [] : ['--ui-codec-endpoint', `${url}/codec`];
}
