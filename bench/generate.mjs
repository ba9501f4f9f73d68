/**
 * Deterministic Synthea-like FHIR R4 data: the same seed always writes the same bytes.
 *
 * Writes shared.json     transaction Bundle of organizations, locations and practitioners
 *        patients.ndjson one transaction Bundle per line and patient; urn:uuid references inside, conditional references
 *                        (Practitioner?identifier=http://bench.example/npi|9..) to the shared resources
 *        extra.ndjson    further patients with other identifiers, for timed imports
 */
import fs from 'node:fs';
import {
  CITY,
  COND,
  ENC,
  FAM,
  GF,
  GM,
  IMM,
  LAB,
  LOINC,
  MED,
  PROC,
  RX,
  SNOMED,
  STREET,
  T,
  UCUM,
} from './generate-terms.mjs';

/**
 * Writes the three files into `folder` (made if absent).
 * @param {{ folder: string, patients?: number, extra?: number, seed?: number }} options
 */
export function generate({ folder, patients = 1000, extra = 200, seed = 42 }) {
  fs.mkdirSync(folder, { recursive: true });
  let s = seed >>> 0;
  function rnd() {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = s;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  const int = (a, b) => a + Math.floor(rnd() * (b - a + 1));
  const pick = (a) => a[Math.floor(rnd() * a.length)];
  const gauss = (m, sd) => {
    let u = 0;
    for (let i = 0; i < 6; i++) u += rnd();
    return m + (u - 3) * sd * 1.41;
  };
  const hex = (n) => {
    let r = '';
    for (let i = 0; i < n; i++) r += '0123456789abcdef'[Math.floor(rnd() * 16)];
    return r;
  };
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[int(0, 3)]}${hex(3)}-${hex(12)}`;
  const p2 = (n) => String(n).padStart(2, '0');
  const iso = (ms) => new Date(ms).toISOString().replace('Z', '+00:00');
  const day = (ms) => new Date(ms).toISOString().slice(0, 10);
  const addr = () => ({
    use: 'home',
    line: [
      `${int(1, 999)} ${pick(STREET)} ${pick(['Street', 'Avenue', 'Road', 'Lane'])}${rnd() < 0.3 ? ' Unit ' + int(1, 99) : ''}`,
    ],
    city: pick(CITY),
    state: 'MA',
    postalCode: '0' + int(1001, 2799),
    country: 'US',
  });
  const cc = (system, code, display) => ({ coding: [{ system, code, display }], text: display });
  const div = (t) => ({ status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${t}</div>` });
  const entry = (resource, fullUrl = 'urn:uuid:' + uuid()) => ({
    fullUrl,
    resource,
    request: { method: 'POST', url: resource.resourceType },
  });
  const NORG = 20,
    NPRAC = 60;
  const orgNpi = [],
    pracNpi = [],
    pracName = [];
  {
    const entries = [];
    for (let i = 0; i < NORG; i++) {
      const npi = String(9990000 + i);
      orgNpi.push(npi);
      const name = `${CITY[i]} General Hospital`;
      const o = entry({
        resourceType: 'Organization',
        identifier: [{ system: 'http://bench.example/org', value: npi }],
        active: true,
        type: [cc(T + 'organization-type', 'prov', 'Healthcare Provider')],
        name,
        telecom: [{ system: 'phone', value: `617-555-${int(1000, 9999)}` }],
        address: [{ ...addr(), use: 'work' }],
      });
      entries.push(
        o,
        entry({
          resourceType: 'Location',
          identifier: [{ system: 'http://bench.example/loc', value: npi }],
          status: 'active',
          name: name + ' Main Campus',
          telecom: [{ system: 'phone', value: `617-555-${int(1000, 9999)}` }],
          address: addr(),
          position: { longitude: -71 - rnd(), latitude: 42 + rnd() },
          managingOrganization: { reference: o.fullUrl, display: name },
        }),
      );
    }
    for (let i = 0; i < NPRAC; i++) {
      const npi = String(9980000 + i),
        f = rnd() < 0.5;
      pracNpi.push(npi);
      const g = pick(f ? GF : GM),
        fam = pick(FAM);
      pracName.push(`Dr. ${g} ${fam}`);
      entries.push(
        entry({
          resourceType: 'Practitioner',
          identifier: [{ system: 'http://bench.example/npi', value: npi }],
          active: true,
          name: [{ family: fam, given: [g], prefix: ['Dr.'] }],
          telecom: [{ system: 'email', value: `${g}.${fam}${i}@example.com`, use: 'work' }],
          address: [addr()],
          gender: f ? 'female' : 'male',
        }),
      );
    }
    fs.writeFileSync(
      `${folder}/shared.json`,
      JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry: entries }),
    );
  }
  const NOW = Date.UTC(2026, 8, 1),
    DAY = 86400e3;
  function patientBundle(idx) {
    const E = [],
      push = (r) => {
        const e = entry(r);
        E.push(e);
        return e.fullUrl;
      };
    const female = rnd() < 0.51,
      fam = pick(FAM),
      giv = pick(female ? GF : GM),
      mid = pick(female ? GF : GM);
    const birth = NOW - int(1 * 365, 92 * 365) * DAY;
    const oi = int(0, NORG - 1),
      pi = int(0, NPRAC - 1);
    const org = {
      reference: `Organization?identifier=http://bench.example/org|${orgNpi[oi]}`,
      display: `${CITY[oi]} General Hospital`,
    };
    const prac = {
      reference: `Practitioner?identifier=http://bench.example/npi|${pracNpi[pi]}`,
      display: pracName[pi],
    };
    const loc = {
      reference: `Location?identifier=http://bench.example/loc|${orgNpi[oi]}`,
      display: `${CITY[oi]} General Hospital Main Campus`,
    };
    const mrn = uuid(),
      ssn = `999-${p2(int(10, 99))}-${int(1000, 9999)}`;
    const race = pick([
      ['2106-3', 'White'],
      ['2106-3', 'White'],
      ['2054-5', 'Black or African American'],
      ['2028-9', 'Asian'],
    ]);
    const P = push({
      resourceType: 'Patient',
      text: div(`Generated patient record of ${giv} ${fam}, version identifier ${mrn}`),
      extension: [
        {
          url: 'http://hl7.org/fhir/us/core/StructureDefinition/us-core-race',
          extension: [
            {
              url: 'ombCategory',
              valueCoding: { system: 'urn:oid:2.16.840.1.113883.6.238', code: race[0], display: race[1] },
            },
            { url: 'text', valueString: race[1] },
          ],
        },
        {
          url: 'http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex',
          valueCode: female ? 'F' : 'M',
        },
        {
          url: 'http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName',
          valueString: `${pick(GF)} ${pick(FAM)}`,
        },
        {
          url: 'http://hl7.org/fhir/StructureDefinition/patient-birthPlace',
          valueAddress: { city: pick(CITY), state: 'MA', country: 'US' },
        },
      ],
      identifier: [
        { system: 'http://bench.example/mrn', value: `MRN${String(idx).padStart(6, '0')}` },
        {
          type: cc(T + 'v2-0203', 'MR', 'Medical Record Number'),
          system: 'http://hospital.smarthealthit.org',
          value: mrn,
        },
        {
          type: cc(T + 'v2-0203', 'SS', 'Social Security Number'),
          system: 'http://hl7.org/fhir/sid/us-ssn',
          value: ssn,
        },
      ],
      active: true,
      name: [{ use: 'official', family: fam, given: [giv, mid], prefix: [female ? 'Mrs.' : 'Mr.'] }],
      telecom: [
        { system: 'phone', value: `555-${int(100, 999)}-${int(1000, 9999)}`, use: 'home' },
        { system: 'email', value: `${giv}.${fam}.${idx}@example.com` },
      ],
      gender: female ? 'female' : 'male',
      birthDate: day(birth),
      address: [addr()],
      maritalStatus: cc(T + 'v3-MaritalStatus', rnd() < 0.6 ? 'M' : 'S', 'Marital status'),
      multipleBirthBoolean: false,
      communication: [{ language: cc('urn:ietf:bcp:47', 'en-US', 'English') }],
      generalPractitioner: [prac],
      managingOrganization: org,
    });
    const subj = { reference: P, display: `${giv} ${fam}` };
    const nEnc = int(4, 7);
    let t = NOW - int(300, 3000) * DAY;
    for (let e = 0; e < nEnc; e++) {
      t += int(20, 300) * DAY + int(0, 8 * 3600) * 1000;
      if (t > NOW) t = NOW - int(1, 20) * DAY;
      const [code, disp, cls] = pick(ENC),
        end = t + int(15, 90) * 60000;
      const status = e === nEnc - 1 && rnd() < 0.25 ? 'in-progress' : rnd() < 0.04 ? 'cancelled' : 'finished';
      const cond = COND[int(0, COND.length - 1)];
      const enc = push({
        resourceType: 'Encounter',
        identifier: [{ use: 'official', system: 'http://bench.example/enc', value: uuid() }],
        status,
        class: { system: T + 'v3-ActCode', code: cls },
        type: [cc(SNOMED, code, disp)],
        subject: subj,
        participant: [
          {
            type: [cc(T + 'v3-ParticipationType', 'PPRF', 'primary performer')],
            period: { start: iso(t), end: iso(end) },
            individual: prac,
          },
        ],
        period: status === 'in-progress' ? { start: iso(t) } : { start: iso(t), end: iso(end) },
        reasonCode: [cc(SNOMED, cond[0], cond[1])],
        location: [{ location: loc }],
        serviceProvider: org,
      });
      const encRef = { reference: enc };
      let condRef;
      if (rnd() < 0.8)
        condRef = push({
          resourceType: 'Condition',
          clinicalStatus: cc(T + 'condition-clinical', rnd() < 0.6 ? 'active' : 'resolved', 'status'),
          verificationStatus: cc(T + 'condition-ver-status', 'confirmed', 'Confirmed'),
          category: [cc(T + 'condition-category', 'encounter-diagnosis', 'Encounter Diagnosis')],
          code: cc(SNOMED, cond[0], cond[1]),
          subject: subj,
          encounter: encRef,
          onsetDateTime: iso(t),
          recordedDate: iso(t),
        });
      const obs = [];
      const nObs = int(4, 6);
      const order = LAB.map((_, i) => i);
      for (let i = order.length - 1; i > 0; i--) {
        const j = int(0, i);
        [order[i], order[j]] = [order[j], order[i]];
      }
      for (let k = 0; k < nObs; k++) {
        const [lc, ld, unit, m, sd, cat] = LAB[order[k]];
        obs.push(
          push({
            resourceType: 'Observation',
            status: 'final',
            category: [cc(T + 'observation-category', cat, cat)],
            code: cc(LOINC, lc, ld),
            subject: subj,
            encounter: encRef,
            effectiveDateTime: iso(t + k * 60000),
            issued: new Date(t + k * 60000 + 5000).toISOString(),
            performer: [prac],
            valueQuantity: {
              value: Math.round(Math.max(0.1, gauss(m, sd)) * 100) / 100,
              unit,
              system: UCUM,
              code: unit,
            },
          }),
        );
      }
      const sys = Math.round(gauss(126, 14)),
        dia = Math.round(gauss(80, 9));
      obs.push(
        push({
          resourceType: 'Observation',
          status: 'final',
          category: [cc(T + 'observation-category', 'vital-signs', 'vital-signs')],
          code: cc(LOINC, '85354-9', 'Blood pressure panel with all children optional'),
          subject: subj,
          encounter: encRef,
          effectiveDateTime: iso(t + 9 * 60000),
          issued: new Date(t + 9 * 60000 + 5000).toISOString(),
          performer: [prac],
          component: [
            {
              code: cc(LOINC, '8462-4', 'Diastolic Blood Pressure'),
              valueQuantity: { value: dia, unit: 'mm[Hg]', system: UCUM, code: 'mm[Hg]' },
            },
            {
              code: cc(LOINC, '8480-6', 'Systolic Blood Pressure'),
              valueQuantity: { value: sys, unit: 'mm[Hg]', system: UCUM, code: 'mm[Hg]' },
            },
          ],
        }),
      );
      if (e === 0) {
        obs.push(
          push({
            resourceType: 'Observation',
            status: 'final',
            category: [cc(T + 'observation-category', 'social-history', 'social-history')],
            code: cc(LOINC, '72166-2', 'Tobacco smoking status'),
            subject: subj,
            encounter: encRef,
            effectiveDateTime: iso(t),
            issued: new Date(t).toISOString(),
            valueCodeableConcept: cc(
              SNOMED,
              rnd() < 0.7 ? '266919005' : '8517006',
              rnd() < 0.5 ? 'Never smoked tobacco' : 'Ex-smoker',
            ),
          }),
        );
      }
      if (rnd() < 0.3)
        push({
          resourceType: 'DiagnosticReport',
          status: 'final',
          category: [cc(LOINC, '34117-2', 'History and physical note')],
          code: cc(LOINC, '51990-0', 'Basic metabolic panel - Blood'),
          subject: subj,
          encounter: encRef,
          effectiveDateTime: iso(t),
          issued: new Date(t).toISOString(),
          performer: [org],
          result: obs.slice(0, 4).map((r) => ({ reference: r })),
        });
      if (rnd() < 0.3) {
        const pr = pick(PROC);
        push({
          resourceType: 'Procedure',
          status: 'completed',
          code: cc(SNOMED, pr[0], pr[1]),
          subject: subj,
          encounter: encRef,
          performedPeriod: { start: iso(t), end: iso(end) },
          location: loc,
        });
      }
      if (rnd() < 0.25) {
        const im = pick(IMM);
        push({
          resourceType: 'Immunization',
          status: 'completed',
          vaccineCode: cc('http://hl7.org/fhir/sid/cvx', im[0], im[1]),
          patient: subj,
          encounter: encRef,
          occurrenceDateTime: iso(t),
          primarySource: true,
          location: loc,
        });
      }
      let mr;
      if (rnd() < 0.75) {
        const md = pick(MED);
        mr = push({
          resourceType: 'MedicationRequest',
          status: rnd() < 0.3 ? 'active' : 'stopped',
          intent: 'order',
          category: [cc(T + 'medicationrequest-category', 'outpatient', 'Outpatient')],
          medicationCodeableConcept: cc(RX, md[0], md[1]),
          subject: subj,
          encounter: encRef,
          authoredOn: iso(t),
          requester: prac,
          ...(condRef ? { reasonReference: [{ reference: condRef }] } : {}),
          dosageInstruction: [
            {
              sequence: 1,
              text: 'Take once daily.',
              timing: { repeat: { frequency: 1, period: 1, periodUnit: 'd' } },
              asNeededBoolean: false,
              doseAndRate: [
                { type: cc(T + 'dose-rate-type', 'ordered', 'Ordered'), doseQuantity: { value: 1 } },
              ],
            },
          ],
        });
      }
      const amount = Math.round(rnd() * 90000 + 7700) / 100;
      const claim = push({
        resourceType: 'Claim',
        status: 'active',
        type: cc(T + 'claim-type', cls === 'IMP' ? 'institutional' : 'professional', 'claim'),
        use: 'claim',
        patient: subj,
        billablePeriod: { start: iso(t), end: iso(end) },
        created: iso(end),
        provider: org,
        priority: cc(T + 'processpriority', 'normal', 'normal'),
        facility: loc,
        ...(mr ? { prescription: { reference: mr } } : {}),
        ...(condRef ? { diagnosis: [{ sequence: 1, diagnosisReference: { reference: condRef } }] } : {}),
        insurance: [
          {
            sequence: 1,
            focal: true,
            coverage: { display: pick(['Medicare', 'Medicaid', 'Humana', 'Aetna', 'Cigna Health']) },
          },
        ],
        item: [
          { sequence: 1, productOrService: cc(SNOMED, code, disp), encounter: [encRef] },
          ...(condRef
            ? [{ sequence: 2, diagnosisSequence: [1], productOrService: cc(SNOMED, cond[0], cond[1]) }]
            : []),
        ],
        total: { value: amount, currency: 'USD' },
      });
      const money = (f) => ({ value: Math.round(amount * f * 100) / 100, currency: 'USD' });
      push({
        resourceType: 'ExplanationOfBenefit',
        contained: [
          {
            resourceType: 'ServiceRequest',
            id: 'referral',
            status: 'completed',
            intent: 'order',
            subject: subj,
            requester: prac,
            performer: [prac],
          },
          {
            resourceType: 'Coverage',
            id: 'coverage',
            status: 'active',
            type: { text: 'Insurance' },
            beneficiary: subj,
            payor: [{ display: 'Insurance' }],
          },
        ],
        identifier: [
          { system: 'https://bluebutton.cms.gov/resources/variables/clm_id', value: uuid() },
          { system: 'https://bluebutton.cms.gov/resources/identifier/claim-group', value: '99999999999' },
        ],
        status: 'active',
        type: cc(T + 'claim-type', 'professional', 'Professional'),
        use: 'claim',
        patient: subj,
        billablePeriod: { start: iso(t), end: iso(t + 365 * DAY) },
        created: iso(end),
        insurer: { display: 'Insurance' },
        provider: prac,
        referral: { reference: '#referral' },
        claim: { reference: claim },
        outcome: 'complete',
        careTeam: [
          { sequence: 1, provider: prac, role: cc(T + 'claimcareteamrole', 'primary', 'Primary provider') },
        ],
        ...(condRef
          ? {
              diagnosis: [
                {
                  sequence: 1,
                  diagnosisReference: { reference: condRef },
                  type: [cc(T + 'ex-diagnosistype', 'principal', 'Principal Diagnosis')],
                },
              ],
            }
          : {}),
        insurance: [{ focal: true, coverage: { reference: '#coverage', display: 'Insurance' } }],
        item: [
          {
            sequence: 1,
            category: cc(
              'https://bluebutton.cms.gov/resources/variables/line_cms_type_srvc_cd',
              '1',
              'Medical care',
            ),
            productOrService: cc(SNOMED, code, disp),
            servicedPeriod: { start: iso(t), end: iso(end) },
            locationCodeableConcept: cc(
              'https://bluebutton.cms.gov/resources/codesystem/location',
              '21',
              'Inpatient Hospital',
            ),
            encounter: [encRef],
            net: money(0.5),
            adjudication: [
              ['line_coinsrnc_amt', 0.1, 'Line Beneficiary Coinsurance Amount'],
              ['line_prvdr_pmt_amt', 0.4, 'Line Provider Payment Amount'],
              ['line_sbmtd_chrg_amt', 0.5, 'Line Submitted Charge Amount'],
              ['line_alowd_chrg_amt', 0.5, 'Line Allowed Charge Amount'],
            ].map(([c, f, d]) => ({
              category: cc(
                'https://bluebutton.cms.gov/resources/codesystem/adjudication',
                'https://bluebutton.cms.gov/resources/variables/' + c,
                d,
              ),
              amount: money(f),
            })),
          },
        ],
        total: [{ category: cc(T + 'adjudication', 'submitted', 'Submitted Amount'), amount: money(1) }],
        payment: { amount: money(0.4) },
      });
    }
    if (rnd() < 0.2)
      push({
        resourceType: 'AllergyIntolerance',
        clinicalStatus: cc(T + 'allergyintolerance-clinical', 'active', 'Active'),
        verificationStatus: cc(T + 'allergyintolerance-verification', 'confirmed', 'Confirmed'),
        type: 'allergy',
        category: ['food'],
        criticality: 'low',
        code: cc(SNOMED, '91935009', 'Allergy to peanuts'),
        patient: subj,
        recordedDate: iso(t),
      });
    return JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry: E });
  }
  for (const [file, from, n] of [
    ['patients.ndjson', 0, patients],
    ['extra.ndjson', 500000, extra],
  ]) {
    const out = [];
    for (let i = 0; i < n; i++) out.push(patientBundle(from + i));
    fs.writeFileSync(`${folder}/${file}`, out.join('\n') + '\n');
  }
}
