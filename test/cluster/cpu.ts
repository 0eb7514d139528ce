import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of CPU used by a process, its children and its reaped children, user and system (Linux). */
export function cpuMsWithChildren(pid: number): number {
  let ticks = 0;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = fieldsOf(entry);
    if (!stat) continue;
    const isSelf = Number(entry) === pid;
    if (!isSelf && Number(stat[1]) !== pid) continue;
    ticks += Number(stat[11]) + Number(stat[12]) + Number(stat[13]) + Number(stat[14]);
  }
  return ticks * 10;
}

/** The fields of /proc/<pid>/stat after the name: state, parent, …; undefined if the process is gone. */
function fieldsOf(pid: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  } catch {
    return undefined;
  }
}

/** Resident memory of a process in megabytes (Linux). */
export function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb ?? 0) / 1024;
}
