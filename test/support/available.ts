/** Whether an external program is installed; an error if the environment requires it and it is missing. */
export function available(name: string, why: string, check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    if (process.env[`REQUIRE_${name.toUpperCase()}`] === '1')
      throw new Error(`${why}, but it is required for this run`);
    console.warn(`\n*** SKIPPED: the tests with a real ${name} do not run: ${why}. ***\n`);
    return false;
  }
}
