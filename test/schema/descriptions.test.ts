import { isInputObjectType, isObjectType, type GraphQLSchema } from 'graphql';
import { releaseDefinitions } from '../../src/core';
import { createSchema } from '../../src/resolvers';
import { TESTED_RELEASES } from '../support/releases';

describe.each(TESTED_RELEASES)('the schema of %s', (release) => {
  const definitions = releaseDefinitions(release);
  const schema: GraphQLSchema = createSchema(definitions);

  it('says what every element of a resource is', () => {
    const silent = definitions.resourceTypes.flatMap((name) => {
      const type = schema.getType(name);
      if (!isObjectType(type)) throw new Error(`${name} is no object type`);
      const elements = definitions.structure(name)?.children('') ?? [];
      const fields = Object.values(type.getFields());
      return elements
        .filter((element) =>
          fields.every((field) => !field.name.startsWith(element.name) || !field.description),
        )
        .map((element) => `${name}.${element.name}`);
    });
    expect(silent).toEqual([]);
  });

  it('quotes the short texts of elements, types and filters', () => {
    const [patient, contact] = [schema.getType('Patient'), schema.getType('PatientContact')];
    if (!isObjectType(patient) || !isObjectType(contact)) throw new Error('both are object types');
    expect(patient.description).toMatch(/^Information about an individual or animal/);
    expect(contact.description).toMatch(/^A contact party/);
    const { birthDate, managingOrganization, name } = patient.getFields();
    expect(birthDate?.description).toBe('The date of birth for the individual');
    expect(managingOrganization?.description).toBe(
      'Organization that is the custodian of the patient record\nRefers to Organization.',
    );
    const use = name?.args.find((arg) => arg.name === 'use');
    expect(use?.description).toBe('usual | official | temp | nickname | anonymous | old | maiden');
  });

  it('describes search parameters as they apply to the type, wherever they are arguments', () => {
    const text = 'A portion of the family name of the patient';
    for (const field of ['PatientList', 'PatientConnection', 'PatientAggregate']) {
      const args = schema.getQueryType()?.getFields()[field]?.args ?? [];
      expect([field, args.find((arg) => arg.name === 'family')?.description]).toEqual([field, text]);
    }
    const where = schema.getType('PatientWhere');
    if (!isInputObjectType(where)) throw new Error('PatientWhere is an input type');
    expect(where.getFields()['family']?.description).toBe(text);
    const organization = schema.getType('Organization');
    if (!isObjectType(organization)) throw new Error('Organization is an object type');
    const patients = organization.getFields()['PatientList']?.args ?? [];
    expect(patients.find((arg) => arg.name === 'family')?.description).toBe(text);
  });

  it('describes the parameters of operations', () => {
    const args = schema.getQueryType()?.getFields()['ValueSetExpand']?.args ?? [];
    expect(args.find((arg) => arg.name === 'filter')?.description).toMatch(/^A text filter/);
  });
});
