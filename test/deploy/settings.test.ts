/** The files for containers agree with the program in settings, addresses, ports and times. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigurationError, describeSetting, loadSettings, settingNames } from '../../src/config';
import { SETTINGS } from '../../src/config/table';
import { isPublicAddress, Networks } from '../../src/core/network/ip-address';
import { HEALTH_ADDRESSES } from '../../src/rest/observation/health';
import { type Fields, fieldAt, readManifest, readYaml, ROOT } from '../support/deployment-files';

/** Variables of Node.js, which are not settings. */
const OF_NODE = ['NODE_ENV', 'NODE_OPTIONS'];
const POD = 'spec.template.spec';
const CONTAINER = `${POD}.containers.0`;
const MEGABYTES_OF_CODE = 100;

const compose = readYaml(path.join(ROOT, 'compose.yaml'));
const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
const deployment = readManifest('deployment.yaml');
const configured = readManifest('config-map.yaml')['data'] as Record<string, string>;
const secret = readManifest('secret.example.yaml')['stringData'] as Record<string, string>;

/** The settings of a service of compose.yaml, with texts in place of variables. */
function composeSettings(service: string): Record<string, string> {
  const written = fieldAt(compose, `services.${service}.environment`) as Record<string, string>;
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => [
      name,
      value.replace(/^\$\{\w+:(-(.*)|\?.*)\}$/, (_, __, fallback: string | undefined) => fallback ?? 'given'),
    ]),
  );
}

const imageVariables = Object.fromEntries(
  Array.from(/^ENV (.*)$/m.exec(dockerfile)?.[1]?.matchAll(/(\w+)=(\S+)/g) ?? [], ([, name, value]) => [
    name,
    value,
  ]),
);
const podVariables = Object.fromEntries(
  (fieldAt(deployment, `${CONTAINER}.env`) as { name: string; value: string }[]).map(({ name, value }) => [
    name,
    value,
  ]),
);

it.each([
  ['Dockerfile', imageVariables],
  ['the server of compose.yaml', composeSettings('server')],
  ['the migration of compose.yaml', composeSettings('migrate')],
  ['the ConfigMap', configured],
  ['the Secret', secret],
  ['the Deployment', podVariables],
])('the variables of %s are settings of the program', (_, variables) => {
  const names = Object.keys(variables).filter((name) => !OF_NODE.includes(name));
  expect(names.filter((name) => !settingNames().includes(name))).toEqual([]);
  expect(Object.keys(variables)).not.toEqual([]);
});

it.each([
  ['compose.yaml', { ...imageVariables, ...composeSettings('server') }],
  ['Kubernetes', { ...imageVariables, ...configured, ...secret, ...podVariables }],
])('the program accepts the settings of %s, and requires credentials', (_, variables) => {
  const settings = loadSettings(variables);
  expect(settings).toMatchObject({
    core: { authMode: 'enforced' },
    audit: { records: 'on' },
    http: { host: '0.0.0.0' },
  });
});

it('the program would refuse a wrong value', () => {
  expect(() => loadSettings({ ...configured, FHIR_DATABASE_SSL: 'yes please' })).toThrow(ConfigurationError);
});

it('secrets are in the Secret and not in the ConfigMap', () => {
  const isSecret = (name: string): boolean => settingNames().includes(name) && describeSetting(name).secret;
  expect(Object.keys(configured).filter(isSecret)).toEqual([]);
  expect(Object.keys(secret).filter((name) => !isSecret(name))).toEqual([]);
});

it('nobody outside of the machine reaches a port of compose.yaml', () => {
  const services = Object.values(compose['services'] as Record<string, Fields>);
  const ports = services.flatMap((service) => (service['ports'] ?? []) as string[]);
  expect(ports).toEqual([`127.0.0.1:\${ANDIRON_PORT:-3000}:${SETTINGS.http.port.default}`]);
});

