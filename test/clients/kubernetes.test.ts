/** The manifests of deploy/kubernetes, by the JSON schemas that Kubernetes publishes (1.27, in the package kubernetes-models). */
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Secret, Service, ServiceAccount } from 'kubernetes-models/v1';
import path from 'node:path';
import {
  fieldAt,
  KUBERNETES,
  type Manifest,
  manifestFiles,
  readManifest,
  readYaml,
} from '../support/deployment-files';

// The published schemas allow every property, and a server of Kubernetes only warns about one that it does not know.
jest.mock('@kubernetes-models/validate', () => {
  const actual = jest.requireActual('@kubernetes-models/validate');
  return {
    ...actual,
    register: (id: string, schema: object) =>
      actual.register(
        id,
        'properties' in schema && !('additionalProperties' in schema)
          ? { ...schema, additionalProperties: false }
          : schema,
      ),
  };
});

const MODELS = [
  ...[ConfigMap, Secret, Service, ServiceAccount, Deployment],
  ...[Job, NetworkPolicy, PodDisruptionBudget, HorizontalPodAutoscaler],
];

/** @throws Error with the faults of the manifest */
function validate(manifest: Manifest): void {
  const Model = MODELS.find(
    ({ apiVersion, kind }) => apiVersion === manifest.apiVersion && kind === manifest.kind,
  );
  if (Model === undefined) throw new Error(`${manifest.apiVersion} ${manifest.kind} has no schema here`);
  new Model(manifest as never).validate();
}

/** A copy of a manifest with another value at a path. */
function withField(manifest: Manifest, at: string, value: unknown): Manifest {
  const copy = structuredClone(manifest);
  const names = at.split('.');
  const last = names.pop() ?? '';
  const parent = names.length === 0 ? copy : fieldAt(copy, names.join('.'));
  (parent as Record<string, unknown>)[last] = value;
  return copy;
}

const POD = 'spec.template.spec';
const CONTAINER = `${POD}.containers.0`;

it.each(manifestFiles())('Kubernetes accepts %s', (file) => {
  expect(() => validate(readManifest(file))).not.toThrow();
});

it.each([
  ['a probe whose field is misspelled', `${CONTAINER}.livenessProbe.httpget`, {}, /additional properties/],
  ['a property that pods do not have', `${POD}.terminationGraceSeconds`, 50, /additional properties/],
  ['a text where a number must be', `${POD}.terminationGracePeriodSeconds`, '50', /must be integer/],
  ['a policy that does not exist', `${POD}.securityContext.seccompProfile.type`, 'Default', /allowed values/],
  ['a quantity that is none', `${CONTAINER}.resources.limits.memory`, '2 GB', /format "quantity"/],
  ['a container without a name', `${CONTAINER}.name`, undefined, /required property 'name'/],
  ['a version of the API that is gone', 'apiVersion', 'extensions/v1beta1', /has no schema/],
])('Kubernetes would refuse %s', (_, at, value, reason) => {
  expect(() => validate(withField(readManifest('deployment.yaml'), at, value))).toThrow(reason);
});

it('Kubernetes would refuse a setting that YAML reads as something else than a text', () => {
  expect(() => validate(withField(readManifest('config-map.yaml'), 'data.AUDIT', true))).toThrow(
    /must be string/,
  );
});

it('applies every manifest but the example of the Secret', () => {
  const { resources } = readYaml(path.join(KUBERNETES, 'kustomization.yaml'));
  expect([...(resources as string[])].sort()).toEqual(
    manifestFiles().filter((file) => file !== 'secret.example.yaml'),
  );
});

it('has no password in a file', () => {
  const secret = readManifest('secret.example.yaml');
  expect(Object.values(secret['stringData'] as object).filter((value) => value !== '')).toEqual([]);
  expect(secret).not.toHaveProperty('data');
});

it.each(['deployment.yaml', 'migration-job.yaml'])('gives the pods of %s no rights', (file) => {
  const manifest = readManifest(file);
  expect(fieldAt(manifest, POD)).toMatchObject({
    automountServiceAccountToken: false,
    // A Service named redis would set REDIS_PORT.
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(fieldAt(manifest, `${CONTAINER}.securityContext`)).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

it('replaces a pod only when its successor is ready, and selects the pods everywhere by the same labels', () => {
  const deployment = readManifest('deployment.yaml');
  expect(fieldAt(deployment, 'spec.strategy.rollingUpdate')).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  const labels = fieldAt(deployment, 'spec.template.metadata.labels');
  for (const [file, at] of [
    ['deployment.yaml', 'spec.selector.matchLabels'],
    ['deployment.yaml', `${POD}.topologySpreadConstraints.0.labelSelector.matchLabels`],
    ['deployment.yaml', `${POD}.topologySpreadConstraints.1.labelSelector.matchLabels`],
    ['service.yaml', 'spec.selector'],
    ['pod-disruption-budget.yaml', 'spec.selector.matchLabels'],
  ] as const)
    expect(fieldAt(readManifest(file), at)).toEqual(labels);
  expect(fieldAt(readManifest('migration-job.yaml'), 'spec.template.metadata.labels')).not.toEqual(labels);
  expect(fieldAt(readManifest('horizontal-pod-autoscaler.yaml'), 'spec.scaleTargetRef')).toEqual({
    apiVersion: deployment.apiVersion,
    kind: deployment.kind,
    name: fieldAt(deployment, 'metadata.name'),
  });
});
