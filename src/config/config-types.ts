import type { ClientConfigTLS } from '@temporalio/envconfig';
import type { JsonObject } from '../base/json/value.js';
import type { Finding } from '../base/problems/problem.js';
import type { DurationLimits } from '../engine/definition/duration-limits.js';
import type { AllowedTasks } from '../engine/definition/external-activity-types.js';
import type { MetadataLimits } from '../engine/definition/metadata-limits.js';
import type { Limits } from '../expressions/expression-engine-interface.js';
import type { Secret, SecretSource } from './read-secret.js';

/** All settings, complete with defaults; paths are absolute. `config-schema.ts` documents each. */
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
  /** Activities of other workers that journeys may call. */
  readonly tasks: AllowedTasks;
  readonly platform: PlatformConfig;
  /** The source of each `secret://…`; values are read when used and never stored here. */
  readonly secrets: Readonly<Record<string, SecretSource>>;
  readonly cache: CacheConfig;
  readonly kafka: KafkaConfig;
  readonly encryption: EncryptionConfig;
  readonly worker: WorkerConfig;
  readonly log: { readonly level: LogLevel; readonly format: 'auto' | 'json' | 'pretty' };
  readonly schedules: {
    /** Days that a schedule is kept after its last run. */
    readonly keepExhaustedDays: number;
    /** Absent: only with the embedded server. */
    readonly mirror?: boolean;
  };
  readonly deployment: {
    /** Absent: identified by the folder. */
    readonly name?: string;
    /** With this or `behavior`, workers are versioned. Absent: the version of this package. */
    readonly buildId?: string;
    /** The worker version that continues a running journey. Absent: `auto-upgrade`. */
    readonly behavior?: 'auto-upgrade' | 'pinned';
  };
  readonly pipelines: {
    /** Absent: the name of the deployment, or else the machine's name and the folder of documents. */
    readonly deployer?: string;
    readonly clientsPublish: boolean;
    readonly watchSec: number;
  };
  readonly limits: LimitsConfig;
  /** By id, `main` included. */
  readonly orchestrators: Readonly<Record<string, OrchestratorConfig>>;
  readonly channelProfiles: Readonly<Record<string, ChannelProfileConfig>>;
  readonly alerts: AlertsConfig;
  /** Folders that orchestrators may be allowed to refer to. */
  readonly shared: Readonly<Record<string, string>>;
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** The origin of the configuration. */
export interface ConfigOrigin {
  /** The file that was read; absent when there is none and defaults apply. */
  readonly file?: string;
  /** The base of relative paths: the file's folder, or the working directory. */
  readonly baseDir: string;
  /** Warnings. */
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

/** The Temporal service that journeys run on, from our file and Temporal's own variables and profile. */
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
  /** The gateway's URL for callers, used in links. */
  readonly publicUrl?: string;
  /** Days until a callback URL expires; absent: it is valid as long as its step waits. */
  readonly callbackDays?: number;
  /** The owner of the runs that other systems start at the fixed URL of a step. */
  readonly hooks: { readonly owner: string };
  readonly auth: AuthConfig;
  /** Origins of web pages, besides the gateway's own, that may call it without authentication. */
  readonly origins: readonly string[];
  /** Milliseconds between reporting not ready and closing the port. */
  readonly shutdownDelayMs: number;
  /** Absent: plain HTTP. */
  readonly tls?: GatewayTlsConfig;
  /** The header in which a proxy in front of the gateway passes the caller's certificate. */
  readonly clientCertificate?: { readonly header: string; readonly proxies: readonly string[] };
  readonly console: ConsoleConfig;
  /** Limits of requests that are kept for runs. */
  readonly requests: { readonly keepSec: number; readonly maxBytes: number };
}

/** The web app at `/console`. */
export interface ConsoleConfig {
  readonly enabled: boolean;
  /** The page of the namespace in Temporal's Web UI; absent: that of the embedded server, if there is one. */
  readonly temporalUi?: string;
  /** Sign-in by OpenID Connect; absent: people paste a key or a token. */
  readonly signIn?: {
    readonly issuer: string;
    readonly clientId: string;
    readonly scope: string;
  };
}

export interface GatewayTlsConfig {
  readonly certFile: string;
  readonly keyFile: string;
  /** Client certificates: none, requested or required. */
  readonly clientCertificates: 'none' | 'optional' | 'required';
  /** The issuers of required ones. */
  readonly clientCaFile?: string;
}

