/** The kustomization, as kubectl builds it, which needs no cluster for that. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { fieldAt, KUBERNETES, type Manifest } from '../support/deployment-files';
import { findOrInstall } from '../support/programs';

const run = promisify(execFile);

it('has all objects, with one image for the server and the migration', async () => {
  const program = await findOrInstall('kubectl', 'kubernetes-client');
  if (program === undefined) throw new Error('This test needs kubectl: apt-get install kubernetes-client');
  const { stdout } = await run(program, ['kustomize', KUBERNETES]);
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  expect(objects.map(({ kind }) => kind).sort()).toEqual([
    ...['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'Job', 'NetworkPolicy', 'NetworkPolicy'],
    ...['PodDisruptionBudget', 'Service', 'ServiceAccount'],
  ]);
  const images = objects
    .map((manifest) => fieldAt(manifest, 'spec.template.spec.containers.0.image'))
    .filter((image) => image !== undefined);
  expect(images).toEqual(Array(2).fill(expect.stringMatching(/^registry\.example\.org\/andiron:\d/)));
});
