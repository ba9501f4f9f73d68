import type { JsonObject } from '../../../../../src/core';
import { checker, claiming, faults, profileSet } from './checking';
import { BASE, OWN, profile } from './made-snapshots';

describe('A profile limits how often elements occur', () => {
  it('at least', async () => {
    const check = await checker('Patient', [
      { path: 'Patient.name', min: 2 },
      { path: 'Patient.birthDate', min: 1 },
      { path: 'Patient.multipleBirth[x]', min: 1 },
    ]);
    expect(check({})).toEqual([
      'Patient.name: Patient.name is missing; at least 2 must be there',
      'Patient.birthDate: Patient.birthDate is missing; at least 1 must be there',
      'Patient.multipleBirth: Patient.multipleBirth[x] is missing; at least 1 must be there',
    ]);
    expect(check({ name: [{ text: 'A' }], birthDate: '1970', multipleBirthInteger: 2 })).toEqual([
      'Patient.name: Patient.name occurs once; at least 2 must be there',
    ]);
    expect(
      check({ name: [{ text: 'A' }, { text: 'B' }], birthDate: '1970', multipleBirthBoolean: false }),
    ).toEqual([]);
  });

  it('at most, and not at all', async () => {
    const check = await checker('Patient', [
      { path: 'Patient.name', max: '1' },
      { path: 'Patient.photo', max: '0' },
      { path: 'Patient.deceased[x]', max: '0' },
    ]);
    expect(check({ name: [{ text: 'A' }] })).toEqual([]);
    expect(
      check({ name: [{ text: 'A' }, { text: 'B' }], photo: [{ url: 'p' }], deceasedBoolean: false }),
    ).toEqual([
      'Patient.name: Patient.name occurs 2 times; at most 1 may be there',
      'Patient.deceased: Patient.deceased[x] occurs once; it is not allowed',
      'Patient.photo: Patient.photo occurs once; it is not allowed',
    ]);
  });

  it('below elements, wherever those occur', async () => {
    const check = await checker('Patient', [
      { path: 'Patient.name.family', min: 1 },
      { path: 'Patient.contact.name', min: 1 },
      { path: 'Patient.contact.name.given', min: 1, max: '1' },
      { path: 'Patient.identifier.assigner.display', min: 1 },
    ]);
    expect(check({})).toEqual([]);
    expect(
      check({
        name: [{ family: 'F' }, { given: ['G'] }],
        contact: [{ gender: 'male' }, { name: { given: ['A', 'B'] } }],
        identifier: [{ value: '1', assigner: { reference: 'Organization/1' } }],
      }),
    ).toEqual([
      'Patient.identifier[0].assigner.display: Patient.identifier.assigner.display is missing; at least 1 must be there',
      'Patient.name[1].family: Patient.name.family is missing; at least 1 must be there',
      'Patient.contact[0].name: Patient.contact.name is missing; at least 1 must be there',
      'Patient.contact[1].name.given: Patient.contact.name.given occurs 2 times; at most 1 may be there',
    ]);
  });

  it('of primitives, of which extensions count like values', async () => {
    const check = await checker('Patient', [
      { path: 'Patient.birthDate', min: 1 },
      { path: 'Patient.name.given', max: '2' },
    ]);
    const extension = [{ url: 'http://x.example/why', valueString: 'x' }];
    expect(check({ _birthDate: { extension } })).toEqual([]);
    expect(
      check({
        birthDate: '1970',
        name: [{ given: ['A', null, null], _given: [null, { extension }, { extension }] }],
      }),
    ).toEqual(['Patient.name[0].given: Patient.name.given occurs 3 times; at most 2 may be there']);
  });

  it('of the extensions of a primitive, also where it has none', async () => {
    const check = await checker('Patient', [
      { path: 'Patient.birthDate.extension', min: 1 },
      { path: 'Patient.name.family.extension', max: '0' },
    ]);
    const extension = [{ url: 'http://x.example/why', valueString: 'x' }];
    expect(check({ birthDate: '1970', name: [{ family: 'F', _family: { extension } }] })).toEqual([
      'Patient.name[0].family.extension: Patient.name.family.extension occurs once; it is not allowed',
      'Patient.birthDate.extension: Patient.birthDate.extension is missing; at least 1 must be there',
    ]);
    expect(check({ birthDate: '1970', _birthDate: { extension } })).toEqual([]);
  });

  it('of an element, and not of those whose contentReference names it: it names that of the base', async () => {
    const check = await checker('Questionnaire', [{ path: 'Questionnaire.item.text', min: 1 }]);
    const item = (more: JsonObject) => ({ linkId: '1', type: 'group', ...more });
    expect(
      check({ status: 'draft', item: [item({ text: 'T', item: [item({ item: [item({})] })] })] }),
    ).toEqual([]);
    expect(check({ status: 'draft', item: [item({})] })).toEqual([
      'Questionnaire.item[0].text: Questionnaire.item.text is missing; at least 1 must be there',
    ]);
  });
});

