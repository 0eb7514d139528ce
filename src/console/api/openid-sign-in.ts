import type { ConsoleSettings } from './gateway-settings.js';

type SignInSettings = NonNullable<ConsoleSettings['signIn']>;

/** A sign-in that waits for the provider to send the reader back. */
interface Pending {
  readonly state: string;
  readonly verifier: string;
  readonly returnTo: string;
}

const key = 'journeyman.sign-in';
const redirectUri = () => `${window.location.origin}/console/`;

/** Sends the reader to the identity provider (authorization code with PKCE). */
export async function beginSignIn(settings: SignInSettings): Promise<void> {
  const { authorization_endpoint: endpoint } = await discover(settings);
  const pending: Pending = {
    state: randomText(),
    verifier: randomText(),
    returnTo: window.location.pathname + window.location.search,
  };
  sessionStorage.setItem(key, JSON.stringify(pending));
  const url = new URL(endpoint);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier));
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: settings.clientId,
    redirect_uri: redirectUri(),
    scope: settings.scope,
    state: pending.state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  }))
    url.searchParams.set(name, value);
  window.location.assign(url);
}

/** True if the provider has just sent the reader back. */
export function isReturning(): boolean {
  const query = new URLSearchParams(window.location.search);
  return sessionStorage.getItem(key) !== null && query.has('state') && (query.has('code') || query.has('error'));
}

/** Exchanges the code that the provider sent for an access token; returns it with the place where the reader was. Rejects if anything is wrong. */
export async function finishSignIn(settings: SignInSettings): Promise<{ token: string; returnTo: string }> {
  const query = new URLSearchParams(window.location.search);
  const pending = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Pending | null;
  sessionStorage.removeItem(key);
  // The code must not stay in the address or the browser's history.
  window.history.replaceState(null, '', '/console/');
  const code = query.get('code');
  if (code === null || pending === null || pending.state !== query.get('state')) {
    throw new Error(query.get('error_description') ?? query.get('error') ?? 'state');
  }
  const { token_endpoint: endpoint } = await discover(settings);
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      client_id: settings.clientId,
      redirect_uri: redirectUri(),
      code_verifier: pending.verifier,
    }),
    credentials: 'omit',
  });
  const answer = (await response.json()) as { access_token?: unknown; error_description?: string; error?: string };
  if (!response.ok || typeof answer.access_token !== 'string') {
    throw new Error(answer.error_description ?? answer.error ?? String(response.status));
  }
  return { token: answer.access_token, returnTo: pending.returnTo };
}

interface Discovery {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

async function discover({ issuer }: SignInSettings): Promise<Discovery> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { credentials: 'omit' });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const found = (await response.json()) as Discovery & { readonly issuer: string };
  if (found.issuer !== issuer) throw new Error(`${url}: ${found.issuer}`);
  return found;
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
