import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../../base/json/value.js';
import { ProblemError, problem, problemJson, refuse } from '../../base/problems/problem.js';
import type { Code } from '../../base/problems/registry.js';
import type { ApiKeyProfile, AuthPlugins, JwtProfile, MtlsProfile, SourceConfig } from '../../config/config-types.js';
import type { MtlsValidateTask } from '../../language/tasks/auth/mtls-validate.js';
import type { AuthAnswer, CredentialSource } from '../../language/tasks/auth/shared-auth-task.js';
import type { Effects, Perform } from '../../language/tasks/effect-interface.js';
import type { InboundRequest } from '../../service/inbound-request.js';
import { BadCredential } from './bad-credential.js';
import { noAttemptLimit } from './bad-credential-rate-limit.js';
import { apiKeyCheck } from './check-api-key.js';
import { AnchorsUnusable, type CertificateRules, checkCertificate } from './read-and-verify-certificates.js';
import { KeysUnavailable, tokenVerifier } from './verify-jwt.js';

/** Input of an auth task's effect. */
interface Asked {
  profile: string;
  source?: CredentialSource;
}

export interface AuthDeps {
  readonly plugins: AuthPlugins;
  /** The time at which credentials must be valid. */
  readonly now?: () => Date;
  /** Called with the reason when keys cannot be fetched. */
  readonly onTrouble?: (text: string) => void;
}

/**
 * The effects of auth tasks: they authenticate a request. Their results enter the context of the run, so they never contain a
 * credential.
 */
export function authEffects({ plugins, now = () => new Date(), onTrouble = () => undefined }: AuthDeps): Effects {
  return {
    jwtValidate: checking(tokenCheck(plugins.jwtValidate.profiles, now, onTrouble)),
    mtlsValidate: checking(certificateCheck(plugins.mtlsValidate.profiles, now)),
    apiKeyValidate: checking(keyCheck(plugins.apiKeyValidate.profiles)),
  };
}

type Check = (asked: Asked, request: InboundRequest) => Promise<AuthAnswer>;

/** A configuration error is returned, not thrown, because thrown errors are retried. */
function checking(check: Check): Perform {
  return async (input, { request }) => {
    if (!request) return refuse('REQUEST_GONE');
    const answer = await check(input as unknown as Asked, request).catch((error) => {
      if (error instanceof Misconfigured) return { refused: problemJson(error.problem) };
      throw error;
    });
    return answer as unknown as Json;
  };
}

class Misconfigured extends ProblemError {
  constructor(code: Code, detail: string) {
    super(problem(code, detail));
  }
}

function wrong(code: Code): AuthAnswer {
  return { problem: problemJson(problem(code)) };
}

function tokenCheck(
  profiles: Readonly<Record<string, JwtProfile>>,
  now: () => Date,
  reportTrouble: (text: string) => void,
): Check {
  const verifierOf = oncePer(profiles, 'JWT_CONFIG_PROFILE_MISSING', (profile: JwtProfile, name) => {
    if (profile.jwksUri === undefined && !profile.keys?.length)
      throw new Misconfigured('JWT_CONFIG_KEYS_UNUSABLE', `The profile "${name}" has neither jwksUri nor keys.`);
    const { requiredClaims = [], allowNoExpiry } = profile;
    const claims = allowNoExpiry ? requiredClaims : ['exp', ...requiredClaims];
    return { profile, verify: tokenVerifier({ ...profile, requiredClaims: claims }) };
  });
  return async (asked, request) => {
    const { profile, verify } = verifierOf(asked.profile);
    const token = credentialIn(request, sourceOf(asked, profile.source, 'JWT_CONFIG_INVALID'));
    if (token === undefined) return wrong('JWT_TOKEN_MISSING');
    try {
      const { payload, protectedHeader } = await verify(token, now());
      return { known: { header: plainHeader(protectedHeader as JsonObject), claims: payload as JsonObject } };
    } catch (error) {
      if (error instanceof BadCredential) return wrong(error.code);
      if (!(error instanceof KeysUnavailable)) throw error;
      if (profile.jwksUri === undefined)
        throw new Misconfigured('JWT_CONFIG_KEYS_UNUSABLE', `A key of the profile "${asked.profile}" cannot be used.`);
      reportTrouble(`The keys of the jwtValidate profile "${asked.profile}" cannot be fetched: ${error.message}`);
      return refuse('AUTH_UNAVAILABLE', `The keys of the profile "${asked.profile}" cannot be fetched.`);
    }
  };
}

/** The members of a token's header that describe its signature; others may contain anything. */
function plainHeader(header: JsonObject): JsonObject {
  const entries = ['alg', 'kid', 'typ'].flatMap((name) =>
    typeof header[name] === 'string' ? [[name, header[name] as Json] as const] : [],
  );
  return Object.fromEntries(entries);
}

