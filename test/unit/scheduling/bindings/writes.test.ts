import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../../../', import.meta.url);

it('Schedules are changed in one place, never with the SDK’s update(), which loses what others wrote', () => {
  const sources = ['src', 'activities', 'workflows'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
  expect(sources.filter((path) => /\.updateSchedule\(/.test(text(path)))).toEqual(['src/temporal/schedules/change.ts']);
  expect(sources.filter((path) => /schedule\s*\.getHandle\([^)]*\)\s*\.update\(/.test(text(path)))).toEqual([]);
});
