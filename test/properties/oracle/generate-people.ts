/** Random people and places. */
import { makeConcept, makeIdentifier, makeNames } from './generate-values';
import { Digits, type JsonObject, tidy, type Members } from './json';
import { maybe, refer, some, type Make, type Maker } from './maker';

function makeAddress({ random }: Maker, uses: readonly string[] = ['home', 'work']): JsonObject {
  return tidy({
    use: random.pick([...uses, undefined]),
    text: random.pick([undefined, undefined, 'c/o Müller, Ystad']),
    line: random.chance(0.5) ? [random.pick(['1 Main Street', 'Straße 5', '100% Road_'])] : undefined,
    city: random.pick(['Ystad', 'Århus', 'São Paulo', 'ystad', undefined]),
    district: random.pick(['North-East', undefined]),
    postalCode: random.pick(['1234', '12345', 'AB1 2CD', undefined]),
    country: random.pick(['DK', 'dk', 'Sverige', undefined]),
    state: random.pick(['Skåne', undefined]),
    period: random.chance(0.1) ? { start: '2020' } : undefined,
  });
}

function makeTelecom({ random }: Maker): JsonObject {
  return tidy({
    system: random.pick(['phone', 'email', 'sms']),
    value: random.pick(['+45 1234', '+45-1234', 'A@b.example', 'a@b.example', undefined]),
    use: random.pick(['home', 'work', undefined]),
  });
}

export const patient: Make = (maker) => {
  const { random } = maker;
  return {
    identifier: some(maker, 2, () => makeIdentifier(random)),
    active: random.pick([true, false, undefined]),
    name: makeNames(random),
    telecom: some(maker, 2, () => makeTelecom(maker)),
    gender: random.pick(['male', 'female', 'other', undefined]),
    ...(random.chance(0.8)
      ? { birthDate: random.pick(['1970', '1970-05', '1970-05-07', '1985-01-01', '2001']) }
      : random.chance(0.5)
        ? {
            _birthDate: {
              extension: [
                { url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' },
              ],
            },
          }
        : {}),
    ...random.pick<Members>([
      {},
      {},
      { deceasedBoolean: false },
      { deceasedBoolean: true },
      { deceasedDateTime: random.pick(['2020-03-01T10:00:00Z', '2020-03']) },
    ]),
    address: some(maker, 2, () => makeAddress(maker)),
    communication: maybe(maker, 0.3, () => [
      { language: { coding: [{ system: 'urn:ietf:bcp:47', code: random.pick(['en', 'nl', 'de']) }] } },
    ]),
    generalPractitioner: some(maker, 2, () => refer(maker, ['Practitioner', 'Organization'])),
    managingOrganization: maybe(maker, 0.6, () => refer(maker, ['Organization'])),
    link: maybe(maker, 0.2, () => [{ other: refer(maker, ['Patient']), type: 'seealso' }]),
  };
};

export const practitioner: Make = (maker) => ({
  identifier: some(maker, 2, () => makeIdentifier(maker.random)),
  active: maker.random.pick([true, false, undefined]),
  name: makeNames(maker.random),
  telecom: some(maker, 2, () => makeTelecom(maker)),
  gender: maker.random.pick(['male', 'female', undefined]),
});

export const organization: Make = (maker) => ({
  identifier: some(maker, 1, () => makeIdentifier(maker.random)),
  active: maker.random.pick([true, undefined]),
  type: maybe(maker, 0.5, () => [makeConcept(maker.random)]),
  name: maker.random.pick(['Health Seven', 'Sundhed Århus', 'Acme', 'acme & sons']),
  alias: maybe(maker, 0.3, () => [maker.random.pick(['HL7', 'Seven Hills'])]),
  address: some(maker, 1, () => makeAddress(maker, ['work'])),
  partOf: maybe(maker, 0.6, () => refer(maker, ['Organization'])),
});

export const location: Make = (maker) => ({
  status: maker.random.pick(['active', 'suspended', undefined]),
  name: maker.random.pick(['Ward 7', 'ward-7', 'Øst']),
  type: maybe(maker, 0.5, () => [makeConcept(maker.random)]),
  position: maybe(maker, 0.7, () => {
    const [latitude, longitude] = maker.random.pick<readonly [string, string]>([
      ['-83.694810', '42.256500'],
      ['55.676100', '12.568300'],
      ['55.6', '12.4'],
      ['10.0', '179.9'],
      ['10.0', '-179.9'],
    ]);
    return { longitude: new Digits(longitude), latitude: new Digits(latitude) };
  }),
  managingOrganization: maybe(maker, 0.5, () => refer(maker, ['Organization'])),
  partOf: maybe(maker, 0.6, () => refer(maker, ['Location'])),
});
