/** Whether something outside is installed; where the environment requires it, its absence is an error. */
export function available(name: string, why: string, check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    if (process.env[`REQUIRE_${name.toUpperCase()}`] === '1')
      throw new Error(`${why}, and this run must not go without it`);
    console.warn(`\n*** SKIPPED: the tests with a real ${name} do not run: ${why}. ***\n`);
    return false;
  }
}
