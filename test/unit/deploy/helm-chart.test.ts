import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { wholeProgram } from '../../../src/cli/program.js';
import { configSchema } from '../../../src/config/config-schema.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { settingsOf } from '../../../src/config/settings-from-schema.js';
import { interpreterVersion } from '../../../src/engine/interpreter-version.js';
import { workerVersion } from '../../../src/temporal/worker/worker-version.js';
import { hasHelm, helm } from '../../support/deployment-tools.js';
import { blocksOf } from '../../support/doc-blocks.js';

const chart = new URL('../../../deploy/helm', import.meta.url).pathname;
const defaults = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as { gateway: Record<string, number> };

type Labels = Record<string, string>;
interface Container {
  name: string;
  image: string;
  args: string[];
  env?: { name: string; value?: string }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
  readinessProbe?: { httpGet: { path: string; port: string }; periodSeconds: number; failureThreshold: number };
  securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean };
}
interface Pod {
  containers: Container[];
  initContainers?: Container[];
  volumes: ({ name: string } & Record<string, unknown>)[];
  securityContext: { runAsNonRoot: boolean };
  terminationGracePeriodSeconds: number;
  enableServiceLinks: boolean;
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Labels };
  data?: Record<string, string>;
  spec: {
    replicas?: number;
    selector: { matchLabels: Labels };
    template: { metadata: { labels: Labels }; spec: Pod };
    scaleTargetRef?: { name: string };
    triggers?: { metadata: Record<string, string> }[];
    ports?: { name: string; targetPort: string }[];
    rules?: { http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] } }[];
    endpoints?: { port: string }[];
  };
}

const auth = { apiKeys: [{ id: 'shop', hash: `sha256:${'0'.repeat(64)}`, roles: ['client'] }] };

/** Sets of values: the smallest valid one, and one with everything enabled. */
const valueSets: Record<string, object> = {
  'the smallest': { config: { gateway: { auth } } },
  'journeys in a ConfigMap, versioned workers': {
    deploymentName: 'shop',
    versioning: { enabled: true, behavior: 'pinned' },
    config: { gateway: { auth }, http: { egress: { allowPrivate: ['10.20.0.0/16'] } } },
    journeys: {
      source: 'configMap',
      configMap: { files: { 'hello.journey.yaml': readFileSync('specs/hello.journey.yaml', 'utf8') } },
    },
    workers: { main: { tag: '1.0.0' }, next: { tag: '1.1.0', replicas: 3, buildId: '2026-12-01' } },
    secrets: { inline: { TEMPORAL_API_KEY: 'open: sesame' } },
  },
  'journeys from git, everything else': {
    deploymentName: 'shop',
    versioning: { enabled: true },
    config: {
      gateway: {
        auth,
        tls: { certFile: '/run/secrets/journeyman/tls.crt', keyFile: '/run/secrets/journeyman/tls.key' },
      },
    },
    journeys: {
      source: 'git',
      git: { repository: 'https://git.example.com/journeys.git', ref: 'v7', secretName: 'git' },
    },
    secrets: { env: ['journeyman-env'], files: 'journeyman-files' },
    env: [{ name: 'JOURNEYMAN_LOG_LEVEL', value: 'warn' }],
    image: { tag: '2.0.0', pullSecrets: ['registry'] },
    gateway: {
      probePeriodSeconds: 10,
      shutdownDelaySeconds: 25,
      nodeSelector: { disk: 'fast' },
      ingress: { enabled: true, className: 'nginx', hosts: ['journeys.example.com'], tlsSecret: 'tls' },
    },
    keda: { enabled: true, authenticationRef: 'temporal' },
    metrics: { serviceMonitor: { enabled: true, gatewayKey: { secretName: 'prometheus', key: 'key' } } },
    dataVolume: { persistentVolumeClaim: { claimName: 'audit' } },
    serviceAccountName: 'journeyman',
  },
};