describe('A profile limits the types of values', () => {
  it('of a choice', async () => {
    const check = await checker('Observation', [
      { path: 'Observation.value[x]', type: [{ code: 'Quantity' }, { code: 'string' }] },
    ]);
    expect(check({ valueQuantity: { value: 1 } })).toEqual([]);
    expect(check({ valueInteger: 1 })).toEqual([
      'Observation.value.ofType(integer): Observation.value[x] is of type integer; allowed are Quantity, string',
    ]);
  });

  it('with elements of one type only', async () => {
    const check = await checker('Observation', [
      { path: 'Observation.value[x]', type: [{ code: 'Quantity' }] },
      { path: 'Observation.value[x].code', min: 1 },
    ]);
    expect(check({ valueQuantity: { value: 1, code: 'mg' } })).toEqual([]);
    expect(check({ valueQuantity: { value: 1 } })).toEqual([
      'Observation.value.ofType(Quantity).code: Observation.value[x].code is missing; at least 1 must be there',
    ]);
  });

  it('by a profile on the type', async () => {
    const check = await checker('Observation', [
      {
        path: 'Observation.value[x]',
        type: [{ code: 'Quantity', profile: [`${BASE}/SimpleQuantity`] }, { code: 'string' }],
      },
    ]);
    expect(check({ valueQuantity: { value: 1 } })).toEqual([]);
    expect(check({ valueString: '1' })).toEqual([]);
    expect(check({ valueQuantity: { value: 1, comparator: '<' } })).toEqual([
      'Observation.value.ofType(Quantity): sqty-1: The comparator is not used on a SimpleQuantity',
      'Observation.value.ofType(Quantity).comparator: Quantity.comparator occurs once; it is not allowed',
    ]);
  });

  it('by one of several profiles', async () => {
    const own = (name: string, path: string) =>
      profile(name, 'Identifier', [{ path, min: 1 }], { kind: 'complex-type' });
    const type = [{ code: 'Identifier', profile: [`${OWN}/WithSystem`, `${OWN}/WithType`] }];
    const check = await checker(
      'Patient',
      [{ path: 'Patient.identifier', type }],
      [own('WithSystem', 'Identifier.system'), own('WithType', 'Identifier.type')],
    );
    expect(check({ identifier: [{ system: 'urn:x' }, { type: { text: 'T' } }] })).toEqual([]);
    expect(check({ identifier: [{ system: 'urn:x' }, { value: 'V' }] })).toEqual([
      'Patient.identifier[1]: This meets none of WithSystem or WithType',
    ]);
  });

  it('reports that a profile on a type could not be found', async () => {
    const type = [{ code: 'Identifier', profile: ['http://nowhere.example/Identifier'] }];
    const check = await checker('Patient', [{ path: 'Patient.identifier', type }]);
    expect(check({ identifier: [{ value: '1' }] })).toEqual([
      'warning Patient.identifier[0]: Conformance to http://nowhere.example/Identifier, which the profile Own requires, was not checked: it could not be found',
    ]);
  });

  it('of resources', async () => {
    const check = await checker('Bundle', [
      { path: 'Bundle.entry.resource', type: [{ code: 'Patient' }, { code: 'Observation' }] },
    ]);
    const entry = [{ resource: { resourceType: 'Patient' } }, { resource: { resourceType: 'Basic' } }];
    expect(check({ type: 'collection', entry })).toEqual([
      'Bundle.entry[1].resource: The resource is of type Basic; allowed are Patient, Observation',
    ]);
  });

  it('and is itself for one type', async () => {
    const set = await profileSet([profile('Own', 'Patient', [])]);
    expect(faults(set, claiming('Own', { resourceType: 'Basic', code: { text: 'x' } }))).toEqual([
      'Basic: This is of type Basic, but the profile Own is for Patient',
    ]);
  });
});
