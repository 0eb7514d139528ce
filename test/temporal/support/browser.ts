import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

const names = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser'];
const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Starts an installed Chrome or Chromium, or the one in the package `@sparticuz/chromium`. Does not use the arguments of that package:
 * `--single-process` crashes when a context closes, and `--disable-web-security` disables the policies under test.
 */
export async function openBrowser(): Promise<Browser> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const installed = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
  return await chromium.launch({ executablePath: installed ?? unpackedBrowser(), args: ['--no-sandbox'] });
}

/** Unpacks the browser of the package, whose own function unpacks to a fixed path that another process may still be writing. */
function unpackedBrowser(): string {
  const folder = join(root, 'node_modules/.cache/chromium');
  if (!existsSync(folder)) {
    mkdirSync(join(folder, '..'), { recursive: true });
    const TMPDIR = mkdtempSync(`${folder}-`);
    const unpack = `(await import('@sparticuz/chromium')).default.executablePath()`;
    execFileSync(process.execPath, ['--input-type=module', '-e', `await ${unpack}`], {
      cwd: root,
      env: { ...process.env, TMPDIR },
    });
    try {
      renameSync(TMPDIR, folder);
    } catch {
      rmSync(TMPDIR, { recursive: true }); // Another process was first.
    }
  }
  return join(folder, 'chromium');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
