import { parseArgs } from 'node:util';

/** Options of the command. */
export interface Options {
  readonly runs: number;
  readonly kills: number;
  readonly seed: number;
  /** Maximum number of runs started per second. */
  readonly rate: number;
  readonly gateways: number;
  readonly workers: number;
  /** Keeps the cluster running after the report. */
  readonly keep: boolean;
  /** Measures the cost of a step instead of killing processes. */
  readonly cost: boolean;
}

const help = `npm run cluster -- [options]

Starts a Temporal cluster on this machine (PostgreSQL, two frontends, two histories, one matching, one worker role), our gateways and workers
on it, and puts a load on them while each of these processes is killed (kill -9) in turn. A service at the other end keeps a ledger of the calls.
Beside the load run schedules of journeys, jobs and a pipeline. It ends with a table, and with 1 if a run or a call is lost or doubled.

  --runs <n>       runs of journeys that callers start (2000; with --cost 300 of each length)
  --kills <n>      processes killed, one after the other (one for each 125 runs)
  --seed <n>       determines the order of kills and the mix of runs (1)
  --rate <n>       runs started per second, at most (8)
  --gateways <n>   gateways (3)
  --workers <n>    workers (3)
  --cost           no kills: measures the CPU of each process per step, with runs of 0, 3 and 10 calls
  --keep           leaves the cluster running, prints its addresses, and ends it on Ctrl-C
  --help           this text

It needs Go (Temporal's server 1.29.1 is built from source once, a few minutes) and PostgreSQL's server (Debian: the package postgresql; as root
it is installed). Binaries are kept in .services, data and logs in a temporary folder that a failed command keeps.
`;

/** Reads the options; prints the help or an error, and exits. */
export function readOptions(argv: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        runs: { type: 'string' },
        kills: { type: 'string' },
        seed: { type: 'string', default: '1' },
        rate: { type: 'string', default: '8' },
        gateways: { type: 'string', default: '3' },
        workers: { type: 'string', default: '3' },
        keep: { type: 'boolean', default: false },
        cost: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(help);
      process.exit(0);
    }
    const runs = wholeNumber('runs', values.runs ?? (values.cost ? '300' : '2000'), 1);
    return {
      runs,
      kills: wholeNumber('kills', values.kills ?? String(Math.round(runs / 125)), 0),
      seed: wholeNumber('seed', values.seed, 0),
      rate: wholeNumber('rate', values.rate, 1),
      gateways: wholeNumber('gateways', values.gateways, 1),
      workers: wholeNumber('workers', values.workers, 1),
      keep: values.keep,
      cost: values.cost,
    };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nnpm run cluster -- --help lists the options.\n`);
    process.exit(64);
  }
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least)
    throw new Error(`--${name} must be a whole number of at least ${least}, not ${text}`);
  return value;
}
