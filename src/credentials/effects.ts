import { readFileSync } from 'node:fs';
import type { ApiKeyProfile, AuthPlugins, JwtProfile, MtlsProfile, SourceConfig } from '../config/config.js';
import type { Json, JsonObject } from '../json/value.js';
import { ProblemError, problem, problemJson, refuse } from '../problems/problem.js';
import type { Code } from '../problems/registry.js';
import type { InboundRequest } from '../service/inbound.js';
import type { AuthAnswer, CredentialSource } from '../tasks/auth.js';
import type { Effects, Perform } from '../tasks/effects.js';
import type { MtlsValidateTask } from '../tasks/mtls-validate/index.js';
import { unlimited } from './attempts.js';
import { BadCredential } from './bad-credential.js';
import { AnchorsUnusable, type CertificateRules, checkCertificate } from './certificates.js';
import { apiKeyCheck } from './hashed-keys.js';
import { credentialIn } from './source.js';
import { KeysUnavailable, tokenVerifier } from './tokens.js';

/** What auth tasks ask for. */
interface Asked {
  profile: string;
  source?: CredentialSource;
}

export interface AuthParts {
  readonly plugins: AuthPlugins;
  /** The instant at which credentials must be valid. */
  readonly now?: () => Date;
  /** Hears why keys cannot be fetched. */
  readonly onTrouble?: (text: string) => void;
}

/**
 * The effects of auth tasks: they look at a request, and say who sent it or what is wrong. What they answer enters the context of the run,
 * so it never holds a credential.
 */
export function authEffects({ plugins, now = () => new Date(), onTrouble = () => undefined }: AuthParts): Effects {
  return {
    jwtValidate: checking(tokenCheck(plugins.jwtValidate.profiles, now, onTrouble)),
    mtlsValidate: checking(certificateCheck(plugins.mtlsValidate.profiles, now)),
    apiKeyValidate: checking(keyCheck(plugins.apiKeyValidate.profiles)),
  };
}

type Check = (asked: Asked, request: InboundRequest) => Promise<AuthAnswer>;

/** A fault of the configuration is an answer too: thrown, it would be tried again. */
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
  heard: (text: string) => void,
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
      heard(`The keys of the jwtValidate profile "${asked.profile}" cannot be fetched: ${error.message}`);
      return refuse('AUTH_UNAVAILABLE', `The keys of the profile "${asked.profile}" cannot be fetched.`);
    }
  };
}

/** What says how a token is signed; other members of a header may hold anything. */
function plainHeader(header: JsonObject): JsonObject {
  const entries = ['alg', 'kid', 'typ'].flatMap((name) =>
    typeof header[name] === 'string' ? [[name, header[name] as Json] as const] : [],
  );
  return Object.fromEntries(entries);
}

function keyCheck(profiles: Readonly<Record<string, ApiKeyProfile>>): Check {
  // A journey decides what becomes of bad keys, so no address is refused; slow hashes are still derived one at a time.
  const checkOf = oncePer(profiles, 'APIKEY_CONFIG_PROFILE_MISSING', (profile: ApiKeyProfile, name) => {
    try {
      return { profile, find: apiKeyCheck(profile.keys, unlimited) };
    } catch {
      throw new Misconfigured('APIKEY_CONFIG_KEYS_UNUSABLE', `A key of the profile "${name}" cannot be used.`);
    }
  });
  return async (asked, request) => {
    const { profile, find } = checkOf(asked.profile);
    const key = credentialIn(request, sourceOf(asked, profile.source, 'APIKEY_CONFIG_INVALID'));
    if (key === undefined) return wrong('APIKEY_MISSING');
    const found = await find(key, '').catch((error) => {
      // Too many keys wait for their slow hash.
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
    // A task that says whom it trusts needs no default profile.
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

/** The profile, with what the task says in its place. Files are read each time, so that new ones are seen. */
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

/** What the task says comes before what its profile says; one of them must. */
function sourceOf(
  { profile, source }: Asked,
  ofProfile: SourceConfig | undefined,
  missing: Code,
): CredentialSource | SourceConfig {
  const found = source ?? ofProfile;
  if (found) return found;
  throw new Misconfigured(missing, `Neither the task nor the profile "${profile}" says where the credential is.`);
}

/** What `make` gives for each profile, made once. */
function oncePer<P, T>(
  profiles: Readonly<Record<string, P>>,
  missing: Code,
  make: (profile: P, name: string) => T,
): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    if (profile === undefined) throw new Misconfigured(missing, `There is no profile "${name}".`);
    const fresh = make(profile, name);
    made.set(name, fresh);
    return fresh;
  };
}