function keyCheck(profiles: Readonly<Record<string, ApiKeyProfile>>): Check {
  // The journey handles bad keys, so addresses are not limited; slow hashes are still derived one at a time.
  const checkOf = oncePer(profiles, 'APIKEY_CONFIG_PROFILE_MISSING', (profile: ApiKeyProfile, name) => {
    try {
      return { profile, find: apiKeyCheck(profile.keys, noAttemptLimit) };
    } catch {
      throw new Misconfigured('APIKEY_CONFIG_KEYS_UNUSABLE', `A key of the profile "${name}" cannot be used.`);
    }
  });
  return async (asked, request) => {
    const { profile, find } = checkOf(asked.profile);
    const key = credentialIn(request, sourceOf(asked, profile.source, 'APIKEY_CONFIG_INVALID'));
    if (key === undefined) return wrong('APIKEY_MISSING');
    const found = await find(key, '').catch((error) => {
      // Too many slow hashes are pending.
      if (error instanceof ProblemError) return refuse('AUTH_UNAVAILABLE', 'Too many keys are being checked.');
      throw error;
    });
    return found ? { known: { keyId: found.id } } : wrong('APIKEY_INVALID');
  };
}

function certificateCheck(profiles: Readonly<Record<string, MtlsProfile>>, now: () => Date): Check {
  const profileOf = oncePer(profiles, 'MTLS_CONFIG_PROFILE_MISSING', (profile: MtlsProfile) => profile);
  return async (asked, { certificate }) => {
    const task = asked as unknown as MtlsValidateTask;
    // A task with its own trust anchors needs no default profile.
    const bare = task.profile === 'default' && task.trustAnchors && !Object.hasOwn(profiles, 'default');
    const rules = rulesOf(bare ? {} : profileOf(task.profile), task);
    if (certificate === undefined || certificate === '') return wrong('MTLS_CERT_MISSING');
    try {
      return { known: { ...(await checkCertificate(certificate, rules, now())) } };
    } catch (error) {
      if (error instanceof BadCredential) return wrong(error.code);
      if (error instanceof AnchorsUnusable)
        throw new Misconfigured('MTLS_CONFIG_TRUST_ANCHORS_INVALID', `The profile "${task.profile}": ${error.message}`);
      throw error;
    }
  };
}

/** The profile, overridden by the task. Files are read each time, so that changes apply. */
function rulesOf(profile: MtlsProfile, task: MtlsValidateTask): CertificateRules {
  const { profile: name, authVar: _, kind: __, trustAnchors: own, ...filters } = task;
  const { trustAnchors = [], revocationFiles = [], ...rest } = profile;
  const read = (file: string): Buffer => {
    try {
      return readFileSync(file);
    } catch {
      throw new Misconfigured('MTLS_CONFIG_INVALID', `A file of the profile "${name}" cannot be read.`);
    }
  };
  return {
    ...rest,
    ...filters,
    trustAnchors: (own ?? trustAnchors).map((anchor) => ('pem' in anchor ? anchor.pem : read(anchor.file).toString())),
    revocations: revocationFiles.map(read),
  };
}

/** The source of the credential, from the task or else its profile. */
function sourceOf(
  { profile, source }: Asked,
  ofProfile: SourceConfig | undefined,
  missing: Code,
): CredentialSource | SourceConfig {
  const found = source ?? ofProfile;
  if (found) return found;
  throw new Misconfigured(
    missing,
    `Neither the task nor the profile "${profile}" specifies the location of the credential.`,
  );
}

/** Creates a value per profile, once. */
function oncePer<P, T>(
  profiles: Readonly<Record<string, P>>,
  missing: Code,
  make: (profile: P, name: string) => T,
): (name: string) => T {
  const created = new Map<string, T>();
  return (name) => {
    const known = created.get(name);
    if (known !== undefined) return known;
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    if (profile === undefined) throw new Misconfigured(missing, `The profile "${name}" is not configured.`);
    const fresh = make(profile, name);
    created.set(name, fresh);
    return fresh;
  };
}

/** Reads a credential from its source; undefined if missing or empty. */
function credentialIn(
  { headers, query }: InboundRequest,
  { location, name, scheme }: { location: string; name: string; scheme?: string },
): string | undefined {
  const header = (it: string) => (Object.hasOwn(headers, it) ? headers[it] : undefined);
  const found =
    location === 'header'
      ? header(name.toLowerCase())
      : location === 'query'
        ? (query.get(name) ?? undefined)
        : cookieIn(header('cookie') ?? '', name);
  const text = scheme === undefined ? found : withoutScheme(found ?? '', scheme);
  return text === undefined || text === '' ? undefined : text;
}

function withoutScheme(text: string, scheme: string): string {
  const prefix = `${scheme} `;
  // HTTP drops the space after a scheme without a credential.
  const padded = `${text} `;
  return padded.toLowerCase().startsWith(prefix.toLowerCase()) ? padded.slice(prefix.length).trim() : text;
}

/** The first cookie of this name. */
function cookieIn(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at >= 0 && pair.slice(0, at).trim() === name)
      return pair
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1');
  }
  return undefined;
}
