/** What a clinician looks at first: problems, allergies, medication, and the latest value of each vital sign. */
import type { ReactNode } from 'react';
import { graphql } from './gql';
import type { ConceptFragment, SummaryFragment, LatestFragment } from './gql/graphql';
import { nameOf, toText } from './measures';
import { toDay } from './time-axis';

graphql(`
  fragment Summary on Patient {
    ConditionList(_reference: subject, clinical_status: "active", _sort: "-onset-date", _count: 20) {
      _key
      code {
        ...Concept
      }
      onsetDateTime
    }
    AllergyIntoleranceList(_reference: patient, clinical_status: "active", _count: 20) {
      _key
      code {
        ...Concept
      }
      criticality
    }
    MedicationRequestList(_reference: subject, status: "active", _sort: "-authoredon", _count: 20) {
      _key
      medicationCodeableConcept {
        ...Concept
      }
      medicationReference {
        display
        resource(type: Medication, optional: true) {
          ... on Medication {
            _key
            code {
              ...Concept
            }
          }
        }
      }
      dosageInstruction {
        text
      }
    }
  }
`);

/** The newest observation of each code, by the operation $lastn. */
graphql(`
  fragment Latest on Bundle {
    entry {
      resource {
        __typename
        ...Values
      }
    }
  }
`);

export function Summary({ patient, latest }: { patient: SummaryFragment; latest: LatestFragment | null }) {
  const values = (latest?.entry ?? []).map((entry) => entry?.resource);
  return (
    <section className="summary" aria-label="Summary">
      <Card title="Problems">
        {patient.ConditionList?.map(
          (one) => one && <Row key={one._key} name={nameOf(one.code)} detail={toDay(one.onsetDateTime)} />,
        )}
      </Card>
      <Card title="Allergies">
        {patient.AllergyIntoleranceList?.map(
          (one) => one && <Row key={one._key} name={nameOf(one.code)} detail={toRisk(one.criticality)} />,
        )}
      </Card>
      <Card title="Medication">
        {patient.MedicationRequestList?.map(
          (one) =>
            one && (
              <Row
                key={one._key}
                name={drugOf(
                  one.medicationCodeableConcept ?? one.medicationReference?.resource?.code,
                  one.medicationReference?.display,
                )}
                detail={one.dosageInstruction?.[0]?.text}
              />
            ),
        )}
      </Card>
      <Card title="Latest values">
        {values.map(
          (one) =>
            one?.__typename === 'Observation' && (
              <Row
                key={one._key}
                name={nameOf(one.code)}
                detail={`${toText(one)} · ${toDay(one.effectiveDateTime) ?? ''}`}
              />
            ),
        )}
      </Card>
    </section>
  );
}

function drugOf(concept: ConceptFragment | null | undefined, display: string | null | undefined): string {
  return concept ? nameOf(concept) : (display ?? 'Medication');
}

function toRisk(criticality: string | null): string | undefined {
  return criticality === null ? undefined : `${criticality} risk`;
}

function Card({ title, children }: { title: string; children: ReactNode[] | undefined }) {
  return (
    <div>
      <h3>{title}</h3>
      {children === undefined || children.length === 0 ? (
        <p className="quiet">None recorded</p>
      ) : (
        <ul>{children}</ul>
      )}
    </div>
  );
}

function Row({ name, detail }: { name: string; detail: string | null | undefined }) {
  return (
    <li>
      {name} <span className="quiet">{detail}</span>
    </li>
  );
}
