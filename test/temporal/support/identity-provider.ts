import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An OpenID Connect provider on loopback that admits everyone as an operator. */
export interface IdentityProvider {
  readonly issuer: string;
  /** The public key of its tokens, as a JWK. */
  readonly key: object;
  /** Rejected exchanges of a code. */
  readonly refused: number;
  close(): Promise<void>;
}

/** Starts a provider: authorization code with PKCE. */
export async function identityProvider(): Promise<IdentityProvider> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const challenges = new Map<string, string>();
  let refused = 0;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer());
    response.setHeader('access-control-allow-origin', '*');
    const json = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (url.pathname.endsWith('/openid-configuration')) {
      return json(200, {
        issuer: issuer(),
        authorization_endpoint: `${issuer()}/authorize`,
        token_endpoint: `${issuer()}/token`,
      });
    }
    if (url.pathname === '/authorize') {
      const code = randomUUID();
      challenges.set(code, url.searchParams.get('code_challenge') ?? '');
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    const form = new URLSearchParams(await bodyOf(request));
    const code = form.get('code') ?? '';
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const fits = challenges.get(code) === challenge && form.get('client_id') === 'console';
    challenges.delete(code);
    if (!fits) {
      refused++;
      return json(400, { error: 'invalid_grant' });
    }
    const token = await new SignJWT({ roles: ['operator'] })
      .setProtectedHeader({ alg: 'ES256', kid: 'test' })
      .setIssuer(issuer())
      .setAudience('gateway')
      .setSubject('grace')
      .setExpirationTime('1h')
      .sign(privateKey);
    return json(200, { access_token: token, token_type: 'Bearer' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = () => `http://127.0.0.1:${port}`;
  return {
    issuer: issuer(),
    key: { ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'test' },
    get refused() {
      return refused;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
