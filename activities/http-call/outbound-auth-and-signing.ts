import { createHmac } from 'node:crypto';
import type {
  AuthPolicy,
  HttpRequest,
  OAuthPolicy,
} from '../../src/language/tasks/http-call/request-and-result-types.js';
import { unlessAborted } from '../reject-on-abort.js';
import { CallFailure } from './describe-connection-failure.js';
import { AccessTokens, type TokenResponse } from './oauth-token-cache.js';

/** Reads a secret by its reference; throws if the reference is not configured or the secret is missing. */
export type ReadSecret = (ref: string) => { reveal(): string };

/** The client certificate of a connection, and the authorities that it trusts. */
export interface ClientTls {
  readonly cert: string;
  readonly key: string;
  readonly ca?: readonly string[];
}

/** Posts a form to a token endpoint. */
export type RequestToken = (
  endpoint: string,
  form: URLSearchParams,
  how: { headers: Record<string, string>; tls?: ClientTls },
) => Promise<TokenResponse>;

/** Credentials of a call: headers, or a client certificate. */
export interface Credentials {
  readonly headers: Record<string, string>;
  readonly tls?: ClientTls;
}

/**
 * Applies outbound auth policies. Policies contain only references to secrets. The secrets are read in the calling process for each call, so
 * that a rotated one is used, and never leave the process.
 */
export class CallCredentials {
  private readonly tokens = new AccessTokens();

  constructor(
    private readonly secret: ReadSecret,
    private readonly ask: RequestToken,
  ) {}

  async credentials(policy: AuthPolicy, signal: AbortSignal): Promise<Credentials> {
    switch (policy.kind) {
      case 'bearerStatic':
        return { headers: bearer(this.reveal(policy.tokenRef)) };
      case 'mtlsClient':
        return {
          headers: {},
          tls: {
            ...this.certificate(policy.clientCertRef),
            ...(policy.trustAnchors.length > 0 && { ca: policy.trustAnchors.map(({ pemRef }) => this.reveal(pemRef)) }),
          },
        };
      case 'oauth2ClientCredentials': {
        // Other calls may wait for the same token, so an aborted call stops waiting but does not abort the request.
        const token = this.tokens.get(policy, () => this.fetchToken(policy));
        return { headers: bearer(await unlessAborted(token, signal)) };
      }
    }
  }

  /** Whether a response rejects the credentials, so that the call is repeated once with new ones. */
  rejected(policy: AuthPolicy, status: number | undefined, { headers }: Credentials): boolean {
    if (status !== 401 || policy.kind !== 'oauth2ClientCredentials') return false;
    this.tokens.invalidate(policy, (headers.authorization ?? '').replace(/^Bearer /, ''));
    return true;
  }

  private async fetchToken({ tokenEndpoint, auth, form }: OAuthPolicy): Promise<TokenResponse> {
    const fields = new URLSearchParams(form);
    const headers: Record<string, string> = {};
    if (auth.method === 'tlsClientAuth') {
      fields.set('client_id', auth.clientId);
      return await this.ask(tokenEndpoint, fields, {
        headers,
        tls: this.certificate(auth.clientCertRef ?? ''),
      });
    }
    const secret = this.reveal(auth.clientSecretRef ?? '');
    if (auth.method === 'clientSecretBasic') {
      // RFC 6749, 2.3.1: both are form-encoded first.
      const pair = [auth.clientId, secret].map(formEncoded).join(':');
      headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    } else {
      fields.set('client_id', auth.clientId);
      fields.set('client_secret', secret);
    }
    return await this.ask(tokenEndpoint, fields, { headers });
  }

  private certificate(ref: string): { cert: string; key: string } {
    const pem = this.reveal(ref);
    const key = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[\s\S]+?-----END (?:[A-Z]+ )?PRIVATE KEY-----/.exec(pem)?.[0];
    if (key === undefined)
      throw new CallFailure('NETWORK', 'the client certificate has no key', 'CLIENT_CERT', true, false);
    return { cert: pem.replace(key, ''), key };
  }

  /** Reads a secret by its reference; if that fails, the call fails. */
  reveal(ref: string): string {
    try {
      return this.secret(ref).reveal();
    } catch (error) {
      const { code } = (error as { problem?: { code: string } }).problem ?? { code: 'SECRET_UNAVAILABLE' };
      throw new CallFailure('NETWORK', `the secret ${ref} cannot be read (${code})`, code, true, false);
    }
  }
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** Signs a request. The secret is read here, in the calling process. */
export function signRequest(request: HttpRequest, reveal: (ref: string) => string): HttpRequest {
  const { sign, ...bare } = request;
  if (!sign) return request;
  const { algorithm, secretRef, over = bare.body ?? '', header, prefix, encoding } = sign;
  const signature = createHmac(algorithm.replace('hmac-', ''), reveal(secretRef)).update(over).digest(encoding);
  return { ...bare, headers: { ...bare.headers, [header]: `${prefix}${signature}` } };
}
