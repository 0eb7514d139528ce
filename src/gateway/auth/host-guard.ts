import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayConfig } from '../../config/config.js';
import { hasAuthentication, isLoopback } from '../../config/rules.js';
import { refuse } from '../../problems/problem.js';

/** Refuses requests that somebody else's web page made the user's browser send. */
export type HostGuard = (headers: IncomingHttpHeaders) => void;

/**
 * Without authentication, being on this machine is the only credential, and a browser here can be made to lend it: by a name that
 * resolves to loopback (the Host header tells) or by a plain cross-site POST (the Origin header tells).
 */
export function hostGuard({ auth, publicUrl }: GatewayConfig): HostGuard {
  if (hasAuthentication(auth)) return () => {};
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  const ours = (url: string): boolean => {
    const host = URL.canParse(url) ? new URL(url).hostname : '';
    return host !== '' && (host === publicHost || isLoopback(host));
  };
  return ({ host, origin }) => {
    if (host === undefined || !ours(`http://${host}`)) refuse('HOST_NOT_ALLOWED');
    if (origin !== undefined && !ours(origin)) refuse('HOST_NOT_ALLOWED');
  };
}
