import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.js';
import { version } from '../../../src/config/package-info.js';
import { interpreterVersion } from '../../../src/engine/interpreter-version.js';
import { versioningOptions, workerVersion } from '../../../src/temporal/worker/worker-version.js';

/** Any file can be the code of a worker. */
const bundle = fileURLToPath(new URL('../../../package.json', import.meta.url));

const configOf = (deployment: Record<string, string>) =>
  loadConfig({
    cwd: '/',
    env: Object.fromEntries(Object.entries(deployment).map(([key, value]) => [`JOURNEYMAN_DEPLOYMENT_${key}`, value])),
  });

describe('HOME-3 the version of a worker', () => {
  it('is undefined unless a build or a behavior is configured', () => {
    expect(workerVersion(configOf({}))).toBeUndefined();
    expect(workerVersion(configOf({ NAME: 'shop' }))).toBeUndefined();
  });

  it('identifies an unversioned worker by its deployment and code, in few bytes', () => {
    const { workerDeploymentOptions } = versioningOptions(configOf({ NAME: 'shop' }), bundle);
    const buildId = expect.stringMatching(/^\d+\.\d+\.\d+-[\w-]{8}$/);
    expect(workerDeploymentOptions).toEqual({
      useWorkerVersioning: false,
      version: { deploymentName: 'shop', buildId },
    });
    const other = versioningOptions(configOf({ NAME: 'shop' }), fileURLToPath(import.meta.url));
    expect(other.workerDeploymentOptions.version.buildId).not.toBe(workerDeploymentOptions.version.buildId);
    // Temporal allows no dots in the name of a deployment, which may be the name of a folder.
    const unnamed = versioningOptions(
      { ...configOf({}), source: { ...configOf({}).source, baseDir: '/my.shop' } },
      bundle,
    );
    expect(unnamed.workerDeploymentOptions.version.deploymentName).toMatch(/^my-shop~[0-9a-f]{8}$/);
  });

  it('is the configured build, or else that of the package with the interpreter version', () => {
    expect(versioningOptions(configOf({ NAME: 'shop', BUILD_ID: '2026-11-19' }), bundle)).toEqual({
      workerDeploymentOptions: {
        useWorkerVersioning: true,
        version: { deploymentName: 'shop', buildId: `2026-11-19.i${interpreterVersion}` },
        defaultVersioningBehavior: 'AUTO_UPGRADE',
      },
    });
    const pinned = configOf({ NAME: 'shop', BEHAVIOR: 'pinned' });
    expect(workerVersion(pinned)?.buildId).toBe(`${version}.i${interpreterVersion}`);
    expect(versioningOptions(pinned, bundle).workerDeploymentOptions.defaultVersioningBehavior).toBe('PINNED');
  });

  it.each([
    [{ BUILD_ID: 'a' }, /deployment.*name/],
    [{ BEHAVIOR: 'pinned' }, /deployment.*name/],
    [{ NAME: 'shop', BEHAVIOR: 'pin' }, /auto-upgrade, pinned/],
    [{ NAME: 'shop.eu', BUILD_ID: 'a' }, /deployment\.name/],
    [{ NAME: 'shop', BUILD_ID: 'a:b' }, /deployment\.buildId/],
  ])('rejects %o', (deployment, message) => {
    expect(() => configOf(deployment)).toThrow(message);
  });
});
