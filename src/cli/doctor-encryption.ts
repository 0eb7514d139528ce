import type { Config } from '../config/config.js';
import { encryptionKeys } from '../config/encryption.js';
import type { Connected } from '../temporal/connection.js';
import { keysInUse } from '../temporal/encryption/keys-in-use.js';
import type { Check } from './doctor-checks.js';

const [id, name] = ['encryption', 'Encryption'];

/** Whether this process has the keys that runs and schedules need. Reads them, so that one that is missing or malformed shows. */
export async function encryptionCheck(config: Config, client: Connected['client']): Promise<Check> {
  const keys = [...encryptionKeys(config).keys()];
  const used = await keysInUse(client);
  const unknown = [...used].filter(([key]) => !keys.includes(key));
  if (unknown.length > 0)
    return {
      id,
      name,
      status: 'bad',
      detail: `encrypted with a key that is not configured here: ${unknown.map(counted).join(', ')}`,
      hint: 'Without it nobody reads them, and their runs cannot go on. Add it to encryption.keys, after the one that encrypts.',
    };
  const [current, ...others] = keys;
  if (current === undefined) return { id, name, status: 'info', detail: 'off: whoever reads Temporal reads every run' };
  const also = others.length === 0 ? '' : `, also reads ${others.map((key) => `"${key}"`).join(', ')}`;
  const inUse = used.size === 0 ? '' : `; in use: ${[...used].map(counted).join(', ')}`;
  return { id, name, status: 'ok', detail: `with "${current}"${also}${inUse}` };
}

function counted([key, count]: [string, number]): string {
  return `"${key}" (${count === 1 ? 'one run or schedule' : `${count} runs and schedules`})`;
}
