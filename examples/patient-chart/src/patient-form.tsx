/**
 * An edit as a JSON Patch, sent with the displayed version (`ifVersion`). On a conflict nothing is changed: the form shows the
 * other change, and the patch can be applied to the new version.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { execute, GatewayError } from './gateway';
import { graphql } from './gql';
import type { JsonPatchOperation, PatientFieldsFragment } from './gql/graphql';

const EDIT_PATIENT = graphql(`
  mutation EditPatient($id: ID!, $version: ID!, $patch: [JsonPatchOperation!]!) {
    PatientPatch(id: $id, ifVersion: $version, patch: $patch) {
      resource {
        meta {
          versionId
        }
      }
    }
  }
`);

const CURRENT_VERSION = graphql(`
  query CurrentVersion($id: ID!) {
    Patient(id: $id) {
      meta {
        versionId
      }
    }
  }
`);

const CHANGED_MEANWHILE = graphql(`
  query ChangedMeanwhile($id: ID!, $from: ID!, $to: ID!) {
    diff(type: Patient, id: $id, from: $from, to: $to)
  }
`);

interface Fields {
  readonly family: string;
  readonly birthDate: string;
  readonly gender: string;
  readonly active: boolean;
}

function toFields({ name, birthDate, gender, active }: PatientFieldsFragment): Fields {
  return {
    family: name?.[0]?.family ?? '',
    birthDate: birthDate ?? '',
    gender: gender ?? '',
    active: active ?? false,
  };
}

/** Only the edited members, so that it can be applied to another version as well. */
function toPatch(patient: PatientFieldsFragment, edited: Fields): JsonPatchOperation[] {
  const before = toFields(patient);
  const familyPath = patient.name?.[0] ? '/name/0/family' : '/name';
  const familyValue = patient.name?.[0] ? edited.family : [{ family: edited.family }];
  return [
    ...(edited.family === before.family ? [] : [put(familyPath, familyValue)]),
    ...(edited.birthDate === before.birthDate ? [] : [put('/birthDate', edited.birthDate)]),
    ...(edited.gender === before.gender ? [] : [put('/gender', edited.gender)]),
    ...(edited.active === before.active ? [] : [put('/active', edited.active)]),
  ];
}

function put(path: string, value: unknown): JsonPatchOperation {
  return value === '' ? { op: 'remove', path } : { op: 'add', path, value };
}

interface Conflict {
  /** The conflicting version. */
  readonly version: string;
  /** Its changes of the version that was edited here. */
  readonly theirs: readonly JsonPatchOperation[];
}

async function findConflict(id: string, from: string): Promise<Conflict> {
  const version = (await execute(CURRENT_VERSION, { id })).Patient?.meta?.versionId;
  if (!version) throw new Error('Somebody else deleted this patient meanwhile.');
  const { diff } = await execute(CHANGED_MEANWHILE, { id, from, to: version });
  // `diff` is JSON to the schema; its documentation says that it is a JSON Patch.
  return { version, theirs: diff as readonly JsonPatchOperation[] };
}

export function PatientForm({ patient, onDone }: { patient: PatientFieldsFragment; onDone: () => void }) {
  // The page shows the current version; an edit belongs to the version at which it began.
  const [base] = useState(patient);
  const [fields, setFields] = useState(() => toFields(base));
  const [conflict, setConflict] = useState<Conflict>();
  const queries = useQueryClient();
  const id = base.id ?? '';
  const version = base.meta?.versionId ?? '';
  const patch = toPatch(base, fields);

  const save = useMutation({
    mutationFn: async (onto: string) => {
      try {
        await execute(EDIT_PATIENT, { id, version: onto, patch });
        return undefined;
      } catch (error) {
        if (!(error instanceof GatewayError && error.code === 'conflict')) throw error;
        return await findConflict(id, version);
      }
    },
    onSuccess: async (found) => {
      setConflict(found);
      if (found !== undefined) return;
      await queries.invalidateQueries({ queryKey: ['patient', id] });
      onDone();
    },
  });
  const change = (changed: Partial<Fields>) => setFields({ ...fields, ...changed });
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    if (patch.length === 0) onDone();
    else save.mutate(version);
  };

  return (
    <form onSubmit={onSubmit} aria-label="Edit patient">
      <label>
        Family name
        <input value={fields.family} onChange={({ target }) => change({ family: target.value })} />
      </label>
      <label>
        Born
        <input
          value={fields.birthDate}
          placeholder="1974-12-25"
          onChange={({ target }) => change({ birthDate: target.value })}
        />
      </label>
      <label>
        Gender
        <select value={fields.gender} onChange={({ target }) => change({ gender: target.value })}>
          {['', 'female', 'male', 'other', 'unknown'].map((code) => (
            <option key={code}>{code}</option>
          ))}
        </select>
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={fields.active}
          onChange={({ target }) => change({ active: target.checked })}
        />
        Active
      </label>
      <div className="buttons">
        <button type="submit" disabled={save.isPending || conflict !== undefined}>
          Save
        </button>
        <button type="button" onClick={onDone}>
          Cancel
        </button>
      </div>
      {save.error !== null && <p role="alert">{save.error.message}</p>}
      {conflict !== undefined && (
        <div role="alert" className="conflict">
          <p>
            <strong>Somebody else changed this patient meanwhile:</strong> you edited version {version}, now
            there is version {conflict.version}. Nothing was changed by you yet.
          </p>
          <PatchTable title="They changed" patch={conflict.theirs} />
          <PatchTable title="You want to change" patch={patch} />
          <button type="button" disabled={save.isPending} onClick={() => save.mutate(conflict.version)}>
            Put my change on version {conflict.version}
          </button>
        </div>
      )}
    </form>
  );
}

function PatchTable({ title, patch }: { title: string; patch: readonly JsonPatchOperation[] }) {
  return (
    <table>
      <caption>{title}</caption>
      <tbody>
        {patch.map(({ op, path, value }) => (
          <tr key={`${op} ${path}`}>
            <td>{op}</td>
            <td>
              <code>{path}</code>
            </td>
            <td>{value === undefined ? '' : JSON.stringify(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
