import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, Pool } from 'undici';
import { type Egress, EgressRefused, hostOf, portOf } from './egress.js';

/** Resolves a host's name to its addresses. */
export type ResolveHost = (host: string) => Promise<readonly { address: string; family: number }[]>;

const resolveBySystem: ResolveHost = (host) => systemLookup(host, { all: true });

const connectTimeoutMs = 10_000;

/**
 * Keep-alive connections, pooled per origin. Names are resolved here, and a socket is only ever opened to an address that
 * the policy admitted, so a name that changes its address between check and use gains nothing.
 */
export function createConnections(
  egress: Egress,
  responseLimit: number,
  resolve: ResolveHost = resolveBySystem,
  /** A client certificate, and whom to trust instead of the usual authorities. */
  tls?: { cert: string; key: string; ca?: readonly string[] },
): Agent {
  return new Agent({
    maxResponseSize: responseLimit,
    // The attempt's own timer covers both; undici's would only blur which limit was hit.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory(origin, options) {
      const lookup = guardedLookup(egress, resolve, portOf(new URL(origin)));
      return new Pool(origin, {
        ...options,
        // Node gives up on each address after 250 ms by default, too short for a far one among several.
        connect: {
          lookup,
          timeout: connectTimeoutMs,
          autoSelectFamily: true,
          autoSelectFamilyAttemptTimeout: 500,
          ...(tls && { ...tls, ...(tls.ca && { ca: [...tls.ca] }) }),
        },
      });
    },
  });
}

function guardedLookup(egress: Egress, resolve: ResolveHost, port: number): LookupFunction {
  return (hostname, options, callback) => {
    const host = hostOf({ hostname });
    resolve(hostname).then(
      (addresses) => {
        const refusals = addresses.map(({ address }) => egress.refusesAddress(host, port, address));
        const admitted = addresses.filter((_, i) => refusals[i] === undefined);
        const [first] = admitted;
        if (first === undefined) {
          callback(new EgressRefused(refusals[0] ?? 'the host has no address'), '', 0);
        } else if (options.all) callback(null, [...admitted]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}