it('probes and health checks ask for addresses that the server has', () => {
  const probe = (kind: string): unknown => fieldAt(deployment, `${CONTAINER}.${kind}.httpGet.path`);
  expect([probe('startupProbe'), probe('livenessProbe')]).toEqual(['/health/live', '/health/live']);
  expect(probe('readinessProbe')).toBe('/health/ready');
  const checks = [dockerfile, JSON.stringify(fieldAt(compose, 'services.server.healthcheck'))];
  const asked = checks.flatMap((text) => text.match(/\/health\/\w+/g) ?? []);
  expect(asked).toEqual(['/health/live', '/health/ready']);
  for (const address of asked) expect(HEALTH_ADDRESSES).toContain(address);
});

it('the ports of pods and of the image are those of the settings', () => {
  const settings = loadSettings({ ...configured, ...secret });
  expect(fieldAt(deployment, `${CONTAINER}.ports`)).toEqual([
    { name: 'http', containerPort: settings.http.port },
    { name: 'metrics', containerPort: settings.metrics.address?.port },
  ]);
  expect(fieldAt(readManifest('service.yaml'), 'spec.ports.0.targetPort')).toBe('http');
  for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    expect(fieldAt(deployment, `${CONTAINER}.${kind}.httpGet.port`)).toBe('http');
  expect(dockerfile).toContain(`\nEXPOSE ${SETTINGS.http.port.default}\n`);
});

/** Seconds until a probe has failed as often as it may. */
function secondsOf(kind: string): number {
  const probe = fieldAt(deployment, `${CONTAINER}.${kind}`) as Record<string, number>;
  return (probe['periodSeconds'] ?? Number.NaN) * (probe['failureThreshold'] ?? Number.NaN);
}

it('a pod is killed only when its requests had their time, and after new requests go elsewhere', () => {
  const settings = loadSettings({ ...configured, ...secret });
  const end = (settings.shutdown.delayMs + settings.shutdown.timeoutMs) / 1000;
  expect(fieldAt(deployment, `${POD}.terminationGracePeriodSeconds`)).toBeGreaterThan(end);
  expect(settings.shutdown.timeoutMs).toBeGreaterThan(settings.http.requestTimeoutMs);
  expect(settings.shutdown.delayMs).toBeGreaterThan(secondsOf('readinessProbe') * 1000);
  const ofCompose = loadSettings(composeSettings('server'));
  expect(ofCompose.shutdown.timeoutMs).toBeGreaterThan(ofCompose.http.requestTimeoutMs);
  const grace = Number.parseInt(String(fieldAt(compose, 'services.server.stop_grace_period')), 10);
  expect(grace * 1000).toBeGreaterThan(ofCompose.shutdown.delayMs + ofCompose.shutdown.timeoutMs);
});

it('a start that waits for the migration of another process is not taken for a failure', () => {
  const wait = SETTINGS.start.waitMs.default / 60_000;
  expect(secondsOf('startupProbe') / 60).toBeGreaterThan(wait);
  expect((fieldAt(deployment, 'spec.progressDeadlineSeconds') as number) / 60).toBeGreaterThan(wait);
  const periods = [
    /--start-period=(\d+)m /.exec(dockerfile)?.[1],
    String(fieldAt(compose, 'services.server.healthcheck.start_period')).replace('m', ''),
  ];
  for (const minutes of periods) expect(Number(minutes)).toBeGreaterThan(wait);
});

it('the memory of a pod has room for the heaps of the process and of its thread', () => {
  const heap = Number(/--max-old-space-size=(\d+)/.exec(podVariables['NODE_OPTIONS'] ?? '')?.[1]);
  const limit = Number(
    /^(\d+)Gi$/.exec(String(fieldAt(deployment, `${CONTAINER}.resources.limits.memory`)))?.[1],
  );
  expect(limit * 1024).toBeGreaterThan(2 * heap + MEGABYTES_OF_CODE);
});

