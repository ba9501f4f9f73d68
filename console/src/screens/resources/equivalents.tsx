/** The search as a REST address, as a GraphQL document and as a command. */
import { Anchor, Collapse, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'react-router';
import type { Column } from '../../fhir/search/search-columns';
import { useCapabilities } from '../../fhir/search/search-definitions';
import { toCurl } from '../../fhir/search/search-curl';
import { toGraphql } from '../../fhir/search/search-graphql';
import { parseQuery } from '../../fhir/search/search-query';
import { CopyField } from '../../layout/copy';
import { Disclosure } from '../../layout/disclosure';
import { usePerson } from '../../layout/use-person';
import { absolute, fhirPath, screenPath, type Space } from '../../place';
import { texts } from '../../texts';
import { PAGE_SIZE } from './builder/result-options';

const { resources } = texts;

export interface EquivalentsProps {
  readonly space: Space;
  readonly type: string;
  readonly query: string;
  readonly columns: readonly Column[];
}

export function Equivalents(props: EquivalentsProps) {
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <div>
      <Disclosure label={resources.equivalents} isOpen={isOpen} onToggle={toggle} />
      <Collapse expanded={isOpen}>{isOpen ? <Requests {...props} /> : null}</Collapse>
    </div>
  );
}

function Requests({ space, type, query, columns }: EquivalentsProps) {
  const capabilities = useCapabilities(space);
  const person = usePerson(space);
  const parsed = parseQuery(query);
  const address = absolute(fhirPath(space, query === '' ? type : `${type}?${query}`));
  const first = parsed.count ?? PAGE_SIZE;
  const document = toGraphql(parsed, { type, columns, capabilities: capabilities.data ?? new Map(), first });
  const lines = [
    { what: resources.rest, value: address },
    { what: resources.graphql, value: document },
    { what: resources.curl, value: toCurl(address, person !== undefined) },
  ];
  return (
    <Stack gap="xs" mt="xs">
      {lines.map(({ what, value }) => (
        <CopyField key={what} what={what} value={value} />
      ))}
      <Anchor
        component={Link}
        size="sm"
        to={`${screenPath(space, 'rest')}?${new URLSearchParams({ path: query === '' ? type : `${type}?${query}` }).toString()}`}
      >
        {resources.inRest}
      </Anchor>
    </Stack>
  );
}