export interface PluginsConfig extends AuthPlugins {
  /** Modules with custom task kinds. */
  readonly modules: readonly string[];
}

/** Profiles of auth tasks by name. */
export interface AuthPlugins {
  readonly jwtValidate: { readonly profiles: Readonly<Record<string, JwtProfile>> };
  readonly mtlsValidate: { readonly profiles: Readonly<Record<string, MtlsProfile>> };
  readonly apiKeyValidate: { readonly profiles: Readonly<Record<string, ApiKeyProfile>> };
}

/** The place of a credential in a request. */
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
  /** Accepts tokens without `exp`, which never expire. */
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
  /** The caller's id, if not the key's own: keys that replace each other share the runs they start. */
  readonly caller?: string;
  /** The rights of a key of the role `client`; by default all journeys and actions, on the runs that it started. */
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
  /** Value of the roles claim → our role; a value without an entry is the role of the same name. */
  readonly roleMap: Readonly<Record<string, Role>>;
  /** Claims with the rights of a caller of the role `client`; a token that lacks a claim named here has no rights. */
  readonly journeysClaim?: string;
  readonly actionsClaim?: string;
  /** The claim that widens it to all runs, with the value `all`. */
  readonly runsClaim?: string;
}

export interface HttpConfig {
  /** Origin → replacement origin for calls. */
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
  /** Origin or `METHOD origin` → the kind of activity for such a call, instead of the default for its method. */
  readonly mode: Readonly<Record<string, 'local' | 'activity'>>;
}

export interface PlatformConfig {
  readonly environment: string;
  /** IANA zone for `now()` and zoneless values. */
  readonly timezone: string;
  /** Journey → key → value, for the keys that its `spec.platform.config` declares. */
  readonly config: Readonly<Record<string, JsonObject>>;
}

/** The cache of `cache:v1`. */
export interface CacheConfig {
  /** The URL of a Redis; absent: each process has its own cache in memory. */
  readonly redis?: string;
  readonly redisPassword?: SecretSource;
  readonly prefix: string;
  readonly ttlSeconds: number;
  /** Maximum number of entries in the in-memory cache. */
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** The Kafka connection of `kafkaPublish:v1` tasks that name none. */
export interface KafkaConfig {
  readonly brokers: readonly string[];
  /** A connection with its credentials, as JSON; instead of `brokers`. */
  readonly connection?: SecretSource;
  readonly timeoutMs: number;
}

export interface EncryptionConfig {
  /** The first encrypts, all of them decrypt; none: payloads are not encrypted. */
  readonly keys: readonly { readonly id: string; readonly key: SecretSource }[];
  /** Origins of Web UIs that may request decryption of payloads, for operators. */
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
  /** True lets other machines read the metrics, which name journeys and their errors. */
  readonly metricsBeyondLoopback: boolean;
}

export interface LimitsConfig {
  readonly expression: Readonly<Limits>;
  /** Maximum number of consecutive states without a wait. */
  readonly steps: number;
  /** The budget of calls and timers of a run, and its refill per minute. */
  readonly calls: number;
  readonly callsPerMinute: number;
  /** Events after which a long run continues as new. */
  readonly historyEvents: number;
  /** Largest context in bytes that a schedule passes from run to run. */
  readonly contextBytes: number;
  /** Shortest interval of a schedule that a journey creates, in seconds. */
  readonly scheduleIntervalSec: number;
  /** Sleep of a pipeline's consumer that reserved nothing, in seconds. */
  readonly backoffSec: number;
  readonly metadata: MetadataLimits;
  /** Absent: only the deadlines in documents apply. */
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

export interface AlertsConfig {
  /** Absent: if there is a destination. */
  readonly enabled?: boolean;
  readonly to: readonly { readonly channelProfileId: string; readonly channelId?: string }[];
  readonly journeys: readonly string[];
  readonly except: readonly ('blockedRun' | 'pipeline' | 'schedule' | 'job' | 'compensation' | 'failedRun')[];
  readonly everySec: number;
  readonly windowSec: number;
}

/** An app in a Slack workspace. It needs a token to post and a signing secret to listen. */
export interface SlackConfig {
  readonly token?: SecretSource;
  readonly signingSecret?: SecretSource;
  readonly apiUrl?: string;
}

/** A custom channel. It needs a URL to post. */
export interface WebhookConfig {
  readonly url?: string;
  readonly secret?: SecretSource;
}