it('the image has one exact version of Node.js that the program supports, and no secret', () => {
  const bases = Array.from(dockerfile.matchAll(/^FROM (\S+)/gm), ([, base]) => base);
  expect(bases).toEqual([
    bases[1],
    expect.stringMatching(/^node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/),
  ]);
  const [, version] = /^node:([\d.]+)-/.exec(bases[1] ?? '') ?? [];
  expect(dockerfile).toContain(`\nRUN test "$(node --version)" = v${version}\n`);
  expect(dockerfile).not.toMatch(/PASSWORD|SECRET|^ARG /m);
});

it('all containers run as the user of the image, which is not root', () => {
  const user = /^USER (\d+):(\d+)$/m.exec(dockerfile);
  expect(Number(user?.[1])).toBeGreaterThan(0);
  for (const file of ['deployment.yaml', 'migration-job.yaml'])
    expect(fieldAt(readManifest(file), `${POD}.securityContext`)).toMatchObject({
      runAsUser: Number(user?.[1]),
      runAsGroup: Number(user?.[2]),
    });
});

it('each container of compose.yaml has no right of root that it does not need, and writes only where it must', () => {
  const services = compose['services'] as Record<string, Fields>;
  expect(Object.keys(services).sort()).toEqual(['migrate', 'postgres', 'redis', 'server']);
  for (const service of Object.values(services))
    expect(service).toMatchObject({
      ...{ cap_drop: ['ALL'], read_only: true, security_opt: ['no-new-privileges:true'] },
    });
  const added = Object.entries(services).flatMap(([name, { cap_add: rights }]) =>
    rights === undefined ? [] : [[name, rights]],
  );
  // Its entrypoint gives the volume to the user postgres, and becomes that user.
  expect(added).toEqual([['postgres', ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID']]]);
});

it('pods are reached at their ports, by Prometheus alone at that of metrics, and call no private address by https', () => {
  const [all, server] = ['network-policy.yaml', 'network-policy-server.yaml'].map(readManifest);
  const settings = loadSettings({ ...configured, ...secret });
  for (const file of ['deployment.yaml', 'migration-job.yaml'])
    expect(fieldAt(readManifest(file), 'spec.template.metadata.labels')).toMatchObject(
      fieldAt(all, 'spec.podSelector.matchLabels') as object,
    );
  expect(fieldAt(server, 'spec.podSelector')).toEqual(fieldAt(deployment, 'spec.selector'));
  for (const policy of [all, server])
    expect(fieldAt(policy, 'spec.policyTypes')).toEqual(['Ingress', 'Egress']);
  expect(fieldAt(all, 'spec.ingress')).toBeUndefined();
  const portsOf = (policy: unknown, at: string): unknown =>
    (fieldAt(policy, at) as { ports: { port: unknown }[] }[]).map(({ ports }) =>
      ports.map(({ port }) => port),
    );
  expect(portsOf(all, 'spec.egress')).toEqual([
    [53, 53],
    [settings.database.port, settings.redis.port],
  ]);
  expect([portsOf(server, 'spec.ingress'), portsOf(server, 'spec.egress')]).toEqual([
    [['http'], ['metrics']],
    [[443]],
  ]);
  expect(fieldAt(server, 'spec.ingress.1.from')).toHaveLength(1);
  const except = fieldAt(server, 'spec.egress.0.to.0.ipBlock.except') as string[];
  for (const network of except) expect(isPublicAddress(network.replace(/\/.*/, ''))).toBe(false);
  for (const address of [
    '10.1.2.3',
    '172.20.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '168.63.129.16',
    '100.64.1.1',
  ])
    expect(new Networks(except).has(address)).toBe(true);
});

it('pods at their highest number fit into the connections that PostgreSQL has by default', () => {
  const pods = fieldAt(readManifest('horizontal-pod-autoscaler.yaml'), 'spec.maxReplicas') as number;
  // Two more during a start and one for /health/ready; an upgrade adds a pod. PostgreSQL reserves three of its 100.
  const each = SETTINGS.database.connections.default + 3;
  expect((pods + 1) * each).toBeLessThanOrEqual(97);
});
