import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Encounters } from './encounters';
import { execute } from './gateway';
import { graphql } from './gql';
import { lastSequence, useChanges } from './live';
import { MeasureChart } from './measure-chart';
import { toMeasures } from './measures';
import { PatientForm } from './patient-form';
import { toDisplayName } from './patient-name';
import { Summary } from './summary';

const PATIENT_CHART = graphql(`
  query PatientChart($id: ID!, $patient: [reference]) {
    Patient(id: $id) {
      ...PatientFields
      ...Summary
      ...Encounters
      managingOrganization {
        display
        resource(type: Organization, optional: true) {
          ... on Organization {
            name
          }
        }
      }
      ObservationConnection(_reference: subject, _sort: "-date", _count: 100) {
        count
        edges {
          resource {
            ...Values
          }
        }
      }
    }
    ObservationLastn(patient: $patient, category: "vital-signs") {
      ...Latest
    }
  }

  fragment Values on Observation {
    _key
    code {
      ...Concept
    }
    effectiveDateTime
    valueQuantity {
      value
      unit
    }
    component {
      code {
        ...Concept
      }
      valueQuantity {
        value
        unit
      }
    }
  }

  fragment Concept on CodeableConcept {
    text
    coding {
      code
      display
    }
  }

  fragment PatientFields on Patient {
    id
    meta {
      versionId
      lastUpdated
    }
    active
    birthDate
    gender
    name {
      text
      family
      given
    }
    telecom {
      system
      value
    }
  }
`);

export function PatientDetail({ id }: { id: string }) {
  const [isEditing, setEditing] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['patient', id],
    queryFn: async () => {
      const sequence = await lastSequence();
      const { Patient, ObservationLastn } = await execute(PATIENT_CHART, { id, patient: `Patient/${id}` });
      return { sequence, patient: Patient, latest: ObservationLastn };
    },
  });
  const followed = { after: data?.sequence, onChange: () => refetch() };
  const seesPatient = useChanges({ type: 'Patient', query: `_id=${id}`, ...followed });
  const seesObservations = useChanges({ type: 'Observation', query: `subject=Patient/${id}`, ...followed });

  if (error !== null) return <p role="alert">{error.message}</p>;
  if (data === undefined) return <p className="empty">Loading …</p>;
  const { patient, latest } = data;
  if (patient === null) return <p className="empty">This patient has been deleted.</p>;

  const organization = patient.managingOrganization;
  const observations = patient.ObservationConnection;
  const { charted, single } = toMeasures((observations?.edges ?? []).map((edge) => edge?.resource));
  const shown = observations?.edges?.length ?? 0;
  const isLive = seesPatient && seesObservations;
  return (
    <article>
      <header>
        <h2>{toDisplayName(patient.name)}</h2>
        <span className={isLive ? 'live' : 'quiet'} role="status">
          {isLive ? 'Live' : 'Connecting …'}
        </span>
        <span className="quiet" data-testid="version">
          Version {patient.meta?.versionId}
        </span>
        {!isEditing && (
          <button type="button" onClick={() => setEditing(true)}>
            Edit
          </button>
        )}
      </header>
      {isEditing ? (
        <PatientForm patient={patient} onDone={() => setEditing(false)} />
      ) : (
        <dl>
          <Fact name="Born" value={patient.birthDate} />
          <Fact name="Gender" value={patient.gender} />
          <Fact name="Active" value={patient.active === null ? null : patient.active ? 'yes' : 'no'} />
          <Fact name="Phone" value={patient.telecom?.find((one) => one?.system === 'phone')?.value} />
          <Fact name="Cared for by" value={organization?.resource?.name ?? organization?.display} />
        </dl>
      )}
      <Summary patient={patient} latest={latest} />
      <Encounters patient={patient} />
      <section className="charts" aria-label="Observations">
        {charted.map((measure) => (
          <MeasureChart key={measure.name} measure={measure} />
        ))}
      </section>
      {single.length > 0 && (
        <dl>
          {single.map(({ name, text }) => (
            <Fact key={name} name={name} value={text} />
          ))}
        </dl>
      )}
      <p className="quiet">
        {shown} of {observations?.count ?? 0} observations
      </p>
    </article>
  );
}

function Fact({ name, value }: { name: string; value: string | null | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value ?? '–'}</dd>
    </div>
  );
}