describe.skipIf(!hasHelm)('HOME-4 the Helm chart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'journeyman-chart-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (command: string[], values: object): string => {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, stringify(values));
    return execFileSync(helm, [...command, '--kube-version', '1.31.0', '--values', file], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  };
  const render = (values: object): Manifest[] =>
    parseAllDocuments(run(['template', 'shop', chart], values)).flatMap((document) => {
      expect(document.errors).toEqual([]);
      return (document.toJS() as Manifest | null) ?? [];
    });
  const ofKind = (manifests: Manifest[], kind: string) => manifests.filter((it) => it.kind === kind);

  describe.each(Object.entries(valueSets))('with %s', (_, values) => {
    const manifests = hasHelm ? render(values) : [];
    const deployments = ofKind(manifests, 'Deployment');
    const pods = deployments.map(({ spec }) => spec.template);
    const matches = (selector: Labels) => (labels: Labels) =>
      Object.entries(selector).every(([key, value]) => labels[key] === value);

    const configFile = () => {
      const texts = ofKind(manifests, 'ConfigMap').map(({ data }) => data?.['journeyman.config.yaml']);
      const file = join(folder, 'journeyman.config.yaml');
      writeFileSync(file, texts.find((it) => it !== undefined)!);
      return file;
    };

    it('passes helm lint', () => {
      expect(run(['lint', '--strict', chart], values)).toContain('0 chart(s) failed');
    });

    it('names each manifest once', () => {
      const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const { apiVersion, metadata } of manifests) {
        expect(apiVersion).toBeTruthy();
        expect(metadata.name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
      }
    });

    it('selects pods and services that exist', () => {
      for (const { metadata, spec } of deployments) {
        expect(matches(spec.selector.matchLabels)(spec.template.metadata.labels)).toBe(true);
        const selecting = deployments.filter((it) =>
          matches(spec.selector.matchLabels)(it.spec.template.metadata.labels),
        );
        expect(selecting.map((it) => it.metadata.name)).toEqual([metadata.name]);
      }
      for (const { spec } of ofKind(manifests, 'PodDisruptionBudget'))
        expect(pods.filter((it) => matches(spec.selector.matchLabels)(it.metadata.labels))).toHaveLength(1);
      for (const { spec } of ofKind(manifests, 'Service')) {
        const chosen = pods.filter((it) => matches(spec.selector as unknown as Labels)(it.metadata.labels));
        expect(chosen).not.toEqual([]);
        for (const pod of chosen)
          for (const { targetPort } of spec.ports!) expect(portsOf(pod.spec)).toContain(targetPort);
      }
      for (const { spec } of ofKind(manifests, 'ServiceMonitor')) {
        const services = ofKind(manifests, 'Service').filter((it) =>
          matches(spec.selector.matchLabels)(it.metadata.labels),
        );
        expect(services).toHaveLength(1);
        expect(services[0]!.spec.ports!.map(({ name }) => name)).toContain(spec.endpoints![0]!.port);
      }
      for (const { spec } of ofKind(manifests, 'Ingress'))
        for (const { backend } of spec.rules!.flatMap(({ http }) => http.paths)) {
          const service = manifests.find((it) => it.kind === 'Service' && it.metadata.name === backend.service.name);
          expect(service?.spec.ports?.map(({ name }) => name)).toContain(backend.service.port.name);
        }
      for (const { spec } of ofKind(manifests, 'ScaledObject'))
        expect(deployments.find((it) => it.metadata.name === spec.scaleTargetRef!.name)?.spec.replicas).toBeUndefined();
    });

    it('mounts volumes that exist, and runs without root and without writing to the image', () => {
      for (const { spec } of pods) {
        expect(spec.securityContext.runAsNonRoot).toBe(true);
        expect(spec.enableServiceLinks).toBe(false);
        const volumes = spec.volumes.map(({ name }) => name);
        for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
          expect(container.securityContext).toMatchObject({
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
          });
          for (const { name } of container.volumeMounts) expect(volumes).toContain(name);
        }
        for (const { configMap } of spec.volumes as { configMap?: { name: string } }[])
          if (configMap)
            expect(ofKind(manifests, 'ConfigMap').map(({ metadata }) => metadata.name)).toContain(configMap.name);
      }
    });

    it('runs an existing command in each process, with a configuration that loads without a warning', async () => {
      const commands = (await wholeProgram()).commands.map((it) => it.name());
      const known = new Set(settingsOf(configSchema).map(({ variable }) => variable));
      const file = configFile();
      for (const { spec } of pods) {
        const [{ args, env = [], volumeMounts, name }] = spec.containers as [Container];
        expect(commands).toContain(args[0]);
        const variables = Object.fromEntries(env.map((it) => [it.name, it.value ?? '']));
        for (const variable of Object.keys(variables))
          if (variable.startsWith('JOURNEYMAN_') && variable !== 'JOURNEYMAN_CONFIG') expect(known).toContain(variable);
        const loaded = loadConfig({ env: { ...variables, JOURNEYMAN_CONFIG: file } });
        expect(loaded.source.warnings).toEqual([]);
        expect(volumeMounts.map((it) => it.mountPath)).toContain(loaded.server.dataDir);
        // Other defaults of `up` or of local use must not be below the read-only folder of the configuration.
        for (const { root } of Object.values(loaded.orchestrators))
          expect(root.startsWith(loaded.server.dataDir)).toBe(true);
        if (name === 'gateway') expect(loaded.gateway.host).toBe('0.0.0.0');
      }
    });

    it('probes existing endpoints, and has a grace period longer than the process needs', () => {
      for (const { spec } of pods) {
        const [{ env = [], name, ports, readinessProbe: probe }] = spec.containers as [Container];
        const value = (variable: string) => Number(env.find((it) => it.name === variable)?.value);
        const port = value(name === 'gateway' ? 'JOURNEYMAN_GATEWAY_PORT' : 'JOURNEYMAN_WORKER_HEALTH_PORT');
        expect(ports?.find((it) => it.name === probe!.httpGet.port)?.containerPort).toBe(port);
        expect(probe!.httpGet.path).toBe('/readyz');
        if (name === 'gateway') {
          const delay = value('JOURNEYMAN_GATEWAY_SHUTDOWN_DELAY_MS') / 1000;
          expect(delay).toBeGreaterThanOrEqual(probe!.periodSeconds * probe!.failureThreshold + 2);
          expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(delay + 35);
        } else
          expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(
            value('JOURNEYMAN_WORKER_SHUTDOWN_GRACE_MS') / 1000,
          );
      }
    });

    it('scales the task queue and version that its workers poll', () => {
      const file = configFile();
      for (const { spec } of ofKind(manifests, 'ScaledObject')) {
        const target = deployments.find((it) => it.metadata.name === spec.scaleTargetRef!.name)!;
        const env = target.spec.template.spec.containers[0]!.env!.map((it) => [it.name, it.value]);
        const config = loadConfig({ env: { ...Object.fromEntries(env), JOURNEYMAN_CONFIG: file } });
        const version = workerVersion(config);
        expect(spec.triggers![0]!.metadata).toMatchObject({
          taskQueue: config.temporal.taskQueue,
          workerDeploymentName: version?.deploymentName,
          workerDeploymentBuildId: version?.buildId,
        });
      }
    });
  });

  const portsOf = (pod: Pod) => pod.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name));

  it('puts secrets only into a Secret that was requested', () => {
    const manifests = render(valueSets['journeys in a ConfigMap, versioned workers']!);
    expect(ofKind(manifests, 'Secret')).toHaveLength(1);
    expect(JSON.stringify(manifests.filter(({ kind }) => kind !== 'Secret'))).not.toContain('sesame');
    expect(ofKind(render(valueSets['the smallest']!), 'Secret')).toEqual([]);
  });

  it.each([
    ['an unknown value', { gatway: {} }, /gatway/],
    ['an unknown value of workers', { workers: { main: { replica: 1 } } }, /replica/],
    ['versions without a name', { versioning: { enabled: true } }, /deploymentName/],
    ['git without a repository', { journeys: { source: 'git' } }, /repository/],
    ['a ConfigMap without journeys', { journeys: { source: 'configMap' } }, /files/],
    ['an ingress without hosts', { gateway: { ingress: { enabled: true } } }, /hosts/],
  ])('rejects %s', (_, values, message) => {
    expect(() => run(['template', 'shop', chart], values)).toThrow(message);
  });

  it('renders the values of its page', () => {
    const [first, upgrade] = blocksOf('docs/kubernetes.md').filter(({ lang }) => lang === 'yml');
    const values = { ...(parse(first!.text) as object), ...(parse(upgrade!.text) as object) };
    expect(ofKind(render(values), 'Deployment')).toHaveLength(3);
  });

  it('has the version of the package and of the interpreter', () => {
    const { appVersion, version, annotations } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as Labels & {
      annotations: Labels;
    };
    const own = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
    expect([appVersion, version, annotations['journeyman/interpreter']]).toEqual([
      own,
      own,
      String(interpreterVersion),
    ]);
    expect(defaults.gateway.shutdownDelaySeconds).toBeGreaterThan(0);
  });
});
