import type { ClientConfigTLS } from '@temporalio/envconfig';
import type { DurationLimits } from '../definition/duration-limits.js';
import type { MetadataLimits } from '../definition/metadata-limits.js';
import type { Limits } from '../expressions/expression.js';
import type { JsonObject } from '../json/value.js';
import type { Finding } from '../problems/problem.js';
import type { Secret, SecretSource } from './secret.js';

/** Everything an operator can set, complete with defaults; paths are absolute. `schema.ts` says what each key means. */
export interface Config {
  readonly source: ConfigOrigin;
  readonly server: ServerConfig;
  readonly temporal: TemporalConfig;
  readonly gateway: GatewayConfig;
  /** The folder of journeys. */
  readonly specs: string;
  readonly library: { readonly changedContent: 'tell' | 'refuse' | 'allow' };
  readonly catalogue: { readonly root?: string; readonly overlays: readonly string[] };
  readonly http: HttpConfig;
  readonly plugins: PluginsConfig;
  readonly platform: PlatformConfig;
  /** Where each `secret://…` comes from; values are read when used and never kept here. */
  readonly secrets: Readonly<Record<string, SecretSource>>;
  readonly cache: CacheConfig;
  readonly kafka: KafkaConfig;
  readonly encryption: EncryptionConfig;
  readonly worker: WorkerConfig;
  readonly log: { readonly level: LogLevel; readonly format: 'auto' | 'json' | 'pretty' };
  readonly schedules: {
    /** How many days a schedule stays after its last run. */
    readonly keepExhaustedDays: number;
    /** Absent: only with the embedded server. */
    readonly mirror?: boolean;
  };
  readonly pipelines: {
    /** Absent: the machine's name and the folder of documents. */
    readonly deployer?: string;
    readonly clientsPublish: boolean;
    readonly watchSec: number;
  };
  readonly limits: LimitsConfig;
  /** By id, `main` included. */
  readonly orchestrators: Readonly<Record<string, OrchestratorConfig>>;
  readonly channelProfiles: Readonly<Record<string, ChannelProfileConfig>>;
  /** Folders that orchestrators may be allowed to refer to. */
  readonly shared: Readonly<Record<string, string>>;
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Where the configuration came from. */
export interface ConfigOrigin {
  /** The file that was read; absent when there is none and defaults apply. */
  readonly file?: string;
  /** What relative paths are relative to: the file's folder, or the working directory. */
  readonly baseDir: string;
  /** Things that look like mistakes but do not stop anything. */
  readonly warnings: readonly Finding[];
}

/** The embedded development server. */
export interface ServerConfig {
  readonly dataDir: string;
  readonly ip: string;
  readonly port: number;
  /** 0 switches the Web UI off. */
  readonly uiPort: number;
  /** True keeps nothing between starts; for tests. */
  readonly inMemory: boolean;
  readonly retentionDays: number;
  readonly args: readonly string[];
}

/** The Temporal service journeys run on, from our file and Temporal's own variables and profile. */
export interface TemporalConfig {
  /** Absent: the embedded server. */
  readonly address?: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly tls?: ClientConfigTLS;
  readonly apiKey?: Secret;
  readonly metadata?: Readonly<Record<string, string>>;
}

export type Role = 'client' | 'operator' | 'channel';

export interface GatewayConfig {
  readonly host: string;
  readonly port: number;
  /** Largest request body in bytes. */
  readonly bodyLimit: number;
  /** How callers reach the gateway, for the links it hands out. */
  readonly publicUrl?: string;
  /** How long a callback URL is good, unless its run ends earlier. */
  readonly callbackDays: number;
  readonly auth: AuthConfig;
  /** Absent: plain HTTP. */
  readonly tls?: GatewayTlsConfig;
  /** Where a proxy in front of the gateway puts the certificate of its caller. */
  readonly clientCertificate?: { readonly header: string; readonly proxies: readonly string[] };
  /** How requests are kept while runs work on them. */
  readonly requests: { readonly keepSec: number; readonly maxBytes: number };
}

export interface GatewayTlsConfig {
  readonly certFile: string;
  readonly keyFile: string;
  /** Whether callers are asked for a certificate. */
  readonly clientCertificates: 'none' | 'optional' | 'required';
  /** Who must have issued required ones. */
  readonly clientCaFile?: string;
}

export interface PluginsConfig extends AuthPlugins {
  /** Modules with task kinds of one's own. */
  readonly modules: readonly string[];
}

/** What auth tasks check credentials by: profiles by name. */
export interface AuthPlugins {
  readonly jwtValidate: { readonly profiles: Readonly<Record<string, JwtProfile>> };
  readonly mtlsValidate: { readonly profiles: Readonly<Record<string, MtlsProfile>> };
  readonly apiKeyValidate: { readonly profiles: Readonly<Record<string, ApiKeyProfile>> };
}

/** Where a credential stands in a request. */
export interface SourceConfig {
  readonly location: 'header' | 'query' | 'cookie';
  readonly name: string;
  /** A prefix that is stripped. */
  readonly scheme?: string;
}

export interface JwtProfile {
  readonly issuer?: string;
  readonly audience?: readonly string[];
  /** Either this or `keys`. */
  readonly jwksUri?: string;
  /** Public keys as JWKs. */
  readonly keys?: readonly JsonObject[];
  readonly clockSkewSec?: number;
  readonly requiredClaims?: readonly string[];
  /** Takes tokens without `exp`, which are good for ever. */
  readonly allowNoExpiry?: boolean;
  readonly source?: SourceConfig;
}

export interface MtlsProfile {
  readonly trustAnchors?: readonly ({ readonly pem: string } | { readonly file: string })[];
  readonly revocationFiles?: readonly string[];
  readonly allowAnyFromTrusted?: boolean;
  readonly allowSubjects?: readonly string[];
  readonly allowSans?: readonly { readonly dns?: string; readonly ip?: string; readonly uri?: string }[];
  readonly allowSerials?: readonly string[];
}

export interface ApiKeyProfile {
  readonly keys: readonly { readonly id: string; readonly hash: string }[];
  readonly source?: SourceConfig;
}

export interface AuthConfig {
  readonly apiKeys: readonly ApiKeyConfig[];
  readonly jwt?: JwtConfig;
}

/** An API key of the gateway, known only by its hash. */
export interface ApiKeyConfig {
  readonly id: string;
  readonly hash: string;
  readonly roles: readonly Role[];
  /** The caller it stands for, if not its own id: keys that replace each other share the runs they start. */
  readonly caller?: string;
  /** What a key of the role `client` may do; all journeys and actions unless given, with the runs that it started. */
  readonly journeys?: readonly string[];
  readonly actions?: readonly ('start' | 'read' | 'submit' | 'cancel')[];
  readonly runs?: 'own' | 'all';
}

export interface JwtConfig {
  readonly issuer: string;
  readonly audience: string;
  /** Either this or `keys`. */
  readonly jwksUri?: string;
  /** Public keys as JWKs. */
  readonly keys?: readonly JsonObject[];
  readonly rolesClaim: string;
  /** Value of the roles claim → our role; without an entry a value stands for the role of the same name. */
  readonly roleMap: Readonly<Record<string, Role>>;
  /** Claims that say what a caller of the role `client` may do; a token without one that is named here may do nothing. */
  readonly journeysClaim?: string;
  readonly actionsClaim?: string;
  /** The claim that widens it to all runs, with the value `all`. */
  readonly runsClaim?: string;
}

export interface HttpConfig {
  /** Origin → origin: calls to the first go to the second. */
  readonly rewrite: Readonly<Record<string, string>>;
  readonly egress: {
    /** Absent: only under `journeyman up`, with everything on this machine. */
    readonly allowLoopback?: boolean;
    /** Hosts, `host:port`s or CIDR ranges inside private networks that journeys may call. */
    readonly allowPrivate: readonly string[];
    /** If not empty, the only hosts journeys may call; `*.example.com` covers subdomains. */
    readonly allow: readonly string[];
  };
  /** Largest response body in bytes. */
  readonly responseLimit: number;
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Origin or `METHOD origin` → how such a call runs, overriding what its safety suggests. */
  readonly mode: Readonly<Record<string, 'local' | 'activity'>>;
}

export interface PlatformConfig {
  readonly environment: string;
  /** IANA zone for `now()` and zoneless values. */
  readonly timezone: string;
  /** Journey → key → value, for what its `spec.platform.config` declares. */
  readonly config: Readonly<Record<string, JsonObject>>;
}

/** What `cache:v1` reads and writes. */
export interface CacheConfig {
  /** The URL of a Redis; absent: each process keeps its own in memory. */
  readonly redis?: string;
  readonly redisPassword?: SecretSource;
  readonly prefix: string;
  readonly ttlSeconds: number;
  /** Of the cache in memory. */
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Where `kafkaPublish:v1` publishes when a task names no connection. */
export interface KafkaConfig {
  readonly brokers: readonly string[];
  /** A connection with its credentials, as JSON; instead of `brokers`. */
  readonly connection?: SecretSource;
  readonly timeoutMs: number;
}

export interface EncryptionConfig {
  /** The first encrypts, all of them decrypt; none: payloads stay as they are. */
  readonly keys: readonly { readonly id: string; readonly key: SecretSource }[];
  /** Origins of Web UIs whose pages may have payloads decrypted, for operators. */
  readonly origins: readonly string[];
}

export interface WorkerConfig {
  readonly maxConcurrentWorkflowTasks: number;
  readonly maxConcurrentActivities: number;
  readonly maxConcurrentLocalActivities: number;
  readonly maxCachedWorkflows: number;
  readonly shutdownGraceMs: number;
  readonly healthHost: string;
  /** 0: none. */
  readonly healthPort: number;
  /** Whether other machines may read the metrics, which name journeys and their errors. */
  readonly metricsBeyondLoopback: boolean;
}

export interface LimitsConfig {
  readonly expression: Readonly<Limits>;
  /** How many states a run may pass without waiting for anything. */
  readonly steps: number;
  /** How many calls and timers a run may make at once, and how many come back per minute. */
  readonly calls: number;
  readonly callsPerMinute: number;
  /** Events after which a long run goes on with a fresh history. */
  readonly historyEvents: number;
  /** Largest context in bytes that a schedule hands from run to run. */
  readonly contextBytes: number;
  /** Shortest interval of a schedule that a journey makes, in seconds. */
  readonly scheduleIntervalSec: number;
  readonly metadata: MetadataLimits;
  /** Absent: runs have the deadlines that their documents say. */
  readonly duration?: DurationLimits;
}

export interface OrchestratorConfig {
  readonly root: string;
  readonly journeys: readonly string[];
  readonly functions: readonly string[];
  readonly shared: readonly string[];
}

export interface ChannelProfileConfig {
  readonly channel: 'slack' | 'webhook';
  readonly orchestratorId: string;
  readonly timezone?: string;
  readonly channels: Readonly<Record<string, string>>;
  readonly callers: readonly string[];
  readonly slack?: SlackConfig;
  readonly webhook?: WebhookConfig;
}

/** An app in a Slack workspace. Without a token it cannot speak, without a signing secret not listen. */
export interface SlackConfig {
  readonly token?: SecretSource;
  readonly signingSecret?: SecretSource;
  readonly apiUrl?: string;
}

/** A channel of your own. Without a URL it cannot speak. */
export interface WebhookConfig {
  readonly url?: string;
  readonly secret?: SecretSource;
}
