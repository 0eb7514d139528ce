import { cachedPath, sizeOf } from '../cache.js';
import { goVersion, pinnedVersion } from '../release.js';
import { type Way, WayFailed } from '../way.js';

/** What an earlier start installed. It was verified before it was put there in one step, so its size is check enough. */
export const cached: Way = {
  id: 'cache',
  title: 'our cache',
  installs: false,
  async find({ cacheRoot, platform, build }) {
    for (const version of [pinnedVersion, goVersion]) {
      const path = cachedPath(cacheRoot, version, platform);
      const size = await sizeOf(path);
      const expected = version === pinnedVersion ? build?.size : undefined;
      if (size !== undefined && (expected === undefined || size === expected)) return { path, version };
    }
    throw new WayFailed(
      `nothing is installed in ${cacheRoot}`,
      'An earlier start fills it; JOURNEYMAN_CACHE moves it.',
    );
  },
};
