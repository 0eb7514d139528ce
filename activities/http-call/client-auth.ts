import type { AuthPolicy, OAuthPolicy } from '../../src/tasks/http-call/request.js';
import { unlessAborted } from '../unless-aborted.js';
import { CallFailure } from './failure.js';
import { type TokenAnswer, Tokens } from './tokens.js';

/** Reads a secret by its reference; throws when nothing says where it comes from, or it is not there. */
export type ReadSecret = (ref: string) => { reveal(): string };

/** What a connection shows of us, and whom it trusts. */
export interface ClientTls {
  readonly cert: string;
  readonly key: string;
  readonly ca?: readonly string[];
}

/** Posts a form to a token endpoint. */
export type AskForToken = (
  endpoint: string,
  form: URLSearchParams,
  how: { headers: Record<string, string>; tls?: ClientTls },
) => Promise<TokenAnswer>;

/** What a call needs to authenticate itself: a header, or a client certificate. */
export interface Credentials {
  readonly headers: Record<string, string>;
  readonly tls?: ClientTls;
}

/**
 * Applies outbound auth policies. Policies hold references alone; their secrets are read here, in the process that calls, each time, so that a
 * rotated one is seen, and they never leave it.
 */
export class ClientAuth {
  private readonly tokens = new Tokens();

  constructor(
    private readonly secret: ReadSecret,
    private readonly ask: AskForToken,
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
        // Others may wait for the same token, so a call that is given up does not stop the question, only its own wait.
        const token = this.tokens.get(policy, () => this.fetchToken(policy));
        return { headers: bearer(await unlessAborted(token, signal)) };
      }
    }
  }

  /** Whether an answer says that the credentials were not taken, so that a call deserves another try with fresh ones. */
  rejected(policy: AuthPolicy, status: number | undefined, { headers }: Credentials): boolean {
    if (status !== 401 || policy.kind !== 'oauth2ClientCredentials') return false;
    this.tokens.drop(policy, (headers.authorization ?? '').replace(/^Bearer /, ''));
    return true;
  }

  private async fetchToken({ tokenEndpoint, auth, form }: OAuthPolicy): Promise<TokenAnswer> {
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
    if (key === undefined) throw new CallFailure('NETWORK', 'the client certificate has no key', 'CLIENT_CERT', true);
    return { cert: pem.replace(key, ''), key };
  }

  /** A secret by its reference; one that cannot be read is a failure of the call. */
  reveal(ref: string): string {
    try {
      return this.secret(ref).reveal();
    } catch (error) {
      const { code } = (error as { problem?: { code: string } }).problem ?? { code: 'SECRET_UNAVAILABLE' };
      throw new CallFailure('NETWORK', `the secret ${ref} cannot be read (${code})`, code, true);
    }
  }
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
