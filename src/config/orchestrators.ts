import { relative, resolve, sep } from 'node:path';
import { nearest } from '../problems/nearest.js';
import type { Finding } from '../problems/problem.js';
import { zoneFault } from '../time/zone-names.js';
import type { ChannelProfileConfig, Config, OrchestratorConfig } from './config.js';

/** The orchestrator that is there without configuration. */
const main = 'main';

type Given = Readonly<Record<string, Partial<OrchestratorConfig>>>;

/** Every orchestrator with what it has unless told otherwise; `main` comes first. */
export function completeOrchestrators(given: Given, dataDir: string): Config['orchestrators'] {
  const all = { [main]: {}, ...given };
  return Object.fromEntries(
    Object.entries(all).map(([id, { root, journeys, functions, shared }]: [string, Partial<OrchestratorConfig>]) => [
      id,
      {
        root: root ?? resolve(dataDir, 'orchestrators', id),
        journeys: journeys ?? (id === main ? ['*'] : []),
        functions: functions ?? ['*'],
        shared: shared ?? [],
      },
    ]),
  );
}

/** Every channel profile with what it has unless told otherwise. */
export function completeProfiles(
  given: Readonly<Record<string, Partial<ChannelProfileConfig>>>,
): Config['channelProfiles'] {
  const complete = (it: Partial<ChannelProfileConfig>) =>
    ({ channels: {}, callers: [], ...it }) as ChannelProfileConfig;
  return Object.fromEntries(Object.entries(given).map(([id, it]) => [id, complete(it)]));
}

/** Rules between orchestrators, profiles and shared folders. */
export function checkOrchestrators({ orchestrators, channelProfiles, shared }: Config): Finding[] {
  return [...roots(orchestrators), ...grants(orchestrators, shared), ...profiles(channelProfiles, orchestrators)];
}

/** A root is private: no other orchestrator may look into it. */
function roots(orchestrators: Config['orchestrators']): Finding[] {
  const all = Object.entries(orchestrators);
  return all.flatMap(([id, { root }], i) => {
    const other = all.slice(0, i).find(([, it]) => holds(it.root, root) || holds(root, it.root));
    if (other === undefined) return [];
    const how = other[1].root === root ? 'have the same root' : 'have roots inside each other';
    const message = `The orchestrators "${other[0]}" and "${id}" ${how}`;
    return [invalid(`/orchestrators/${id}/root`, message, 'Give each a folder of its own.')];
  });
}

function holds(folder: string, other: string): boolean {
  const way = relative(folder, other);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === other);
}

function grants(orchestrators: Config['orchestrators'], shared: Config['shared']): Finding[] {
  return Object.entries(orchestrators).flatMap(([id, it]) =>
    it.shared.flatMap((name, i) =>
      name === '*' || Object.hasOwn(shared, name)
        ? []
        : [invalid(`/orchestrators/${id}/shared/${i}`, `There is no shared folder "${name}"`, hint(name, shared))],
    ),
  );
}

function profiles(all: Config['channelProfiles'], orchestrators: Config['orchestrators']): Finding[] {
  return Object.entries(all).flatMap(([id, { orchestratorId, timezone, channel, ...rest }]) => {
    const at = `/channelProfiles/${id}`;
    const other = channel === 'slack' ? 'webhook' : 'slack';
    const zone = timezone === undefined ? undefined : zoneFault(timezone);
    return [
      ...(Object.hasOwn(orchestrators, orchestratorId)
        ? []
        : [
            invalid(
              `${at}/orchestratorId`,
              `There is no orchestrator "${orchestratorId}"`,
              hint(orchestratorId, orchestrators),
            ),
          ]),
      ...(zone ? [invalid(`${at}/timezone`, zone.message, zone.hint)] : []),
      ...(rest[other]
        ? [invalid(`${at}/${other}`, `A profile of channel ${channel} has no ${other}`, 'Leave it out.')]
        : []),
    ];
  });
}

function hint(name: string, known: Readonly<Record<string, unknown>>): string {
  const guess = nearest(name, Object.keys(known));
  return guess === undefined ? `Known: ${Object.keys(known).join(', ') || 'none'}.` : `Did you mean "${guess}"?`;
}

function invalid(pointer: string, message: string, help: string): Finding {
  return { code: 'CONFIG_VALUE_INVALID', severity: 'error', message, pointer, hint: help };
}
