const dayMs = 86_400_000;

/** Minutes by which the clocks of a zone go forward on a local day (`2026-03-29`); negative if they go back. */
export function clockChange(zone: string, day: string): number {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const begins = (utc: number) => utc - offset(zone, utc) * 60_000;
  return offset(zone, begins(midnight + dayMs)) - offset(zone, begins(midnight));
}

/** Minutes by which a zone is ahead of UTC. */
function offset(zone: string, at: number): number {
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(
    at,
  );
  return Math.round((Date.parse(`${local.replace(' ', 'T')}Z`) - at) / 60_000);
}
